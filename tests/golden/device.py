#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run a real attention kernel through run_neff, arrays as .npy files in and out.

usage: device.py RUN_NEFF SHARED

Some rows of the result are compared with softmax(q.k) v in plain Python. Without the captures
there is nothing to run.
"""

import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

LENGTH, HEAD = 512, 128
ROWS = (0, 77, 511)
TOLERANCE = 1e-5


def write_npy(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({HEAD}, {LENGTH}), }}"
    header += ' ' * (63 - (10 + len(header)) % 64) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode()
                     + struct.pack(f'<{len(values)}f', *values))


def read_npy(path):
    data = path.read_bytes()
    start = 10 + struct.unpack_from('<H', data, 8)[0]
    return struct.unpack(f'<{(len(data) - start) // 4}f', data[start:])


def attend(q, k, v, row):
    column = [q[d * LENGTH + row] for d in range(HEAD)]
    scores = [sum(column[d] * k[d * LENGTH + j] for d in range(HEAD)) for j in range(LENGTH)]
    most = max(scores)
    weights = [math.exp(s - most) for s in scores]
    total = sum(weights)
    return [sum(w * v[d * LENGTH + j] for j, w in enumerate(weights)) / total
            for d in range(HEAD)]


def as_stored(values):
    return struct.unpack(f'<{len(values)}f', struct.pack(f'<{len(values)}f', *values))


def check(run_neff, neff, folder):
    draw = random.Random(4)
    arrays = {}
    command = [run_neff, str(neff), '--poison', '--strict', '--output-dir', str(folder)]
    for name in ('q_ref', 'k_ref', 'v_ref'):
        arrays[name] = as_stored([draw.gauss(0, 1) for _ in range(HEAD * LENGTH)])
        write_npy(folder / f'{name}.npy', arrays[name])
        command += ['--input', f'{name}={folder / name}.npy']
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    report = json.loads(done.stdout)
    if report['executed'] != 174 or report['faults']:
        return f'unexpected report: {report}'
    out = read_npy(folder / 'kernel_out.npy')
    for row in ROWS:
        expected = attend(*arrays.values(), row)
        worst = max(abs(a - b) for a, b in zip(out[row * HEAD:(row + 1) * HEAD], expected))
        # Also rejects NaN.
        if not worst <= TOLERANCE * max(map(abs, expected)):
            return f'row {row} is off by {worst}'
    bad = subprocess.run(command[:2] + ['--input', f'nobody={folder}/q_ref.npy'],
                         capture_output=True, text=True, check=False)
    if bad.returncode != 3 or 'no tensor nobody' not in bad.stderr:
        return f'a wrong name gave {bad.returncode}: {bad.stderr}'
    return None


def main(argv):
    neff = pathlib.Path(argv[2]) / 'data/neuron-device/fused_attention/fused.neff'
    if not neff.exists():
        print(f'skipped: no captures at {argv[2]}')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        wrong = check(argv[1], neff, pathlib.Path(folder))
    print(wrong or 'attention: as in plain Python')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
