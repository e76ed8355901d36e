# SPDX-License-Identifier: Apache-2.0
"""Servers on loopback, each with its own configuration and data in a temporary folder."""

import http.server
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

START_SECONDS = 60
# No proxy for servers on loopback.
os.environ['no_proxy'] = '*'
os.environ['NO_PROXY'] = '*'

CLICKHOUSE = '''<yandex>
<logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>{host}</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<mark_cache_size>67108864</mark_cache_size>
<users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<remote_servers><pair>{shards}</pair><twins><shard>{replicas}</shard></twins></remote_servers>
</yandex>
'''
REPLICA = '<replica><host>{host}</host><port>{tcp}</port></replica>'
SHARD = '<shard><weight>{weight}</weight>' + REPLICA + '</shard>'
USERS = '''<yandex><profiles><default></default><reading><readonly>1</readonly></reading></profiles>
<users>
<default><password></password><networks><ip>::/0</ip></networks><profile>default</profile>
<quota>default</quota></default>
<writer><password>a:b @c</password><networks><ip>::/0</ip></networks><profile>default</profile>
<quota>default</quota></writer>
<reader><password></password><networks><ip>::/0</ip></networks><profile>reading</profile>
<quota>default</quota></reader>
</users><quotas><default></default></quotas></yandex>
'''
INFLUX = '''reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
dir = "{folder}/meta"
logging-enabled = false
[data]
dir = "{folder}/data"
wal-dir = "{folder}/wal"
query-log-enabled = false
[http]
bind-address = "127.0.0.1:{http}"
log-enabled = false
[monitor]
store-enabled = false
[logging]
level = "error"
'''


def free_ports(hosts, count):
    """Ports that are free on all hosts."""
    ports, sockets = [], []
    while len(ports) < count:
        first = socket.socket()
        first.bind((hosts[0], 0))
        port, taken = first.getsockname()[1], [first]
        try:
            for host in hosts[1:]:
                other = socket.socket()
                taken.append(other)
                other.bind((host, port))
            ports.append(port)
        except OSError:
            pass
        sockets += taken
    for one in sockets:
        one.close()
    return ports


def fetch(url, body=None):
    """Status and text of a response; None if there is none."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body), timeout=60) as answer:
            return answer.status, answer.read().decode(errors='replace')
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors='replace')
    except OSError as error:
        return None, str(error)


class Server:
    """A process that is ready when its URL responds."""

    def __init__(self, folder, command, ready_url, environment):
        self.folder, self.command, self.ready_url = folder, command, ready_url
        self.environment, self.process = environment, None

    def start(self):
        with open(self.folder / 'output', 'ab') as output:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=output,
                                            env=self.environment, cwd=self.folder,
                                            stdin=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while fetch(self.ready_url)[0] is None:
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f'{self.command[0]} does not start:\n'
                                   + (self.folder / 'output').read_text(errors='replace')[-2000:])
            time.sleep(0.05)
        return self

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                self.kill()


class Servers:
    """Finds the programs, installed or unpacked, and keeps the started processes."""

    def __init__(self, unpacked, work):
        self.unpacked, self.work = pathlib.Path(unpacked).resolve(), pathlib.Path(work)
        self.started = []
        libraries = [str(self.unpacked / place) for place in
                     ('usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu',
                      'usr/lib/aarch64-linux-gnu', 'lib/aarch64-linux-gnu', 'usr/lib', 'lib')]
        self.environment = dict(os.environ)
        if (self.unpacked / 'complete').exists():
            self.environment['LD_LIBRARY_PATH'] = ':'.join(libraries)

    def program(self, name):
        for folder in ('usr/sbin', 'usr/bin'):
            if (self.unpacked / folder / name).exists():
                return str(self.unpacked / folder / name)
        return shutil.which(name, path=os.environ['PATH'] + ':/usr/sbin')

    def folder(self, name):
        folder = self.work / name
        folder.mkdir()
        return folder

    def keep(self, server):
        self.started.append(server)
        return server

    def clickhouse(self, host='127.0.0.1', http=None, tcp=None, shards=()):
        folder = self.folder(f'clickhouse-{len(self.started)}')
        if http is None:
            http, tcp = free_ports([host], 2)
        shards = shards or [(host, tcp, 1)]
        text = ''.join(SHARD.format(host=h, tcp=t, weight=w) for h, t, w in shards)
        replicas = ''.join(REPLICA.format(host=h, tcp=t) for h, t, _ in shards)
        (folder / 'config.xml').write_text(
            CLICKHOUSE.format(folder=folder, http=http, tcp=tcp, host=host, shards=text,
                              replicas=replicas))
        (folder / 'users.xml').write_text(USERS)
        (folder / 'data').mkdir()
        (folder / 'tmp').mkdir()
        command = [self.program('clickhouse-server'), f'--config-file={folder}/config.xml']
        server = Server(folder, command, f'http://{host}:{http}/', self.environment)
        server.place = f'{host}:{http}'
        return self.keep(server)

    def clickhouse_pair(self):
        hosts = ['127.0.0.1', '127.0.0.2']
        # With the same port, each would mistake the other for itself.
        http, *tcp = free_ports(hosts, 3)
        # Different weights, which the shares must follow.
        shards = list(zip(hosts, tcp, (1, 2)))
        return [self.clickhouse(host, http, port, shards) for host, port, _ in shards]

    def influx(self, name='influx'):
        folder = self.folder(name)
        http, rpc = free_ports(['127.0.0.1'], 2)
        (folder / 'config').write_text(INFLUX.format(folder=folder, http=http, rpc=rpc))
        server = Server(folder, [self.program('influxd'), 'run', '-config', f'{folder}/config'],
                        f'http://127.0.0.1:{http}/ping', self.environment)
        server.url = f'http://127.0.0.1:{http}'
        return self.keep(server)

    def victoria(self):
        folder = self.folder('victoria')
        (http,) = free_ports(['127.0.0.1'], 1)
        command = [self.program('victoria-metrics'), f'-httpListenAddr=127.0.0.1:{http}',
                   f'-storageDataPath={folder}/data', '-retentionPeriod=100y',
                   '-influxDBLabel=bucket', '-memory.allowedBytes=128MB']
        server = Server(folder, command, f'http://127.0.0.1:{http}/health', self.environment)
        server.url = f'http://127.0.0.1:{http}'
        return self.keep(server)

    def chdb(self, library_folder):
        folder = self.folder('chdb')
        (http,) = free_ports(['127.0.0.1'], 1)
        program = pathlib.Path(__file__).parent / 'chdb_server.py'
        command = [sys.executable, str(program.resolve()),
                   str(pathlib.Path(library_folder).resolve() / 'libchdb.so'), str(folder),
                   str(http)]
        server = Server(folder, command, f'http://127.0.0.1:{http}/', os.environ)
        server.place = f'127.0.0.1:{http}'
        return self.keep(server)

    def end(self):
        for server in self.started:
            server.stop()


class LosingProxy(http.server.ThreadingHTTPServer):
    """A proxy that loses one in three inserts, and one in three responses."""

    daemon_threads = True

    def __init__(self, target):
        super().__init__(('127.0.0.1', 0), LosingHandler)
        self.target, self.insert_count = target, 0
        self.place = f'127.0.0.1:{self.server_address[1]}'
        threading.Thread(target=self.serve_forever, daemon=True).start()


class LosingHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        fate = 0
        if 'query=INSERT' in self.path:
            self.server.insert_count += 1
            fate = self.server.insert_count % 3
        if fate == 1:
            return
        code, text = fetch(f'http://{self.server.target}{self.path}', body)
        if fate == 2:
            return
        self.send_response(code or 502)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def ask_clickhouse(server, sql):
    code, text = fetch(f'http://{server.place}/', sql.encode())
    return text if code == 200 else f'error: {text}'


def ask_influx(server, database, question):
    query = urllib.parse.urlencode({'db': database, 'q': question, 'epoch': 'ns'})
    return fetch(f'{server.url}/query?{query}')[1]
