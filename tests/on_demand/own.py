#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capture programs under our own runtime while they run.

usage: own.py NEURON_EXPLORER RUNNING_JOB

TAP on stdout. Two processes with their own instances stand in for two hosts, on loopback and in
network namespaces of their own.
"""

import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, JOB = map(os.path.abspath, sys.argv[1:3])
MODEL = HERE.parent.parent / 'examples' / 'relu.nasm'
PATIENCE_S = 120


class Job:
    """A running program, with the record of its service."""

    def __init__(self, folder, instance, before=(), **variables):
        self.runtime = folder / 'run'
        self.runtime.mkdir(exist_ok=True)
        neff = folder / 'relu.neff'
        if not neff.exists():
            subprocess.run([PROGRAM, 'neff', '--assemble', str(MODEL), '-o', str(neff)], check=True,
                           capture_output=True)
        env = {**os.environ, 'XDG_RUNTIME_DIR': str(self.runtime), 'NEURON_INSTANCE_ID': instance,
               **variables}
        self.process = subprocess.Popen([*before, JOB, str(neff)], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, cwd=folder)
        self.pid = self.process.pid
        if not before:
            self.wait()

    def wait(self):
        assert self.process.stdout.readline() == 'ready\n', 'the job does not start'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            assert self.process.wait(PATIENCE_S) == 0, 'the job failed'
        finally:
            self.process.kill()
            self.process.stdout.close()

    @property
    def address(self):
        record = json.loads((self.runtime / 'neuron-explorer' / 'services' / f'{self.pid}.json').read_text())
        return f"{record['host']}:{record['port']}"

    @property
    def stem(self):
        return self.address.replace(':', '_')


def run(folder, *words, code=0):
    env = {**os.environ, 'XDG_RUNTIME_DIR': str(folder / 'run')}
    done = subprocess.run([PROGRAM, *map(str, words)], env=env, capture_output=True, text=True,
                          timeout=PATIENCE_S)
    assert done.returncode == code, f'exit code {done.returncode}, not {code}: {done.stdout}{done.stderr}'
    return done.stdout + done.stderr


def described(logdir):
    (session,) = (logdir / 'plugins' / 'profile').iterdir()
    return session, json.loads((session / 'session.json').read_text())


def has(text, *parts):
    for part in parts:
        assert part in text, f'"{part}" is not in: {text}'


def two_hosts_become_one_session(folder):
    with Job(folder, 'i-1', NEURON_PROFILER_PORT='0') as first, \
            Job(folder, 'i-2', NEURON_PROFILER_PORT='0') as second:
        said = run(folder, 'capture', '--service-addr', f'{first.address},{second.address}',
                   '--duration-ms', 300, '--logdir', folder / 'log')
        session, about = described(folder / 'log')
        has(said, 'captured 2 of 2 hosts', 'clocks are aligned to within')
        for job, host in zip((first, second), about['hosts']):
            assert host['state'] == 'captured' and set(host['files']) == {f'{job.stem}.xplane.pb', f'{job.stem}/'}
            # one machine has one clock
            assert abs(int(host['clock_offset_ns'])) <= int(host['clock_uncertainty_ns']), host
            files = {file.name for file in (session / job.stem).rglob('*')}
            assert 'ntrace.pb' in files and 'trace_info.pb' in files, files
    has(run(folder, 'view', '-d', session, '--output-format', 'summary-text'), 'i-1', 'i-2', 'nrt_execute')


def a_process_is_captured_by_its_number(folder):
    with Job(folder, 'i-1', NEURON_PROFILER_PORT='0') as job, Job(folder, 'i-2') as other:
        has(run(folder, 'attach'), f'{job.pid}\t{job.address}\t')
        has(run(folder, 'attach', job.pid, '--duration-ms', 200, '--logdir', folder / 'log'),
            'captured 1 of 1 host')
        assert described(folder / 'log')[1]['hosts'][0]['state'] == 'captured'
        has(run(folder, 'attach', other.pid, code=11), 'NEURON_PROFILER_PORT')


def a_terminal_shows_progress_and_ctrl_c_saves(folder):
    with Job(folder, 'i-1', NEURON_PROFILER_PORT='0') as first, \
            Job(folder, 'i-2', NEURON_PROFILER_PORT='0') as second:
        screen, end = pty.openpty()
        process = subprocess.Popen([PROGRAM, 'capture', '--service-addr', f'{first.address},{second.address}',
                                    '--duration-ms', '3600000', '--logdir', str(folder / 'log')], stderr=end)
        os.close(end)
        seen = ''
        while '2 hosts: 2 recording' not in seen:
            piece = os.read(screen, 4096).decode()
            assert piece, seen
            seen += piece
        process.send_signal(signal.SIGINT)
        try:
            while piece := os.read(screen, 4096).decode():
                seen += piece
        except OSError:  # how a terminal ends
            pass
        os.close(screen)
        assert process.wait(PATIENCE_S) == 0, seen
        has(seen, '2 hosts: 2 waiting for the common start', 'captured 2 of 2 hosts', 'to view it: ')


def a_token_is_asked_for_and_given(folder):
    token = folder / 'token'
    token.write_text('secret\n')
    with Job(folder, 'i-1', NEURON_PROFILER_PORT='0', NEURON_PROFILER_TOKEN_FILE=str(token)) as job:
        words = ('capture', '--service-addr', job.address, '--duration-ms', 50, '--logdir', folder / 'log')
        has(run(folder, *words, code=8), 'UNAUTHENTICATED')
        has(run(folder, *words, '--token-file', token), 'captured 1 of 1 host')


def snapshots_save_what_led_up_to_them(folder):
    with Job(folder, 'i-1', NEURON_PROFILER_PORT='0') as job:
        has(run(folder, 'snapshot', job.address, '--logdir', folder / 'log', code=8), 'does not record continuously')
        run(folder, 'snapshot', job.address, '--start', '--budget', '16MiB', '--horizon-ms', 60000)
        said = run(folder, 'snapshot', job.address, '--logdir', folder / 'log')
        has(said, 'captured 1 of 1 host')
        session, about = described(folder / 'log')
        assert about['kind'] == 'snapshot'
        assert f'{job.stem}/' in about['hosts'][0]['files'], about
        run(folder, 'snapshot', job.address, '--stop')
        run(folder, 'snapshot', job.address, '--stop', code=3)
    has(run(folder, 'view', '-d', session, '--output-format', 'summary-text'), 'i-1')


# --- namespaces ---

NETWORK = '10.77'


class Host(Job):
    """A job in a network namespace of its own, at the other end of a cable."""

    def __init__(self, folder, number):
        here, there = f'{NETWORK}.{number}.1', f'{NETWORK}.{number}.2'
        # it waits for its cable before it starts
        super().__init__(folder, f'i-{number}', NEURON_PROFILER_PORT='9012', NEURON_PROFILER_HOST=there,
                         NEURON_PROFILER_TOKEN_FILE=str(folder / 'token'),
                         before=('unshare', '--net', 'sh', '-c', 'echo made; read -r go; exec "$@"', 'sh'))
        assert self.process.stdout.readline() == 'made\n'
        inside = ('nsenter', '--target', str(self.pid), '--net', 'ip')
        for words in (('ip', 'link', 'add', f'here{number}', 'type', 'veth', 'peer', 'name', f'there{number}'),
                      ('ip', 'link', 'set', f'there{number}', 'netns', str(self.pid)),
                      ('ip', 'address', 'add', f'{here}/24', 'dev', f'here{number}'),
                      ('ip', 'link', 'set', f'here{number}', 'up'),
                      (*inside, 'address', 'add', f'{there}/24', 'dev', f'there{number}'),
                      (*inside, 'link', 'set', 'lo', 'up'),
                      (*inside, 'link', 'set', f'there{number}', 'up')):
            subprocess.run(words, check=True)
        self.process.stdin.write('go\n')
        self.process.stdin.flush()
        self.wait()


def inside_namespaces(folder):
    """Runs as root of a user namespace with an empty network."""
    (folder / 'token').write_text('secret')
    with Host(folder, 1) as first, Host(folder, 2) as second:
        addresses = f'{NETWORK}.1.2:9012,{NETWORK}.2.2:9012'
        words = ('--token-file', folder / 'token', '--logdir', folder / 'log')
        has(run(folder, 'capture', '--service-addr', addresses, '--duration-ms', 200, *words),
            'captured 2 of 2 hosts')
        session, about = described(folder / 'log')
        assert {host['address'] for host in about['hosts']} == {first.address, second.address}
        # a cable is pulled: the other host is kept
        subprocess.run(['ip', 'link', 'set', 'here2', 'down'], check=True)
        has(run(folder, 'capture', '--service-addr', addresses, '--duration-ms', 50, '--attempts', 1,
                '--session-id', 'half', *words, code=8), 'captured 1 of 2 hosts', second.address)
        subprocess.run(['ip', 'link', 'set', 'here2', 'up'], check=True)
    has(run(folder, 'view', '-d', session, '--output-format', 'summary-text'), 'i-1', 'i-2')


def hosts_in_network_namespaces_become_one_session(folder):
    if not all(map(shutil.which, ('ip', 'nsenter', 'unshare'))):
        raise Skip('no ip, nsenter or unshare here')
    alone = ['unshare', '--user', '--map-root-user', '--net']
    if subprocess.run([*alone, 'ip', 'link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other'],
                      capture_output=True).returncode:
        raise Skip('namespaces are not permitted here')
    done = subprocess.run([*alone, sys.executable, __file__, PROGRAM, JOB, str(folder)],
                          capture_output=True, text=True, timeout=2 * PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == '__main__':
    if len(sys.argv) > 3:
        inside_namespaces(pathlib.Path(sys.argv[3]))
        sys.exit(0)
    sys.exit(run_cases([
        two_hosts_become_one_session,
        a_process_is_captured_by_its_number,
        a_terminal_shows_progress_and_ctrl_c_saves,
        a_token_is_asked_for_and_given,
        snapshots_save_what_led_up_to_them,
        hosts_in_network_namespaces_become_one_session,
    ]))
