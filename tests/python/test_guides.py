#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts as the vendor's guides show them, on the software device.

Scripts of our own make the same calls. Where the guides are at hand (GUIDES, a folder), each Python
block of them runs as well, unchanged: the aliases are installed by the environment variable, and
stand_ins/ takes the place of JAX and PyTorch/XLA. What a script leaves is opened by the program and by
Perfetto's trace processor.

usage: test_guides.py [GUIDES]
"""

import json
import pathlib
import re
import subprocess
import sys
import textwrap

from python_case import BUILD, PACKAGE, PROGRAM, SOURCE, make_neff, need, run
from read_spans import Spans
from tap_cases import Skip, run_cases

GUIDES = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
HERE = pathlib.Path(__file__).resolve().parent
# The package is in PYTHONPATH here; an installed one has a .pth file that does this.
START = 'import sys; sys.path.insert(0, {stand_ins!r})\nfrom neuron_explorer import aliases\n' \
        'aliases.install_if_wanted()\n'

JAX = """
import os
import jax

mesh = jax.sharding.Mesh(jax.devices(), ('i',))
lhs = jax.random.normal(jax.random.key(0), (128, 128))
rhs = jax.random.normal(jax.random.key(1), (128, 16))

@jax.jit
def multiply(a, b):
    return a @ b

with jax.profiler.trace(os.environ['NEURON_RT_INSPECT_OUTPUT_DIR']):
    out = multiply(lhs, rhs)
    for i in range(10):
        with jax.profiler.TraceAnnotation('my_label' + str(i)):
            out = multiply(lhs, rhs)
"""

TORCH = """
import os
import torch
import torch_xla.core.xla_model as xm
import torch_neuronx
from torch_neuronx.experimental import profiler

def main():
    device = xm.xla_device()
    with torch_neuronx.experimental.profiler.profile(
            port=9012, profile_type={kind!r}, target={target!r}, output_dir='output',
            ms_duration=30000) as profiler:
        model = torch.nn.Sequential(torch.nn.Linear(10, 5), torch.nn.ReLU(),
                                    torch.nn.Linear(5, 2)).to(device)
        for epoch in range(2):
            model(torch.randn(1, 10).to(device)).sum().backward()
            xm.mark_step()

main()
"""


def run_guide(folder, text, **more):
    make_neff(folder, 'mlp')
    make_neff(folder, 'matmul')
    script = folder / 'guide.py'
    script.write_text(START.format(stand_ins=str(HERE / 'stand_ins')) + textwrap.dedent(text))
    ended = run([sys.executable, script], folder, STAND_IN_NEFFS=folder,
                NEURON_EXPLORER_ALIASES='1', **more)
    assert ended.code == 0, str(ended)
    return ended


def open_folder(folder):
    """The events of the exported profile, as the guide says: view -d ./output --output-format json."""
    ended = run([PROGRAM, 'view', '-d', 'output', '--output-format', 'json', '--output-file', 'json'],
                folder)
    assert ended.code == 0, str(ended)
    document = json.loads((folder / 'json/system_profile.json').read_text())
    devices = list((folder / 'json').glob('device_profile_model_*.json'))
    return document['trace_events'], devices


def check_folder(folder, labels=(), executions=1, python=True, operators=False):
    """What the guide promises: runtime calls, the program's own events, a profile of each model."""
    events, devices = open_folder(folder)
    names = [event['name'] for event in events]
    assert names.count('nrt_execute') >= executions and 'nc_exec_running' in names, set(names)
    assert devices, 'no device profile'
    spans = Spans(folder / 'output')
    assert spans.is_complete and not spans.lost
    for label in labels:
        spans.one(label)
        assert label in names, f'{label} is not in system_profile.json: {sorted(set(names))[:60]}'
    if operators:
        assert 'aten::addmm' in names, sorted(set(names))[:60]
    if python:
        assert any(name.startswith('__main__.') for name in names), sorted(set(names))[:60]


def check_perfetto(folder):
    """Perfetto's trace processor sees slices of the program, runtime and device, and flows."""
    assets = BUILD / 'trace-processor'
    fetched = subprocess.run([SOURCE / 'tests/perfetto/fetch.sh', assets], stdout=subprocess.PIPE,
                             text=True)
    if fetched.returncode == 77:
        raise Skip(fetched.stdout.strip().removeprefix('SKIP: '))
    assert fetched.returncode == 0, fetched.stdout
    ended = run([PROGRAM, 'view', '-d', 'output', '--output-format', 'perfetto', '--output-file',
                 'perfetto'], folder)
    assert ended.code == 0, str(ended)
    ended = run(['node', HERE / 'check_flows.mjs', assets, folder / 'perfetto/system_profile.pftrace'],
                folder)
    assert ended.code == 0, str(ended)
    return ended.out.strip()


def a_jax_script_profiles_its_block(folder):
    need('numpy')
    run_guide(folder, JAX, NEURON_RT_INSPECT_OUTPUT_DIR='output')
    check_folder(folder, [f'my_label{i}' for i in range(10)], executions=11)


def its_flows_lead_from_python_to_the_core(folder):
    need('numpy')
    run_guide(folder, JAX, NEURON_RT_INSPECT_OUTPUT_DIR='output')
    return check_perfetto(folder)


def a_torch_script_profiles_its_block(folder):
    need('torch')
    run_guide(folder, TORCH.format(kind='system', target='neuron_profile_perfetto'))
    check_folder(folder, executions=2, operators=True)


def a_torch_script_captures_operators(folder):
    need('torch')
    run_guide(folder, TORCH.format(kind='operator', target='neuron_profile'))
    check_folder(folder, executions=2, python=False, operators=True)


def blocks_of(path):
    """The Python blocks of a guide, dedented, each with its line."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.strip() != '.. code-block:: python':
            continue
        block, indent = [], len(line) - len(line.lstrip())
        for following in lines[number + 1:]:
            if following.strip() and len(following) - len(following.lstrip()) <= indent:
                break
            block.append(following)
        yield number + 1, textwrap.dedent('\n'.join(block)).strip('\n') + '\n'


def guide_case(name, line, block):
    def case(folder):
        need('numpy')
        if 'torch' in block:
            need('torch')
        text, labels, executions = block, [], 0
        is_whole = 'import' in block and 'with ' in block
        if re.search(r':\s*\Z', block):  # the head of a with statement: give it a body
            text = ('import os, jax, torch_xla.core.xla_model as xm\n'
                    'if "torch_neuronx" in {0!r}: import torch_neuronx\n'
                    'xm.xla_device()\n').format(block) + block + '        xm.mark_step()\n'
            executions = 1
        elif is_whole and 'jax' in block:
            labels, executions = [f'my_label{i}' for i in range(10)], 11
        elif is_whole:
            executions = 2
        elif 'os.environ' in block:
            text = 'import os\n' + block
        ended = run_guide(folder, text, NEURON_RT_INSPECT_OUTPUT_DIR='./output')
        if executions:
            check_folder(folder, labels, executions, python=is_whole and 'operator' not in block,
                         operators=is_whole and 'torch_neuronx' in block)
        if labels:
            assert 'Tensors are the same' in ended.out, str(ended)
    return f'{name}, block at line {line}', case


def guide_cases():
    if GUIDES is None or not GUIDES.is_dir():
        return []
    return [guide_case(path.name.split('_')[0], line, block)
            for number in ('001', '002') for path in sorted(GUIDES.glob(f'{number}_*'))
            for line, block in blocks_of(path)]


if __name__ == '__main__':
    assert PACKAGE.is_dir(), PACKAGE
    if not guide_cases():
        print('# the guides are not here: only our own scripts run')
    sys.exit(run_cases([
        a_jax_script_profiles_its_block,
        its_flows_lead_from_python_to_the_core,
        a_torch_script_profiles_its_block,
        a_torch_script_captures_operators,
    ] + guide_cases()))
