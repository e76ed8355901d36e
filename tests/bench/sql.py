#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a small question takes over HTTP: with a process that is ready, and without one.

usage: sql.py NEURON_EXPLORER FOLDER      FOLDER holds demo.neff and demo.ntff

Fails if a ready process takes more than 50 ms in the median.
"""

import http.client
import json
import signal
import statistics
import subprocess
import sys
import time
import urllib.parse

PROGRAM, FOLDER = sys.argv[1:]
WARM_LIMIT_MS = 50
SQL = 'SELECT count(*) FROM Instruction'


def ask_ms(port, name):
    begin = time.monotonic()
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.request('POST', f'/api/v1/profiles/{name}/sql', json.dumps({'sql': SQL}),
                       {'Content-Type': 'application/json'})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        sys.exit(f'bench: SQL is left out: {content.decode()}')
    return (time.monotonic() - begin) * 1000


def main():
    names = [f'sql{i}' for i in range(9)]
    for name in names:
        subprocess.run([PROGRAM, 'view', '-n', f'{FOLDER}/demo.neff', '-s', f'{FOLDER}/demo.ntff',
                        '--ingest-only', '--display-name', name, '--data-path',
                        f'{FOLDER}/sql', '-v', '2'], check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen([PROGRAM, 'view', '--data-path', f'{FOLDER}/sql', '-p', '0',
                               '--api-server-port', '0'], stdout=subprocess.PIPE, text=True)
    port = urllib.parse.urlsplit(server.stdout.readline().split()[-1]).port
    first = ask_ms(port, names[0])
    warm = statistics.median(ask_ms(port, names[0]) for _ in range(50))
    # Each profile needs another process, and a moment passes between clicks.
    cold = []
    for name in names[1:]:
        time.sleep(0.5)
        cold.append(ask_ms(port, name))
    server.send_signal(signal.SIGINT)
    server.wait()
    print('a small question over HTTP, in ms')
    print(f'{"first of the server":32}{first:8.1f}')
    print(f'{"first of a profile, median":32}{statistics.median(cold):8.1f}')
    print(f'{"of a profile in use, median":32}{warm:8.1f}')
    if warm > WARM_LIMIT_MS:
        sys.exit(f'bench: a question of a profile in use takes more than {WARM_LIMIT_MS} ms')


if __name__ == '__main__':
    main()
