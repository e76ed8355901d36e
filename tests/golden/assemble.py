#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that a disassembled NEFF can be assembled to the same instructions.

usage: assemble.py NEURON_EXPLORER RUN_NEFF MAKE_CAPTURE EXAMPLES SHARED

For made captures, for the programs of EXAMPLES and for every real NEFF below SHARED; without
that folder the real ones are skipped. What was assembled again also computes the same from the
same random inputs. Prints TAP.
"""

import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, RUN_NEFF, MAKE_CAPTURE = sys.argv[1:4]
EXAMPLES, SHARED = pathlib.Path(sys.argv[4]), pathlib.Path(sys.argv[5])
STREAM = re.compile(r'sg\d\d/(PE|Activation|Pool|DVE|SP)0?\.bin')
RUNS = ('fused_attention', 'fused_bf16_s512', 'attention.neff', 'all_reduce.neff')


def neff(*words, **more):
    return subprocess.run([PROGRAM, 'neff', *map(str, words)], check=True, **more)


def streams(path, folder):
    neff('--extract', folder, path, stderr=subprocess.DEVNULL)
    found = {}
    for file in folder.rglob('*.bin'):
        name = str(file.relative_to(folder))
        if STREAM.fullmatch(name):
            found[STREAM.fullmatch(name).group(0).replace('0.bin', '.bin')] = file.read_bytes()
    return found


def again(path, folder):
    """Into a folder with its constants and tables, which the text refers to."""
    before = streams(path, folder / 'before')
    text = folder / 'before' / 'again.nasm'
    with open(text, 'wb') as out:
        neff('--disassemble', path, stdout=out)
    neff('--assemble', text, '-o', folder / 'again.neff')
    return before, streams(folder / 'again.neff', folder / 'after')


def write_inputs(path, folder):
    draw = random.Random(5)
    arguments = []
    nodes = json.loads(neff('-j', '--nodes', path, stdout=subprocess.PIPE).stdout)['nodes']
    for node in nodes:
        if node['kind'] != 'input':
            continue
        # Both fp16 and fp32 values between 0.5 and 2 have a top byte of about 0x3f.
        payload = bytes(b for _ in range(int(node['size_bytes']) // 2)
                        for b in (draw.randrange(256), 0x3f))
        head = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }\n" % len(payload)
        file = folder / ('%s.npy' % node['name'])
        file.write_bytes(b'\x93NUMPY\x01\0' + struct.pack('<H', len(head)) + head.encode() +
                         payload)
        arguments += ['--input', '%s=%s' % (node['name'], file)]
    return arguments


def outputs(path, inputs, folder):
    folder.mkdir()
    subprocess.run([RUN_NEFF, str(path), *inputs, '--output-dir', str(folder)], check=True,
                   stdout=subprocess.DEVNULL)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def check(path, folder):
    before, after = again(path, folder)
    if not before or before.keys() != after.keys():
        raise AssertionError('streams %s became %s' % (sorted(before), sorted(after)))
    for name, code in before.items():
        if code != after[name]:
            slot = next(i for i in range(len(code)) if code[i:i + 1] != after[name][i:i + 1]) // 64
            raise AssertionError('%s differs from slot %d on' % (name, slot))
    if any(word in str(path) for word in RUNS):
        inputs = write_inputs(path, folder)
        if outputs(path, inputs, folder / 'a') != outputs(folder / 'again.neff', inputs,
                                                          folder / 'b'):
            raise AssertionError('the outputs differ')


def made(folder):
    subprocess.run([MAKE_CAPTURE, '--demo', str(folder)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([MAKE_CAPTURE, '--tiny', str(folder / 'tiny.ntff'), '--neff',
                    str(folder / 'tiny.neff'), '--arch', '1'], check=True,
                   stdout=subprocess.DEVNULL)
    for text in sorted(EXAMPLES.glob('*.nasm')):
        neff('--assemble', text, '-o', folder / (text.stem + '.neff'))
    return sorted(folder.glob('*.neff'))


def real_neffs(_):
    if not (SHARED / 'data').is_dir():
        raise Skip('none are here')


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = made(pathlib.Path(folder)) + sorted(SHARED.glob('data/**/*.neff'))
        cases = [(f'{path.parent.name}/{path.name}', lambda place, path=path: check(path, place))
                 for path in paths]
        return run_cases([*cases, ('real NEFFs', real_neffs)])


sys.exit(main())
