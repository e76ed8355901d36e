#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that programs run by `capture` compute the same as plain Python.

usage: capture.py NEURON_EXPLORER EXAMPLES SHARED

Examples are assembled and run on the software NeuronCore; so are an attention kernel and a
mixture of experts of real captures, if available. Prints TAP.
"""

import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

import device

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES, SHARED = pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
CHOSEN = (3, 7, 100, 5, 9, 127, 0, 64)
HIDDEN, INNER = 2048, 256


def capture(folder, *arguments, code=0):
    """Without HOME, like a service."""
    variables = {k: v for k, v in os.environ.items() if k != 'HOME'}
    done = subprocess.run([PROGRAM, 'capture', *map(str, arguments)], cwd=folder, env=variables,
                          capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f'exit code {done.returncode}: {done.stderr}')
    return done.stderr


def view(folder, session, *arguments):
    return subprocess.run([PROGRAM, 'view', '-n', folder / 'file.neff', '-s', session, *arguments],
                          capture_output=True, text=True, check=True).stdout


def assemble(folder, name):
    subprocess.run([PROGRAM, 'neff', '--assemble', EXAMPLES / f'{name}.nasm', '-o',
                    folder / 'file.neff'], check=True)


def npy_head(dtype, shape):
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    head = head.ljust((len(head) + 11 + 63) // 64 * 64 - 11) + '\n'
    return b'\x93NUMPY\x01\0' + struct.pack('<H', len(head)) + head.encode()


def write_floats(path, shape, values):
    path.write_bytes(npy_head('<f4', shape) + struct.pack(f'<{len(values)}f', *values))


def bf16(value):
    """The bits and value of a bfloat16, truncated."""
    bits = struct.unpack('<I', struct.pack('<f', value))[0] >> 16
    return bits, struct.unpack('<f', struct.pack('<I', bits << 16))[0]


def whole_numbers(draw, count):
    return [float(draw.randint(-9, 9)) for _ in range(count)]


def sums(folder):
    draw = random.Random(1)
    a, b = whole_numbers(draw, 65536), whole_numbers(draw, 65536)
    assemble(folder, 'vector_add')
    write_floats(folder / 'a.npy', (128, 512), a)
    write_floats(folder / 'b.npy', (128, 512), b)
    capture(folder, '--save-output-npy', 'a', 'a.npy', 'b', 'b.npy')
    if list(device.read_npy(folder / 'c.npy')) != [x + y for x, y in zip(a, b)]:
        raise AssertionError('c is not a + b')


def modes(folder):
    draw = random.Random(2)
    assemble(folder, 'softmax')
    write_floats(folder / 'x.npy', (128, 512), [draw.uniform(-2, 2) for _ in range(65536)])
    outputs = set()
    for mode in ('sync', 'async', 'async-wait'):
        capture(folder, '--exec-mode', mode, '--num-exec', 3, '--save-output', '--disable-profile',
                'x', 'x.npy')
        for name in ('y', 'y.2', 'y.3'):
            outputs.add((folder / name).read_bytes())
            (folder / name).unlink()
    if len(outputs) != 1:
        raise AssertionError('modes give different outputs')
    rows = struct.unpack('<65536f', outputs.pop())
    for row in range(128):
        if not abs(sum(rows[row * 512:row * 512 + 512]) - 1) < 1e-3:
            raise AssertionError(f'row {row} does not add up to 1')


def traces(folder):
    assemble(folder, 'vector_add')
    capture(folder, '-t', 'systrace', '--num-exec', 3)
    events = json.loads((folder / 'systrace.json').read_text())['events']
    started = [e for e in events if e['event_type'] == 'nrt_execute' and e['phase'] == 'start']
    if len(started) != 3:
        raise AssertionError(f'{len(started)} executions were traced')


def small_tensors_stay_right(folder):
    """With one buffer for all, outputs above the threshold are wrong and those below are right."""
    draw = random.Random(3)
    a, b = whole_numbers(draw, 65536), whole_numbers(draw, 65536)
    assemble(folder, 'vector_add')
    write_floats(folder / 'a.npy', (128, 512), a)
    write_floats(folder / 'b.npy', (128, 512), b)
    got = []
    for threshold in (0, 262144):
        capture(folder, '--single-io', '--single-io-threshold', threshold, '--save-output-npy',
                '--disable-profile', 'a', 'a.npy', 'b', 'b.npy')
        got.append(list(device.read_npy(folder / 'c.npy')))
    # The buffer has what was written last, so the model adds b to itself.
    if got[0] != [2 * y for y in b] or got[1] != [x + y for x, y in zip(a, b)]:
        raise AssertionError('single buffers are shared by the wrong tensors')


def nothing_is_left(folder):
    assemble(folder, 'vector_add')
    capture(folder, '-r', 3, '--num-exec', 2, '--save-output')
    names = sorted(p.name for p in folder.iterdir())
    expected = ['file.neff'] + [f'output_worker_{r}' for r in range(3)]
    expected += [f'profile_rank_{r}{e}.ntff' for r in range(3) for e in ('', '_exec_2')]
    if names != sorted(expected):
        raise AssertionError(f'files: {names}')
    for r in range(3):
        saved = sorted(p.name for p in (folder / f'output_worker_{r}').iterdir())
        if saved != ['c', 'c.2']:
            raise AssertionError(f'outputs of rank {r}: {saved}')


def small_programs_have_no_limit(folder):
    """Real captures record changes of the array's rate only, and programs like these make none."""
    for name, ranks in (('vector_add', 1), ('softmax', 1), ('all_reduce', 2), ('matmul', 1)):
        home = folder / name
        home.mkdir()
        assemble(home, name)
        capture(home, '-r', ranks, '--collectives-workers-per-node', ranks)
        for session in sorted(home.glob('*.ntff')):
            said = view(home, session, '--output-format', 'summary-json')
            limits = [key for key in next(iter(json.loads(said).values())) if 'throttle' in key]
            if limits:
                raise AssertionError(f'{session.name} of {name} has {limits}')
            if 'hrottled' in view(home, session, '--recommend', '--data-path', home / 'workspace'):
                raise AssertionError(f'{session.name} of {name} is said to be throttled')


def attention(folder):
    neff = SHARED / 'data/neuron-device/fused_attention/fused.neff'
    if not neff.exists():
        raise Skip(f'no captures at {SHARED}')
    draw = random.Random(4)
    arrays, words = [], []
    for name in ('q_ref', 'k_ref', 'v_ref'):
        values = [draw.gauss(0, 1) for _ in range(device.HEAD * device.LENGTH)]
        arrays.append(device.as_stored(values))
        device.write_npy(folder / f'{name}.npy', arrays[-1])
        words += [name, f'{name}.npy']
    capture(folder, '-n', neff, '--save-output-npy', *words)
    out = device.read_npy(folder / 'kernel_out.npy')
    for row in device.ROWS:
        expected = device.attend(*arrays, row)
        got = out[row * device.HEAD:(row + 1) * device.HEAD]
        worst = max(abs(a - b) for a, b in zip(got, expected))
        # Also rejects NaN.
        if not worst <= device.TOLERANCE * max(map(abs, expected)):
            raise AssertionError(f'row {row} is off by {worst}')


def sparse_bf16(path, shape, entries):
    """A large sparse array of zeros except for {index: bits}."""
    head = npy_head('<u2', shape)
    with open(path, 'wb') as file:
        file.write(head)
        file.truncate(len(head) + 2 * math.prod(shape))
        for index, bits in entries.items():
            file.seek(len(head) + 2 * index)
            file.write(struct.pack('<H', bits))


def experts(folder):
    """The sum of weight * (silu(x W_gate) * (x W_up)) W_down over the chosen experts."""
    neff = SHARED / 'data/neuron-raw/v6b.neff'
    if not neff.exists():
        raise Skip(f'no captures at {SHARED}')
    draw = random.Random(5)
    rows, columns = range(0, HIDDEN, 128), range(5, HIDDEN, 256)
    x = {h: bf16(draw.gauss(0, 1)) for h in rows}
    weights = device.as_stored([draw.gauss(0, 1) for _ in CHOSEN])
    ups, downs, expected, sizes = {}, {}, dict.fromkeys(columns, 0.0), dict.fromkeys(columns, 0.0)
    for expert, weight in zip(CHOSEN, weights):
        products = [0.0] * (2 * INNER)
        for h in rows:
            for i in range(2 * INNER):
                bits, value = bf16(0.3 * draw.gauss(0, 1))
                ups[(expert * HIDDEN + h) * 2 * INNER + i] = bits
                products[i] += x[h][1] * value
        for i in range(INNER):
            gate = products[i] / (1 + math.exp(-products[i])) * products[INNER + i]
            for h in columns:
                bits, value = bf16(0.05 * draw.gauss(0, 1))
                downs[(expert * INNER + i) * HIDDEN + h] = bits
                expected[h] += weight * gate * value
                sizes[h] += abs(weight * gate * value)
    write_floats(folder / '0.npy', (1, 8), weights)
    (folder / '1.npy').write_bytes(npy_head('<i4', (1, 8)) + struct.pack('<8i', *CHOSEN))
    sparse_bf16(folder / '2.npy', (128, INNER, HIDDEN), downs)
    sparse_bf16(folder / '3.npy', (128, HIDDEN, 2 * INNER), ups)
    sparse_bf16(folder / '4.npy', (1, HIDDEN), {h: bits for h, (bits, _) in x.items()})
    words = [w for i in range(5) for w in (f'input{i}', f'{i}.npy')]
    capture(folder, '-n', neff, '--save-output', *words)
    out = struct.unpack(f'<{HIDDEN}H', (folder / 'output0').read_bytes())
    for h, bits in enumerate(out):
        value = struct.unpack('<f', struct.pack('<I', bits << 16))[0]
        # Steps round to bfloat16: a tolerance of a thousandth of the sum.
        if not abs(value - expected.get(h, 0.0)) <= sizes.get(h, 0.0) / 1000:
            raise AssertionError(f'column {h} is {value}, not {expected.get(h, 0.0)}')


CASES = (sums, modes, traces, small_tensors_stay_right, nothing_is_left,
         small_programs_have_no_limit, attention, experts)


sys.exit(run_cases(CASES))
