#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check nccom-test on two hosts, started by fake versions of mpirun and srun.

usage: nccom_launch.py NEURON_EXPLORER

A fake launcher understands the options of nccom-test and starts its copies on this machine,
with the variables of the real one. The copies meet over TCP and check what they computed.
Prints TAP.
"""

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

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PATIENCE_S = 60
ROW = re.compile(r'^ +\d+ +\d+ +\w+ +[\d.]+ +[\d.]+ +[\d.]+$', re.M)

# Exits with the code of a failed copy, and kills all copies when it is stopped.
COPIES = '''
pids=
trap 'kill $pids 2>/dev/null; wait; exit 143' TERM INT HUP
i=0
while [ $i -lt $count ]; do
	out=/dev/stdout
	[ -z "$folder" ] || out=$folder/rank.$i
	%s "$@" >$out &
	pids="$pids $!"
	echo $! >>"$STAND_IN.pids"
	i=$((i + 1))
done
code=0
for pid in $pids; do
	wait $pid || code=$?
done
[ -z "$folder" ] || cat $folder/rank.*
exit $code
'''

MPIRUN = '''#!/bin/sh
printf '%s\\n' "$@" >"$STAND_IN.words"
for name in $(env | sed -n 's/^\\(NEURON_[A-Z_]*\\|FI_[A-Z_]*\\)=.*/\\1/p'); do
	case " $* " in *" -x $name "*) ;; *) unset $name ;; esac
done
while :; do
	case $1 in
	-np) count=$2; shift 2 ;;
	-H | --map-by | --bind-to | -x) shift 2 ;;
	--output-filename) folder=$2; shift 2 ;;
	--allow-run-as-root) shift ;;
	*) break ;;
	esac
done
''' + COPIES % '%s=$i'

SRUN = '''#!/bin/sh
printf '%s\\n' "$@" >"$STAND_IN.words"
while :; do
	case $1 in
	-N) count=$2; shift 2 ;;
	-c) shift 2 ;;
	--ntasks-per-node=1 | --jobid=* | --export=ALL) shift ;;
	*) break ;;
	esac
done
export SLURM_STEP_NODELIST='127.0.0.[1-2,9]'
''' + COPIES % 'SLURM_PROCID=$i'


def equal(a, b):
    if a != b:
        raise AssertionError('%r is not %r' % (a, b))


class Site:
    """A folder with nccom-test and the fake launchers in its PATH."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = folder / 'bin'
        self.bin.mkdir()
        (folder / 'nccom-test').symlink_to(PROGRAM)

    def add(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def start(self, line, env=None):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(('NEURON_', 'FI_', 'OMPI_', 'PMI_', 'SLURM_'))}
        environment.update({'TMPDIR': str(self.folder), 'STAND_IN': str(self.folder / 'stand_in'),
                            'PATH': '%s:/usr/bin:/bin' % self.bin, **(env or {})})
        return subprocess.Popen(['./nccom-test', *line.split()], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment,
                                cwd=self.folder)

    def run(self, line, env=None, code=0):
        process = self.start(line, env)
        out, said = process.communicate(timeout=PATIENCE_S)
        if process.returncode != code:
            raise AssertionError('%s: exit code %d\n%s%s' % (line, process.returncode, out, said))
        return out, said

    def words(self):
        return (self.folder / 'stand_in.words').read_text().splitlines()

    def pids(self):
        path = self.folder / 'stand_in.pids'
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []


CHECKED = 'allr allg -r 4 -b 64kb -e 1mb -f 16 -n 2 -w 1 -d bf16 -c random'


def by_mpirun(site):
    """The table of two machines is printed once and equals that of a single machine."""
    site.add('mpirun', MPIRUN.replace('%s=', 'OMPI_COMM_WORLD_RANK='))
    here, _ = site.run(CHECKED + ' -N 2')
    out, _ = site.run(CHECKED + ' --hosts 127.0.0.1,localhost',
                      {'FI_PROVIDER': 'efa', 'NEURON_SIM_SEED': '0', 'OTHER': '1'})
    equal(out, here)
    equal(len(ROW.findall(out)), 4)
    words = site.words()
    equal(words[words.index('-np') + 1], '2')
    equal(words[words.index('-H') + 1], '127.0.0.1,localhost')
    passed = sorted(words[i + 1] for i, word in enumerate(words) if word == '-x')
    equal([name for name in passed if name != 'LD_LIBRARY_PATH'],
          ['FI_PROVIDER', 'NEURON_RT_ROOT_COMM_ID', 'NEURON_SIM_SEED'])
    assert str(site.folder.resolve() / 'nccom-test') in words, words


def by_mpiexec(site):
    """Without mpirun, with the variable of MPICH, and hosts as words and from a file."""
    site.add('mpiexec', MPIRUN.replace('%s=', 'PMI_RANK='))
    out, _ = site.run('--hosts 127.0.0.1 localhost ' + CHECKED)
    (site.folder / 'hosts').write_text('# two\n127.0.0.1 slots=8\n\n  localhost # the other\n')
    equal(site.run(CHECKED + ' -N 2 --hosts-file hosts')[0], out)
    equal(len(ROW.findall(out)), 4)


def logs(site):
    site.add('mpirun', MPIRUN.replace('%s=', 'OMPI_COMM_WORLD_RANK='))
    out, _ = site.run(CHECKED + ' --hosts 127.0.0.1,localhost --mpi-log-dir logs/here')
    equal((site.folder / 'logs/here/rank.0').read_text(), out)
    equal((site.folder / 'logs/here/rank.1').read_text(), '')


def chosen_root(site):
    """NEURON_RT_ROOT_COMM_ID is kept: copies that cannot connect there report it."""
    site.add('mpirun', MPIRUN.replace('%s=', 'OMPI_COMM_WORLD_RANK='))
    _, said = site.run('allr -r 2 -b 64 -e 64 --hosts a,b',
                       {'NEURON_RT_ROOT_COMM_ID': 'nonsense', 'NEURON_RT_LOG_LEVEL': 'ERROR'},
                       code=8)
    assert 'nonsense is not host:port' in said, said


def by_srun(site):
    """Slurm chooses the machines, the first one is the root, and each reads the script."""
    site.add('srun', SRUN)
    (site.folder / 'setup.sh').write_text(
        'echo "$SLURM_PROCID" >>%s/ready\nexport NEURON_RT_EXEC_TIMEOUT=20\n' % site.folder)
    here, _ = site.run(CHECKED + ' -N 2')
    out, _ = site.run(CHECKED + ' -S -N 2 -u 8 --slurm-job-id 123 --slurm-setup-script setup.sh')
    equal(out, here)
    equal(sorted((site.folder / 'ready').read_text().split()), ['0', '1'])
    words = site.words()
    equal(words[:6], ['-N', '2', '--ntasks-per-node=1', '-c', '8', '--jobid=123'])
    equal(site.run(CHECKED + ' -S -N 2')[0], here)
    assert not [word for word in site.words() if 'jobid' in word or word == '-c']


def failing_script(site):
    site.add('srun', SRUN)
    (site.folder / 'setup.sh').write_text('return 7\n')
    site.run(CHECKED + ' -S -N 2 --slurm-setup-script ./setup.sh', code=7)


def failing_copy(site):
    """The copy of machine 1 cannot join: its exit code is returned, and no process is left."""
    site.add('mpirun', MPIRUN.replace('%s=$i', 'OMPI_COMM_WORLD_RANK=$((i * 5))'))
    out, said = site.run('allr -r 2 -b 64 -e 64 --hosts 127.0.0.1,localhost',
                         {'NEURON_RT_EXEC_TIMEOUT': '1', 'NEURON_RT_LOG_LEVEL': 'OFF'}, code=2)
    assert '--node-rank must be 0 to 1' in said, said
    site.add('mpirun', '#!/bin/sh\nexit 19\n')
    site.run('allr -r 2 -b 64 -e 64 --hosts 127.0.0.1,localhost', code=19)


def name_of(pid):
    path = pathlib.Path('/proc/%d/comm' % pid)
    return path.read_text().strip() if path.exists() else None


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = pathlib.Path('/proc/%d/stat' % pid)
    return state.exists() and state.read_text().rsplit(')', 1)[1].split()[0] != 'Z'


def ended_by_a_signal(site):
    site.add('mpirun', MPIRUN.replace('%s=', 'OMPI_COMM_WORLD_RANK='))
    process = site.start('allr -r 2 -b 64kb -e 64kb -n 100 -w 0 -I 10000 --hosts '
                         '127.0.0.1,localhost')
    end = time.monotonic() + PATIENCE_S
    # A copy that the shell has not yet executed may miss the signal.
    while [name_of(pid) for pid in site.pids()] != ['nccom-test'] * 2:
        assert time.monotonic() < end, 'the copies never started'
        time.sleep(0.05)
    copies = site.pids()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    equal(process.returncode, 143)
    while any(is_alive(pid) for pid in copies) and time.monotonic() < end:
        time.sleep(0.05)
    equal([pid for pid in copies if is_alive(pid)], [])


def streams(site):
    """Each stream has its own world between the machines too."""
    site.add('mpirun', MPIRUN.replace('%s=', 'OMPI_COMM_WORLD_RANK='))
    (site.folder / 's.json').write_text(
        '[{"operation": "allr", "nworkers": 4, "minbytes": "1kb", "maxbytes": "64kb", '
        '"stepfactor": 8, "datatype": "fp32"}, {"operation": "alltoall", "nworkers": 2}]')
    line = '--streams-json s.json -b 4kb -e 4kb -n 3 -w 1 -c'
    out, _ = site.run(line + ' --hosts 127.0.0.1,localhost')
    equal(out, site.run(line + ' -N 2')[0])
    equal(len(ROW.findall(out)), 4)


CASES = (by_mpirun, by_mpiexec, logs, chosen_root, by_srun, failing_script, failing_copy,
         ended_by_a_signal, streams)


sys.exit(run_cases(CASES, Site))
