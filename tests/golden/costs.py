#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the cost of instructions in real captures with the timing model.

usage: costs.py COMPARE_COSTS SHARED [--table]

Only durations that show a cost are looked at: of instructions that found their engine idle (of
others a part is the backlog), and of control instructions that do not wait in their body. An array
may have run at half rate, so for it the nearer of both rates counts. --table prints every class.
The model's constants rest on other captures as well; this tells mistakes, it fits nothing.
"""

import collections
import pathlib
import statistics
import subprocess
import sys

ENGINES = ('PE', 'ACT', 'POOL', 'DVE', 'SP')
FIELDS = ('graph', 'engine', 'slot', 'opcode', 'start', 'end', 'kind', 'evidence', 'latency',
          'occupancy', 'gap', 'fixed', 'elements', 'lanes', 'operands')
# Their durations include waits in the body or for a ring; the cost of a branch depends on
# the path taken; and some occur only around a program, where runtimes differ.
UNTOLD = {'EVENT_SEMAPHORE', 'DRAIN', 'COMPARE_BRANCH', 'DMA_DIRECT2D', 'NOTIFY', 'NOP',
          'SET_ORDERING_MODE', 'WRITE', 'EVENT_SEMAPHORE_RANGE_CLEAR', 'TENSOR_LOAD'}
TOLERANCE = 0.05
LEAST = 10  # instructions, for a median to be looked at


def captures(shared):
    for folder in ('neuron-device', 'neuron-raw'):
        yield from sorted((shared / 'data' / folder).glob('**/*.ntff'))


def rows_of(tool, path):
    done = subprocess.run([tool, 'trn2', str(path)], capture_output=True, text=True, check=True)
    streams = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        row = dict(zip(FIELDS, line.split('\t')))
        for name in ('start', 'end', 'latency', 'fixed'):
            row[name] = float(row[name])
        streams[row['graph'], row['engine']].append(row)
    for rows in streams.values():
        rows.sort(key=lambda row: row['start'])
        yield from idle(rows)


def idle(rows):
    """Control instructions, and those that started when all earlier ones were done.

    A MATMUL overlaps the end of the load that it needs: of that only the load itself counts.
    """
    ended = {'all': -1.0, 'matmul': -1.0, 'loaded': -1.0}
    for row in rows:
        kind = row['kind']
        free = max(ended['matmul'], ended['loaded']) if kind == 'matmul' else ended['all']
        if kind == 'control' or row['start'] >= free:
            yield row
        if kind == 'control':
            continue
        ended['all'] = max(ended['all'], row['end'])
        if kind == 'matmul':
            ended['matmul'] = max(ended['matmul'], row['end'])
        if kind == 'weights':
            ended['loaded'] = row['start'] + 2 * row['latency']


def predictions(row):
    """Nanoseconds; an array at full or at half rate."""
    if row['kind'] in ('weights', 'matmul'):
        return row['fixed'] + row['latency'], row['fixed'] + 2 * row['latency']
    return (row['latency'],)


def error(row):
    measured = row['end'] - row['start']
    return min(abs(p - measured) for p in predictions(row)) / max(measured, 1e-3)


def show(classes):
    print(f'{"engine":6} {"opcode":28} {"operands":34} {"evidence":9} {"n":>6} {"ns":>8} '
          f'{"median":>7} {"p90":>7}')
    for (engine, opcode, operands), rows in sorted(classes.items()):
        errors = sorted(map(error, rows))
        print(f'{engine:6} {opcode:28} {operands:34} {rows[0]["evidence"]:9} {len(rows):6} '
              f'{statistics.median(r["end"] - r["start"] for r in rows):8.1f} '
              f'{100 * statistics.median(errors):6.1f}% '
              f'{100 * errors[int(0.9 * (len(errors) - 1))]:6.1f}%')


def main(argv):
    tool, shared = argv[1], pathlib.Path(argv[2])
    paths = list(captures(shared))
    if not paths:
        print('costs: skipped, there are no captures beside the repository')
        return 77
    classes, opcodes = collections.defaultdict(list), collections.defaultdict(list)
    for path in paths:
        for row in rows_of(tool, path):
            engine = ENGINES[int(row['engine'])]
            classes[engine, row['opcode'], row['operands']].append(row)
            opcodes[engine, row['opcode']].append(error(row))
    if '--table' in argv:
        show(classes)
    checked, faults = 0, []
    for (engine, opcode), errors in sorted(opcodes.items()):
        if opcode in UNTOLD or len(errors) < LEAST:
            continue
        checked += 1
        if not statistics.median(errors) <= TOLERANCE:
            faults.append(f'{engine} {opcode}: median error {statistics.median(errors):.1%} '
                          f'of {len(errors)}')
    for fault in faults:
        print(f'costs: {fault}')
    print(f'costs: {checked} opcodes of engines checked in {len(paths)} captures')
    return 1 if faults or not checked else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
