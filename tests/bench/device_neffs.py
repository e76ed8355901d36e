#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time NEFFs on the software device, with values and times, and the Python prototype if available.

usage: device_neffs.py RUN_NEFF SIMULATE_NEFF [--prototype FOLDER] NEFF...

The prototype is FOLDER/emu.py and needs numpy. Inputs are zero for all: the time does not depend on
the numbers.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

REPEAT_SECONDS = 0.5  # what is quick is run ten times


def answer_of(*command):
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def run_device(program, neff):
    row = answer_of(program, neff)
    return row if row['seconds'] > REPEAT_SECONDS else answer_of(program, neff, '--repeat', '10')


def load_prototype(folder):
    if not folder:
        return None
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    try:
        import emu
    except ImportError as error:
        print(f'bench: no prototype to compare with ({error})')
        return None
    return emu


def run_prototype(emu, neff):
    model = emu.Neff(str(neff))
    for name, (kind, size, _) in model.io.items():
        if kind == 'input':
            model.store[name] = emu.np.zeros(size, emu.np.uint8)
    start = time.monotonic()
    model.run()
    return time.monotonic() - start


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument('run_neff')
    parser.add_argument('simulate_neff')
    parser.add_argument('--prototype', type=pathlib.Path)
    parser.add_argument('neffs', nargs='+', type=pathlib.Path)
    asked = parser.parse_args(argv[1:])
    emu = load_prototype(asked.prototype)
    for neff in asked.neffs:
        numbers, times = run_device(asked.run_neff, neff), answer_of(asked.simulate_neff, neff)
        seconds = numbers['seconds']
        text = (f'{neff.parent.name + "/" + neff.name:36} {seconds * 1e3:8.2f} ms '
                f'{numbers["executed"] / seconds:10.0f} instructions/s '
                f'{numbers["flops"] / seconds / 1e9:7.2f} Gflop/s; times alone '
                f'{times["seconds"] * 1e3:6.1f} ms')
        if emu:
            text += f' {run_prototype(emu, neff) / seconds:7.1f} x prototype'
        print(text, flush=True)


if __name__ == '__main__':
    main(sys.argv)
