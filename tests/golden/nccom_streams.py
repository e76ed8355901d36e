#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check nccom-test with concurrent streams.

usage: nccom_streams.py NEURON_EXPLORER DUMP_TABLES

A stream has the same results as a separate run. Prints TAP.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

PROGRAM, DUMP_TABLES = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
PATIENCE_S = 60
STREAMS = [
    {'operation': 'allr', 'nworkers': 4, 'minbytes': '1kb', 'maxbytes': '64kb', 'stepfactor': 8,
     'datatype': 'bf16', 'ops_per_iter': 4},
    {'operation': 'all_gather', 'nworkers': 2, 'iters': 2, 'check': 'all_ones'},
    {'operation': 'permute', 'nworkers': 4, 'maxbytes': 8192, 'stepbytes': '4kb',
     'custom_src_target_pairs': [[0, 3], [3, 1]]},
    {'operation': 'redsct', 'nworkers': 4, 'custom-replica-groups': [[0, 2], [1, 3]],
     'check': False},
]
COMMON = '-b 4kb -e 4kb -n 3 -w 1 -c random'
# The same with options only.
LINES = (
    'allr -r 4 -b 1kb -e 64kb -f 8 -d bf16 -n 12 -w 4 -c',
    'allg -r 2 -b 4kb -e 4kb -n 2 -w 1 -c all_ones',
    'permute -r 4 -b 4kb -e 8192 -i 4kb -n 3 -w 1 -c --custom-src-target-pairs [[0,3],[3,1]]',
    'redsct -r 4 -b 4kb -e 4kb -n 3 -w 1 --custom-replica-groups [[0,2],[1,3]]',
)


def equal(a, b):
    if a != b:
        raise AssertionError('%r is not %r' % (a, b))


def environment(folder, env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith('NEURON_')}
    return {**kept, 'TMPDIR': str(folder), **(env or {})}


def run(line, folder, env=None, code=0):
    done = subprocess.run([str(folder / 'nccom-test'), *line.split()], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment(folder, env),
                          cwd=folder, timeout=PATIENCE_S)
    if done.returncode != code:
        raise AssertionError('%s: exit code %d\n%s%s' % (line, done.returncode, done.stdout,
                                                         done.stderr))
    return done.stdout, done.stderr


def write(folder, streams):
    (folder / 's.json').write_text(json.dumps(streams))


def tables(text):
    """Below their headings, in order."""
    return [part.split('\n', 1) for part in re.split(r'^stream ', text, flags=re.M)[1:]]


def a_table_per_stream(folder):
    write(folder, {'streams': STREAMS})
    found = tables(run('--streams-json s.json ' + COMMON, folder)[0])
    equal([heading for heading, _ in found],
          ['1: all_reduce, 4 ranks', '2: all_gather, 2 ranks', '3: permute, 4 ranks',
           '4: reduce_scatter, 4 ranks'])
    for (_, table), line in zip(found, LINES):
        equal(table, run(line, folder)[0])


def a_process_per_rank(folder):
    write(folder, STREAMS)
    line = '--streams-json s.json ' + COMMON
    equal(run(line + ' --processes', folder)[0], run(line, folder)[0])


def report(folder):
    write(folder, STREAMS[:2])
    run('--streams-json s.json --show-algorithm --report-to-json-file r.json ' + COMMON, folder)
    rows = json.loads((folder / 'r.json').read_text())['results']
    equal([(row['stream'], row['size(B)'], row['algorithm']) for row in rows],
          [(1, 1024, 'mesh'), (1, 8192, 'mesh'), (1, 65536, 'mesh'), (2, 4096, 'mesh')])


def one_operation_for_all(folder):
    write(folder, [{'nworkers': 2}, {'operation': 'allg'}])
    headings = [t[0] for t in tables(run('bcast -r 4 --streams-json s.json ' + COMMON, folder)[0])]
    equal(headings, ['1: broadcast, 2 ranks', '2: all_gather, 4 ranks'])


def side_by_side(folder):
    """All streams run at the same time, on different cores."""
    write(folder, [{'operation': op, 'nworkers': 2} for op in ('allr', 'allg')])
    capture = folder / 'inspected'
    run('--streams-json s.json -b 4kb -e 4kb -n 200 -w 1 -I 60', folder,
        {'NEURON_RT_INSPECT_ENABLE': '1', 'NEURON_RT_INSPECT_OUTPUT_DIR': str(capture)})
    lines = subprocess.run([str(DUMP_TABLES), str(capture), 'SystemProfileEvents'], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    spans, cores = {}, {}
    for row in map(json.loads, lines):
        if row['name'] == 'nrt_execute':
            spans.setdefault(row['process_id'], []).append((row['start_ts'], row['end_ts']))
        if row['name'] == 'nc_exec_running':
            cores.setdefault(row['process_id'], set()).add(row['pcore_idx'])
    equal(len(spans), 2)
    latest_begin = max(min(start for start, _ in own) for own in spans.values())
    earliest_end = min(max(end for _, end in own) for own in spans.values())
    assert latest_begin < earliest_end, spans
    equal(sorted(cores.values(), key=min), [{0, 1, 2, 3}, {4, 5, 6, 7}])


def failing_stream(folder):
    """The others are shown, the lines for scripts appear once, and its exit code is returned."""
    write(folder, [{'operation': 'allr', 'nworkers': 2}, {'operation': 'allg', 'nworkers': 2},
                   {'operation': 'allr', 'nworkers': 63}])
    out, said = run('--streams-json s.json ' + COMMON, folder, code=10)
    assert re.search(r'stream 3: 63 ranks need as many cores', said), said
    equal(len(re.findall(r'^ +4096 ', out, re.M)), 2)
    equal(out.splitlines()[-1], '1 errors found - test failed')
    equal(out.count('Failure running neuron-bench'), 1)


def checked_before(folder):
    """A size that cannot be divided is reported before anything runs."""
    write(folder, [{'operation': 'allr', 'nworkers': 2}, {'operation': 'allg', 'nworkers': 3}])
    out, said = run('--streams-json s.json ' + COMMON, folder, code=7)
    assert 'stream 2: all_gather: 4096 elements' in said and 'size(B)' not in out, (out, said)
    write(folder, [{'operation': 'allr', 'nworkers': 2}, {'nworkers': 4, 'minbytes': '900gb',
                                                          'maxbytes': '900gb'}] * 8)
    _, said = run('allr --streams-json s.json ' + COMMON, folder, code=10)
    assert 'the streams need about' in said, said


def children_of(pid):
    return [int(p) for p in
            pathlib.Path('/proc/%d/task/%d/children' % (pid, pid)).read_text().split()]


def started(folder):
    write(folder, [{'operation': op, 'nworkers': 2} for op in ('allr', 'allg')])
    process = subprocess.Popen(
        [str(folder / 'nccom-test'), *'--streams-json s.json -b 64kb -e 64kb -n 100 -I 10000'
         .split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(folder, None), cwd=folder)
    end = time.monotonic() + PATIENCE_S
    while len(children_of(process.pid)) < 2:
        assert time.monotonic() < end, 'the streams never started'
        time.sleep(0.05)
    return process, children_of(process.pid)


def killed_stream(folder):
    """A killed stream is reported and does not block the others."""
    process, children = started(folder)
    for child in children:
        os.kill(child, signal.SIGKILL)
    out, said = process.communicate(timeout=PATIENCE_S)
    equal(process.returncode, 8)
    assert 'stream 1: its process was killed' in said, said


def killed_parent(folder):
    process, children = started(folder)
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    end = time.monotonic() + PATIENCE_S
    while any(pathlib.Path('/proc/%d' % c).exists() for c in children):
        assert time.monotonic() < end, 'a stream is left behind'
        time.sleep(0.05)


CASES = (a_table_per_stream, a_process_per_rank, report, one_operation_for_all, side_by_side,
         failing_stream, checked_before, killed_stream, killed_parent)


def with_program(folder):
    (folder / 'nccom-test').symlink_to(PROGRAM)
    return folder


sys.exit(run_cases(CASES, with_program))
