#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run with Python tracing on: memory stays flat, losses are exact, the slowdown is printed.

usage: test_long_run.py [--seconds N]     600 for the figure in docs/python.md

A program trains for that long, half of it traced, in rounds that alternate so that other load is the
same for both. Threads come and go, names are made at run time.
"""

import argparse
import pathlib
import sys

from python_case import run_script
from read_spans import COUNTS, DEFINITION, SESSION, THREAD, fields
from tap_cases import run_cases

SECONDS = argparse.ArgumentParser()
SECONDS.add_argument('--seconds', type=float, default=600)
SECONDS = SECONDS.parse_args().seconds

SCRIPT = """
import sys, threading, time
from neuron_explorer import profiler

def rss():
    with open('/proc/self/statm') as file: return int(file.read().split()[1]) * 4096

def leaf(n): return n * n
def load(n): return [leaf(i) for i in range(n)]
def forward(rows): return sum(sorted(rows, reverse=True))
def step(i):
    with profiler.StepTraceAnnotation('train', step_num=i):
        with profiler.TraceAnnotation(f'batch {i}', size=i):
            forward(load(300))
        thread = threading.Thread(target=load, args=(20,)); thread.start(); thread.join()

def train(seconds):
    start, done = time.monotonic(), 0
    while time.monotonic() - start < seconds:
        step(done)
        done += 1
    return (time.monotonic() - start) / done

seconds = float(sys.argv[1])
# A short run records every call; a long one leaves out short ones, as users would.
calls = profiler.PythonCalls(min_duration_us=0 if seconds < 60 else 20)
rounds = max(2, min(10, int(seconds / 2)))
plain, traced, results, sizes = [], [], [], []
for i in range(rounds):
    plain.append(train(seconds / rounds / 2))
    with profiler.profile(output_dir='output', python=calls) as prof:
        half = seconds / rounds / 4
        first = train(half)
        sizes.append(rss())
        traced.append((first + train(half)) / 2)
        sizes.append(rss())
    results.append(prof.result)
print('recorded', sum(r.recorded for r in results), 'lost', sum(r.lost for r in results))
print(f'slowdown {min(traced) / min(plain):.2f} times: a step takes {min(plain) * 1e6:.0f} us, '
      f'traced {min(traced) * 1e6:.0f} us, with {results[0].calls.recorded} calls in the first round')
print('memory, MiB:', *(size >> 20 for size in sizes))
# After the first session, nothing grows but what the allocator keeps.
assert sizes[-1] - sizes[1] < 48 << 20, sizes
"""


def memory_is_flat_and_losses_are_exact(folder):
    ended = run_script(folder, SCRIPT, SECONDS, PYTHONWARNINGS='ignore')
    words = ended.out.split()
    recorded, lost = int(words[1]), int(words[3])
    counted = Counter(folder)
    assert counted.recorded == recorded and counted.lost == lost, (vars(counted), ended.out)
    assert counted.events == recorded - lost, (vars(counted), ended.out)
    return '; '.join(ended.out.strip().splitlines())


class Counter:
    """Counts the events of all files, and reads the counts at their ends. The kind of a record is its
    first field, so that most records need not be decoded: a long run has tens of millions."""

    def __init__(self, folder):
        self.events = self.recorded = self.lost = 0
        for path in pathlib.Path(folder).rglob('spans.pb'):
            self.read(path.read_bytes())

    def read(self, data):
        at, end = 0, len(data)
        kinds = [0] * 128
        while at < end:
            length = int.from_bytes(data[at:at + 4], 'little')
            assert data[at + 4] == 8, 'the first field is the kind'
            kinds[data[at + 5]] += 1
            last = data[at + 4:at + 4 + length]
            at += 4 + length
        assert at == end and last[1] == COUNTS, 'the file is complete'
        counts = dict(fields(last))
        self.recorded += counts.get(16, 0)
        self.lost += counts.get(17, 0)
        self.events += sum(kinds) - sum(kinds[kind] for kind in (SESSION, DEFINITION, THREAD, COUNTS))


if __name__ == '__main__':
    sys.exit(run_cases([memory_is_flat_and_losses_are_exact]))
