#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Upload captures like pages and programs, over connections that break.

usage: uploads.py NEURON_EXPLORER MAKE_CAPTURE

TAP on stdout.
"""

import gzip
import http.client
import io
import json
import os
import pathlib
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

from visitor import API, JSON, MAKER, PATIENCE_S, PROGRAM, Served, check, results, skip

LOOK_S = 1  # the server checks the workspace once a second


class Server(Served):
    def __init__(self, workspace, *options, env=None):
        super().__init__(workspace, *options, env=env)
        self.workspace = pathlib.Path(workspace)

    def ask(self, path, method='GET', body=None, headers=None):
        status, _, content = self.visit(API + path, method, headers, body)
        try:
            return status, json.loads(content)
        except ValueError:
            return status, content

    def begin(self, name, files, **more):
        body = {'name': name, 'folder': '', 'force': False, 'files': files, **more}
        return self.ask('/uploads', 'POST', json.dumps(body), JSON)

    def put(self, upload, index, data, offset=0):
        return self.ask(f'/uploads/{upload}/files/{index}?offset={offset}', 'PUT', data)

    def send(self, name, files, **more):
        """files: (path, role, bytes); returns the id of the finished upload."""
        status, answer = self.begin(name, describe(files), **more)
        if status != 201:
            return status, answer
        for index, (_, _, data) in enumerate(files):
            status, seen = self.put(answer['id'], index, data)
            if status != 200:
                return status, seen
        status, _ = self.ask(f"/uploads/{answer['id']}/finish", 'POST')
        return status, answer['id']

    def profile(self, name):
        found = [p for p in self.ask('/profiles')[1]['profiles'] if p['name'] == name]
        return found[0] if found else {'state': 'none'}

    def wait_for(self, name, *states):
        """Waits as long as there is progress: a large profile may take minutes."""
        seen, until = None, 0
        while True:
            profile = self.profile(name)
            step = [profile.get(key) for key in ('state', 'stage', 'fraction')]
            if step != seen:
                seen, until = step, time.monotonic() + PATIENCE_S
            if profile['state'] in states or time.monotonic() > until:
                return profile
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.communicate()


def describe(files):
    return [{'path': path, 'role': role, 'size_bytes': str(len(data))}
            for path, role, data in files]


class Listener(threading.Thread):
    """Collects server-sent events."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.events = []
        self.connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=PATIENCE_S)
        self.connection.request('GET', API + '/events')
        self.answer = self.connection.getresponse()
        self.start()

    def run(self):
        event = None
        try:
            for line in self.answer:
                line = line.decode().rstrip('\n')
                if line.startswith('event: '):
                    event = line[7:]
                elif line.startswith('data: '):
                    self.events.append((event, json.loads(line[6:])))
        except (OSError, ValueError, http.client.HTTPException):
            pass

    def wait_for(self, wanted):
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            if any(wanted(e) for e in list(self.events)):
                return True
            time.sleep(0.02)
        return False

    def falls_silent(self):
        """Whether no event arrives for longer than the server's polling interval."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            count = len(self.events)
            time.sleep(3 * LOOK_S)
            if len(self.events) == count:
                return True
        return False


def leftovers(server):
    folder = server.workspace / 'uploads'
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else []


# --- successful uploads --------------------------------------------------------------------------


def check_device(server, capture):
    events = Listener(server)
    check('events are server-sent events',
          events.answer.headers['Content-Type'] == 'text/event-stream')
    check('listeners get an event that the list changed',
          events.wait_for(lambda e: e[0] == 'profiles'))
    files = [*capture, ('model/layer.py', 'source', b'def layer():\n    pass\n')]
    status, _ = server.send('bert', files, folder='team')
    check('a NEFF and an NTFF are accepted', status == 202, status)
    check('processing events are sent', events.wait_for(lambda e: e[0] == 'processing'
                                                and e[1]['name'] == 'bert'
                                                and 0 <= e[1]['fraction'] <= 1), events.events)
    profile = server.wait_for('bert', 'ready', 'failed')
    check('it becomes a profile', profile['state'] == 'ready' and int(profile['row_count']) > 0,
          profile)
    check('sources keep their names',
          {s['name'] for s in profile['sources']} == {'demo.neff', 'demo.ntff'}, profile)
    check('it is in its folder', profile['folder'] == 'team', profile)
    check('no file of the upload is left', leftovers(server) == [], leftovers(server))
    stages = [e[1]['stage'] for e in events.events if e[0] == 'processing']
    check('stages have names', 'storing' in stages and 'reading the capture' in stages, stages)
    check('source code is listed',
          server.ask('/profiles/bert/source')[1] ==
          {'files': [{'path': 'model/layer.py', 'size_bytes': '22'}]},
          server.ask('/profiles/bert/source'))
    check('source code is text',
          server.ask('/profiles/bert/source/model/layer.py') ==
          (200, b'def layer():\n    pass\n'), server.ask('/profiles/bert/source/model/layer.py'))
    events.connection.sock.close()


def check_source_paths(server):
    secret = server.workspace / 'secret'
    secret.write_text('hidden')
    source = server.workspace / 'profiles/global/bert@latest/source'
    (source / 'link').symlink_to(secret)
    (source / 'up').symlink_to(server.workspace)
    paths = [p['path'] for p in server.ask('/profiles/bert/source')[1]['files']]
    check('links are not listed', paths == ['model/layer.py'], paths)
    for path in ('link', 'up/secret', '../profile.json', '%2e%2e/profile.json',
                 'model/..%2f..%2fprofile.json', 'model', 'model/', 'nothing', '%00', 'model//x'):
        status, content = server.ask('/profiles/bert/source/' + path)
        check(f'source/{path} is not served', status in (400, 404), (status, content))
    check('a profile without source code has an empty list',
          server.ask('/profiles/none/source')[0] == 404)


def check_directory(server, folder):
    files = [(str(p.relative_to(folder.parent)), 'directory', p.read_bytes())
             for p in sorted(folder.rglob('*')) if p.is_file()]
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode='w:gz') as tar:
        add_member(tar, 'app/train.py', b'import torch\n')
    files.append(('code.tar.gz', 'source', archive.getvalue()))
    status, _ = server.send('fleet', files)
    check('a directory is accepted', status == 202, status)
    profile = server.wait_for('fleet', 'ready', 'failed')
    check('it becomes a system profile',
          (profile['state'], profile.get('kind')) == ('ready', 'system'), profile)
    until = time.monotonic() + PATIENCE_S
    while leftovers(server) and time.monotonic() < until:
        time.sleep(0.05)
    check('its archive of source code was unpacked',
          server.ask('/profiles/fleet/source/app/train.py') == (200, b'import torch\n'),
          server.ask('/profiles/fleet/source'))


# --- failures ------------------------------------------------------------------------------------


def check_offsets(server, capture):
    _, ntff = capture[0], capture[1]
    status, answer = server.begin('half', describe([ntff]))
    upload, data = answer['id'], ntff[2]
    check('a new upload has received nothing',
          status == 201 and answer['files'][0]['received'] == '0', answer)
    check('it is listed as uploading', server.profile('half')['state'] == 'uploading')
    status, answer = server.put(upload, 0, data[:1000])
    check('a chunk is accepted', (status, answer) == (200, {'received': '1000'}), answer)
    for offset in (0, 999, 1001, 10 ** 18):
        status, answer = server.put(upload, 0, b'x', offset)
        check(f'offset {offset} is rejected', status == 409 and answer['received'] == '1000', answer)
    for offset in ('-1', 'x', '', '1e3', '99999999999999999999'):
        check(f'offset {offset!r} is not a number', server.put(upload, 0, b'x', offset)[0] == 400)
    check('an offset is needed',
          server.ask(f'/uploads/{upload}/files/0', 'PUT', b'x')[0] == 400)
    status, answer = server.put(upload, 0, data[1000:] + b'more', 1000)
    check('more bytes than announced are rejected', status == 413, (status, answer))
    check('an unknown file gives 404', server.put(upload, 1, b'x')[0] == 404)
    check('an unknown upload gives 404', server.put('20260101t000000-0', 0, b'x')[0] == 404)
    for bad in ('..', '%2e%2e', 'a%2fb', 'UPPER', 'x' * 300):
        check(f'{bad[:10]} is not an upload', server.ask(f'/uploads/{bad}')[0] in (400, 404))
    status, answer = server.ask(f'/uploads/{upload}/finish', 'POST')
    check('an incomplete upload cannot be finished', status == 409 and 'bytes' in answer['detail'],
          answer)
    check('it can be cancelled', server.ask(f'/uploads/{upload}', 'DELETE')[0] == 204)
    check('then it is gone', server.ask(f'/uploads/{upload}')[0] == 404 and
          server.profile('half')['state'] == 'none')


def put_when_free(server, upload, data, offset):
    """Retries until the server has noticed that the previous writer is gone."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            answer = server.put(upload, 0, data, offset)
        except ConnectionError:  # refused before all of it was sent
            answer = (409, 'refused while sending')
        if answer[0] != 409 or time.monotonic() > until:
            return answer
        time.sleep(0.05)


def check_one_writer(server, capture):
    ntff = capture[1]
    _, answer = server.begin('two', describe([ntff]))
    upload = answer['id']
    with socket.create_connection(('127.0.0.1', server.port), timeout=PATIENCE_S) as first:
        first.sendall(f'PUT {API}/uploads/{upload}/files/0?offset=0 HTTP/1.1\r\n'
                      f'Host: localhost\r\nContent-Length: {len(ntff[2])}\r\n\r\n'.encode()
                      + ntff[2][:500])
        until = time.monotonic() + PATIENCE_S
        while (server.ask(f'/uploads/{upload}')[1]['files'][0]['received'] != '500'
               and time.monotonic() < until):
            time.sleep(0.02)
        status, answer = server.put(upload, 0, b'x', 500)
        check('a file has one writer at a time', status == 409, (status, answer))
    answer = put_when_free(server, upload, ntff[2][500:], 500)
    check('a lost connection resumes where it broke', answer[0] == 200, answer)
    check('the upload becomes a profile',
          server.ask(f'/uploads/{upload}/finish', 'POST')[0] == 202
          and server.wait_for('two', 'ready', 'failed')['state'] == 'ready')
    check('a finished upload accepts no more data',
          server.put(upload, 0, b'x', len(ntff[2]))[0] in (404, 409))


def check_names(server, capture):
    status, answer = server.begin('bert', describe(capture))
    check('an existing name is rejected', status == 409 and 'bert' in answer['detail'], answer)
    before = server.ask('/profiles/bert')[1]['id']
    status, _ = server.send('bert', capture, force=True)
    until = time.monotonic() + PATIENCE_S
    while server.ask('/profiles/bert')[1]['id'] == before and time.monotonic() < until:
        time.sleep(0.05)
    check('force replaces it', status == 202 and server.ask('/profiles/bert')[1]['id'] != before)
    server.wait_for('bert', 'ready')
    for path in ('../x', '/etc/x', 'a/../b', 'a//b', './a', 'a/', '', 'a\nb', 'a\0b', 'a\x7fb',
                 '/'.join('d' * 17), 'n' * 256):
        status, answer = server.begin('x', [{'path': path, 'role': 'ntff', 'size_bytes': 1}])
        check(f'the path {path[:20]!r} is rejected', status == 400, (status, answer))
    for name in ('', '../x', 'a/b', '.hidden', '-v', 'a\nb', 'n' * 300):
        check(f'the name {name[:20]!r} is rejected',
              server.begin(name, describe(capture))[0] == 400)
    check('no upload was started', server.profile('x')['state'] == 'none' and leftovers(server) == [],
          leftovers(server))


def check_descriptions(server):
    ntff = {'path': 'a.ntff', 'role': 'ntff', 'size_bytes': '1'}
    cases = [
        ('no file', [], 400), ('two session files', [ntff, {**ntff, 'path': 'b.ntff'}], 400),
        ('the same path twice', [ntff, {**ntff, 'role': 'neff'}], 400),
        ('a file that is a folder', [ntff, {**ntff, 'path': 'a.ntff/b', 'role': 'neff'}], 400),
        ('an unknown role', [{**ntff, 'role': 'x'}], 400),
        ('a directory and a session file', [ntff, {**ntff, 'path': 'b', 'role': 'directory'}], 400),
        ('source code alone', [{**ntff, 'role': 'source'}], 400),
        ('an invalid size', [{**ntff, 'size_bytes': 'many'}], 400),
        ('a negative size', [{**ntff, 'size_bytes': -1}], 400),
        ('a file that is too large', [{**ntff, 'size_bytes': str(2 ** 50)}], 413),
        ('a size beyond 64 bits', [{**ntff, 'size_bytes': '9' * 30}], 400),
        ('too many files', [{**ntff, 'path': f'd/{i}', 'role': 'directory'}
                            for i in range(20001)], 413),
        ('more than the disk has', [{**ntff, 'size_bytes': str(200 << 30)},
                                    {**ntff, 'path': 's', 'role': 'source',
                                     'size_bytes': str(250 << 30)}], 507),
        ('files that are not a list', 'x', 400), ('a file that is a number', [3], 400),
    ]
    for what, files, wanted in cases:
        status, answer = server.begin('x', files)
        if wanted == 507 and status == 201:
            skip(what, 'this disk has it')
            server.ask(f"/uploads/{answer['id']}", 'DELETE')
            continue
        check(f'{what} is rejected with {wanted}', status == wanted and 'detail' in answer,
              (status, answer))
    for body in ('', '[]', '3', '{', '{"name":3}', 'null'):
        check(f'{body!r} is not a valid description',
              server.ask('/uploads', 'POST', body, JSON)[0] == 400)
    check('JSON is required', server.ask('/uploads', 'POST', '{}')[0] == 415)


def check_damage(server, capture):
    neff, ntff = capture
    status, upload = server.send('broken', [('a.ntff', 'ntff', b'not a session file')])
    profile = server.wait_for('broken', 'ready', 'failed')
    check('a damaged file fails with a message',
          profile['state'] == 'failed' and 'a.ntff' in profile['reason'], profile)
    check('the message does not reveal the server\'s paths',
          str(server.workspace) not in profile['reason'], profile)
    check('it is listed once',
          sum(p['name'] == 'broken' for p in server.ask('/profiles')[1]['profiles']) == 1)
    check('it can be retried',
          server.ask(f'/uploads/{upload}/finish', 'POST')[0] == 202)
    check('and fails again', server.wait_for('broken', 'ready', 'failed')['state'] == 'failed')
    check('the name of a failed upload can be reused', server.begin('broken', describe([ntff]))[0] == 201)
    check('it can be deleted', server.ask('/profiles/broken', 'DELETE')[0] == 204
          and server.profile('broken')['state'] == 'none', server.profile('broken'))
    check('no file of it is left', leftovers(server) == [], leftovers(server))
    del neff


def add_member(tar, name, data, **more):
    member = tarfile.TarInfo(name)
    member.size = len(data)
    for key, value in more.items():
        setattr(member, key, value)
    tar.addfile(member, io.BytesIO(data))


def archive_of(fill):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode='w:gz', format=tarfile.GNU_FORMAT) as tar:
        fill(tar)
    return archive.getvalue()


def check_archives(server, capture):
    ntff = capture[1]
    bad = [
        ('leads out of its folder', archive_of(lambda t: add_member(t, '../../evil', b'x'))),
        ('is absolute', archive_of(lambda t: add_member(t, '/tmp/nx-evil', b'x'))),
        ('is truncated', archive_of(lambda t: add_member(t, 'a', b'x' * 100000))[:-30]),
        ('is a decompression bomb', gzip.compress(bytes(1 << 20)) * 1100),
    ]
    for what, data in bad:
        server.send('arch', [ntff, ('x.tar.gz', 'source', data)])
        profile = server.wait_for('arch', 'ready', 'failed')
        check(f'an archive that {what} is rejected',
              profile['state'] == 'failed' and 'archive' in profile['reason'], profile)
        server.ask('/profiles/arch', 'DELETE')

    def fill(tar):
        add_member(tar, 'good.py', b'1')
        add_member(tar, 'link', b'', type=tarfile.SYMTYPE, linkname='/etc')
        add_member(tar, 'link/passwd', b'evil')
        add_member(tar, 'hard', b'', type=tarfile.LNKTYPE, linkname='/etc/passwd')
    server.send('arch', [ntff, ('x.tar.gz', 'source', archive_of(fill))])
    check('links in an archive are ignored',
          server.wait_for('arch', 'ready', 'failed')['state'] == 'ready' and
          [f['path'] for f in server.ask('/profiles/arch/source')[1]['files']]
          == ['good.py', 'link/passwd'], server.ask('/profiles/arch/source'))
    check('nothing was written outside', not os.path.exists('/tmp/nx-evil')
          and not (server.workspace.parent / 'evil').exists())


def check_cancel(server, folder):
    big = folder / 'big.ntff'
    subprocess.run([MAKER, '--size', '60M', big], check=True, stdout=subprocess.DEVNULL)
    events = Listener(server)
    data = big.read_bytes()
    _, upload = server.send('big', [('big.ntff', 'ntff', data)])
    check('a large upload is being processed', events.wait_for(
        lambda e: e[0] == 'processing' and e[1]['name'] == 'big' and e[1]['fraction'] > 0))
    profile = server.profile('big')
    check('the list shows the progress', profile['state'] in ('processing', 'ready') and
          (profile['stage'] is None) == (profile['fraction'] is None), profile)
    check('deleting cancels the processing', server.ask(f'/uploads/{upload}', 'DELETE')[0] == 204
          and server.profile('big')['state'] == 'none', server.profile('big'))
    return data


def check_restart(server, workspace, capture, data):
    """The server is killed while it receives and while it processes."""
    _, ntff = capture
    _, answer = server.begin('later', describe([ntff]))
    upload = answer['id']
    server.put(upload, 0, ntff[2][:700])
    _, _ = server.send('big', [('big.ntff', 'ntff', data)])
    server.kill()
    states = {p['name']: p['state'] for p in json.loads(subprocess.run(
        [PROGRAM, 'list', '--data-path', str(workspace), '--format', 'json'], check=True,
        capture_output=True).stdout)['profiles']}
    check('uploads of a killed server are listed',
          states['later'] == 'uploading' and states['big'] in ('unfinished', 'ready'), states)
    # at once: the child of the server before must not be in the way
    for _ in range(5):
        server = Server(workspace)
        server.kill()
    server = Server(workspace)
    status, answer = server.ask(f'/uploads/{upload}')
    check('another server knows what was received',
          answer['files'][0]['received'] == '700', answer)
    server.put(upload, 0, ntff[2][700:], 700)
    server.ask(f'/uploads/{upload}/finish', 'POST')
    check('another server resumes the upload', server.wait_for('later', 'ready', 'failed')['state'] == 'ready')
    check('an interrupted processing is restarted',
          server.wait_for('big', 'ready', 'failed')['state'] == 'ready', server.profile('big'))
    return server


def check_other_process(server, folder):
    events = Listener(server)
    events.wait_for(lambda e: e[0] == 'profiles')
    events.events.clear()
    subprocess.run([PROGRAM, 'view', '--ingest-only', '--data-path', str(server.workspace),
                    '--display-name', 'other', '-s', folder / 'demo.ntff', '-v', '2'], check=True,
                   stdout=subprocess.DEVNULL)
    check('changes by other processes send events', events.wait_for(lambda e: e[0] == 'profiles'))
    check('no events are sent without changes', events.falls_silent(), events.events)
    events.events.clear()
    server.ask('/profiles/other', 'PATCH', '{"favourite":true}', JSON)
    check('marking a favourite sends an event', events.wait_for(lambda e: e[0] == 'profiles'))


def check_disk(capture, folder):
    """Uses a file system of 4 MB, if this user may create one."""
    place = folder / 'small'
    place.mkdir()
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', place],
                             capture_output=True, check=False).returncode == 0
    if not mounted:
        skip('a full disk', 'needs the right to mount')
        return
    try:
        server = Server(place / 'ws')
        _, ntff = capture
        status, answer = server.begin('x', [{'path': 'a', 'role': 'ntff',
                                             'size_bytes': 5 << 20}])
        check('an upload that does not fit is rejected at once', status == 507 and 'MB' in answer['detail'],
              (status, answer))
        status, answer = server.begin('x', [{'path': 'a', 'role': 'ntff',
                                             'size_bytes': 3 << 20}])
        (place / 'other').write_bytes(bytes(2 << 20))
        status, seen = server.put(answer['id'], 0, bytes(3 << 20))
        check('a disk that fills up is reported', status == 507, (status, seen))
        (place / 'other').unlink()
        received = int(server.ask(f"/uploads/{answer['id']}")[1]['files'][0]['received'])
        status, seen = server.put(answer['id'], 0, bytes((3 << 20) - received), received)
        check('it resumes when there is space again', status == 200, (status, seen))
        server.ask(f"/uploads/{answer['id']}", 'DELETE')
        check('the server still works',
              server.send('fits', [ntff])[0] == 202, server.profile('fits'))
        server.stop()
    finally:
        subprocess.run(['umount', '-l', place], check=False)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([MAKER, '--demo', folder], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([MAKER, '--system', folder / 'run'], check=True, stdout=subprocess.DEVNULL)
        capture = [('demo.neff', 'neff', (folder / 'demo.neff').read_bytes()),
                   ('demo.ntff', 'ntff', (folder / 'demo.ntff').read_bytes())]
        workspace = folder / 'ws'
        server = Server(workspace)
        check_device(server, capture)
        check_source_paths(server)
        check_directory(server, folder / 'run')
        check_offsets(server, capture)
        check_one_writer(server, capture)
        check_names(server, capture)
        check_descriptions(server)
        check_damage(server, capture)
        check_archives(server, capture)
        data = check_cancel(server, folder)
        server = check_restart(server, workspace, capture, data)
        check_other_process(server, folder)
        listener = Listener(server)
        code, _, err = server.stop()
        check('ctrl-c stops the server, with or without listeners', code == 0 and err == '', (code, err))
        listener.connection.close()
        check_disk(capture, folder)
    print(f'1..{len(results)}')
    sys.exit(0 if all(results) else 1)


main()
