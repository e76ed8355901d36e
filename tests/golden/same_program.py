#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that a simulated capture shows the same program as the real one.

usage: same_program.py NEURON_EXPLORER SHARED

Each NEFF with a real capture is captured again on the software NeuronCore, and both captures are
viewed. Of each core and engine the compiled instructions must be the same: compiler_pc and opcode,
in the order of the program. A real ring may have lost records; ours may not, so what is missing in
the real one must be a gap, never another instruction. Prints TAP.
"""

import collections
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402


def pairs_of(shared):
    data = shared / 'data'
    for folder in sorted((data / 'neuron-device').glob('*')):
        yield next(folder.glob('*.neff')), next(folder.glob('*.ntff'))
    for neff in sorted((data / 'neuron-raw').glob('*.neff')):
        yield neff, neff.with_name(f'profile_{neff.stem}_exec_2.ntff')


def compiled_of(explorer, neff, ntff, folder):
    """(core, engine) -> [(compiler_pc, opcode)] in the order of the program."""
    out = folder / 'profile.json'
    subprocess.run([explorer, 'view', '-n', neff, '-s', ntff, '--output-format', 'json',
                    '--output-file', out], check=True, capture_output=True)
    streams = collections.defaultdict(list)
    for row in json.loads(out.read_text())['instruction']:
        if 'compiler_pc' in row:
            streams[row.get('subgraph'), row['subgroup']].append(
                (row['compiler_pc'], row['opcode']))
    return {key: sorted(stream) for key, stream in streams.items()}


def compare(explorer, neff, ntff, folder):
    simulated_file = folder / 'simulated.ntff'
    subprocess.run([explorer, 'capture', '-n', neff, '-s', simulated_file], check=True,
                   capture_output=True, cwd=folder)
    real = compiled_of(explorer, neff, ntff, folder)
    simulated = compiled_of(explorer, neff, simulated_file, folder)
    assert real.keys() <= simulated.keys(), f'engines {real.keys() - simulated.keys()} are silent'
    lost = 0
    for key, stream in simulated.items():
        others = set(real.get(key, [])) - set(stream)
        assert not others, f'{key}: the real capture has {sorted(others)[:3]}'
        assert len(stream) == len(set(stream)), f'{key}: an instruction ran twice'
        lost += len(stream) - len(real.get(key, []))
    total = sum(map(len, simulated.values()))
    assert lost <= total // 50, f'{lost} of {total} are not in the real capture'
    return f'{total} instructions, {lost} lost by the device'


def main(argv):
    explorer, shared = pathlib.Path(argv[1]).resolve(), pathlib.Path(argv[2])
    if not (shared / 'data/neuron-device').is_dir():
        print(f'1..0 # SKIP no captures at {shared}')
        return 0
    pairs = [(n.resolve(), t.resolve()) for n, t in pairs_of(shared)]
    return run_cases([(f'{neff.parent.name}/{neff.name}',
                       lambda folder, neff=neff, ntff=ntff: compare(explorer, neff, ntff, folder))
                      for neff, ntff in pairs])


if __name__ == '__main__':
    sys.exit(main(sys.argv))
