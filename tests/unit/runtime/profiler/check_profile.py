#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run programs that profile themselves and read back what they left.

usage: check_profile.py EXPLORER SELF_PROFILE PROFILED_CPP LONE_PROGRAM LIBRARY ARCHIVE RELU_ASSEMBLER
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
from tap_cases import run_cases  # noqa: E402

EXPLORER, SELF_PROFILE, PROFILED_CPP, LONE, LIBRARY, ARCHIVE, ASSEMBLER = sys.argv[1:8]
QUIET = {**os.environ, 'NEURON_RT_LOG_LEVEL': 'ERROR'}


def require(holds, *seen):
    if not holds:
        raise AssertionError(seen)


def view(folder):
    output = folder / 'profile.json'
    subprocess.run([EXPLORER, 'view', '-d', folder / 'profile', '--output-format', 'json',
                    '--output-file', output], check=True, capture_output=True)
    return json.loads(output.read_text(encoding='utf-8'))


def encloses(outer, inner):
    return outer['timestamp'] <= inner['timestamp'] and \
        inner['timestamp'] + inner['duration'] <= outer['timestamp'] + outer['duration']


def a_program_and_the_runtime_share_a_timeline(folder):
    neff = folder / 'relu.neff'
    subprocess.run([EXPLORER, 'neff', '--assemble', ASSEMBLER, '-o', neff], check=True,
                   capture_output=True)
    said = subprocess.run([SELF_PROFILE, neff, folder / 'profile'], check=True, text=True,
                          capture_output=True, env=QUIET).stdout
    require(', 0 lost, ' in said, said)
    folders = [path.parent for path in (folder / 'profile').rglob('spans.pb')]
    require(len(folders) == 1, folders)
    for name in ('ntrace.pb', 'trace_info.pb', 'cpu_util.pb'):
        require((folders[0] / name).exists(), name)
    profile = view(folder)
    require(len(profile['process_list']) == 1, profile['process_list'])
    require(not profile['warnings'], profile['warnings'])
    events = profile['trace_events']
    named = lambda name: [e for e in events if e['name'] == name]
    steps = named('train')
    require([e['step_num'] for e in steps] == [0, 1, 2, 3], steps)
    require(all(e['step_name'] == 'train' and e['kind'] == 'step' for e in steps), steps)
    batches = [named(f'batch {i}')[0] for i in range(4)]
    require([b['parent_id'] for b in batches] == [s['id'] for s in steps], batches)
    prepared = named('prepare')
    require([p['flow_id'] for p in prepared] == [b['flow_id'] for b in batches], prepared, batches)
    require(all(p['thread_name'] == 'loader' and p['source_file'].endswith('self_profile.c') and
                p['source_line'] > 0 and p['rows'] == '65536' for p in prepared), prepared)
    # From the program's span to nrt_execute, from there to a part of the execution and to the core.
    executions = named('nrt_execute')
    require(len(executions) == 4, executions)
    for batch, execution in zip(batches, executions):
        require(execution['flow_id'] == batch['flow_id'], batch, execution)
        require(encloses(batch, execution), batch, execution)
        parts = [e for e in events if e.get('call_flow_id') == batch['flow_id']]
        require(parts and all(encloses(execution, e) for e in parts), parts)
        cores = [e for e in named('nc_exec_running')
                 if e['flow_id'] in {part['flow_id'] for part in parts}]
        require(cores, parts)
    counters = [c for c in profile['counters'] if c['name'] == 'sum of results']
    require(len(counters) == 4 and all(c['value'] > 0 for c in counters), counters)


def cpp_ends_spans_with_their_scope(folder):
    subprocess.run([PROFILED_CPP, folder / 'profile'], check=True, capture_output=True)
    profile = view(folder)
    require(not profile['warnings'], profile['warnings'])
    events = profile['trace_events']
    parts = [e for e in events if e['name'].startswith('part ')]
    require([(e['index'], e['ratio'], e['is_last'], e['text']) for e in parts] ==
            [('0', '0.5', 'false', 'part 0'), ('1', '0.5', 'false', 'part 1'),
             ('2', '0.5', 'true', 'part 2')], parts)
    require(len([e for e in events if e['name'] == 'rest' and e['parent_id']]) == 3, events)


def lone(folder, mode, wait=True):
    program = subprocess.Popen([LONE, mode, folder / 'profile'], stdout=subprocess.PIPE, text=True)
    return program if not wait else (program.communicate(timeout=300)[0], program.returncode)


def exit_without_stop_completes_the_session(folder):
    lone(folder, 'exit')
    profile = view(folder)
    require(not profile['warnings'], profile['warnings'])
    require([e['name'] for e in profile['trace_events']] == ['work'], profile['trace_events'])


def what_a_killed_process_recorded_is_there(folder):
    program = lone(folder, 'kill', wait=False)
    require(program.stdout.readline() == 'flushed\n')
    program.send_signal(signal.SIGKILL)
    program.wait(timeout=300)
    program.stdout.close()
    profile = view(folder)
    events = {e['name']: e for e in profile['trace_events']}
    require(set(events) == {'done', 'open'}, events)
    require(events['open'].get('is_unfinished') and 'is_unfinished' not in events['done'], events)
    require(any('killed' in w['message'] for w in profile['warnings']), profile['warnings'])


def a_child_of_fork_has_no_session(folder):
    lone(folder, 'fork')
    profile = view(folder)
    require(sorted(e['name'] for e in profile['trace_events']) == ['parent', 'parent'],
            profile['trace_events'])


def a_child_may_start_its_own_session(folder):
    said, status = lone(folder, 'fork-start')
    require(status == 0, said)
    profile = view(folder)
    require(len(profile['process_list']) == 2, profile['process_list'])
    require(sorted(e['name'] for e in profile['trace_events']) == ['child', 'parent'],
            profile['trace_events'])


def losses_are_counted_exactly(folder):
    said, status = lone(folder, 'overflow')
    require(status == 0, said)
    recorded, lost = map(int, re.findall(r'\d+', said))
    profile = view(folder)
    require(lost > 0 and len(profile['trace_events']) == recorded - lost, said,
            len(profile['trace_events']))
    require(any(f'{lost} of {recorded} events were dropped' in w['message']
                for w in profile['warnings']), profile['warnings'])


def a_folder_that_cannot_be_written_is_reported(folder):
    (folder / 'profile').write_text('a file, not a folder', encoding='utf-8')
    said, status = lone(folder, 'refused')
    require(status == 0 and str(folder / 'profile') in said, said)


def nothing_but_the_interface_is_exported(_):
    for path, arguments in ((LIBRARY, ['-D']), (ARCHIVE, [])):
        symbols = subprocess.run(['nm', *arguments, '--defined-only', '--extern-only', path],
                                 check=True, text=True, capture_output=True).stdout
        names = {name.split('@')[0] for name in re.findall(r' [TDBRVW] (\S+)', symbols)}
        strange = {name for name in names if not name.startswith('nx_profiler_')}
        require('nx_profiler_start' in names, path)
        if b'__asan_init' not in pathlib.Path(path).read_bytes() and \
                b'__tsan_init' not in pathlib.Path(path).read_bytes():
            require(not strange, path, strange)


if __name__ == '__main__':
    sys.exit(run_cases([
        a_program_and_the_runtime_share_a_timeline,
        cpp_ends_spans_with_their_scope,
        exit_without_stop_completes_the_session,
        what_a_killed_process_recorded_is_there,
        a_child_of_fork_has_no_session,
        a_child_may_start_its_own_session,
        losses_are_counted_exactly,
        a_folder_that_cannot_be_written_is_reported,
        nothing_but_the_interface_is_exported,
    ]))
