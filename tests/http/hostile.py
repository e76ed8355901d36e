#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attack the server with SQL, files, connections and requests that should bring it down.

usage: hostile.py NEURON_EXPLORER MAKE_CAPTURE

TAP on stdout; parts that need DuckDB are left out without it.
"""

import json
import subprocess
import sys
import tempfile
import time

from visitor import API, JSON, MAKER, PROGRAM, Served, check, results

PROFILE = API + '/profiles/demo'


def ingest(capture, workspace, name):
    subprocess.run([PROGRAM, 'view', '-n', f'{capture}/demo.neff', '-s', f'{capture}/demo.ntff',
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
        check(f'{sql} is refused with the limit', status == 422 and ' MB' in answer['detail']
              and size < 1000, (status, answer))
        check('within its time', time.monotonic() - begin < 45)
        status, answer, _ = ask_sql(server, 'SELECT 1')
        check('the next question is answered', status == 200 and answer['rows'] == [[1]], answer)
    status, answer, size = ask_sql(server, "SELECT repeat('x', 15000000) FROM range(3)")
    check('an answer ends before its limit', status == 200 and answer['is_cut']
          and len(answer['rows']) == 2 and size < 32 << 20, (status, size))
    check('the server itself stayed small', peak_bytes(server.process.pid) < 1 << 30,
          peak_bytes(server.process.pid))
    check('the server runs', server.process.poll() is None)


def has_sql(server):
    return ask_sql(server, 'SELECT 1')[0] == 200


def main():
    with tempfile.TemporaryDirectory() as folder:
        capture, workspace = f'{folder}/capture', f'{folder}/workspace'
        subprocess.run([MAKER, '--demo', capture], check=True, stdout=subprocess.DEVNULL)
        ingest(capture, workspace, 'demo')
        server = Served(workspace, '--query-memory-limit', '1GB')
        if has_sql(server):
            check_sql(server)
        code, _, err = server.stop()
        check('the server ends as asked', code == 0 and not err, (code, err))
    print(f'1..{len(results)}')
    sys.exit(not all(results))


if __name__ == '__main__':
    main()
