#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nccom-test on two machines: network namespaces with a virtual cable.

usage: nodes.py NEURON_EXPLORER

A machine is killed, or its cable cut; the other ends with a sentence, not later than its timeout
says. Needs root and ip(8). Prints TAP.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

TIMEOUT_S = 6
PATIENCE_S = 60  # nobody may take longer; far above the timeout, for slow machines
HOSTS = ('10.77.0.1', '10.77.0.2')
ROOT = HOSTS[0] + ':46123'
LONG = '-b 64kb -e 64kb -n 100 -w 0 -I 10000'  # longer than anybody waits


class Machines:
    def __init__(self, program, folder):
        self.nccom = folder / 'nccom-test'
        self.nccom.symlink_to(program)
        self.spaces = ['nx%d-%s' % (os.getpid(), side) for side in 'ab']
        self.cables = ['nx%d%s' % (os.getpid() % 1000000, side) for side in 'ab']
        self.started = []

    def lay_cable(self):
        for space in self.spaces:
            ip('netns', 'add', space)
        ip('link', 'add', self.cables[0], 'type', 'veth', 'peer', 'name', self.cables[1])
        for space, cable, host in zip(self.spaces, self.cables, HOSTS):
            ip('link', 'set', cable, 'netns', space)
            ip('-n', space, 'addr', 'add', host + '/24', 'dev', cable)
            ip('-n', space, 'link', 'set', 'lo', 'up')
            ip('-n', space, 'link', 'set', cable, 'up')

    def cut_cable(self):
        # If one end of the link is down, the other loses its carrier and drops packets.
        ip('-n', self.spaces[1], 'link', 'set', self.cables[1], 'down')

    def mend_cable(self):
        ip('-n', self.spaces[1], 'link', 'set', self.cables[1], 'up')

    def start(self, node, line, root=ROOT):
        environment = {k: v for k, v in os.environ.items() if not k.startswith('NEURON_')}
        environment.update(NEURON_RT_ROOT_COMM_ID=root, NEURON_RT_EXEC_TIMEOUT=str(TIMEOUT_S))
        words = ['ip', 'netns', 'exec', self.spaces[node], str(self.nccom), *line.split(),
                 '-r', '4', '-N', '2', '--node-rank', str(node)]
        self.started.append(subprocess.Popen(words, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, text=True, env=environment))
        return self.started[-1]

    def remove(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()
        for space in self.spaces:
            subprocess.run(['ip', 'netns', 'del', space], check=False, stderr=subprocess.DEVNULL)


def ip(*words):
    subprocess.run(['ip', *words], check=True, capture_output=True, text=True)


def has_met(machines):
    """Whether both machines have an end of a connection."""
    return all('ESTAB' in subprocess.run(
        ['ip', 'netns', 'exec', space, 'ss', '-tn'], check=True, capture_output=True,
        text=True).stdout for space in machines.spaces)


def wait_for_meeting(machines):
    end = time.monotonic() + PATIENCE_S
    while not has_met(machines):
        assert time.monotonic() < end, 'the machines never met'
        time.sleep(0.05)
    time.sleep(0.5)


def end_of(process):
    out, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, said


def expect_failure(process, pattern):
    code, out, said = end_of(process)
    assert code not in (0, -9, -11), (code, out, said)
    assert out.splitlines()[-1:] == ['1 errors found - test failed'], (out, said)
    log = pathlib.Path(re.search(r'log file (\S+)', out).group(1))
    text = log.read_text()
    log.unlink()
    assert re.search(pattern, said + text), (said, text)


def both_measure(machines):
    nodes = [machines.start(n, 'allr alltoall -b 64kb -e 1mb -f 16 -n 2 -w 1 -c -d bf16')
             for n in (0, 1)]
    codes = [end_of(n) for n in nodes]
    assert [c[0] for c in codes] == [0, 0], codes
    assert len(re.findall(r'^ +\d+ +\d+ +bf16 ', codes[0][1], re.M)) == 4, codes[0]
    assert 'bf16' not in codes[1][1], codes[1]


def late_root(machines):
    other = machines.start(1, 'allg -b 64kb -e 64kb -n 1 -w 0 -c')
    time.sleep(1)
    first = machines.start(0, 'allg -b 64kb -e 64kb -n 1 -w 0 -c')
    assert (end_of(first)[0], end_of(other)[0]) == (0, 0)


def killed_other(machines):
    first, other = (machines.start(n, 'allr ' + LONG) for n in (0, 1))
    wait_for_meeting(machines)
    other.kill()
    expect_failure(first, r'rank [23]')


def killed_root(machines):
    first, other = (machines.start(n, 'allr ' + LONG) for n in (0, 1))
    wait_for_meeting(machines)
    first.kill()
    expect_failure(other, r'rank [01]')


def absent_other(machines):
    expect_failure(machines.start(0, 'allr -b 64kb -e 64kb'), r'rank [01]')


def cut_cable(machines):
    first, other = (machines.start(n, 'allr ' + LONG) for n in (0, 1))
    wait_for_meeting(machines)
    machines.cut_cable()
    try:
        expect_failure(first, r'rank')
        expect_failure(other, r'rank')
        expect_failure(machines.start(1, 'allr -b 64kb -e 64kb'), r'rank [23]')
    finally:
        machines.mend_cable()


def silent_root(machines):
    """An address that drops packets: connecting to it must time out."""
    ip('-n', machines.spaces[1], 'neigh', 'replace', '10.77.0.9', 'lladdr', '02:00:00:00:00:09',
       'dev', machines.cables[1], 'nud', 'permanent')
    expect_failure(machines.start(1, 'allr -b 64kb -e 64kb', root='10.77.0.9:46123'),
                   r'missing of 4 ranks: 0, 1')


CASES = (both_measure, late_root, killed_other, killed_root, absent_other, silent_root,
         cut_cable)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(program, pathlib.Path(folder))
        if os.geteuid() != 0 or not shutil.which('ip') or not shutil.which('ss'):
            print('1..0 # SKIP two machines need root, ip and ss (iproute2)')
            return 0
        try:
            machines.lay_cable()
        except subprocess.CalledProcessError as why:
            machines.remove()
            print('1..0 # SKIP no network namespaces here: ' + why.stderr.strip())
            return 0
        try:
            return run_cases(CASES, lambda _: machines)
        finally:
            machines.remove()


sys.exit(main())
