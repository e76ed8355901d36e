#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Continuous recording and snapshots."""

import json
import pathlib
import sys

from python_case import run_script
from read_spans import Spans
from tap_cases import run_cases

HEAD = 'from neuron_explorer import profiler\n'


def snapshots(folder):
    """The folders of all snapshots, oldest first, with their descriptions."""
    found = sorted(pathlib.Path(folder).rglob('snapshot.json'))
    return [(path.parent, json.loads(path.read_text())) for path in found]


def a_snapshot_has_steps_annotations_and_its_reason(folder):
    run_script(folder, HEAD + """
profiler.start_continuous('output', horizon_s=30, budget_bytes=8 << 20)
assert profiler.is_continuous()
for i in range(5):
    with profiler.StepTraceAnnotation('train', step_num=i):
        with profiler.TraceAnnotation('load', rows=i):
            pass
saved = profiler.snapshot('after five steps')
counts = profiler.continuous_counts()
assert counts.recorded == counts.kept == 20 and counts.lost == 0, counts
assert counts.snapshots == 1 and 0 < counts.kept_s < 30
open('saved', 'w').write(saved)
profiler.stop_continuous()
assert not profiler.is_continuous() and profiler.continuous_counts().recorded == 0
""")
    (path, description), = snapshots(folder)
    assert str(path) == str(folder / pathlib.Path((folder / 'saved').read_text())), path
    assert description['trigger'] == 'call'
    assert description['reason'] == 'after five steps'
    assert description['end_sequence'] == '20' and description['missed_count'] == '0'
    spans = Spans(path)
    assert [step.step for step in spans.named('train')] == [0, 1, 2, 3, 4]
    assert [load.attributes for load in spans.named('load')] == [{'rows': i} for i in range(5)]


def a_session_runs_beside_it(folder):
    run_script(folder, HEAD + """
profiler.start_continuous('history')
with profiler.TraceAnnotation('before'): pass
with profiler.trace('output'):
    with profiler.TraceAnnotation('within'): pass
with profiler.TraceAnnotation('after'): pass
profiler.snapshot()
""")
    (path, _), = snapshots(folder / 'history')
    spans = Spans(path)
    assert spans.one('before') and spans.one('within') and spans.one('after')
    session = Spans(folder / 'output')
    assert session.one('within') and not session.named('before') and not session.named('after')


def wrong_arguments_raise(folder):
    run_script(folder, HEAD + """
for call, kind, word in (
        (lambda: profiler.start_continuous(budget_bytes=1000), ValueError, '4 MiB'),
        (lambda: profiler.start_continuous(cores='x'), ValueError, 'x'),
        (lambda: profiler.snapshot(), RuntimeError, 'not on'),
        (lambda: profiler.stop_continuous(), RuntimeError, 'not on')):
    try:
        call()
    except kind as error:
        assert word in str(error), error
    else:
        raise AssertionError(word)
profiler.start_continuous('a')
try:
    profiler.start_continuous('b')
except RuntimeError as error:
    assert 'already' in str(error)
else:
    raise AssertionError('twice')
""")


def variables_start_it(folder):
    run_script(folder, HEAD + """
import os, signal, time
assert profiler.is_continuous()
profiler.instant('here')
os.kill(os.getpid(), signal.SIGUSR2)
while not profiler.continuous_counts().snapshots:
    time.sleep(0.01)
""", NEURON_PROFILER_CONTINUOUS='1', NEURON_PROFILER_CONTINUOUS_OUTPUT='mine',
               NEURON_PROFILER_CONTINUOUS_BUDGET='8M', NEURON_PROFILER_CONTINUOUS_HORIZON='2.5',
               NEURON_PROFILER_SNAPSHOT_SIGNAL='USR2')
    (path, description), = snapshots(folder / 'mine')
    assert description['trigger'] == 'signal', description
    assert [i.name for i in Spans(path).instants] == ['here']


if __name__ == '__main__':
    sys.exit(run_cases([
        a_snapshot_has_steps_annotations_and_its_reason,
        a_session_runs_beside_it,
        wrong_arguments_raise,
        variables_start_it,
    ]))
