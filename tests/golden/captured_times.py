#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the total time that capture and view show together with the simulator's and a device's.

usage: captured_times.py PROGRAM SIMULATE_NEFF SHARED

A file may say less than the simulator: readers of older versions count from NOTIFY to NOTIFY, so
the words around a program must fill the frame. Real captures give a bound in percent, as in
timing.py; without SHARED only programs for trn1 and trn2 are compared, with the simulator.
"""

import functools
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent), str(HERE.parents[1] / 'bench')]
import kernels_vector  # noqa: E402
import timing  # noqa: E402
from tap_cases import run_cases  # noqa: E402

ROUNDING_US = 0.002


def viewed_us(program, neff, ntff):
    done = subprocess.run([program, 'view', '-n', neff, '-s', ntff, '--output-format',
                           'summary-json'], capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    if 'total_time' not in summary:
        summary = next(iter(summary.values()))
    return summary['total_time'] * 1e6


def captured_us(program, neff, folder, *options):
    ntff = pathlib.Path(folder, 'ours.ntff')
    subprocess.run([program, 'capture', '-n', neff, '-s', ntff, *options], capture_output=True,
                   check=True, cwd=folder)
    return viewed_us(program, neff, ntff)


def simulated_us(simulate, neff):
    done = subprocess.run([simulate, neff, '--first'], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)['total'] / 1e3


def check_program(program, simulate, arch, folder):
    text, neff = pathlib.Path(folder, 'add.nasm'), pathlib.Path(folder, 'add.neff')
    text.write_text(kernels_vector.vector_add(arch, 256000, 128, 1000))
    subprocess.run([program, 'neff', '--assemble', text, '-o', neff], capture_output=True,
                   check=True)
    captured, simulated = captured_us(program, neff, folder), simulated_us(simulate, neff)
    assert abs(captured - simulated) < ROUNDING_US, f'{captured} us captured, {simulated} simulated'


def check_pair(program, data, errors, neff, ntff, folder):
    measured = viewed_us(program, data / neff, data / ntff)
    options = ['--enable-dge-notifs'] if neff.startswith(timing.WITH_DGE) else []
    error = 100 * (captured_us(program, data / neff, folder, *options) / measured - 1)
    assert abs(error) <= timing.SLOWED.get(neff, timing.MOST_ERROR), \
        f'a capture of the simulator is off by {error:.1f} %'
    errors.append(abs(error))


def main(argv):
    program, simulate = (pathlib.Path(name).resolve() for name in argv[1:3])
    data = pathlib.Path(argv[3]).resolve() / 'data'
    errors = []
    cases = [(f'vector add, {arch}', functools.partial(check_program, program, simulate, arch))
             for arch in ('trn1', 'trn2')]
    if (data / timing.PAIRS[0][1]).exists():
        cases += [(neff, functools.partial(check_pair, program, data, errors, neff, ntff))
                  for neff, ntff in timing.PAIRS]
        cases += [('the median error', lambda _: timing.check_median(errors))]
    else:
        print(f'# no captures at {argv[3]}: only our own programs are compared')
    return run_cases(cases)


if __name__ == '__main__':
    sys.exit(main(sys.argv))
