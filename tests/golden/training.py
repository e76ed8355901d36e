#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The training loop of examples/ on four ranks: its profile shows what is wrong with it.

usage: training.py NEURON_EXPLORER LIBNRT TRAINING EXAMPLES PYTHON_PACKAGES

A step that loads its data slowly and a rank that is always late are planted. The table of steps must
name both, and flows must lead from a call of the program over nrt_execute to the core. The program in
C is always tested, the one in Python if its package was built. Prints TAP.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, LIBNRT, TRAINING, EXAMPLES, PACKAGES = (pathlib.Path(a).resolve() for a in sys.argv[1:6])
RANKS, STEPS, SLOW_STEP, SLOW_NS, LATE_RANK, LATE_NS = 4, 20, 12, 400e6, 2, 20e6
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith('NEURON_')}
ENVIRONMENT['LD_LIBRARY_PATH'] = str(LIBNRT.parent)


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **environment})
    if done.returncode:
        raise AssertionError(f'{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def export(folder, form, *options):
    return run(PROGRAM, 'view', '-d', folder / 'output', '--ignore-device-profile',
               '--output-format', form, *options)


def require(holds, what, *seen):
    if not holds:
        raise AssertionError(f'{what}: {seen}')


def check_steps(summary, processes):
    """Every rank has all steps, and step 12 stands out."""
    for pid in processes:
        steps = [row for row in summary['steps'] if row['process_id'] == pid]
        require([row['step_num'] for row in steps] == list(range(STEPS)), 'steps of', pid, steps)
        slow = steps[SLOW_STEP]
        require(slow['is_outlier'], 'the planted step is an outlier', slow)
        # a busy machine may delay others, above all the first, in which the ranks connect
        require(slow['duration_rank'] <= 3, 'it is among the slowest', slow)
        require(slow['duration_ns'] >= SLOW_NS, 'it is as slow as planted', slow)
        require(slow['host_bound_frac'] > 0.5, 'the device waited for the program', slow)
        for row in steps:
            shares = row['host_bound_frac'] + row['runtime_frac'] + row['device_busy_frac']
            require(abs(shares - 1) < 1e-6, 'shares add up', row)
            require(row['execution_count'] == 1, 'one execution in each step', row)


def check_ranks(summary, processes):
    """The late rank launches last and waits for nobody."""
    kinds = {row['process_id']: row for row in summary['step_summary']}
    late = kinds[processes[LATE_RANK]]
    others = [kinds[pid] for rank, pid in enumerate(processes) if rank != LATE_RANK]
    require(late['median_late_ns'] >= LATE_NS / 2, 'the late rank is late', late)
    require(all(row['median_late_ns'] < late['median_late_ns'] / 2 for row in others),
            'and no other', kinds)
    require(all(row['median_rank_wait_ns'] >= LATE_NS / 2 for row in others),
            'the others wait for it', kinds)
    require(late['median_rank_wait_ns'] < LATE_NS / 2, 'it waits for nobody', late)
    require(late['host_bound_frac'] > max(row['host_bound_frac'] for row in others),
            'it is the one whose device waits for the program', kinds)


def check_flows(profile, processes):
    """forward -> nrt_execute -> launch -> core, event by event, in each process."""
    for pid in processes:
        own = [row for row in profile['trace_events'] if row['process_id'] == str(pid)]
        flows = {}
        for row in own:
            for flow in {row.get('flow_id'), row.get('call_flow_id')} - {None}:
                flows.setdefault(flow, set()).add((row['trace_event_source'], row['name']))
        calls = [members for members in flows.values() if ('neuron_rt', 'nrt_execute') in members]
        require(len(calls) == STEPS, 'each nrt_execute has its flow', pid, len(calls))
        require(all(any(source == 'framework' for source, _ in members) for members in calls),
                'which begins in the program', calls[:2])
        launches = [row for row in own if row['name'] == 'kbl_exec_pre']
        require(len(launches) == STEPS, 'launches', pid, len(launches))
        forwards = [(row['timestamp'], row['timestamp'] + row['duration']) for row in own
                    if row['name'] == 'forward']
        for row in launches:
            # In Python the innermost call around a launch is a function inside "forward".
            callers = [other['timestamp'] for other in own
                       if other['trace_event_source'] == 'framework' and
                       row['call_flow_id'] in (other.get('flow_id'), other.get('call_flow_id'))]
            require(any(start <= at <= end for at in callers for start, end in forwards),
                    'a launch leads back to the call', row, callers)
            require(('neuron_hw', 'nc_exec_running') in flows[row['flow_id']],
                    'and on to the core', row)


def check(folder, said):
    ranks = dict(re.findall(r'^rank (\d) is process (\d+)$', said, re.M))
    require(len(ranks) == RANKS, 'ranks', said)
    processes = [int(ranks[str(rank)]) for rank in range(RANKS)]
    summary = json.loads(export(folder, 'summary-json'))
    check_steps(summary, processes)
    check_ranks(summary, processes)
    export(folder, 'json', '--output-file', folder / 'json')
    profile = (folder / 'json' / 'system_profile.json').read_text(encoding='utf-8')
    check_flows(json.loads(profile), processes)


def assembled(folder):
    neff = folder / 'rank_sum.neff'
    run(PROGRAM, 'neff', '--assemble', EXAMPLES / 'rank_sum.nasm', '-o', neff)
    return neff


def the_program_in_c(folder):
    check(folder, run(TRAINING, assembled(folder), folder / 'output'))


def the_program_in_python(folder):
    environment = {'PYTHONPATH': str(PACKAGES)}
    probe = [sys.executable, '-c', 'import neuron_explorer.profiler']
    if subprocess.run(probe, env={**ENVIRONMENT, **environment}, stderr=subprocess.DEVNULL).returncode:
        raise Skip('the package neuron_explorer was not built')
    check(folder, run(sys.executable, EXAMPLES / 'training.py', assembled(folder), folder / 'output',
                      **environment))


sys.exit(run_cases([the_program_in_c, the_program_in_python]))
