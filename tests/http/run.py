#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Use the server like pages, programs, attackers and many clients at once.

usage: run.py NEURON_EXPLORER MAKE_CAPTURE

TAP on stdout.
"""

import concurrent.futures
import gzip
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from visitor import API, JSON, MAKER, PROGRAM, Served, check, results

CLIENTS = 200
PROFILE = API + '/profiles/demo'


class Server(Served):
    ask = Served.visit

    def json(self, path, **how):
        status, _, content = self.ask(path, **how)
        return json.loads(content) if status == 200 else {'status': status, 'body': content}

    def raw(self, text):
        with socket.create_connection(('127.0.0.1', self.port), timeout=60) as s:
            s.sendall(text)
            with s.makefile('rb') as f:
                return f.readline()



def ingest(capture, workspace, name):
    subprocess.run([PROGRAM, 'view', '-n', f'{capture}/demo.neff', '-s', f'{capture}/demo.ntff',
                    '--ingest-only', '--display-name', name, '--data-path', workspace, '-v', '2'],
                   check=True, stdout=subprocess.DEVNULL)


def is_problem(status, headers, content):
    problem = json.loads(content)
    return (headers['Content-Type'] == 'application/problem+json' and problem['status'] == status
            and problem['type'] == 'about:blank' and problem['title'] and problem['detail'])


# --- access -----------------------------------------------------------------------------------

def check_headers(server):
    for path in ('/', '/profile/demo', '/health', PROFILE, '/api/nothing'):
        _, headers, _ = server.ask(path)
        wanted = {'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY',
                  'Referrer-Policy': 'no-referrer', 'Cross-Origin-Resource-Policy': 'same-origin',
                  'Cross-Origin-Opener-Policy': 'same-origin'}
        missing = [k for k, v in wanted.items() if headers.get(k) != v]
        policy = headers.get('Content-Security-Policy', '')
        check(f'{path} has security headers', not missing, missing)
        check(f'{path} allows only our origin and has no Server header',
              policy.startswith("default-src 'self'") and 'unsafe' not in policy
              and 'Server' not in headers, policy)


def check_hosts(server):
    for host in ('localhost', f'localhost:{server.port}', '127.0.0.1', '[::1]:80', 'LOCALHOST'):
        status, _, _ = server.ask('/health', headers={'Host': host})
        check(f'Host {host!r} is accepted', status == 200, status)
    for host in ('evil.example', 'localhost.evil.example', 'evil.example:3001', '127.0.0.1.nip.io',
                 '192.168.1.1', '[::2]', '', 'local', '[', '[::1', ':', 'localhost@evil.example'):
        status, _, _ = server.ask(API + '/profiles', headers={'Host': host})
        check(f'Host {host!r} is rejected', status in (400, 421), status)
    first = server.raw(b'GET / HTTP/1.0\r\n\r\n')
    check('a request without Host is rejected', b' 4' in first, first)


def check_origins(server):
    def change(origin):
        return server.ask(PROFILE, 'PATCH', {**JSON, 'Origin': origin}, '{"folder":""}')[0]

    for origin in (f'http://localhost:{server.port}', f'http://127.0.0.1:{server.port}',
                   f'http://[::1]:{server.port}'):
        check(f'{origin.split(":")[1]} may change profiles', change(origin) == 204, change(origin))
    for origin in ('null', 'http://evil.example', 'http://localhost', 'http://localhost:1',
                   f'http://evil.example:{server.port}', f'ftp://localhost:{server.port}',
                   f'http://localhost.evil.example:{server.port}', 'file://', ''):
        check(f'a page of {origin.rpartition(":")[0]!r} may not change profiles', change(origin) == 403,
              change(origin))
    status, headers, _ = server.ask(PROFILE, headers={'Origin': 'http://evil.example'})
    check('a foreign page may not read', status == 403 and 'Access-Control-Allow-Origin' not in headers, status)


def check_methods(server):
    for method, path in (('POST', '/'), ('DELETE', '/health'), ('PUT', PROFILE),
                         ('POST', PROFILE + '/tracks'), ('OPTIONS', PROFILE), ('TRACE', '/'),
                         ('CONNECT', '/'), ('NONSENSE', '/')):
        status, headers, _ = server.ask(path, method)
        check(f'{method} {path} is rejected', status in (404, 405, 501)
              and (status != 405 or headers['Allow']), status)
    status, headers, _ = server.ask(PROFILE, 'PUT')
    check('Allow lists the methods', headers['Allow'] == 'GET, HEAD, PATCH, DELETE',
          headers['Allow'])
    status, headers, content = server.ask(PROFILE, 'HEAD')
    check('HEAD is GET without a body', status == 200 and not content
          and int(headers['Content-Length']) > 100, status)


def check_bodies(server):
    status, headers, content = server.ask(PROFILE, 'PATCH', JSON, 'x' * 70000)
    check('a body that is too large is rejected', status == 413
          and is_problem(status, headers, content), status)
    first = server.raw(b'PATCH /api/v1/profiles/demo HTTP/1.1\r\nHost: localhost\r\n'
                       b'Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n')
    check('it is rejected before it is sent', b' 413 ' in first, first)
    first = server.raw(b'PATCH /api/v1/profiles/demo HTTP/1.1\r\nHost: localhost\r\n'
                       b'Content-Length: -1\r\nContent-Type: application/json\r\n\r\n')
    check('an invalid Content-Length is rejected', b' 4' in first, first)
    endless = (b'PATCH /api/v1/profiles/demo HTTP/1.1\r\nHost: localhost\r\nContent-Type: '
               b'application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
               + b'8000\r\n' + b' ' * 0x8000 + b'\r\n')
    try:
        first = server.raw(endless + (b'8000\r\n' + b' ' * 0x8000 + b'\r\n') * 20)
    except ConnectionError:
        first = b''
    check('an endless body is cut off', b' 2' not in first, first)
    first = server.raw(b'GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello')
    check('an unexpected body is rejected', b' 413 ' in first, first)
    for body in ('', '{', '[]', '3', '"x"', '{"name":3}', '{"favourite":"yes"}', '{"name":""}',
                 '{"name":"../x"}', '{"name":"a\\u0000b"}', '{"folder":null}', '[' * 5000):
        status, headers, content = server.ask(PROFILE, 'PATCH', JSON, body)
        check(f'a body {body[:20]!r} is rejected', status == 400
              and is_problem(status, headers, content), status)
    status, _, _ = server.ask(PROFILE, 'PATCH', {'Content-Type': 'text/plain'}, '{}')
    check('forms of other sites cannot change anything', status == 415, status)


def check_paths(server):
    for path in ('/assets/', '/assets/../../etc/passwd', '/assets/%2e%2e/%2e%2e/etc/passwd',
                 '/%2e%2e/etc/passwd', '//etc/passwd', '/assets/x%00.js', '/a/%ff', '/a/%', '/a/%4',
                 '/a/%zz', API, API + '/', API + '/nothing', PROFILE + '/', PROFILE + '/nothing',
                 API + '/profiles/' + '%2e%2e', API + '/profiles/..%2fdemo',
                 API + '/profiles/a%2fb/tracks', API + '/profiles/%2fetc/tracks',
                 API + '/profiles/nope', API + '/profiles/nope/tracks',
                 PROFILE + '/tables/..%2fprofile.json', PROFILE + '/tables/%2e%2e/rows/1',
                 PROFILE + '/tables/Nope', PROFILE + '/tables/Instruction/rows/x',
                 PROFILE + '/tables/Instruction/rows/-1',
                 PROFILE + '/tables/Instruction/rows/18446744073709551616',
                 API + '/profiles/' + 'a' * 300, '/api/' + 'a/' * 40):
        status, headers, content = server.ask(path)
        check(f'{path[:60]} gives 404', status in (400, 404), status)
        if content:
            check('the response has a message', is_problem(status, headers, content), content)
    status, _, _ = server.ask('/' + 'a' * 40000)
    check('a very long URL is rejected', status in (414, 431), status)
    status, _, _ = server.ask('/health?' + '&'.join('a=1' for _ in range(300)))
    check('very many parameters are rejected', status == 400, status)


def check_leaks(server, workspace):
    (pathlib.Path(workspace) / 'profiles/global/bad@latest').mkdir()
    damaged = pathlib.Path(workspace) / 'profiles/global/broken@latest'
    shutil.copytree(pathlib.Path(workspace) / 'profiles/global/demo@latest', damaged)
    (damaged / 'timeline.nxl').write_bytes(b'nonsense')
    (damaged / 'Instruction.parquet').write_bytes(b'nonsense')
    for path in ('/profiles', '/profiles/bad', '/profiles/bad/tracks', '/profiles/broken/tracks',
                 '/profiles/broken/tables/Instruction', '/profiles/nope/tracks'):
        status, _, content = server.ask(API + path)
        check(f'{path} does not reveal the workspace\'s path',
              os.path.realpath(workspace).encode() not in content and b'/tmp' not in content,
              content)
    for path in ('/profiles/broken/tracks', '/profiles/broken/tables/Instruction'):
        status, headers, content = server.ask(API + path)
        check(f'{path} reports the damage', status == 422
              and is_problem(status, headers, content), (status, content))
    shutil.rmtree(damaged)
    check('a damaged profile can be deleted', server.ask(API + '/profiles/bad', 'DELETE')[0] == 204)


def check_token(workspace):
    server = Server(workspace, env={'NEURON_EXPLORER_TOKEN': 'secret-1'})
    check('the printed URL has the token', server.url.endswith('/?token=secret-1'), server.url)
    for headers in ({}, {'Authorization': 'Bearer secret-2'}, {'Authorization': 'Bearer secret-'},
                    {'Authorization': 'Bearer secret-11'}, {'Authorization': 'Basic secret-1'},
                    {'Authorization': 'Bearer '}, {'Cookie': 'neuron_explorer_token=x'}):
        for path in ('/', API + '/profiles', '/nothing', API + '/profiles?token=x'):
            status, _, content = server.ask(path, headers=headers)
            check(f'{path} rejects {headers}', status == 401 and b'demo' not in content, status)
    check('the health check needs no token', server.ask('/health')[0] == 200)
    status, _, _ = server.ask(API + '/profiles', headers={'Authorization': 'Bearer secret-1'})
    check('a program can send the token', status == 200, status)
    status, headers, _ = server.ask('/profile/demo?token=secret-1')
    cookie = headers.get('Set-Cookie', '')
    check('a browser gets a cookie and is redirected without the token', status == 303
          and headers['Location'] == '/profile/demo' and 'HttpOnly' in cookie
          and 'SameSite=Strict' in cookie, dict(headers))
    status, _, _ = server.ask(API + '/profiles', headers={'Cookie': cookie.split(';')[0]})
    check('the cookie grants access', status == 200, status)
    check('ctrl-c stops the server', server.stop()[0] == 0)


# --- responses --------------------------------------------------------------------------------

def check_pages(server):
    status, headers, page = server.ask('/')
    check('a client without gzip gets plain text', b'<html' in page
          and 'Content-Encoding' not in headers, headers)
    status, headers, packed = server.ask('/', headers={'Accept-Encoding': 'br, gzip;q=0.5'})
    check('other clients get gzip', headers['Content-Encoding'] == 'gzip' and gzip.decompress(packed) == page)
    status, headers, content = server.ask('/', headers={'Accept-Encoding': 'gzip;q=0, br'})
    check('a client that refuses gzip gets plain text', 'Content-Encoding' not in headers)
    check('pages are revalidated', headers['Cache-Control'] == 'no-cache')
    status, _, content = server.ask('/', headers={'If-None-Match': headers['ETag']})
    check('cached content is not sent again', status == 304 and not content, status)
    status, _, _ = server.ask('/', headers={'If-None-Match': '"x", ' + headers['ETag']})
    check('several ETags are accepted', status == 304, status)
    for path in ('/profile/demo', '/profile/demo/summary', '/profile/a%20b', '/profile/demo?x=<b>'):
        status, headers, content = server.ask(path)
        check(f'{path} is a page', status == 200 and b'<html' in content, status)
    for link in re.findall(rb'(?:src|href)="([^"#]+)"', page):
        path = urllib.parse.urljoin('/', link.decode())
        status, headers, _ = server.ask(path)
        check(f'{path} exists and is cached for ever', status == 200
              and 'immutable' in headers['Cache-Control'], status)


def check_family(server, workspace):
    folder = os.path.join(os.path.dirname(workspace), 'system capture')
    subprocess.run([MAKER, '--system', folder], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, 'view', '-d', folder, '--ingest-only', '--display-name', 'run',
                    '--data-path', workspace, '-v', '2'], check=True, stdout=subprocess.DEVNULL)
    server.ask(API + '/profiles/run', 'PATCH', JSON, '{"name":"renamed"}')
    family = {p['name']: p for p in server.json(API + '/profiles')['profiles']}
    children = [name for name, p in family.items() if p['parent'] == 'renamed']
    devices = server.json(API + '/profiles/renamed')['devices']
    check('device profiles name the system profile they came with', children
          and sorted(children) == sorted(d['profile'] for d in devices), children)
    check('others have no parent', family['demo']['parent'] is None
          and family['renamed']['parent'] is None)
    check('none of them is simulated', not any(p['simulated'] for p in family.values()))
    for name in ['renamed', *children]:
        server.ask(API + '/profiles/' + urllib.parse.quote(name), 'DELETE')


def check_profiles(server, capture, workspace):
    profiles = server.json(API + '/profiles')['profiles']
    check('the list has the profile', [p['name'] for p in profiles] == ['demo'], profiles)
    p = server.json(PROFILE)
    check('a profile has its tables and times', int(p['to_ns']) > int(p['from_ns'])
          and any(t['name'] == 'Instruction' for t in p['tables']) and p['state'] == 'ready', p)
    check('sources have names, not paths', {s['name'] for s in p['sources']}
          == {'demo.ntff', 'demo.neff'}, p['sources'])
    check('opening a profile is recorded', server.json(PROFILE)['opened_ms'] > 0)
    ingest(capture, workspace, 'other one')
    other = API + '/profiles/other%20one'
    status, _, _ = server.ask(other, 'PATCH', JSON,
                              '{"favourite":true,"folder":"x","name":"new ü"}'.encode())
    renamed = server.json(API + '/profiles/new%20%C3%BC')
    check('a profile can be renamed and marked as favourite', status == 204 and renamed['favourite']
          and renamed['folder'] == 'x' and server.ask(other)[0] == 404, renamed)
    status, headers, content = server.ask(API + '/profiles/new%20%C3%BC', 'PATCH', JSON,
                                          '{"name":"demo"}')
    check('it cannot get an existing name', status in (400, 409) and is_problem(status, headers, content))
    check('it can be deleted', server.ask(API + '/profiles/new%20%C3%BC', 'DELETE')[0] == 204
          and server.ask(API + '/profiles/new%20%C3%BC')[0] == 404)
    check_family(server, workspace)
    api = server.json(API + '/openapi.json')
    check('the API describes itself', PROFILE.replace('demo', '{p}') + '/window' in api['paths'])


def strips_of(octets):
    """A window as a list of (track, depth, kind, columns)."""
    magic, px, start, end, count, zero = struct.unpack_from('<4sIQQII', octets)
    assert magic == b'NXW1' and zero == 0
    at, strips = 32, []
    for _ in range(count):
        track, depth, kind, items = struct.unpack_from('<IIII', octets, at)
        types = 'ffIIIfII' if kind == 1 else 'ffff'
        at += 16
        columns = []
        for t in types:
            columns.append(struct.unpack_from(f'<{items}{t}', octets, at))
            at += 4 * items
        strips.append((track, depth, kind, columns))
    assert at == len(octets)
    return px, start, end, strips


def check_strip(server, track, start, end, px):
    query = f'from={start}&to={end}&px={px}&tracks={track["id"]}&colour=opcode'
    status, headers, octets = server.ask(f'{PROFILE}/window?{query}')
    if status != 200:
        return False
    _, _, _, strips = strips_of(octets)
    rows = server.json(f'{PROFILE}/tables/{track["table"]}?limit=10000&columns=start_ts,end_ts')
    rows = rows['rows']
    for _, _, _, (x0, x1, count, _, colour, busy, low, _) in strips:
        if any(not 0 <= a <= b <= px for a, b in zip(x0, x1)):
            return False
        if any(b > c for b, c in zip(x1, x0[1:])):
            return False
        for i, (row, n) in enumerate(zip(low, count)):
            begins, ends = rows[row]
            if n == 1 and x1[i] > x0[i] and not (
                    begins <= start + (x1[i] + .01) * (end - start) / px
                    and ends >= start + (x0[i] - .01) * (end - start) / px):
                return False
            if not 0 <= busy[i] <= 1:
                return False
    return len(strips) == track['depth_count']


def check_timeline(server):
    tracks = server.json(PROFILE + '/tracks')
    listed = [t['id'] for t in tracks['tracks']]
    check('parents come before their children',
          all(t['parent'] is None or listed.index(t['parent']) < listed.index(t['id'])
              for t in tracks['tracks']))
    start, end = int(tracks['from_ns']), int(tracks['to_ns'])
    check('tracks have start and end times', all(
        start <= int(t['first_ns']) <= int(t['last_ns']) <= end
        and int(t.get('last_start_ns', t['first_ns'])) <= int(t['last_ns'])
        for t in tracks['tracks'] if t['row_count'] != '0'))
    engines = [t for t in tracks['tracks'] if t['table'] == 'Instruction']
    check('there are instructions to draw', len(engines) > 1)
    for part in ((start, end, 1000), (start, start + (end - start) // 50, 300), (start, start + 7, 50)):
        check(f'windows of {part[1] - part[0]} ns match their rows',
              all(check_strip(server, t, *part) for t in engines[:3]))
    whole = server.ask(f'{PROFILE}/window?from={start}&to={end}&px=1&tracks={engines[0]["id"]}:0')
    _, _, _, strips = strips_of(whole[2])
    counts = sum(strips[0][3][2])
    check('one pixel counts all spans', counts <= int(engines[0]['row_count']) and counts > 0, counts)
    counters = [t for t in tracks['tracks'] if t['kind'] == 'counter']
    _, _, _, strips = strips_of(server.ask(
        f'{PROFILE}/window?from={start}&to={end}&px=10&tracks={counters[0]["id"]}')[2])
    check('a counter has a value per pixel', strips[0][2] == 2
          and [len(c) for c in strips[0][3]] == [10] * 4)
    for query in ('', 'from=0&to=1&px=1', 'from=5&to=5&px=1&tracks=1', 'from=0&to=9&px=0&tracks=1',
                  'from=0&to=9&px=16385&tracks=1', 'from=x&to=9&px=1&tracks=1',
                  'from=0&to=9&px=1&tracks=a', 'from=0&to=9&px=1&tracks=1,,2',
                  'from=0&to=18446744073709551616&px=1&tracks=1',
                  'from=0&to=9&px=1&tracks=' + ','.join('1' * 4097)):
        status, _, _ = server.ask(f'{PROFILE}/window?{query}')
        check(f'a window {query[:40]!r} is rejected', status == 400, status)
    for track in ('4294967295', '99999999', f'{engines[0]["id"]}:4096'):
        status, _, _ = server.ask(f'{PROFILE}/window?from=0&to=9&px=1&tracks={track}')
        check(f'there is no track {track}', status == 404, status)
    many = ','.join(str(engines[0]['id']) for _ in range(4096))
    status, _, _ = server.ask(f'{PROFILE}/window?from=0&to=9&px=16384&tracks={many}')
    check('a window that is too large is rejected', status == 422, status)
    colours = server.json(f'{PROFILE}/colours?table=Instruction&column=opcode')['values']
    check('colour codes have values', len(set(colours)) == len(colours) > 3, colours)
    status, _, _ = server.ask(f'{PROFILE}/colours?table=Instruction&column=flops')
    check('an unknown column gives 404', status in (400, 404), status)
    check_at(server, engines[0])


def check_at(server, track):
    def at(**how):
        return server.json(f'{PROFILE}/at?' + urllib.parse.urlencode({'track': track['id'], **how}))

    first = at(time=0, step=1)
    second = at(time=first['start_ns'], step=1)
    check('it is possible to step to the next span', first['index'] == '0' and second['index'] == '1', second)
    check('and to the previous one', at(time=second['start_ns'], step=-1)['index'] == '0')
    check('a span is found by a time within it', at(time=second['start_ns'])['index'] == '1')
    edge = at(time=int(second['start_ns']) + 1, nearest='start')['edge_ns']
    check('the nearest edge is found', edge == second['start_ns'], edge)
    check('an edge beyond the limit is not found', at(time=int(first['start_ns']) - 1 if int(first['start_ns'])
                                         else 2**62, nearest='start', within=0)['status'] == 404)
    row = server.json(f'{PROFILE}/tables/{track["table"]}/rows/{second["row"]}')
    check('a span\'s row has its track', row['track'] == track['id'] and row['depth'] == 0
          and row['start_ns'] == second['start_ns'], row)
    groups = {f['group'] for f in row['fields']}
    check('fields have groups', {'Timing', 'Identity', 'Operation'} <= groups, groups)
    check('fields have descriptions', all(f['description'] for f in row['fields']), row)


def check_tables(server):
    table = PROFILE + '/tables/Instruction'
    whole = server.json(table + '?limit=10000&columns=start_ts,opcode')
    page = server.json(table + '?limit=7&offset=11&columns=opcode,start_ts')
    check('a page is part of the table', page['rows'] == [r[::-1] for r in whole['rows'][11:18]]
          and page['total'] == whole['total'] == str(len(whole['rows'])), page)
    check('there are no rows after the end', server.json(table + '?offset=999999999')['rows'] == [])
    check('a row is the same as in its page',
          [f['value'] for f in server.json(table + '/rows/5')['fields']]
          == server.json(table + '?offset=5&limit=1')['rows'][0])
    for query in ('limit=10001', 'limit=-1', 'offset=x', 'columns=,', 'where=opcode',
                  'where==1', 'where=start_ts=soon', 'where=start_ts<1 OR 1=1',
                  "where=start_ts=1' OR '1'='1"):
        status, _, content = server.ask(f'{table}?{urllib.parse.quote(query, safe="=&,")}')
        check(f'{query} is rejected', status in (400, 501), (status, content))
    for query in ('columns=nope', 'order=nope', 'where=nope=1', 'order=-start_ts;DROP'):
        status, _, _ = server.ask(f'{table}?{query}')
        check(f'{query} gives 404', status in (404, 501), status)
    check_filters(server, table, whole)


def check_filters(server, table, whole):
    name = whole['rows'][0][1]
    hits = [r for r in whole['rows'] if r[1] == name]
    status, headers, content = server.ask(
        f'{table}?columns=start_ts,opcode&where=opcode={name}&order=-start_ts&limit=5')
    if status == 501:
        check('without DuckDB the response says what to do', is_problem(status, headers, content))
        return
    page = json.loads(content)
    check('rows can be filtered and sorted', page['total'] == str(len(hits)) and page['rows']
          == sorted(hits, key=lambda r: -r[0])[:5], page)
    evil = urllib.parse.quote("opcode=' OR 1=1 --")
    check('a value is never SQL', server.json(f'{table}?where={evil}')['total'] == '0')
    page = server.json(f'{table}?columns=opcode&where=opcode~%5E{name}%24&where=start_ts>=0')
    check('conditions are combined with AND', page['total'] == str(len(hits)), page)
    page = server.json(f'{table}?where=opcode!={name}')
    check('conditions can exclude rows', page['total'] == str(len(whole['rows']) - len(hits)), page['total'])


# --- many clients ------------------------------------------------------------------------------

def ids_of(tracks, most):
    """What a page requests at once: the tracks on its screen."""
    drawn = [str(t['id']) for t in tracks['tracks'] if t['kind'] != 'group']
    return ','.join(drawn[:most])


def check_crowd(server):
    tracks = server.json(PROFILE + '/tracks')
    spans = ids_of(tracks, 20)
    paths = [f'{PROFILE}/window?from={tracks["from_ns"]}&to={tracks["to_ns"]}&px=500&tracks={spans}',
             f'{PROFILE}/tables/Instruction/rows/3', PROFILE + '/tracks', '/']

    def visit(i):
        try:
            return i % len(paths), server.ask(paths[i % len(paths)])
        except OSError as failure:
            return i % len(paths), (0, {}, repr(failure))

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(visit, range(CLIENTS * 3)))
    check(f'{CLIENTS} concurrent clients are answered',
          all(a[0] == 200 for _, a in answers), {a[0] for _, a in answers})
    for k, path in enumerate(paths):
        check(f'all get the same {path[:40]}', len({a[2] for i, a in answers if i == k}) == 1)
    idle = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(CLIENTS)]
    check('idle connections do not block others', server.ask('/health')[0] == 200)
    for s in idle:
        s.close()


def check_gone(server):
    """Clients that disconnect early do not disturb the server."""
    tracks = server.json(PROFILE + '/tracks')
    spans = ids_of(tracks, 100)
    request = (f'GET {PROFILE}/window?from=0&to={tracks["to_ns"]}&px=1000&tracks={spans} HTTP/1.1\r\n'
               'Host: localhost\r\n\r\n').encode()
    table = (f'GET {PROFILE}/tables/Instruction?order=opcode HTTP/1.1\r\n'
             'Host: localhost\r\n\r\n').encode()
    for text in (request, table, request[:40], b'PATCH /api/v1/profiles/demo HTTP/1.1\r\nHost: '
                 b'localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{'):
        for _ in range(20):
            with socket.create_connection(('127.0.0.1', server.port)) as s:
                s.sendall(text)
    started = time.monotonic()
    check('the next client is served', server.ask(PROFILE + '/tracks')[0] == 200)
    check('it does not wait for the clients that left', time.monotonic() - started < 30)
    pipelined = server.raw(b'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n' * 5)
    check('requests can be pipelined', b' 200 ' in pipelined, pipelined)


def check_keep_alive(server):
    connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=60)
    for path in ('/health', PROFILE, '/', PROFILE + '/nothing', API + '/profiles'):
        connection.request('GET', path)
        answer = connection.getresponse()
        answer.read()
        kept = connection.sock is not None
        check(f'the connection is kept after {path}', kept)
    connection.close()


def check_replaced(server, capture, workspace):
    """A profile is stored again while it is read."""
    stop, failures = threading.Event(), []

    def look():
        while not stop.is_set():
            status, _, content = server.ask(PROFILE + '/tracks')
            if status not in (200, 404):
                failures.append((status, content))

    watchers = [threading.Thread(target=look) for _ in range(4)]
    for w in watchers:
        w.start()
    before = server.json(PROFILE)['id']
    for _ in range(3):
        subprocess.run([PROGRAM, 'view', '-s', f'{capture}/demo.ntff', '--ingest-only', '--force',
                        '--display-name', 'demo', '--data-path', workspace, '-v', '2'], check=True,
                       stdout=subprocess.DEVNULL)
    stop.set()
    for w in watchers:
        w.join()
    check('a profile can be replaced while it is read', not failures, failures[:1])
    after = server.json(PROFILE)
    check('its readers see the new one', after['id'] != before
          and {s['name'] for s in after['sources']} == {'demo.ntff'}, after)


def check_ports(workspace, capture):
    server = Server(workspace, '--disable-ui', api_port='0')
    check('the API works without pages, and its printed address answers', server.ask('/')[0] == 404
          and server.ask(urllib.parse.urlsplit(server.url).path)[0] == 200, server.said)
    taken = socket.create_server(('127.0.0.1', 0))
    alone = Server(workspace, '--disable-ui', port=str(taken.getsockname()[1]), api_port='0')
    check('without pages the port of the browser is not needed',
          alone.ask(API + '/profiles')[0] == 200, alone.said)
    alone.stop()
    taken.close()
    busy = subprocess.run([PROGRAM, 'view', '--data-path', workspace, '-p', str(server.port)],
                          capture_output=True, text=True, check=False)
    check('a port in use gives a message with the remedy',
          busy.returncode == 2 and busy.stderr.count('\n') == 1
          and re.search(r'add --port \d+, which is free', busy.stderr), busy.stderr)
    fresh = f'{workspace}-fresh'
    missing = ['-s', f'{workspace}/none.ntff', '--data-path', fresh]
    busy = subprocess.run([PROGRAM, 'view', *missing, '-p', str(server.port)], capture_output=True,
                          text=True, check=False)
    check('it is found before anything is processed', 'in use' in busy.stderr
          and not os.path.exists(fresh), busy.stderr)
    busy = subprocess.run([PROGRAM, 'view', '-s', f'{capture}/demo.ntff', '--data-path', fresh,
                           '--disable-ui', '--api-server-port', str(server.port), '-v', '2'],
                          capture_output=True, text=True, check=False)
    check('without pages the profile is stored for the server that has the port',
          busy.returncode == 2 and 'will be stored' in busy.stderr
          and os.path.exists(f'{fresh}/profiles/global/demo@latest'), busy.stderr)
    busy = subprocess.run([PROGRAM, 'view', '--data-path', workspace, '-p', '0',
                           '--api-server-port', str(server.port)], capture_output=True, text=True,
                          check=False)
    check('so does a requested API port',
          busy.returncode == 2 and '--api-server-port' in busy.stderr, busy.stderr)
    second = socket.create_server(('127.0.0.1', 0))
    free = second.getsockname()[1]
    second.close()
    both = Server(workspace, api_port=str(free))
    check('both ports answer', both.ask(API + '/profiles', port=free)[0] == 200
          and both.ask('/', port=free)[0] == 200)
    status, _, _ = both.ask(PROFILE, 'PATCH', {**JSON, 'Origin': f'http://localhost:{both.port}'},
                            '{}', port=free)
    check('pages of one port may use the other', status == 204, status)
    both.stop()
    idle = socket.create_connection(('127.0.0.1', server.port))
    half = socket.create_connection(('127.0.0.1', server.port))
    half.sendall(b'GET / HT')
    code, _, err = server.stop()
    check('ctrl-c stops the server cleanly with clients connected', code == 0 and err == '', (code, err))
    idle.close()
    half.close()


def check_views(folder, capture):
    """What view prints and serves for a session file and a directory."""
    workspace = f'{folder}/views'
    server = Server(workspace, '-n', f'{capture}/demo.neff', '-s', f'{capture}/demo.ntff', '-v', '2')
    check('a session file is stored and shown', server.said.startswith('View profile at ')
          and server.url.endswith('/profile/demo') and server.ask('/profile/demo')[0] == 200
          and server.json(PROFILE)['kind'] == 'device', server.said)
    server.stop()
    server = Server(workspace, '-n', f'{capture}/demo.neff', '-s', f'{capture}/demo.ntff', '-v', '2')
    check('a second view shows the stored profile', len(server.json(API + '/profiles')['profiles']) == 1)
    server.stop()
    subprocess.run([MAKER, '--system', f'{folder}/run', '--events', '200'], check=True,
                   stdout=subprocess.DEVNULL)
    server = Server(workspace, '-d', f'{folder}/run', '-v', '2')
    system = server.json(API + '/profiles/run')
    check('a directory is stored and shown', server.url.endswith('/profile/run')
          and system.get('kind') == 'system', (server.said, system))
    check('its tracks can be drawn', any(t['kind'] == 'spans' for t in
          server.json(API + '/profiles/run/tracks')['tracks']))
    server.stop()
    os.mkdir(f'{folder}/ranks')
    for rank in (0, 1):
        shutil.copy(f'{capture}/demo.ntff', f'{folder}/ranks/profile_rank_{rank}.ntff')
    server = Server(f'{folder}/ranked', '-d', f'{folder}/ranks', '-n', f'{capture}/demo.neff', '-v', '2')
    keys = [json.loads(record.read_text())['key'] for record in
            sorted(pathlib.Path(folder, 'ranked/profiles/global').glob('*_rank_*/profile.json'))]
    together = 'p_' + hashlib.sha1(''.join(keys).encode()).hexdigest()
    found = server.json(f'{API}/profiles/{together}/ranks')
    check('ranks are found by the id of their contents', len(found.get('ranks', [])) == 2
          and found == server.json(f'{API}/profiles/ranks/ranks'), (keys, found))
    check('ranks without a common clock say so', found.get('aligned_by') == 'none'
          and found.get('collective_skew_ns', 0) is None
          and {r['offset_ns'] for r in found['ranks']} == {0}
          and found['span_ns'] == max(r['total_ns'] for r in found['ranks']) > 0, found)
    check('a profile is found by the id of its contents', server.json(f'{API}/profiles/{keys[0]}')['name']
          .startswith('ranks_device_profile_rank_') and server.ask(f'/profile/{keys[0]}')[0] == 200)
    check('an id without a profile is not found',
          server.ask(f'{API}/profiles/n_{"0" * 40}')[0] == 404
          and server.ask(f'{API}/profiles/p_{"0" * 40}/ranks')[0] == 404)
    check('nothing is deleted by an id', server.ask(f'{API}/profiles/{keys[0]}', 'DELETE')[0] == 404)
    server.stop()


def check_stop_while_busy(workspace):
    server = Server(workspace)
    tracks = server.json(PROFILE + '/tracks')
    spans = ids_of(tracks, 50)
    path = f'{PROFILE}/window?from=0&to={tracks["to_ns"]}&px=500&tracks={spans}'

    def ask(_):
        try:
            return server.ask(path)[0]
        except (OSError, http.client.HTTPException):
            return 0

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        answers = [pool.submit(ask, i) for i in range(200)]
        time.sleep(0.3)
        code, _, err = server.stop()
        seen = {a.result() for a in answers}
    check('ctrl-c stops the server during work', code == 0 and err == '', (code, err))
    check('no client got a wrong response', seen <= {0, 200, 503}, seen)


def main():
    with tempfile.TemporaryDirectory() as folder:
        capture, workspace = f'{folder}/capture', f'{folder}/ws'
        os.mkdir(capture)
        subprocess.run([MAKER, '--demo', capture], check=True, stdout=subprocess.DEVNULL)
        ingest(capture, workspace, 'demo')
        server = Server(workspace)
        check('the server prints its URL', server.said.startswith('View a list of profiles at '),
              server.said)
        for test in (check_headers, check_hosts, check_origins, check_methods, check_bodies,
                     check_paths, check_pages, check_timeline, check_tables, check_keep_alive,
                     check_crowd, check_gone):
            test(server)
        check_profiles(server, capture, workspace)
        check_leaks(server, workspace)
        check_replaced(server, capture, workspace)
        code, _, err = server.stop()
        check('ctrl-c stops the server cleanly', code == 0 and err == '', (code, err))
        check_token(workspace)
        check_ports(workspace, capture)
        check_stop_while_busy(workspace)
        check_views(folder, capture)
    print(f'1..{len(results)}')
    sys.exit(0 if all(results) else 1)


main()
