#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the kernels of tests/bench compute correct results and move the published bytes.

usage: kernels.py NEURON_EXPLORER RUN_NEFF SIMULATE_NEFF BENCH_FOLDER

At small sizes each is run on the software device, from memory filled with NaN and in two orders
of engines: a wait that is missing gives a wrong sum in one of them. Then it is simulated, which
has to see the same instructions and bytes. At full size the text alone is looked at: its bytes
and instructions are those of the measured runs. Prints TAP.
"""

import json
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402
PROGRAM, RUN_NEFF, SIMULATE, FOLDER = *sys.argv[1:4], pathlib.Path(sys.argv[4])
sys.path.insert(0, str(FOLDER))

import kernels  # noqa: E402

SEEDS = (0, 7)
FORMATS = {'fp32': ('<f4', 'f', 4), 'fp16': ('<f2', 'e', 2), 'bfloat16': ('<V2', 'H', 2)}
DRAWN = random.Random(149)


def to_bf16(x):
    """Only for exact bfloat16 values."""
    return struct.unpack('<I', struct.pack('<f', x))[0] >> 16


def write_npy(path, dtype, shape, values):
    descr, letter, _ = FORMATS[dtype]
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (
        descr, ', '.join(map(str, shape)))
    head = head.ljust((len(head) + 11 + 63) // 64 * 64 - 11) + '\n'
    if dtype == 'bfloat16':
        values = [to_bf16(v) for v in values]
    payload = struct.pack('<%d%s' % (len(values), letter), *values)
    path.write_bytes(b'\x93NUMPY\x01\0' + struct.pack('<H', len(head)) + head.encode() + payload)


def read_npy(path, dtype):
    data = path.read_bytes()
    payload = data[10 + struct.unpack_from('<H', data, 8)[0]:]
    _, letter, size = FORMATS[dtype]
    values = struct.unpack('<%d%s' % (len(payload) // size, letter), payload)
    if dtype == 'bfloat16':
        return struct.unpack('<%df' % len(values), struct.pack(
            '<%dI' % len(values), *(v << 16 for v in values)))
    return values


class Run:
    """A small kernel with random inputs; run() sets outputs by name."""

    def __init__(self, name):
        self.text = kernels.SMALL[name]()
        self.shapes, self.dtypes, self.inputs, self.outputs = {}, {}, {}, {}
        for kind, tensor, dtype, shape in re.findall(
                r'^\.(input|output) (\w+) (\w+) \[([\d,]+)\]', self.text, re.M):
            self.shapes[tensor] = [int(n) for n in shape.split(',')]
            self.dtypes[tensor] = dtype
            if kind == 'input':
                self.inputs[tensor] = [float(DRAWN.randint(-2, 2))
                                       for _ in range(math.prod(self.shapes[tensor]))]
            else:
                self.outputs[tensor] = None

    def run(self, seed):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / 'k.nasm').write_text(self.text)
            neff = str(folder / 'k.neff')
            subprocess.run([PROGRAM, 'neff', '--assemble', str(folder / 'k.nasm'), '-o', neff],
                           check=True)
            command = [RUN_NEFF, neff, '--strict', '--poison', '--exact', '--seed', str(seed),
                       '--output-dir', str(folder)]
            for tensor, values in self.inputs.items():
                path = folder / f'in_{tensor}.npy'
                write_npy(path, self.dtypes[tensor], self.shapes[tensor], values)
                command += ['--input', f'{tensor}={path}']
            report = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            if '"faults": []' not in report:
                raise AssertionError(report)
            for tensor in self.outputs:
                self.outputs[tensor] = read_npy(folder / f'{tensor}.npy', self.dtypes[tensor])

    def at(self, tensor, row, column):
        return self.inputs[tensor][row * self.shapes[tensor][1] + column]

    def compare(self, tensor, expected, count=300, tolerance=0.0):
        rows, columns = self.shapes[tensor]
        for _ in range(count):
            row, column = DRAWN.randrange(rows), DRAWN.randrange(columns)
            want, have = expected(row, column), self.outputs[tensor][row * columns + column]
            if not abs(have - want) <= tolerance * max(1.0, abs(want)):
                raise AssertionError(f'{tensor}[{row},{column}] is {have!r}, not {want!r}')


def check_matmul(name, seed):
    run = Run(name)
    run.run(seed)
    depth = run.shapes['at'][0]
    tolerance = 2 ** -8 if run.dtypes['c'] == 'bfloat16' else 0
    run.compare('c', lambda r, c: sum(run.at('at', k, r) * run.at('b', k, c)
                                      for k in range(depth)), tolerance=tolerance)


def check_turned(name, seed):
    run = Run(name)
    run.run(seed)
    run.compare('c', lambda r, c: sum(run.at('a', r, k) * run.at('b', k, c)
                                      for k in range(run.shapes['a'][1])))


def check_batched(name, seed):
    run = Run(name)
    run.run(seed)
    rows = run.shapes['c'][0] // 3

    def expected(row, column):
        first = row // rows * 64
        return sum(run.at('at', first + k, row % rows) * run.at('b', first + k, column)
                   for k in range(64))
    run.compare('c', expected)


def check_transpose(name, seed):
    run = Run(name)
    run.run(seed)
    run.compare('c', lambda r, c: run.at('a', c, r))


def check_add(name, seed):
    run = Run(name)
    run.run(seed)
    run.compare('c', lambda r, c: run.at('a', r, c) + run.at('b', r, c))


def check_mamba(name, seed):
    run = Run(name)
    run.inputs['a'] = [v / 4 for v in run.inputs['a']]
    run.run(seed)
    states = run.shapes['a'][1]

    def expected(channel, last):
        hidden = [0.0] * states
        for t in range(last + 1):
            delta, u = run.at('delta', channel, t), run.at('u', channel, t)
            hidden = [math.exp(delta * run.at('a', channel, s)) * h + delta * u * run.at('b', s, t)
                      for s, h in enumerate(hidden)]
        return sum(h * run.at('c', s, last) for s, h in enumerate(hidden))
    run.compare('y', expected, 200, 1e-4)


def check_convolution(name, seed):
    run = Run(name)
    run.run(seed)
    channels, height, width = 256, 12, 16

    def expected(out, place):
        row, column = divmod(place, width - 2)
        return sum(run.at('w', tap * channels + c, out) *
                   run.at('x', c, (row + tap // 3) * width + column + tap % 3)
                   for tap in range(9) for c in range(channels))
    # Sums of fp16 beyond 2048 are rounded.
    run.compare('y', expected, 100, 2 ** -10 if 'fp16' in name else 0)
    if height * width != run.shapes['x'][1]:
        raise AssertionError('the image has another size')


def bytes_moved(text):
    total = 0
    for size, first, second in re.findall(
            r'src_elem_size=(\d+) src_pattern=\[\d+,\d+\]\[(\d+),(\d+)\]', text):
        total += int(size) * int(first) * int(second)
    for size, count in re.findall(r'^\.dma .* from=\S+\[[\d,]+\]\[(\d+),(\d+)\] to', text, re.M):
        total += int(size) * int(count)
    return total


def expect(what, have, want):
    if have != want:
        raise AssertionError(f'{what}: {have}, not {want}')


def check_simulated(name):
    """Every instruction and byte of the text is executed, in a possible order."""
    text = kernels.SMALL[name]()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'k.nasm')
        path.write_text(text)
        neff = str(path.with_suffix('.neff'))
        subprocess.run([PROGRAM, 'neff', '--assemble', str(path), '-o', neff], check=True)
        done = subprocess.run([SIMULATE, neff], check=True, stdout=subprocess.PIPE)
    run = json.loads(done.stdout)
    opcodes = re.findall(r'^([A-Z]\w+) ', text, re.M)
    tensor = sum(opcode in ('LDWEIGHTS', 'MATMUL') for opcode in opcodes)
    others = sum(opcode in ('ACTIVATE', 'COPY', 'CAST', 'MEMSET', 'TENSOR_TENSOR')
                 for opcode in opcodes)
    expect('instructions of the Tensor engine', run['tensor']['count'], tensor)
    expect('of the others', run['vector']['count'] + run['scalar']['count'], others)
    expect('bytes', run['bytes'], bytes_moved(text))
    for part in ('tensor', 'vector', 'scalar', 'dma'):
        if not run[part]['active'] <= run[part]['last'] - run[part]['first'] + 0.1 < run['total']:
            raise AssertionError(f'{part} leaves the run: {run[part]}')


def check_traffic():
    """Bytes as measured, to the precision of the measurement."""
    mib = 1 << 20
    for name, want in (('a_v3', 8448 * mib), ('a_v5', 1664 * mib), ('e_v1', 192 * mib),
                       ('e_v2', 192 * mib), ('f_top', 24 * mib),
                       # read 9,059,762,176 as published, and the result once
                       ('g_matmul', 9059762176 + 4096 * 12288 * 4)):
        expect(name, bytes_moved(kernels.KERNELS[name]()), want)


def check_counts():
    text = kernels.KERNELS['a_v3']()
    expect('MATMUL of A v3', len(re.findall('^MATMUL', text, re.M)), 65536)
    expect('LDWEIGHTS of A v3', len(re.findall('^LDWEIGHTS', text, re.M)), 65536)
    text = kernels.KERNELS['a_v5']()
    expect('sums brought in A v5', len(re.findall('^(COPY|TENSOR_TENSOR)', text, re.M)), 4096)
    text = kernels.KERNELS['h_add_trn2_1']()
    expect('transfers one by one', len(re.findall('^PSEUDO_DMA_DIRECT2D', text, re.M)), 76800)


CHECKS = {'g_matmul': check_turned, 'g_bmm': check_batched,
          'h_add': check_add, 'h_transpose': check_transpose, 'd_': check_mamba,
          'h_conv': check_convolution}


def tests():
    for name in kernels.SMALL:
        check = next((c for prefix, c in CHECKS.items() if name.startswith(prefix)), check_matmul)
        for seed in SEEDS:
            yield f'{name}, order {seed}', lambda c=check, n=name, s=seed: c(n, s)
        yield f'{name}, simulated', lambda n=name: check_simulated(n)
    yield 'bytes are the published ones', check_traffic
    yield 'instructions are the published ones', check_counts


if __name__ == '__main__':
    sys.exit(run_cases([(name, lambda _, test=test: test()) for name, test in tests()]))
