#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the results of the programs in examples/.

usage: examples.py NEURON_EXPLORER RUN_NEFF FOLDER

Each text is assembled and run on the software device, from memory filled with NaN and in two
orders of engines, with small inputs whose result a plain loop gives as well. Prints TAP.
"""

import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

PROGRAM, RUN_NEFF, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SEEDS = (0, 7)


def to_bf16(x):
    """The nearest bfloat16, ties to even."""
    bits = struct.unpack('<I', struct.pack('<f', x))[0]
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    return bits, struct.unpack('<f', struct.pack('<I', bits << 16))[0]


def write_npy(path, shape, values, is_bf16):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (
        '<V2' if is_bf16 else '<f4', ', '.join(map(str, shape)))
    head = head.ljust((len(head) + 11 + 63) // 64 * 64 - 11) + '\n'
    if is_bf16:
        payload = struct.pack('<%dH' % len(values), *(to_bf16(v)[0] for v in values))
    else:
        payload = struct.pack('<%df' % len(values), *values)
    path.write_bytes(b'\x93NUMPY\x01\0' + struct.pack('<H', len(head)) + head.encode() + payload)


def read_npy(path):
    data = path.read_bytes()
    payload = data[10 + struct.unpack_from('<H', data, 8)[0]:]
    return struct.unpack('<%df' % (len(payload) // 4), payload)


class Tensor:
    def __init__(self, rows, cols, draw, is_bf16=False):
        self.rows, self.cols, self.is_bf16 = rows, cols, is_bf16
        self.values = [draw() for _ in range(rows * cols)]
        if is_bf16:
            self.values = [to_bf16(v)[1] for v in self.values]

    def at(self, row, col):
        return self.values[row * self.cols + col]


class Draw:
    def __init__(self):
        self.random = random.Random(149)

    def small(self):
        return float(self.random.randint(-2, 2))

    def real(self):
        return self.random.uniform(-2, 2)

    def places(self, rows, cols, count=400):
        return [(self.random.randrange(rows), self.random.randrange(cols)) for _ in range(count)]


def opcode_without_layout_makes_outputs_nan(folder):
    """Nobody knows where POOL writes, so that no output can be trusted."""
    text = (FOLDER / 'relu.nasm').read_text()
    (folder / 'a.nasm').write_text(text.replace('\nACTIVATE S[loaded]',
                                                '\nPOOL\nACTIVATE S[loaded]'))
    subprocess.run([PROGRAM, 'neff', '--assemble', str(folder / 'a.nasm'), '-o',
                    str(folder / 'a.neff')], check=True)
    subprocess.run([RUN_NEFF, str(folder / 'a.neff'), '--output-dir', str(folder)], check=True,
                   capture_output=True)
    values = read_npy(folder / 'y.npy')
    assert values and all(math.isnan(v) for v in values), f'{values[:4]} are not NaN'


def run(name, inputs, output, seed):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        neff = folder / 'a.neff'
        subprocess.run([PROGRAM, 'neff', '--assemble', str(FOLDER / (name + '.nasm')), '-o',
                        str(neff)], check=True)
        command = [RUN_NEFF, str(neff), '--strict', '--poison', '--exact', '--seed', str(seed),
                   '--output-dir', str(folder)]
        for key, tensor in inputs.items():
            path = folder / ('in_%s.npy' % key)
            write_npy(path, (tensor.rows, tensor.cols), tensor.values, tensor.is_bf16)
            command += ['--input', '%s=%s' % (key, path)]
        report = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        if '"faults": []' not in report:
            raise AssertionError(report)
        return read_npy(folder / (output + '.npy'))


def compare(got, cols, places, expected, tolerance=0.0):
    for row, col in places:
        want = expected(row, col)
        have = got[row * cols + col]
        if not abs(have - want) <= tolerance:
            raise AssertionError('[%d,%d] is %r, not %r' % (row, col, have, want))


def vector_add(draw, seed):
    a, b = Tensor(128, 512, draw.small), Tensor(128, 512, draw.small)
    got = run('vector_add', {'a': a, 'b': b}, 'c', seed)
    compare(got, 512, draw.places(128, 512), lambda r, c: a.at(r, c) + b.at(r, c))


def relu(draw, seed):
    x = Tensor(128, 512, draw.real)
    got = run('relu', {'x': x}, 'y', seed)
    compare(got, 512, draw.places(128, 512), lambda r, c: max(0.0, 2 * x.at(r, c) + 1), 1e-6)


def matmul(draw, seed):
    at, b = Tensor(256, 256, draw.small, True), Tensor(256, 512, draw.small, True)
    got = run('matmul', {'at': at, 'b': b}, 'c', seed)
    compare(got, 512, draw.places(256, 512),
            lambda r, c: sum(at.at(k, r) * b.at(k, c) for k in range(256)))


def mlp(draw, seed):
    xt, w1, w2 = (Tensor(128, 128, draw.small, True), Tensor(128, 256, draw.small, True),
                  Tensor(256, 128, draw.small, True))
    b1, b2 = Tensor(256, 1, draw.small), Tensor(128, 1, draw.small)
    hidden = {}

    def hidden_of(token):
        if token not in hidden:
            hidden[token] = [
                to_bf16(max(0.0, b1.values[h] + sum(w1.at(d, h) * xt.at(d, token)
                                                    for d in range(128))))[1]
                for h in range(256)]
        return hidden[token]

    got = run('mlp', {'xt': xt, 'w1': w1, 'b1': b1, 'w2': w2, 'b2': b2}, 'yt', seed)
    places = [(r, c % 8) for r, c in draw.places(128, 128)]
    compare(got, 128, places, lambda r, c: b2.values[r] + sum(
        w2.at(h, r) * hidden_of(c)[h] for h in range(256)))


def softmax_of(row):
    exps = [math.exp(x - max(row)) for x in row]
    return [e / sum(exps) for e in exps]


def softmax(draw, seed):
    x = Tensor(128, 512, draw.real)
    got = run('softmax', {'x': x}, 'y', seed)
    rows = [softmax_of(x.values[r * 512:(r + 1) * 512]) for r in range(128)]
    compare(got, 512, draw.places(128, 512), lambda r, c: rows[r][c], 1e-7)


def attention(draw, seed):
    qt, kt, v = (Tensor(64, 128, draw.real, True), Tensor(64, 128, draw.real, True),
                 Tensor(128, 64, draw.real, True))
    got = run('attention', {'qt': qt, 'kt': kt, 'v': v}, 'out', seed)
    weights = [softmax_of([sum(qt.at(d, q) * kt.at(d, k) for d in range(64)) / 8
                           for k in range(128)]) for q in range(16)]
    places = [(r % 16, c) for r, c in draw.places(128, 64)]
    # The probabilities are rounded to bfloat16: 2^-9 of a mean of values up to 2.
    compare(got, 64, places, lambda r, c: sum(weights[r][k] * v.at(k, c) for k in range(128)),
            2 * 2 ** -9)


def all_reduce(draw, seed):
    x = Tensor(256, 256, draw.small)
    got = run('all_reduce', {'x': x}, 'y', seed)
    compare(got, 256, draw.places(256, 256),
            lambda r, c: x.at(r % 128, c) + x.at(128 + r % 128, c))


CASES = (vector_add, relu, matmul, mlp, softmax, attention, all_reduce)


def main():
    return run_cases([(case.__name__ + (' in another order of engines' if seed else ''),
                       lambda _, case=case, seed=seed: case(Draw(), seed))
                      for case in CASES for seed in SEEDS]
                     + [opcode_without_layout_makes_outputs_nan])


sys.exit(main())
