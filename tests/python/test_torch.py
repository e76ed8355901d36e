#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of PyTorch: names, shapes, stacks, modules, the backward pass, record_function."""

import sys

from python_case import need, run_script
from read_spans import ANNOTATION, FRAMEWORK, OPERATOR, STEP, Spans
from tap_cases import run_cases

HEAD = """import sys, threading
import torch, torch.nn as nn, torch.nn.functional as F
from neuron_explorer import profiler
from neuron_explorer.profiler import profile
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(10, 5), nn.Linear(5, 2)
    def forward(self, x): return self.fc2(F.relu(self.fc1(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block()])
    def forward(self, x): return self.blocks[0](x).sum()
net = Net()
"""


def operators_have_shapes_modules_and_stacks(folder):
    need('torch')
    run_script(folder, HEAD + """
with profile(output_dir='output', with_stack=True, python=False):
    net(torch.zeros(3, 10)).backward()
""")
    spans = Spans(folder)
    forward = [span for span in spans.named('aten::addmm')]
    assert [span.attributes['module'] for span in forward] == \
        ['Net.blocks.0.fc1', 'Net.blocks.0.fc2'], forward
    assert forward[0].attributes['input_shapes'] == '[[5], [3, 10], [10, 5]]', forward[0]
    assert forward[0].attributes['input_types'] == 'float32, float32, float32'
    assert 'phase' not in forward[0].attributes and forward[0].kind == OPERATOR
    assert f'{folder}/script.py:9 forward' in forward[0].attributes['stack'], forward[0].attributes
    backward = spans.one('torch.autograd.backward')
    products = spans.named('aten::mm')
    assert products and all(span.attributes['phase'] == 'backward' for span in products)
    assert all(backward.encloses(span) for span in products) and backward.kind == FRAMEWORK
    layers = spans.named('nn.Module: Linear')
    assert [span.attributes['module'] for span in layers] == \
        ['Net.blocks.0.fc1', 'Net.blocks.0.fc2'] and layers[0].encloses(forward[0]), layers


def record_function_and_steps_are_annotations(folder):
    need('torch')
    run_script(folder, HEAD + """
with profile(output_dir='output', python=False):
    for i in range(2):
        with torch.profiler.record_function(f'ProfilerStep#{i}'):
            with torch.autograd.profiler.record_function('forward'): net(torch.zeros(1, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.zeros(1, 10)).backward(); optimizer.step()
""")
    spans = Spans(folder)
    steps = spans.named('ProfilerStep')
    assert [(step.step, step.kind) for step in steps] == [(0, STEP), (1, STEP)], steps
    first = spans.named('forward')[0]
    assert first.kind == ANNOTATION and steps[0].encloses(first)
    assert any('Optimizer.step#SGD' in name for name in spans.names()), spans.names()


def threads_have_operators_of_their_own(folder):
    need('torch')
    run_script(folder, HEAD + """
def work(): net(torch.zeros(2, 10)).backward()
with profile(output_dir='output', python=False):
    thread = threading.Thread(target=work, name='trainer')
    thread.start(); thread.join()
""")
    spans = Spans(folder)
    assert {spans.threads.get(span.thread) for span in spans.named('aten::addmm')} == {'trainer'}
    assert spans.named('aten::mm')[0].attributes['phase'] == 'backward'


def what_was_changed_is_restored(folder):
    need('torch')
    run_script(folder, HEAD + """
def state():
    record = torch.autograd.profiler.record_function
    return (torch.autograd.backward, torch.autograd.grad, record.__enter__, record.__exit__,
            nn.Module.__call__, threading.Thread._bootstrap_inner)
before = state()
class Planted(Exception): pass
class Bad(nn.Module):
    def forward(self, x): raise Planted
for i in range(2):
    try:
        with profile(output_dir='output'):
            try: Bad()(torch.zeros(1))
            except Planted: pass
            net(torch.zeros(1, 10))
            torch.zeros(2) @ torch.zeros(3)
    except RuntimeError: pass
    assert state() == before
    x = torch.zeros(1, 10)
    assert net(x).shape == torch.Size([])
""")
    spans = Spans(folder)
    assert {span.attributes['module'] for span in spans.named('nn.Module: Net')} == {'Net'}
    assert len(spans.named('aten::dot')) == 2, 'an operator that fails is recorded'


def results_do_not_change(folder):
    need('torch')
    run_script(folder, HEAD + """
def train():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for i in range(5):
        optimizer.zero_grad(); model(torch.randn(4, 10)).backward(); optimizer.step()
    return [p.detach().clone() for p in model.parameters()]
plain = train()
with profile(output_dir='output', with_stack=True): traced = train()
assert all(torch.equal(a, b) for a, b in zip(plain, traced))
""")
    spans = Spans(folder)
    assert not spans.lost
    assert [span.kind for span in spans.named('torch.autograd.backward')].count(FRAMEWORK) == 5


def the_exporter_writes_what_torch_profiler_recorded(folder):
    need('torch')
    run_script(folder, HEAD + """
from neuron_explorer.compat.torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode
import json, os
exporter = NeuronProfiler(NeuronConfig(modes=[ProfileMode.RUNTIME], profile_output_dir='output'))
with torch.autograd.profiler.profile(use_kineto=False) as prof:
    net(torch.zeros(1, 10))
path = exporter.export_trace(prof)
assert path == os.path.join('output', 'neuron_framework_trace_rank_0.json'), path
events = json.load(open(path))
events = events['traceEvents'] if isinstance(events, dict) else events
assert any(event.get('name') == 'aten::addmm' for event in events)
assert not [name for name in os.listdir('output') if name.endswith('.part')]
""")


if __name__ == '__main__':
    sys.exit(run_cases([
        operators_have_shapes_modules_and_stacks,
        record_function_and_steps_are_annotations,
        threads_have_operators_of_their_own,
        what_was_changed_is_restored,
        results_do_not_change,
        the_exporter_writes_what_torch_profiler_recorded,
    ]))
