#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time real NEFFs on the software device, and on the Python prototype if numpy is there.

usage: device_neffs.py RUN_NEFF SHARED

Inputs are zero for both: the time does not depend on the numbers.
"""

import json
import pathlib
import subprocess
import sys
import time

REPEATS = '10'


def run_device(program, neff):
    done = subprocess.run([program, neff, '--repeat', REPEATS], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def load_prototype(shared):
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(shared / 'reference/emulator'))
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
    program, shared = argv[1], pathlib.Path(argv[2])
    emu = load_prototype(shared)
    neffs = sorted((shared / 'data').glob('neuron-device/*/*.neff'))
    neffs += sorted((shared / 'data').glob('neuron-raw/*.neff'))
    for neff in neffs:
        row = run_device(program, neff)
        seconds = row['seconds']
        text = (f'{neff.parent.name + "/" + neff.name:36} {seconds * 1e3:8.2f} ms '
                f'{row["executed"] / seconds:10.0f} instructions/s '
                f'{row["flops"] / seconds / 1e9:7.2f} Gflop/s')
        if emu:
            text += f' {run_prototype(emu, neff) / seconds:7.1f} x prototype'
        print(text)


if __name__ == '__main__':
    main(sys.argv)
