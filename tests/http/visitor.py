# SPDX-License-Identifier: Apache-2.0
"""A server with a workspace and its clients, for the tests of this folder. Prints TAP."""

import http.client
import os
import signal
import subprocess
import sys
import urllib.parse

PROGRAM, MAKER = sys.argv[1], sys.argv[2]
API = '/api/v1'
JSON = {'Content-Type': 'application/json'}
PATIENCE_S = 60
results = []


def check(name, holds, seen=''):
    results.append(bool(holds))
    print(f"{'ok' if holds else 'not ok'} {len(results)} - {name}", flush=True)
    if not holds:
        print(f'# saw: {str(seen)[:1000]!r}')


def skip(name, why):
    results.append(True)
    print(f'ok {len(results)} - {name} # SKIP {why}', flush=True)


class Served:
    """neuron-explorer view on free ports."""

    def __init__(self, workspace, *options, port='0', api_port='0', env=None):
        self.process = subprocess.Popen(
            [PROGRAM, 'view', '--data-path', str(workspace), '-p', port, '--api-server-port',
             api_port, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})})
        self.said = self.process.stdout.readline().strip()
        if self.said.startswith('Processing for '):
            self.said = self.process.stdout.readline().strip()
        self.url = self.said.rpartition(' ')[2]
        self.port = urllib.parse.urlsplit(self.url).port

    def visit(self, path, method='GET', headers=None, body=None, port=None):
        connection = http.client.HTTPConnection('127.0.0.1', port or self.port, timeout=PATIENCE_S)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err
