#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles in archives: a folder, and a real S3 server.

usage: run.py NEURON_EXPLORER MAKE_CAPTURE FETCH_DIRECTORY

TAP on stdout. The server is s3rver; without it, its cases are skipped.
"""

import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, MAKER = (str(pathlib.Path(word).absolute()) for word in sys.argv[1:3])
PACKAGES = pathlib.Path(sys.argv[3])
BUCKET = 'profiles'
KEYS = {'AWS_ACCESS_KEY_ID': 'S3RVER', 'AWS_SECRET_ACCESS_KEY': 'S3RVER', 'AWS_REGION': 'eu-test-1'}
USAGE, NOT_FOUND, PERMISSION = 2, 3, 4


class Shop:
    """A workspace with a profile, and commands on it."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {key: value for key, value in os.environ.items() if not key.startswith('AWS_')}
        subprocess.run([MAKER, '--demo', str(folder / 'demo')], check=True, stdout=subprocess.DEVNULL)
        self.do('view', '-n', 'demo/demo.neff', '-s', 'demo/demo.ntff', '--ingest-only', '--display-name', 'bert',
                '-v', '2')

    def run(self, *words):
        words = [*words, '--data-path', 'ws'] if words[0] != 'query' else \
            ['query', '--data-path', 'ws', *words[1:]]
        return subprocess.run([PROGRAM, *words], cwd=self.folder, env=self.env, text=True, capture_output=True)

    def do(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, f'{words}: {done.returncode} {done.stderr}'
        return done.stdout

    def record(self, name='bert'):
        listed = json.loads(self.do('list', '--format', 'json'))['profiles']
        return next(one for one in listed if one['name'] == name)

    def count(self):
        return self.do('query', '-d', 'bert', '-f', 'csv', 'SELECT count(*) FROM Instruction').split()[1]

    def tables(self, name='bert'):
        return sorted(path.name for path in (self.folder / f'ws/profiles/global/{name}@latest').glob('*.parquet'))

    def refused(self, code, text, *words):
        """The command fails with one sentence, and the profile is as it was."""
        before = self.tables(), self.record()['state']
        done = self.run(*words)
        assert done.returncode == code, f'{done.returncode} {done.stderr}'
        assert text in done.stderr and done.stderr.count('\n') <= 2, done.stderr
        assert (self.tables(), self.record()['state']) == before, 'something has changed'


def signature_of(request, secret):
    """Signature version 4, from the request as it came over the wire."""
    fields = dict(re.findall(r'(\w+)=([^,]+)', request.headers['Authorization'].split(' ', 1)[1]))
    _, day, region, service, end = fields['Credential'].split('/')
    names = fields['SignedHeaders'].split(';')
    canonical = '\n'.join([request.command, request.path, '',
                           *(f'{name}:{request.headers[name].strip()}' for name in names), '', ';'.join(names),
                           request.headers['x-amz-content-sha256']])
    text = '\n'.join(['AWS4-HMAC-SHA256', request.headers['x-amz-date'], f'{day}/{region}/{service}/{end}',
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = b'AWS4' + secret.encode()
    for part in (day, region, service, end, text):
        key = hmac.new(key, part.encode(), 'sha256').digest()
    return fields['Signature'], key.hex()


class Gate(http.server.BaseHTTPRequestHandler):
    """Checks signatures and digests, as S3 does and s3rver does not, and passes requests on."""

    protocol_version = 'HTTP/1.1'
    upstream = 0

    def answer(self, code, body):
        self.send_response(code)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        given, right = signature_of(self, KEYS['AWS_SECRET_ACCESS_KEY'])
        if given != right or self.headers['x-amz-content-sha256'] != hashlib.sha256(body).hexdigest():
            self.answer(403, b'<Error><Code>SignatureDoesNotMatch</Code></Error>')
            return
        server = http.client.HTTPConnection('127.0.0.1', self.upstream)
        server.request(self.command, self.path, body or None, dict(self.headers))
        got = server.getresponse()
        self.answer(got.status, got.read())
        server.close()

    do_GET = do_PUT = handle_any

    def log_message(self, *_):
        pass


class Bucket:
    """An S3 server with one bucket, behind the gate."""

    def __init__(self, shop):
        if not (PACKAGES / 'node_modules/s3rver').is_dir():
            raise Skip('s3rver cannot be had here')
        self.folder = shop.folder / 's3'
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ['node', str(PACKAGES / 'node_modules/s3rver/bin/s3rver.js'), '-d', str(self.folder), '-a', '127.0.0.1',
             '-p', str(port), '--configure-bucket', BUCKET],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if 'listening' in line.lower():
                break
        else:
            raise AssertionError('the S3 server does not start')
        gate = type('GateTo', (Gate,), {'upstream': port})
        self.gate = http.server.ThreadingHTTPServer(('127.0.0.1', 0), gate)
        threading.Thread(target=self.gate.serve_forever, daemon=True).start()
        shop.env.update(KEYS, AWS_ENDPOINT_URL=f'http://127.0.0.1:{self.gate.server_port}')

    def __enter__(self):
        return self

    def close(self):
        self.gate.shutdown()
        self.gate.server_close()

    def __exit__(self, *_):
        self.close()
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()

    def objects(self):
        return sorted(path for path in (self.folder / BUCKET).rglob('*._S3rver_object'))


def moves_there_and_back(shop, to):
    count, tables, created = shop.count(), shop.tables(), shop.record()['created_ms']
    shop.do('archive', 'bert', '--to', to)
    record = shop.record()
    assert record['state'] == 'archived' and record['created_ms'] == created, record
    assert shop.tables() == [], shop.tables()
    assert shop.count() == count, 'the rows differ'
    assert shop.tables() == tables and shop.record()['state'] == 'ready'
    return record


def a_folder_and_back(shop):
    record = moves_there_and_back(shop, 'archive')
    assert record['archive'] == str((shop.folder / 'archive').resolve()), record
    # It is there already: nothing is sent again.
    before = sorted((path, path.stat().st_mtime_ns) for path in (shop.folder / 'archive').rglob('*'))
    shop.do('archive', 'bert', '--to', 'archive')
    assert before == sorted((path, path.stat().st_mtime_ns) for path in (shop.folder / 'archive').rglob('*'))
    shop.refused(USAGE, 'archived already', 'archive', 'bert', '--to', 'archive')
    shop.do('view', 'bert', '--ingest-only')
    assert shop.record()['state'] == 'ready'


def marks_and_raw_files_are_kept(shop):
    record = shop.folder / 'ws/profiles/global/bert@latest/profile.json'
    text = json.loads(record.read_text())
    text['favourite'] = True
    record.write_text(json.dumps(text))
    shop.do('archive', 'bert', '--to', 'archive', '--raw')
    assert shop.record()['favourite']
    raw = sorted(path.name for path in (shop.folder / 'archive').rglob('*') if path.parent.name == 'raw')
    assert raw == ['0-demo.ntff', '1-demo.neff'], raw
    assert (shop.folder / 'demo/demo.ntff').exists()
    assert shop.count() != '0' and shop.record()['favourite']


def a_file_that_changed_in_the_archive_is_refused(shop):
    shop.do('archive', 'bert', '--to', 'archive')
    [table] = (shop.folder / 'archive').rglob('Instruction.parquet')
    good = table.read_bytes()
    table.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    done = shop.run('view', 'bert', '--ingest-only')
    assert done.returncode and 'was changed in the archive' in done.stderr, done.stderr
    assert shop.record()['state'] == 'archived' and shop.tables() == []
    assert not list((shop.folder / 'ws/staging').iterdir()), 'something is left'
    table.unlink()
    done = shop.run('view', 'bert', '--ingest-only')
    assert done.returncode == NOT_FOUND, done.stderr
    table.write_bytes(good)
    shop.do('view', 'bert', '--ingest-only')
    assert shop.record()['state'] == 'ready'


def places_that_cannot_be_written(shop):
    (shop.folder / 'file').write_text('')
    shop.refused(shop.run('archive', 'bert', '--to', 'file/below').returncode, 'file', 'archive', 'bert', '--to',
                 'file/below')
    shop.refused(USAGE, 'AWS_ACCESS_KEY_ID', 'archive', 'bert', '--to', 's3://profiles/x')
    shop.refused(NOT_FOUND, "no profile 'berta'", 'archive', 'berta', '--to', 'archive')
    shop.refused(USAGE, '--to', 'archive', 'bert')


def a_bucket_and_back(shop):
    with Bucket(shop) as bucket:
        record = moves_there_and_back(shop, f's3://{BUCKET}/2026/runs/')
        assert record['archive'] == f's3://{BUCKET}/2026/runs', record
        assert any('archive.json' in path.name for path in bucket.objects()), bucket.objects()


def a_name_with_unusual_characters(shop):
    shop.do('rename', 'bert', 'größe 1+2=3 & so')
    with Bucket(shop):
        shop.do('archive', 'größe 1+2=3 & so', '--to', f's3://{BUCKET}')
        assert shop.tables('größe 1+2=3 & so') == []
        shop.do('view', 'größe 1+2=3 & so', '--ingest-only')
        assert shop.tables('größe 1+2=3 & so')


def keys_and_buckets_that_are_wrong(shop):
    with Bucket(shop):
        shop.refused(NOT_FOUND, 'NoSuchBucket', 'archive', 'bert', '--to', 's3://other/x')
        shop.env['AWS_SECRET_ACCESS_KEY'] = 'wrong'
        shop.refused(PERMISSION, 'SignatureDoesNotMatch', 'archive', 'bert', '--to', f's3://{BUCKET}/x')
        shop.env['AWS_ENDPOINT_URL'] = 'nonsense'
        shop.refused(USAGE, 'AWS_ENDPOINT_URL', 'archive', 'bert', '--to', f's3://{BUCKET}/x')


def a_server_that_is_gone(shop):
    with Bucket(shop) as bucket:
        shop.do('archive', 'bert', '--to', f's3://{BUCKET}')
        bucket.close()
        done = shop.run('view', 'bert', '--ingest-only')
        assert done.returncode and f's3://{BUCKET}/' in done.stderr, done.stderr
        assert shop.record()['state'] == 'archived'


def old_and_large_profiles_go_and_favourites_stay(shop):
    source = shop.folder / 'ws/profiles/global'
    for name, days, favourite in [('old', 40, False), ('starred', 50, True), ('new', 1, False)]:
        shutil.copytree(source / 'bert@latest', source / f'{name}@latest')
        record = json.loads((source / f'{name}@latest/profile.json').read_text())
        record.update(created_ms=record['created_ms'] - days * 86_400_000, opened_ms=0, favourite=favourite)
        (source / f'{name}@latest/profile.json').write_text(json.dumps(record))
    (shop.folder / 'outside').mkdir()
    (shop.folder / 'outside/kept').write_text('')
    (source / 'link@latest').symlink_to(shop.folder / 'outside')

    def names():
        return {one['name'] for one in json.loads(shop.do('list', '--format', 'json'))['profiles']
                if one['state'] == 'ready'}
    everything = names()
    assert 'old' in shop.do('gc', '--keep-days', '30', '--dry-run') and names() == everything
    shop.do('gc', '--keep-days', '30')
    assert names() == everything - {'old'}, names()
    (shop.folder / 'ws/retention.json').write_text('{"keep_bytes": 1, "archive_to": "cold"}')
    shop.do('gc')
    assert names() == {'starred'}, names()
    assert shop.record('new')['state'] == 'archived' and (shop.folder / 'cold').is_dir()
    assert (shop.folder / 'outside/kept').exists()
    (shop.folder / 'ws/retention.json').write_text('{"keep_days": "x"}')
    done = shop.run('gc')
    assert done.returncode and 'keep_days' in done.stderr, done.stderr


if __name__ == '__main__':
    fetched = subprocess.run([str(HERE / 'fetch.sh'), str(PACKAGES)], check=False)
    if fetched.returncode not in (0, 77):
        sys.exit('the S3 server cannot be fetched')
    sys.exit(run_cases([a_folder_and_back, marks_and_raw_files_are_kept,
                        a_file_that_changed_in_the_archive_is_refused, places_that_cannot_be_written,
                        a_bucket_and_back, a_name_with_unusual_characters, keys_and_buckets_that_are_wrong,
                        a_server_that_is_gone, old_and_large_profiles_go_and_favourites_stay], Shop))
