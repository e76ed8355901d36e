#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two programs under load, with snapshots every two seconds and sessions in between.

usage: soak.py BUILD SECONDS [--quiet]

Checks that consecutive snapshots lose nothing (every sequence number and every step is in one of
them) and that memory stays flat; prints what recording cost. Snapshots are deleted once checked.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/python'))
BUILD, SECONDS = pathlib.Path(sys.argv[1]).resolve(), float(sys.argv[2])
PROGRAMS = 2
FLAT_KB = 4096  # growth of memory after the first snapshots: pages of the history that fill


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def steps_of(data):
    """Numbers of the steps that begin in a spans.pb, and the sequence number of each."""
    at, steps = 0, {}
    while at + 4 <= len(data):
        end = at + 4 + int.from_bytes(data[at:at + 4], 'little')
        at, one = at + 4, {}
        while at < end:
            key, at = varint(data, at)
            if key & 7 == 2:
                length, at = varint(data, at)
                at += length
            elif key & 7 == 1:
                at += 8
            else:
                one[key >> 3], at = varint(data, at)
        if one.get(11):  # is_step
            steps[one.get(12, 0)] = one.get(19, 0)
    return steps


class Program(threading.Thread):
    """One program, and the checks of what it leaves."""

    def __init__(self, folder, neff):
        super().__init__()
        self.failure, self.end, self.lost, self.last_step = None, None, None, -1
        self.snapshots = self.sessions = self.records = 0
        self.resident, self.sequences, self.cost = [], {}, None
        self.process = subprocess.Popen([BUILD / 'tests/bench_continuous', neff, 'load',
                                         str(SECONDS), folder], text=True, stdout=subprocess.PIPE)

    def check_snapshot(self, folder):
        about = json.loads((folder / 'snapshot.json').read_text())
        first, end = int(about['first_sequence']), int(about['end_sequence'])
        if self.end is not None:
            assert first <= self.end, f'{folder}: records {self.end} to {first} are missing'
            assert about['lost_count'] == self.lost, f'{folder}: {about}'
        assert about['missed_count'] == '0', f'{folder}: {about}'
        written = sum(int(about[name]) for name in ('span_count', 'event_count', 'cut_count'))
        assert written == end - first, f'{folder}: {written} records are not {first} to {end}'
        steps = steps_of((folder / 'spans.pb').read_bytes())
        for number, sequence in steps.items():
            assert self.sequences.setdefault(number, sequence) == sequence, f'{folder}: {number}'
        assert min(steps) <= self.last_step + 1, f'{folder}: steps from {self.last_step + 1} miss'
        assert sorted(steps) == list(range(min(steps), max(steps) + 1)), f'{folder}: a step misses'
        self.last_step, self.end, self.lost = max(steps), end, about['lost_count']
        self.sequences = steps
        self.records = end
        self.snapshots += 1
        shutil.rmtree(folder)

    def run(self):
        try:
            for line in self.process.stdout:
                word, *rest = line.split()
                if word == 'snapshot':
                    self.resident.append(int(rest[0]))
                    self.check_snapshot(pathlib.Path(rest[1]))
                elif word == 'session':
                    self.sessions += 1
                    shutil.rmtree(rest[0])
                elif word == 'cost':
                    self.cost = [float(value) for value in rest]
            assert self.process.wait() == 0 and self.cost, self.process.returncode
            assert self.snapshots > 0 and self.cost[2] > 0
            settled = self.resident[min(len(self.resident) // 2, 10):]
            assert max(settled) - settled[0] <= FLAT_KB, f'memory grows: {self.resident}'
        except BaseException as error:  # also what a thread must not swallow
            self.failure = error
            self.process.kill()
            self.process.wait()


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix='nx-soak-'))
    try:
        neff = folder / 'relu.neff'
        subprocess.run([BUILD / 'cli/neuron-explorer', 'neff', '--assemble',
                        ROOT / 'examples/relu.nasm', '-o', neff], check=True,
                       stdout=subprocess.DEVNULL)
        programs = [Program(folder / f'output{i}', neff) for i in range(PROGRAMS)]
        for program in programs:
            program.start()
        for program in programs:
            program.join()
        for i, program in enumerate(programs):
            if program.failure is not None:
                print(f'soak: program {i}: {program.failure}')
                continue
            off, on, steps = program.cost
            print(f'soak: program {i}: {program.snapshots} snapshots and {program.sessions} '
                  f'sessions in {SECONDS:.0f} s; {program.records} records, {steps:.0f} steps, none '
                  f'lost; memory {program.resident[0]} to {program.resident[-1]} KB; a step takes '
                  f'{off:.1f} us of processor time without and {on:.1f} us with recording, '
                  f'snapshots and sessions ({100 * (on / off - 1):+.1f} %)')
        return any(program.failure is not None for program in programs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
