#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run programs written as public clients of the runtime and the tools are, and check what they get.

usage: run_clients.py NEURON_EXPLORER LIBRARY EXAMPLES FOLDER_OF_CLIENTS
"""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap_cases import run_cases  # noqa: E402

PROGRAM, LIBRARY, EXAMPLES, CLIENTS = (pathlib.Path(name).resolve() for name in sys.argv[1:5])
SECONDS = 120


def run(folder, *command, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, text=True, timeout=SECONDS,
                          capture_output=True, check=False,
                          env={**os.environ, 'LD_LIBRARY_PATH': str(LIBRARY.parent), **environment})
    assert done.returncode == 0, f'{command[0]}: exit {done.returncode}\n{done.stdout}{done.stderr}'
    return done


def prepare(folder):
    run(folder, PROGRAM, 'neff', '--assemble', EXAMPLES / 'vector_add.nasm', '-o', 'file.neff')
    return folder


def a_client_of_version_2_of_the_asynchronous_calls(folder):
    assert run(folder, CLIENTS / 'async_version2', 'file.neff').stdout == 'version 2 works\n'


def a_client_of_version_3_of_the_asynchronous_calls(folder):
    assert run(folder, CLIENTS / 'async_version3', 'file.neff').stdout == 'version 3 works\n'


def a_program_that_forks_while_it_executes(folder):
    assert run(folder, CLIENTS / 'forking', 'file.neff').stdout == '20 children ended\n'


def the_calls_of_pytorchs_profiler(folder):
    run(folder, CLIENTS / 'torch_profiler', 'file.neff', 'output')
    profiles = sorted(folder.glob('output/*_pid_*/**/profile_nc_0_session_1.ntff'))
    assert len(profiles) == 2, profiles
    for profile in profiles:
        assert (profile.parent / 'ntrace.pb').stat().st_size > 0
        shown = json.loads(run(folder, PROGRAM, 'show-session', '-s', profile, '-j').stdout)
        assert shown['ExecutionCount'] == 3, shown['ExecutionCount']


if __name__ == '__main__':
    sys.exit(run_cases([
        a_client_of_version_2_of_the_asynchronous_calls,
        a_client_of_version_3_of_the_asynchronous_calls,
        a_program_that_forks_while_it_executes,
        the_calls_of_pytorchs_profiler,
    ], prepare))
