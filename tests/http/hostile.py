#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attack the server with SQL, files, connections and requests that should bring it down.

usage: hostile.py NEURON_EXPLORER MAKE_CAPTURE

TAP on stdout; parts that need DuckDB are left out without it.
"""

import http.client
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from visitor import API, JSON, MAKER, PROGRAM, Served, check, results

PROFILE = API + '/profiles/demo'


def ingest(capture, workspace, name, files='demo'):
    subprocess.run([PROGRAM, 'view', '-n', f'{capture}/{files}.neff', '-s', f'{capture}/{files}.ntff',
                    '--ingest-only', '--display-name', name, '--data-path', workspace, '-v', '2'],
                   check=True, stdout=subprocess.DEVNULL)


def ask_sql(server, sql, limit=10):
    status, _, content = server.visit(PROFILE + '/sql', 'POST', JSON,
                                      json.dumps({'sql': sql, 'limit': limit}))
    return status, json.loads(content), len(content)


def peak_bytes(pid):
    with open(f'/proc/{pid}/status', encoding='ascii') as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith('VmHWM'))


def check_sql(server):
    """One statement ends its own process at most."""
    for sql in ('SELECT len(range(600000000))', "SELECT repeat('x', 1000000000)",
                "SELECT len(repeat('x', 4000000000)) + len(repeat('y', 4000000000))",
                "SELECT list(repeat('x', 1000000) || range) FROM range(100000)"):
        begin = time.monotonic()
        status, answer, size = ask_sql(server, sql)
        check(f'{sql} is refused with the limit', status == 422
              and (' MB' in answer['detail'] or '30 seconds' in answer['detail'])
              and size < 1000, (status, answer))
        check('within its time', time.monotonic() - begin < 45)
        status, answer, _ = ask_sql(server, 'SELECT 1')
        check('the next question is answered', status == 200 and answer['rows'] == [[1]], answer)
    status, answer, size = ask_sql(server, "SELECT repeat('x', 15000000) FROM range(3)")
    check('an answer ends before its limit', status == 200 and answer['is_cut']
          and len(answer['rows']) == 2 and size < 32 << 20, (status, size, str(answer)[:300]))
    check('the server itself stayed small', peak_bytes(server.process.pid) < 1 << 30,
          peak_bytes(server.process.pid))
    check('the server runs', server.process.poll() is None)


def check_truncated(server, workspace):
    """A file of a profile that shrinks while it is mapped is that profile's problem alone."""
    tracks = json.loads(server.visit(API + '/profiles/other/tracks')[2])
    window = f'/window?from={tracks["from_ns"]}&to={tracks["to_ns"]}&px=2000&tracks=' + \
        ','.join(f'{t["id"]}:0' for t in tracks['tracks'] if t['table'] == 'Instruction')
    status, _, whole = server.visit(API + '/profiles/other' + window)
    check('a window is drawn', status == 200 and len(whole) > 100, status)
    folder = f'{workspace}/profiles/global/other@latest'
    for name, path in (('timeline.nxl', window), ('Instruction.parquet', '/csv?table=Instruction')):
        server.visit(API + '/profiles/other' + path)
        size = os.path.getsize(f'{folder}/{name}')
        shutil.copy(f'{folder}/{name}', f'{workspace}/copy')
        os.truncate(f'{folder}/{name}', min(size // 4, 4096))
        for _ in range(3):
            try:
                status, _, answer = server.visit(API + '/profiles/other' + path)
            except http.client.IncompleteRead:
                status, answer = 0, b''
            check(f'{name} that shrank is an error or broken off', status in (0, 422)
                  and b'"rows"' not in answer, (status, answer[:300]))
            check('other profiles do not notice', server.visit(PROFILE + '/tracks')[0] == 200)
        shutil.copy(f'{workspace}/copy', f'{folder}/{name}')
        status, _, _ = server.visit(API + '/profiles/other' + path)
        check('put back, it is read again', status == 200, status)
    check('and the server runs', server.process.poll() is None)


def data_bytes(pid):
    with open(f'/proc/{pid}/status', encoding='ascii') as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith('VmData'))


def check_memory(server):
    """Without memory the server refuses work and goes on when there is some again."""
    pid = server.process.pid
    if data_bytes(pid) > 1 << 40:
        return  # a sanitizer, which ends the program itself
    ask_sql(server, 'SELECT 1')
    old = resource.prlimit(pid, resource.RLIMIT_DATA)
    resource.prlimit(pid, resource.RLIMIT_DATA, (data_bytes(pid) + (2 << 20), old[1]))
    seen = []
    for i in range(24):
        try:
            seen.append(ask_sql(server, f"SELECT repeat('x', 1400000) || {i} FROM range(20)",
                                1000)[0])
        except (ConnectionError, http.client.HTTPException):
            seen.append(0)
    check('a large answer is refused when memory is full', 503 in seen
          and set(seen) <= {0, 200, 503}, seen)
    check('the server survives', server.process.poll() is None)
    resource.prlimit(pid, resource.RLIMIT_DATA, old)
    status, answer, _ = ask_sql(server, "SELECT repeat('x', 1400000) FROM range(20)", 1000)
    check('and answers when there is memory again', status == 200 and len(answer['rows']) == 20,
          status)


def open_csv(server):
    connection = socket.create_connection(('127.0.0.1', server.port), timeout=60)
    connection.sendall(f'GET {API}/profiles/large/csv?table=Instruction HTTP/1.1\r\n'
                       'Host: localhost\r\nConnection: close\r\n\r\n'.encode())
    return connection


def check_slow_readers(server):
    """Answers that nobody reads take no thread."""
    whole = server.visit(API + '/profiles/large/csv?table=Instruction')[2]
    check('the answer is larger than what connections buffer', len(whole) > 20 << 20, len(whole))
    unread = [open_csv(server) for _ in range(12)]
    heads = [c.recv(12) for c in unread]
    check('all of them are begun', set(heads) == {b'HTTP/1.1 200'}, heads)
    begin = time.monotonic()
    status, _, answer = server.visit(API + '/profiles/large/statistics?' + urllib.parse.urlencode(
        {'tracks': json.loads(server.visit(API + '/profiles/large/tracks')[2])['tracks'][0]['id']}))
    check('statistics are answered meanwhile', status == 200, answer[:300])
    status, _, answer = server.visit(API + '/profiles/large/csv?table=Instruction')
    check('and another download', status == 200 and answer == whole, (status, len(answer)))
    check('within half a minute', time.monotonic() - begin < 30, time.monotonic() - begin)
    more = [open_csv(server) for _ in range(8)]
    heads = [c.recv(12) for c in more]
    check('a client has its share of downloads', b'HTTP/1.1 503' in heads, heads)
    text = b''
    while piece := unread[0].recv(1 << 20):
        text += piece
    check('a late reader gets all', len(text) > len(whole) and whole[-100:] in text[-200:])
    for connection in unread + more:
        connection.close()


def first_line(server, text):
    with socket.create_connection(('127.0.0.1', server.port), timeout=60) as s:
        s.sendall(text)
        with s.makefile('rb') as f:
            try:
                return f.readline()
            except ConnectionError:
                return b''


def check_heads(server):
    """Requests that a proxy could read in another way."""
    post = b'POST /api/v1/profiles/demo/sql HTTP/1.1\r\nHost: localhost\r\n' \
        b'Content-Type: application/json\r\n'
    get = b'GET /api/v1/profiles HTTP/1.1\r\n'
    for name, text in (
            ('Content-Length and Transfer-Encoding', post + b'Content-Length: 5\r\n'
             b'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
            ('two lengths', post + b'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x'),
            ('two encodings', post + b'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'
             b'\r\n\r\n0\r\n\r\n'),
            ('two hosts', get + b'Host: localhost\r\nHost: evil.example\r\n\r\n'),
            ('userinfo in Host', get + b'Host: localhost:1@evil.example\r\n\r\n'),
            ('a port that is none', get + b'Host: localhost:1x\r\n\r\n'),
            ('userinfo in Origin', get + b'Host: localhost\r\nOrigin: http://localhost:'
             + str(server.port).encode() + b'@evil.example\r\n\r\n')):
        line = first_line(server, text)
        check(f'{name}: refused', not line or line.startswith((b'HTTP/1.1 4', b'HTTP/1.0 4')), line)
    line = first_line(server, get + b'Host: localhost\r\n\r\n')
    check('a plain request is answered', line.startswith(b'HTTP/1.1 200'), line)


def check_idle(server):
    """Connections that send nothing do not keep others out."""
    idle = [socket.create_connection(('127.0.0.1', server.port), timeout=60) for _ in range(600)]
    check('600 idle connections keep nobody out', server.visit('/health')[0] == 200)
    check('and are closed soon', idle[0].recv(1) == b'')
    for connection in idle:
        connection.close()


def check_exposure(folder, workspace):
    """Other machines may be let in with a token only."""
    def start(*options, **env):
        return subprocess.run([PROGRAM, 'view', '--data-path', workspace, '-p', '0',
                               '--api-server-port', '0', '--host', '0.0.0.0', *options], text=True,
                              capture_output=True, timeout=60, env={**os.environ, **env},
                              check=False)

    done = start()
    check('an open address without a token is refused', done.returncode == 2
          and '--token-file' in done.stderr, done.stderr)
    with open(f'{folder}/token', 'w', encoding='ascii') as f:
        f.write('\n')
    check('an empty token file is refused', start('--token-file', f'{folder}/token').returncode == 2)
    with open(f'{folder}/token', 'w', encoding='ascii') as f:
        f.write('secret-of-file\n')
    server = Served(workspace, '--host', '0.0.0.0', '--token-file', f'{folder}/token')
    check('the token of a file is needed', server.visit(API + '/profiles')[0] == 401)
    status, _, _ = server.visit(API + '/profiles',
                                headers={'Authorization': 'Bearer secret-of-file'})
    check('and accepted', status == 200, status)
    with open(f'/proc/{server.process.pid}/cmdline', 'rb') as f:
        check('it is not in the arguments', b'secret' not in f.read())
    server.stop()


def check_answers(server):
    """Small things that answers should not do."""
    status, answer, _ = ask_sql(server, 'SELECT nothing FROM Instruction')
    check('an unknown column is a wrong question', status in (400, 501), answer)
    for body in ({}, {'folder': 'x'}, {'name': 'y'}):
        status, _, content = server.visit(API + '/profiles/nobody', 'PATCH', JSON,
                                          json.dumps(body))
        check(f'PATCH of an unknown profile with {body} is 404', status == 404, content)
    status, _, content = server.visit(PROFILE, 'PATCH', JSON, '{"name":"search"}')
    check('no profile is called as an address is', status == 400, content)


def check_redirect(folder, workspace):
    with open(f'{folder}/token', 'w', encoding='ascii') as f:
        f.write('t0ken\n')
    server = Served(workspace, '--token-file', f'{folder}/token')
    for target in ('//evil.example/?token=t0ken', '/\\evil.example/?token=t0ken',
                   '///evil.example?token=t0ken'):
        line = b''
        with socket.create_connection(('127.0.0.1', server.port), timeout=60) as s:
            s.sendall(f'GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
                      .encode())
            while piece := s.recv(1 << 16):
                line += piece
        place = [h for h in line.split(b'\r\n') if h.lower().startswith(b'location:')]
        check(f'{target} stays here', not place or re.match(rb'location: /(?![/\\])', place[0],
                                                            re.I), place)
    server.stop()


def has_sql(server):
    return ask_sql(server, 'SELECT 1')[0] == 200


def main():
    with tempfile.TemporaryDirectory() as folder:
        capture, workspace = f'{folder}/capture', f'{folder}/workspace'
        subprocess.run([MAKER, '--demo', capture], check=True, stdout=subprocess.DEVNULL)
        ingest(capture, workspace, 'demo')
        server = Served(workspace, '--query-memory-limit', '1GB')
        ingest(capture, workspace, 'other')
        if has_sql(server):
            check_sql(server)
            check_memory(server)
        check_truncated(server, workspace)
        subprocess.run([MAKER, '--size', '12M', f'{capture}/large.ntff', '--neff',
                        f'{capture}/large.neff'], check=True, stdout=subprocess.DEVNULL)
        ingest(capture, workspace, 'large', 'large')
        check_slow_readers(server)
        check_heads(server)
        check_idle(server)
        check_exposure(folder, workspace)
        check_answers(server)
        check_redirect(folder, workspace)
        code, _, err = server.stop()
        check('the server ends as asked', code == 0 and not err, (code, err))
    print(f'1..{len(results)}')
    sys.exit(not all(results))


if __name__ == '__main__':
    main()
