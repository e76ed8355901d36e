#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kill view --ingest-only or fill its disk: finished profiles are not lost.

usage: ingest.py NEURON_EXPLORER MAKE_CAPTURE DUMP_TABLE KILL_AT
       ingest.py --small-disk FOLDER NEURON_EXPLORER    on a disk of its own

Prints TAP.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

NO_SPACE = 9  # exit code
LAST_STEPS = 15  # in which the profile takes its place: each of them
STRIDE = 6  # of the others
RANDOM_KILLS = 12
UNALLOWED = 77


class Workspace:
    def __init__(self, program, path):
        self.program = program
        self.path = pathlib.Path(path)

    def run(self, *words, **options):
        return subprocess.run([self.program, *words, '--data-path', self.path], check=False,
                              capture_output=True, text=True, timeout=120, **options)

    def ingest_words(self, capture, name):
        return [self.program, 'view', '-s', f'{capture}.ntff', '-n', f'{capture}.neff', '-v', '2',
                '--ingest-only', '--force', '--display-name', name, '--data-path', self.path]

    def ingest(self, capture, name, environment=None):
        return subprocess.run(self.ingest_words(capture, name), check=False, capture_output=True,
                              text=True, timeout=120, env={**os.environ, **(environment or {})})

    def must_ingest(self, capture, name):
        done = self.ingest(capture, name)
        assert done.returncode == 0, done.stderr

    def profiles(self):
        done = self.run('list', '--format', 'json')
        assert done.returncode == 0, done.stderr
        return {p['name']: p for p in json.loads(done.stdout)['profiles']}

    def folder(self, name):
        return self.path / 'profiles' / 'global' / f'{name}@latest'

    def digests(self, name):
        """Of all files except the record, which contains times."""
        return {f.name: hashlib.sha256(f.read_bytes()).hexdigest()
                for f in sorted(self.folder(name).iterdir()) if f.name != 'profile.json'}

    def check_tidy(self):
        """gc keeps finished profiles and nothing else."""
        done = self.run('gc')
        assert done.returncode == 0, done.stderr
        left = self.profiles()
        assert all(p['state'] == 'ready' for p in left.values()), left
        assert not list((self.path / 'staging').iterdir())
        assert not list((self.path / 'trash').iterdir())
        assert len(list((self.path / 'profiles' / 'global').iterdir())) == len(left)


class Ingest:
    def __init__(self, program, make_capture, dump_table, kill_at, folder):
        self.program, self.dump_table, self.kill_at, self.root = (program, dump_table, kill_at,
                                                                  folder)
        # A sanitized program is ten times slower and dies at the same places.
        is_slow = b'__asan_init' in program.read_bytes()
        self.stride, self.random_kills = (30, 3) if is_slow else (STRIDE, RANDOM_KILLS)
        self.captures = {'old': ('--tiny',), 'new': ('--size', '256K'), 'large': ('--size', '8M')}
        for name, words in self.captures.items():
            subprocess.run([make_capture, *words, folder / f'{name}.ntff', '--neff',
                            folder / f'{name}.neff'], check=True, capture_output=True)
        self.ws = Workspace(program, folder / 'ws')
        self.ws.must_ingest(folder / 'old', 'bystander')
        reference = Workspace(program, folder / 'reference')
        self.wanted, self.rows = {}, {}  # a profile's name stands in its tables
        for capture, name in (('old', 'bystander'), *((c, 'target') for c in self.captures)):
            reference.must_ingest(folder / capture, name)
            self.wanted[capture, name] = reference.digests(name)
            self.rows[capture] = reference.profiles()[name]['row_count']
        assert self.wanted['old', 'target'] != self.wanted['new', 'target']

    def capture(self, name):
        return self.root / name

    def is_made_of(self, profile, capture):
        return self.ws.digests(profile) == self.wanted[capture, profile]

    def check_after_kill(self, older, newer, name):
        """The listed state of the name; all others must be unchanged."""
        listed = self.ws.profiles()
        assert listed['bystander']['state'] == 'ready'
        assert self.is_made_of('bystander', 'old')
        # A profile being replaced is listed in its old state.
        state = listed.get(name, {'state': 'absent'})['state']
        assert state in (('ready',) if older else ('absent', 'unfinished', 'ready')), listed
        if state == 'ready':
            source = newer if self.is_made_of(name, newer) else older
            assert source and self.is_made_of(name, source), 'files of two profiles are mixed'
            assert listed[name]['row_count'] == self.rows[source]
        elif state == 'unfinished':
            assert listed[name]['message'], 'there is no message'
        self.ws.check_tidy()
        return newer if state == 'ready' and self.is_made_of(name, newer) else state

    def prepare(self, older, name):
        if older:
            self.ws.must_ingest(self.capture(older), name)
        elif name in self.ws.profiles():
            assert self.ws.run('delete', name, '--yes').returncode == 0


def preload(kill_at, **more):
    return {'LD_PRELOAD': str(kill_at), 'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') +
            ':verify_asan_link_order=0', **more}


def kill_at_steps(t, older):
    """Kills an ingest at some steps; returns the state after each."""
    steps_file = t.root / 'steps'
    t.prepare(older, 'target')
    done = t.ws.ingest(t.capture('new'), 'target', preload(t.kill_at, NX_STEPS_FILE=str(steps_file)))
    assert done.returncode == 0, done.stderr
    steps = int(steps_file.read_text())
    assert steps > 100, f'{steps} steps: the calls are not ours'
    found = []
    for step in [*range(0, steps - LAST_STEPS, t.stride), *range(steps - LAST_STEPS, steps)]:
        t.prepare(older, 'target')
        done = t.ws.ingest(t.capture('new'), 'target', preload(t.kill_at, NX_KILL_AT=str(step)))
        assert done.returncode == -9, f'step {step} of {steps}: {done}'
        found.append(t.check_after_kill(older, 'new', 'target'))
    return found


def a_kill_at_any_step_leaves_an_unfinished_or_a_complete_profile(t):
    found = kill_at_steps(t, None)
    assert found.count('unfinished') > len(found) / 2, found
    assert found[-1] == 'new', found
    # Once a profile is in place, it stays.
    assert all(f == 'new' for f in found[found.index('new'):]), found


def a_kill_while_replacing_leaves_the_older_profile_or_the_newer_one(t):
    found = kill_at_steps(t, 'old')
    assert found[0] == 'ready' and found[-1] == 'new', found
    assert all(f == 'new' for f in found[found.index('new'):]), found


def kill_at_random(t, older):
    begin = time.monotonic()
    t.ws.must_ingest(t.capture('large'), 'target')
    whole_s = time.monotonic() - begin
    chance = random.Random(12345)
    for _ in range(t.random_kills):
        t.prepare(older, 'target')
        process = subprocess.Popen(t.ws.ingest_words(t.capture('large'), 'target'),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, whole_s))
        process.kill()
        process.wait()
        t.check_after_kill(older, 'large', 'target')


def kills_at_random_times_break_nothing(t):
    kill_at_random(t, None)
    kill_at_random(t, 'old')


def every_table_can_be_read_and_has_its_rows(t):
    t.ws.must_ingest(t.capture('large'), 'target')
    for name in ('bystander', 'target'):
        record = json.loads((t.ws.folder(name) / 'profile.json').read_text())
        counts = {table['name']: table['row_count'] for table in record['tables']}
        assert sum(counts.values()) == t.ws.profiles()[name]['row_count']
        for file in t.ws.folder(name).glob('*.parquet'):
            rows = subprocess.run([t.dump_table, file], check=True, capture_output=True).stdout
            assert rows.count(b'\n') == counts.get(file.stem, 0), file.name


def a_name_is_free_again_after_a_kill(t):
    t.prepare(None, 'target')
    t.ws.ingest(t.capture('new'), 'target', preload(t.kill_at, NX_KILL_AT='60'))
    assert t.ws.profiles()['target']['state'] == 'unfinished'
    t.ws.must_ingest(t.capture('new'), 'target')
    assert t.ws.profiles()['target']['state'] == 'ready'
    assert not list((t.ws.path / 'staging').iterdir())


def a_kill_leaves_the_users_folder_usable(t):
    folder = t.root / 'tables'
    words = [t.program, 'view', '-s', t.capture('new').with_suffix('.ntff'), '-v', '2',
             '--output-format', 'parquet', '--output-file', folder]
    for step in (0, 10, 40, 70):
        done = subprocess.run(words, check=False, capture_output=True,
                              env={**os.environ, **preload(t.kill_at, NX_KILL_AT=str(step))})
        assert done.returncode == -9, done
        # Tables get their names only after all are complete.
        assert all(f.name.startswith('.') for f in folder.iterdir())
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not [f for f in folder.iterdir() if f.name.startswith('.')]
    assert (folder / 'Summary.parquet').exists()


# --- a full disk -------------------------------------------------------------

def mount_and_fill(t):
    small = t.root / 'small'
    small.mkdir()
    own = pathlib.Path(__file__).resolve()
    mount = f'mount -t tmpfs -o size=560k none "{small}" || exit {UNALLOWED}; exec "$@"'
    done = subprocess.run(['unshare', '--mount', *(['--map-root-user'] if os.geteuid() else []),
                           'sh', '-c', mount, 'sh', sys.executable, own, '--small-disk', small,
                           t.program, t.root], check=False, capture_output=True, text=True)
    return done


def a_full_disk_is_reported_and_survived(t):
    if not shutil.which('unshare'):
        raise Skip('there is no unshare')
    done = mount_and_fill(t)
    if done.returncode == UNALLOWED or 'unshare' in done.stderr.partition(':')[0]:
        raise Skip('mounting is not allowed here')
    assert done.returncode == 0, done.stderr
    return None


def check_message(done):
    assert done.returncode == NO_SPACE, done
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and re.search(r'the disk (at \S+ )?is full', lines[0]), done.stderr


def fill_small_disk(folder, program, captures):
    ws = Workspace(program, folder / 'ws')
    ws.must_ingest(captures / 'old', 'small')
    before = ws.digests('small')
    check_message(ws.ingest(captures / 'large', 'large'))
    listed = ws.profiles()
    assert listed['large']['state'] in ('failed', 'unfinished') and listed['large']['message']
    assert listed['small']['state'] == 'ready' and ws.digests('small') == before
    # A replacement without disk space keeps the old profile.
    check_message(ws.ingest(captures / 'large', 'small'))
    assert ws.digests('small') == before
    ws.check_tidy()
    tables = folder / 'tables'
    done = subprocess.run([program, 'view', '-s', captures / 'large.ntff', '-v', '2',
                           '--output-format', 'parquet', '--output-file', tables], check=False,
                          capture_output=True, text=True)
    check_message(done)
    assert not list(tables.iterdir()), list(tables.iterdir())
    ws.must_ingest(captures / 'old', 'again')


CASES = [
    a_kill_at_any_step_leaves_an_unfinished_or_a_complete_profile,
    a_kill_while_replacing_leaves_the_older_profile_or_the_newer_one,
    kills_at_random_times_break_nothing,
    every_table_can_be_read_and_has_its_rows,
    a_name_is_free_again_after_a_kill,
    a_kill_leaves_the_users_folder_usable,
    a_full_disk_is_reported_and_survived,
]


def main():
    if sys.argv[1] == '--small-disk':
        fill_small_disk(pathlib.Path(sys.argv[2]), *map(pathlib.Path, sys.argv[3:5]))
        return 0
    programs = [pathlib.Path(p).resolve() for p in sys.argv[1:5]]
    # In memory this takes seconds instead of minutes.
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix='nx-ingest-', dir=memory) as folder:
        t = Ingest(*programs, pathlib.Path(folder))
        return run_cases(CASES, lambda _: t)


if __name__ == '__main__':
    sys.exit(main())
