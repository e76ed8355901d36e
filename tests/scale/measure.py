#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the figures of docs/design/scale.md: rows per second, bytes per row, cost of a small profile.

usage: measure.py PUSH_ROWS SERVERS [ROWS] [FOLDER]     ROWS 500000; FOLDER for the servers' files
"""

import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tree stays as it is
from servers import Servers, ask_clickhouse

PUSH, UNPACKED = sys.argv[1], sys.argv[2]
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 500000
FOLDER = sys.argv[4] if len(sys.argv) > 4 else None
SMALL_PROFILES = 200


def push(*words):
    done = subprocess.run([PUSH, *map(str, words)], capture_output=True, text=True, check=True)
    found = done.stdout.split()
    return {name: float(value) for name, value in zip(found[::2], found[1::2])}


def tell_rate(what, result, rows):
    print(f"{what}: {result[rows]:,.0f} {rows} in {result['seconds']:.1f} s, "
          f"{result[rows] / result['seconds']:,.0f} a second")


def measure_one(servers):
    server = servers.clickhouse().start()
    url = f'clickhouse://{server.place}/runs'
    push('clickhouse', url, 'first', 10)
    result = push('clickhouse', url, 'large', ROWS)
    tell_rate('one server', result, 'rows')
    print(f"on the wire: {result['bytes'] / result['rows']:.0f} bytes a row")
    ask_clickhouse(server, "OPTIMIZE TABLE runs.Instruction FINAL")
    print(ask_clickhouse(server, "SELECT concat(table, ': ', toString(round(sum(bytes_on_disk) / "
          "sum(rows), 1)), ' bytes a row on disk, ', toString(round(sum(data_uncompressed_bytes) / "
          "sum(rows), 1)), ' before compression') FROM system.parts WHERE active AND rows > 1000 "
          "AND database = 'runs' GROUP BY table ORDER BY table"), end='')
    started = time.monotonic()
    push('clickhouse', url, 'large', ROWS)
    print(f'the same again, all skipped: {time.monotonic() - started:.1f} s')
    measure_questions(server)
    started = time.monotonic()
    for i in range(SMALL_PROFILES):
        push('clickhouse', url, f'small-{i}', 100)
    print(f'small profile (163 rows, 4 tables): '
          f'{1000 * (time.monotonic() - started) / SMALL_PROFILES:.0f} ms each')
    parts = ask_clickhouse(server, 'SELECT count() FROM system.parts WHERE active').strip()
    server.stop()
    started = time.monotonic()
    server.start()
    print(f'restart with {parts} parts: {time.monotonic() - started:.1f} s')
    server.stop()


def measure_questions(server):
    for what, sql in (
            ('buckets of a window', 'SELECT intDiv(start_ts, 100000) AS b, engine, count(), '
             'sum(duration_ns) FROM runs.Instruction WHERE profile = \'large\' AND start_ts '
             'BETWEEN 1000000 AND 2000000 GROUP BY b, engine'),
            ('buckets of all', 'SELECT intDiv(start_ts, 1000000) AS b, engine, count(), '
             'sum(duration_ns) FROM runs.Instruction WHERE profile = \'large\' GROUP BY b, engine')):
        started = time.monotonic()
        ask_clickhouse(server, sql)
        print(f'{what}: {1000 * (time.monotonic() - started):.0f} ms')


def measure_pair(servers):
    pair = [server.start() for server in servers.clickhouse_pair()]
    url = f'clickhouse://{pair[0].place}/runs?cluster=pair'
    tell_rate('two shards', push('clickhouse', url, 'large', ROWS), 'rows')
    for server in pair:
        server.stop()


def measure_influx(servers):
    server = servers.influx().start()
    tell_rate('influxdb', push('influx', server.url, '', 'b', 'large', ROWS // 5), 'lines')
    server.stop()


def main():
    with tempfile.TemporaryDirectory(prefix='nx-measure-', dir=FOLDER) as work:
        servers = Servers(UNPACKED, work)
        try:
            measure_one(servers)
            measure_pair(servers)
            measure_influx(servers)
        finally:
            servers.end()


if __name__ == '__main__':
    main()
