#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kill a traced program or fill its disk: what it wrote before is shown.

usage: traced.py NEURON_EXPLORER MAKE_CAPTURE TRACED_PROGRAM KILL_AT
       traced.py --small-disk FOLDER NEURON_EXPLORER TRACED_PROGRAM NEFF    on a disk of its own

Prints TAP.
"""

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

KILLED = 128 + 9
NOT_FOUND, NO_SPACE = 3, 9  # exit codes
UNALLOWED = 77
RANDOM_KILLS = 25
LONG_RUN = 10000000  # executions: longer than anybody waits
ENDS = re.compile(r'the capture ends at \d{4}-\d\d-\d\dT[\d:.]+Z: the process was killed')


class Traced:
    def __init__(self, explorer, make_capture, program, kill_at, folder):
        self.explorer, self.program, self.kill_at, self.root = explorer, program, kill_at, folder
        self.number = 0
        # A sanitized program is ten times slower and dies at the same places.
        is_slow = b'__asan_init' in explorer.read_bytes()
        self.random_kills, self.stride = (4, 7) if is_slow else (RANDOM_KILLS, 1)
        if make_capture:
            subprocess.run([make_capture, '--demo', folder], check=True, stdout=subprocess.DEVNULL)
        self.neff = folder / 'demo.neff'

    def new_folder(self):
        self.number += 1
        return self.root / f'out{self.number}'

    def environment(self, **more):
        return dict(os.environ, NEURON_EXPLORER_DEVICE='idle', NEURON_INSTANCE_ID='i-0kill',
                    NEURON_RT_LOG_LEVEL='OFF',
                    ASAN_OPTIONS='verify_asan_link_order=0:detect_leaks=0', **more)

    def words(self, out, count, *before, options=()):
        return [self.explorer, 'inspect', '-o', out, *options, '--', *before, self.program,
                self.neff, str(count)]

    def run(self, out, count, *before, options=(), **more):
        return subprocess.run(self.words(out, count, *before, options=options), check=False,
                              capture_output=True, text=True, timeout=120,
                              env=self.environment(**more))

    def view(self, out):
        return subprocess.run([self.explorer, 'view', '-d', out, '--output-format',
                               'summary-text'], check=False, capture_output=True, text=True,
                              timeout=120)

    def must_view(self, out):
        done = self.view(out)
        assert done.returncode == 0, done
        return done

    def check_killed(self, out, told):
        """The written events of a killed process are shown, with a warning about the kill."""
        folders = [info.parent for info in out.glob('*/trace_info.pb')]
        if not folders:
            # Killed before the capture started: there is nothing to lose.
            assert not list(out.glob('*/*.pb')), list(out.glob('*/*'))
            assert self.view(out).returncode == NOT_FOUND
            assert 'nothing was captured' in told, told
            return 0
        done = self.must_view(out)
        assert ENDS.search(done.stderr), done
        assert 'has no end: the process was killed' in told, told
        stored = int(re.search(r'^  records +(\d+) stored', done.stdout, re.M)[1])
        captured = re.search(r': ([\d,]+) event records', told)
        assert stored == (int(captured[1].replace(',', '')) if captured else 0), (done, told)
        return stored


def child_of(pid):
    try:
        text = pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text(encoding='ascii')
    except FileNotFoundError:
        return None
    return int(text.split()[0]) if text.split() else None


def kill_later(t, out, seconds, written_bytes=0):
    """Kills the program after these seconds and bytes of its stream."""
    with subprocess.Popen(t.words(out, LONG_RUN), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env=t.environment()) as inspect:
        child = None
        while not child and inspect.poll() is None:
            child = child_of(inspect.pid)
        time.sleep(seconds)
        while (inspect.poll() is None and
               sum(f.stat().st_size for f in out.glob('*/ntrace.pb')) < written_bytes):
            time.sleep(0.01)
        os.kill(child, 9)
        told = inspect.communicate(timeout=60)[1]
        assert inspect.returncode == KILLED, (inspect.returncode, told)
    return told


def kills_at_random_times_keep_what_was_written(t):
    random.seed(7)
    counts = []
    for _ in range(t.random_kills):
        out = t.new_folder()
        told = kill_later(t, out, random.choice((0.02, 0.2, 0.6)) * random.random())
        counts.append(t.check_killed(out, told))
        shutil.rmtree(out, ignore_errors=True)
    told = kill_later(t, t.new_folder(), 0, written_bytes=1)
    assert 'has no end' in told, told
    print(f'# killed {t.random_kills} times, up to {max(counts)} records were shown', flush=True)


def a_kill_at_any_step_keeps_what_was_written(t):
    steps_file = t.root / 'steps'
    preload = ['env', f'LD_PRELOAD={t.kill_at}', f'NX_STEPS_FILE={steps_file}']
    done = t.run(t.new_folder(), 200, *preload)
    assert done.returncode == 0, done
    steps = int(steps_file.read_text(encoding='ascii'))
    assert steps > 5, steps
    unended = 0
    for step in range(0, steps, t.stride):
        out = t.new_folder()
        done = t.run(out, 200, *preload, f'NX_KILL_AT={step}')
        assert done.returncode in (KILLED, 0), done  # steps depend a little on the time
        if done.returncode == KILLED and list(out.glob('*/trace_info.pb')):
            # After the last step nothing is missing.
            has_no_end = 'has no end' in done.stderr
            assert has_no_end == bool(ENDS.search(t.must_view(out).stderr)), (step, done)
            unended += has_no_end
        shutil.rmtree(out)
    assert unended, steps
    print(f'# killed at {steps} steps, {unended} times without an end', flush=True)


def a_truncated_record_does_not_affect_others(t):
    out = t.new_folder()
    kill_later(t, out, 0, written_bytes=1000)
    stream = next(out.glob('*/ntrace.pb'))
    size = stream.stat().st_size
    for cut in (1, 2, 3, 7, 50):
        os.truncate(stream, size - cut)
        done = t.must_view(out)
        assert ENDS.search(done.stderr), done
    os.truncate(stream, 0)
    done = t.must_view(out)
    assert 'It has no events up to then' in done.stderr, done


def a_process_that_exits_normally_has_an_end(t):
    out = t.new_folder()
    done = t.run(out, 20)
    assert done.returncode == 0, done
    assert 'has no end' not in done.stderr and 'view -d' in done.stderr, done
    assert 'ends at' not in t.must_view(out).stderr


# Two processes and two instances at the same time.
def processes_and_instances_share_a_folder(t):
    out = t.new_folder()
    runs = [subprocess.Popen(t.words(out, 3), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=t.environment() | {'NEURON_INSTANCE_ID': instance})
            for instance in ('i-0a', 'i-0a', 'i-0b', 'i-0b')]
    assert [run.wait(60) for run in runs] == [0] * 4
    assert len(list(out.glob('i-0a_pid_*'))) == len(list(out.glob('i-0b_pid_*'))) == 2
    shown = t.must_view(out).stdout
    assert len(re.findall(r'^i-0a pid \d+', shown, re.M)) == 2, shown
    assert len(re.findall(r'^i-0b pid \d+', shown, re.M)) == 2, shown


# Containers: each has its own process 1, on two instances and on the same one.
def pods_share_a_volume(t):
    unshare = ['unshare', '-p', '-f']
    if not shutil.which('unshare') or subprocess.run([*unshare, 'true'], check=False,
                                                     capture_output=True).returncode:
        raise Skip('process ids of their own are not allowed here')
    out = t.new_folder()
    runs = [subprocess.Popen(t.words(out, 300, *unshare), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             env=t.environment() | {'NEURON_INSTANCE_ID': instance})
            for instance in ('i-0a', 'i-0b', 'i-0b', 'i-0b')]
    assert [run.wait(60) for run in runs] == [0] * 4
    assert {f.name for f in out.iterdir()} == {'i-0a_pid_1', 'i-0b_pid_1'}, list(out.iterdir())
    assert len(list(out.rglob('ntrace.pb'))) == 4, list(out.rglob('*'))
    shown = t.must_view(out).stdout
    executions = re.findall(r'^ +300 .* nrt_execute \(neuron_rt\)$', shown, re.M)
    assert len(executions) == 8, shown  # once per process and once per core
    return None


def a_full_disk_loses_events_but_does_not_stop_the_program(t):
    if not shutil.which('unshare'):
        raise Skip('there is no unshare')
    small = t.root / 'small'
    small.mkdir()
    mount = 'mount -t tmpfs -o size=1m none "$1" || exit 77; shift; exec "$@"'
    done = subprocess.run(['unshare', '-m', 'sh', '-c', mount, 'sh', small, sys.executable,
                           pathlib.Path(__file__).resolve(), '--small-disk', small, t.explorer,
                           t.program, t.neff], check=False, capture_output=True, text=True)
    if done.returncode == UNALLOWED or 'unshare' in done.stderr.partition(':')[0]:
        raise Skip('mounting is not allowed here')
    assert done.returncode == 0, done.stderr
    return None


def fill_small_disk(folder, explorer, program, neff):
    t = Traced(explorer, None, program, None, folder)
    t.neff = neff
    out = folder / 'out'
    done = t.run(out, 60000)
    assert done.returncode == NO_SPACE, done
    assert (f'missing, the rest can be viewed: the disk at {folder} is full, which has the folder '
            f'{out}; free some space') in done.stderr, done
    assert 'MAX_EVENTS' not in done.stderr, done
    shown = t.must_view(out)
    assert 'the capture ends at' in shown.stderr or 'the disk was full' in shown.stderr, shown
    assert 'increasing buffer' not in shown.stderr, shown
    stored = int(re.search(r'^  records +(\d+) stored', shown.stdout, re.M)[1])
    assert stored > 1000, shown
    # A command that fails keeps its exit code.
    done = t.run(out, 60000, 'sh', '-c', '"$@"; exit 3', 'sh')
    assert done.returncode == 3, done
    assert re.search('(nothing was captured|part of the capture is missing, the rest can be viewed): '
                     f'the disk at {folder} is full', done.stderr), done
    shutil.rmtree(out)
    fill_with_profiles(folder, explorer)


def fill_with_profiles(folder, explorer):
    source = pathlib.Path(__file__).resolve().parents[2] / 'examples/vector_add.nasm'
    subprocess.run([explorer, 'neff', '--assemble', source, '-o', folder / 'file.neff'], check=True)
    done = subprocess.run([explorer, 'capture', '--num-exec', '200', '-s', 'p.ntff'],
                          cwd=folder, check=False, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, NEURON_RT_LOG_LEVEL='OFF'))
    assert done.returncode == NO_SPACE, done
    assert re.search(rf'cannot write p\w*\.ntff: the disk at {folder} is full, which has the folder '
                     rf'{folder}; free some space', done.stderr), done
    profiles = sorted(folder.glob('*.ntff'))
    assert 0 < len(profiles) == done.stderr.count('wrote p'), (profiles, done)
    for profile in profiles:
        subprocess.run([explorer, 'show-session', '-s', profile], check=True,
                       stdout=subprocess.DEVNULL)
    for output in (['--output-format', 'json', '--output-file', folder / 'shown.json'],
                   ['--output-format', 'parquet', '--output-file', folder / 'tables'],
                   ['--ingest-only', '--data-path', folder / 'workspace']):
        done = subprocess.run([explorer, 'view', '-s', profiles[0], *output], check=False,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == NO_SPACE, done
        assert re.search(rf'cannot \w+ \S+: the disk at {folder} is full, which has the folder '
                         rf'{folder}\S*; free some space, or choose', done.stderr), done


CASES = [
    a_process_that_exits_normally_has_an_end,
    kills_at_random_times_keep_what_was_written,
    a_kill_at_any_step_keeps_what_was_written,
    a_truncated_record_does_not_affect_others,
    processes_and_instances_share_a_folder,
    pods_share_a_volume,
    a_full_disk_loses_events_but_does_not_stop_the_program,
]


def main():
    if sys.argv[1] == '--small-disk':
        fill_small_disk(*map(pathlib.Path, sys.argv[2:6]))
        return 0
    programs = [pathlib.Path(p).resolve() for p in sys.argv[1:5]]
    with tempfile.TemporaryDirectory(prefix='nx-traced-') as folder:
        t = Traced(*programs, pathlib.Path(folder))
        return run_cases(CASES, lambda _: t)


if __name__ == '__main__':
    sys.exit(main())
