#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Visit the server as browsers, attackers and crowds do.

usage: run.py SERVE_CAPTURE [MAKE_CAPTURE]

With MAKE_CAPTURE a demo capture is served as well as the invented profile. TAP on stdout.
"""

import concurrent.futures
import html.parser
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
MAKER = sys.argv[2] if len(sys.argv) > 2 else None
EVIL = '<script>alert(1)</script>'
CLIENTS = 50
results = []


def check(name, holds, seen=''):
    results.append(holds)
    print(f"{'ok' if holds else 'not ok'} {len(results)} - {name}")
    if not holds:
        print(f'# saw: {seen!r}')


class Server:
    def __init__(self, *source, env=None):
        self.process = subprocess.Popen([PROGRAM, 'serve', '0', *source], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=env)
        self.url = self.process.stdout.readline().strip()
        self.port = int(re.match(r'http://localhost:(\d+)/', self.url).group(1))
        self.page = self.url[self.url.index('/profile/'):]

    def ask(self, path, method='GET', headers=None, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def raw(self, text):
        with socket.create_connection(('127.0.0.1', self.port), timeout=60) as s:
            s.sendall(text)
            with s.makefile('rb') as f:
                return f.readline()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def export(exporter, *source):
    with tempfile.NamedTemporaryFile() as f:
        subprocess.run([PROGRAM, 'write', exporter, f.name, *source], check=True)
        return pathlib.Path(f.name).read_bytes()


class Markup(html.parser.HTMLParser):
    """Counts what must not be there and sees whether tags are balanced."""
    VOID = {'meta', 'link', 'img', 'input', 'rect', 'path', 'line', 'col'}

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.scripts, self.links, self.rows = [], [], 0, [], 0
        self.feed(text)
        self.faults += self.open

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == 'script'
        self.rows += tag == 'tr'
        self.links += [v for k, v in attrs if k in ('href', 'src', 'data-overview')]
        self.faults += [k for k, v in attrs if k == 'style' or k.startswith('on')]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.faults += [k for k, v in attrs if k == 'style' or k.startswith('on')]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f'</{tag}>')


def check_headers(server):
    for path in ('/', server.page, server.page + '/profile.json', '/healthz', '/nothing'):
        _, headers, _ = server.ask(path)
        wanted = {'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY',
                  'Referrer-Policy': 'no-referrer', 'Cross-Origin-Resource-Policy': 'same-origin'}
        missing = [k for k, v in wanted.items() if headers.get(k) != v]
        check(f'{path[:9]} protects its visitor', not missing, missing)
        policy = headers.get('Content-Security-Policy', '')
        check(f'{path[:9]} loads from here only',
              policy.startswith("default-src 'self'") and 'unsafe' not in policy, policy)
        check(f'{path[:9]} does not name its server', 'Server' not in headers)


def check_status(server):
    page = server.page
    cases = [('/', 200), (page, 200), (page + '/overview.json', 200), ('/healthz', 200),
             ('/assets/style.css', 200), ('/assets/profile.js', 200), ('/assets/icon.svg', 200),
             ('/assets/', 404), ('/assets/../../etc/passwd', 404), ('/etc/passwd', 404),
             ('/assets/%2e%2e/%2e%2e/etc/passwd', 404), ('/assets/style.css%00.png', 404),
             (page + '/', 404), (page[:-1], 404), (page + '0', 404), ('/profile/', 404),
             ('/profile/n_' + '0' * 40, 404), (page + '/../profile.json', 404),
             ('/' + 'a' * 8000, 404), (page + '?x=<script>', 200)]
    for path, wanted in cases:
        status, _, _ = server.ask(path)
        # MHD cuts a path at a NUL; that is a page we have, never a file
        allowed = {wanted, 200} if '%00' in path else {wanted}
        check(f'{path[:40]} gives {wanted}', status in allowed, status)
    for method in ('POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'):
        status, headers, _ = server.ask(page, method, body=b'x' * 100)
        check(f'{method} is refused', status == 405 and headers['Allow'] == 'GET, HEAD', status)
    status, headers, content = server.ask(page, 'HEAD')
    check('HEAD has a length and no body',
          status == 200 and int(headers['Content-Length']) > 1000 and content == b'')
    check('a header without end is refused', b' 4' in server.raw(
        b'GET / HTTP/1.1\r\nHost: localhost\r\nX: ' + b'y' * 100000 + b'\r\n\r\n'))
    check('it still answers', server.ask('/healthz')[2] == b'ok\n')


def check_hosts(server):
    for host in ('localhost', 'LOCALHOST', f'localhost:{server.port}', '127.0.0.1', '[::1]',
                 '[::1]:80', '127.0.0.1:1'):
        status, _, _ = server.ask('/', headers={'Host': host})
        check(f'Host {host} is us', status == 200, status)
    for host in ('evil.example', 'localhost.evil.example', 'evil.example:3001', '127.0.0.1.nip.io',
                 '192.168.1.1', '[::2]', '', 'local', '[', '[::1', ':', 'localhost@evil.example'):
        status, _, _ = server.ask('/', headers={'Host': host})
        check(f'Host {host!r} is not us', status in (400, 421), status)
    first = server.raw(b'GET / HTTP/1.0\r\n\r\n')
    check('no Host at all is not us', b' 4' in first, first)


def check_keep_alive(server):
    connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=60)
    for _ in range(3):
        connection.request('GET', '/healthz')
        answer = connection.getresponse()
        answer.read()
        kept = connection.sock is not None
    connection.close()
    check('a connection is kept for the next request', kept)


def check_page(server, text):
    page = Markup(text)
    check('the page is balanced, without inline styles and handlers', not page.faults, page.faults)
    check('the page has one script', page.scripts == 1, page.scripts)
    outside = [v for v in page.links if not v.startswith(('/', '#'))]
    check('the page loads nothing from elsewhere', not outside, outside)
    broken = [v for v in page.links if v.startswith('/') and server.ask(v, 'HEAD')[0] != 200]
    check('every link of the page works', not broken, broken)


def check_invented(server):
    text = server.ask(server.page)[2].decode()
    check_page(server, text)
    check_page(server, server.ask('/')[2].decode())
    check('texts of files are escaped', EVIL not in text and '&lt;script&gt;alert' in text)
    for part in ('model-', 'instance-', 'runtime-', 'a warning with ', 'layer-59-', 'name-'):
        check(f'{part!r} is shown escaped', part + '&lt;script&gt;alert(1)' in text)
    check('the longest 50 layers are shown', 'layer-10-' in text and 'layer-9-' not in text)
    check('the longest layer comes first', text.index('layer-59-') < text.index('layer-58-'))
    check('a private id is not shown', 'i-private' not in text)
    check('a known metric is a percentage with its meaning',
          '<td>25.0 %</td><td>Model flop utilisation' in text)
    overview = json.loads(server.ask(server.page + '/overview.json')[2])
    core = overview['cores'][0]
    check('times are texts',
          (overview['span_ps'], overview['column_ps']) == ('1200000', '1000'), overview)
    check('a column tells how busy it was', core['Tensor'][:4] == [10000, 10000, 5000, 0])
    check('the second half is busy',
          core['Vector'][:600] == [0] * 600 and core['Vector'][600:] == [10000] * 600)
    check('throttling withholds three quarters',
          core['throttled'][299:301] == [0, 7500] and core['throttled'][599:601] == [7500, 0])
    check('bands are drawn', '<rect class="throttle" x="300" width="300"' in text)
    _, headers, _ = server.ask(server.page + '/profile.json')
    check('a file name cannot break a header',
          headers['Content-Disposition'] == 'attachment; filename="______na_me__X-Evil__1.json"'
          and 'X-Evil' not in headers, headers['Content-Disposition'])


def check_exports(server, *source):
    def download(path):
        return server.ask(server.page + path)

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(download, ['/profile.json'] * CLIENTS))
    wanted = export('json', *source)
    check(f'{CLIENTS} clients at once get the JSON export',
          all(a[0] == 200 and a[2] == wanted for a in answers), [a[0] for a in answers])
    check('it comes with its length',
          all(int(a[1]['Content-Length']) == len(wanted) for a in answers))
    json.loads(wanted)
    check('summary.json is the summary export',
          download('/summary.json')[2] == export('summary-json', *source))
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        pages = {a[2] for a in pool.map(download, [''] * CLIENTS)}
    check(f'{CLIENTS} clients at once see one page', len(pages) == 1)


def check_failing_disk():
    folder = tempfile.mkdtemp()
    server = Server('invented', env={**os.environ, 'TMPDIR': folder})
    shutil.rmtree(folder)
    status, _, content = server.ask(server.page + '/profile.json')
    check('a failed export says why and what to do',
          status == 500 and b'TMPDIR' in content, (status, content))
    os.mkdir(folder)
    status, _, _ = server.ask(server.page + '/profile.json')
    check('the next visitor gets it', status == 200, status)
    check('no temporary file is left', os.listdir(folder) == [], os.listdir(folder))
    check('ctrl-c ends it', server.stop()[0] == 0)
    os.rmdir(folder)


def check_stop():
    server = Server('invented')
    busy = subprocess.run([PROGRAM, 'serve', str(server.port), 'invented'], capture_output=True,
                          text=True, check=False)
    check('a port in use is one sentence with the remedy',
          busy.returncode == 2 and busy.stderr.count('\n') == 1 and '--port' in busy.stderr,
          busy.stderr)
    idle = socket.create_connection(('127.0.0.1', server.port))
    half = socket.create_connection(('127.0.0.1', server.port))
    half.sendall(b'GET / HT')
    code, _, err = server.stop()
    check('ctrl-c ends it cleanly with visitors around', code == 0 and err == '', (code, err))
    idle.close()
    half.close()


def check_source(*source):
    server = Server(*source)
    check_page(server, server.ask(server.page)[2].decode())
    check_exports(server, *source)
    code, _, err = server.stop()
    check('ctrl-c ends cleanly', code == 0 and err == '', (code, err))


def main():
    server = Server('invented')
    check_headers(server)
    check_status(server)
    check_hosts(server)
    check_keep_alive(server)
    check_invented(server)
    server.stop()
    check_source('invented')
    if MAKER:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([MAKER, '--demo', folder], check=True, stdout=subprocess.DEVNULL)
            check_source(f'{folder}/demo.ntff', f'{folder}/demo.neff')
    check_failing_disk()
    check_stop()
    print(f'1..{len(results)}')
    sys.exit(0 if all(results) else 1)


main()
