#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulate the NEFFs of real captures and compare code, DMA packets and total time.

usage: timing.py COMPARE_TIMING SHARED

The compiled words of each device image, the packets and bytes of each ring must be the
capture's; the total time may be off by MOST_ERROR percent. One capture is slowed down by its own
profiling (docs/design/simulator.md), which is simulated less exactly: it has a bound of its own.
"""

import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

MOST_ERROR = 3.0
MOST_MEDIAN = 1.5  # over all captures, also the one that is slowed down
SLOWED = {'neuron-raw/attn_v6.neff': 5.0}
WITH_DGE = ('neuron-raw/', 'neuron-system/')  # these were captured with DGE notifications
PAIRS = (
    ('neuron-device/baseline_bf16_s512/baseline.neff',
     'neuron-device/baseline_bf16_s512/baseline_exec_2.ntff'),
    ('neuron-device/baseline_fp32_s512/baseline.neff',
     'neuron-device/baseline_fp32_s512/baseline_exec_2.ntff'),
    ('neuron-device/fused_attention/fused.neff',
     'neuron-device/fused_attention/fused_exec_2.ntff'),
    ('neuron-device/fused_bf16_s1024/fused.neff',
     'neuron-device/fused_bf16_s1024/fused_exec_2.ntff'),
    ('neuron-device/fused_bf16_s512/fused.neff',
     'neuron-device/fused_bf16_s512/fused_exec_2.ntff'),
    ('neuron-raw/attn_v6.neff', 'neuron-raw/profile_attn_v6_exec_2.ntff'),
    ('neuron-raw/v6b.neff', 'neuron-raw/profile_v6b_exec_2.ntff'),
    ('neuron-system/i-0af76a70a6d3864dd_pid_713479/neff_171450338541704.neff',
     'neuron-system/i-0af76a70a6d3864dd_pid_713479/profile_exec_2.ntff'),
)


def check(tool, data, neff, ntff):
    done = subprocess.run([tool, data / neff, data / ntff], capture_output=True, text=True,
                          check=False)
    lines = done.stdout.splitlines()
    assert len(lines) >= 2, done.stderr
    fields = lines[1].split('\t')
    error, code, packets = float(fields[3].split()[0]), fields[9], fields[10]
    assert done.returncode == 0 and code == 'same', f'the code differs from the capture: {done.stderr}'
    assert len(set(packets.split('/'))) == 1, f'only {packets} rings carry what they carried'
    # Also rejects NaN.
    assert abs(error) <= SLOWED.get(neff, MOST_ERROR), f'the total time is off by {error} %'
    return abs(error)


def check_median(errors):
    assert len(errors) == len(PAIRS), 'some captures could not be compared'
    assert statistics.median(errors) < MOST_MEDIAN, f'errors of {sorted(errors)} %'


def main(argv):
    data = pathlib.Path(argv[2]) / 'data'
    if not (data / PAIRS[0][1]).exists():
        print(f'1..0 # SKIP no captures at {argv[2]}')
        return 0
    errors = []
    cases = [(neff, lambda _, neff=neff, ntff=ntff: errors.append(check(argv[1], data, neff, ntff)))
             for neff, ntff in PAIRS]
    return run_cases(cases + [('the median error', lambda _: check_median(errors))])


if __name__ == '__main__':
    sys.exit(main(sys.argv))
