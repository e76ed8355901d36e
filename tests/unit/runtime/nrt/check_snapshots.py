#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Continuous recording of programs that know nothing of it: variables, triggers, ranks that hang.

usage: check_snapshots.py RECORDED_PROGRAM NEURON_EXPLORER EXAMPLES
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
from tap_cases import run_cases  # noqa: E402

PROGRAM, EXPLORER, EXAMPLES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
RANKS, STOPS, MISSING = 3, 5, 1


def environment(folder, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith('NEURON_')}
    return {**kept, 'NEURON_PROFILER_CONTINUOUS': '1',
            'NEURON_PROFILER_CONTINUOUS_OUTPUT': str(folder / 'output'),
            'NEURON_PROFILER_CONTINUOUS_BUDGET': '8M', **more}


def start(folder, *words, **more):
    return subprocess.Popen([str(PROGRAM), *map(str, words)], text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, env=environment(folder, **more))


def stop(program):
    program.stdin.close()
    assert program.wait() == 0, program.returncode


def snapshots(folder):
    """Descriptions of the complete snapshots, oldest first."""
    found = sorted(path for path in (folder / 'output').rglob('snapshot.json')
                   if '.unfinished_' not in str(path))
    return [json.loads(path.read_text()) for path in found]


def wait_for(condition):
    while not condition():
        time.sleep(0.01)


def view(folder):
    done = subprocess.run([EXPLORER, 'view', '-d', folder / 'output', '--output-format',
                           'summary-text'], text=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout


def make_neff(folder, name):
    path = folder / f'{name}.neff'
    subprocess.run([EXPLORER, 'neff', '--assemble', EXAMPLES / f'{name}.nasm', '-o', path],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def a_signal_saves_events_and_device_profiles(folder):
    program = start(folder, 'runs', make_neff(folder, 'relu'), 20,
                    NEURON_PROFILER_SNAPSHOT_SIGNAL='USR2')
    wait_for(lambda: program.stdout.readline() == 'done\n')
    program.send_signal(signal.SIGUSR2)
    wait_for(lambda: snapshots(folder))
    stop(program)
    (one,) = snapshots(folder)
    assert one['trigger'] == 'signal' and int(one['event_count']) > 200, one
    assert one['device_count'] == '1' and list((folder / 'output').rglob('*.ntff')), one
    text = view(folder)
    assert 'nrt_execute' in text and 'saved by signal' in text, text


def a_failed_call_saves_a_snapshot(folder):
    program = start(folder, 'memory', 1 << 50, NEURON_PROFILER_SNAPSHOT_ON_ERROR='1')
    wait_for(lambda: snapshots(folder))
    stop(program)
    assert snapshots(folder)[0]['trigger'] == 'error_status', snapshots(folder)


def device_memory_over_the_limit_saves_a_snapshot(folder):
    program = start(folder, 'memory', 32 << 20, NEURON_PROFILER_SNAPSHOT_DEVICE_MEMORY='16M')
    wait_for(lambda: snapshots(folder))
    stop(program)
    (one,) = snapshots(folder)
    assert one['trigger'] == 'device_memory' and '33554432 bytes' in one['reason'], one


def a_wrong_variable_is_reported_and_ignored(folder):
    program = subprocess.run([PROGRAM, 'memory', '4096'], text=True, input='', check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment(folder, NEURON_PROFILER_SNAPSHOT_INTERVAL='soon'))
    assert program.stdout.endswith('done\n')
    assert program.stderr == ('NEURON_PROFILER_SNAPSHOT_INTERVAL: "soon" is not valid and is ignored; '
                              'write it like 60 (seconds)\n'), program.stderr


def a_rank_that_hangs_is_named(folder):
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        address = '127.0.0.1:%d' % free.getsockname()[1]
    more = {'NEURON_RT_ROOT_COMM_ID': address, 'NEURON_RT_EXEC_TIMEOUT': '3600',
            'NEURON_PROFILER_SNAPSHOT_COLLECTIVE_TIMEOUT': '0.3'}
    # One rank comes to all barriers but the last two, and does something else then.
    ranks = [start(folder, 'ranks', rank, RANKS, STOPS if rank == MISSING else STOPS + 2,
                   NEURON_RT_VISIBLE_CORES=str(rank), **more) for rank in range(RANKS)]
    try:
        wait_for(lambda: len(snapshots(folder)) >= RANKS)
    finally:
        for program in ranks:
            program.kill()
            program.wait()
    triggers = sorted(one['trigger'] for one in snapshots(folder))[:RANKS]
    assert 'collective_timeout' in triggers and 'peer' in triggers, triggers
    text = view(folder)
    assert f'The ranks part at collective {STOPS + 1}, in which rank' in text, text
    assert f'Missing: rank {MISSING}, which got as far as collective {STOPS}.' in text, text


if __name__ == '__main__':
    sys.exit(run_cases([
        a_signal_saves_events_and_device_profiles,
        a_failed_call_saves_a_snapshot,
        device_memory_over_the_limit_saves_a_snapshot,
        a_wrong_variable_is_reported_and_ignored,
        a_rank_that_hangs_is_named,
    ]))
