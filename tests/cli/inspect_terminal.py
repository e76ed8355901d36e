#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inspect at a terminal: what is typed there reaches the command once.

usage: inspect_terminal.py NEURON_EXPLORER

Prints TAP.
"""

import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import sys
import termios
import time

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

# Goes on until a trap says told=1, and a little longer: what comes twice is to be seen twice.
LOOP = ('told=; echo go; i=0; while [ -z "$told" ] && [ $i -lt 2000 ]; do '
        'i=$((i + 1)); sleep 0.02; done; sleep 0.2; exit 6')


class Terminal:
    """A session on a terminal of its own whose leader, like a shell, only waits."""

    def __init__(self, explorer, out, script):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            job = os.fork()
            if not job:
                os.setpgid(0, 0)
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.tcsetpgrp(0, os.getpgrp())
                # Whoever starts tests in the background ignores some, and a shell cannot undo that.
                for number in (signal.SIGTTOU, signal.SIGTSTP, signal.SIGHUP, signal.SIGINT,
                               signal.SIGQUIT):
                    signal.signal(number, signal.SIG_DFL)
                os.execv(explorer, [explorer, 'inspect', '-o', out, 'sh', '-c', script])
            self.wait_like_a_shell(job)
        self.text = ''
        self.read_until(r'go\r\n')

    @staticmethod
    def wait_like_a_shell(job):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
            signal.signal(number, signal.SIG_IGN)
        while True:
            _, status = os.waitpid(job, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                os._exit(os.waitstatus_to_exitcode(status) & 0xff)
            os.write(1, b'[stopped]\r\n')
            time.sleep(0.1)
            os.kill(-job, signal.SIGCONT)  # fg

    def read_until(self, pattern):
        while not re.search(pattern, self.text):
            self.text += os.read(self.fd, 4096).decode()

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        try:
            while True:
                self.text += os.read(self.fd, 4096).decode()
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def ctrl_c_comes_once(explorer, out):
    t = Terminal(explorer, out, "trap 'echo interrupted; told=1' INT; " + LOOP)
    t.type(b'\x03')
    assert t.end() == 6, t.text
    assert t.text.count('interrupted\r\n') == 1, t.text
    assert 'nothing was captured' in t.text, t.text


def ctrl_c_ends_a_command_and_is_its_end(explorer, out):
    t = Terminal(explorer, out, LOOP)
    t.type(b'\x03')
    assert t.end() == 128 + signal.SIGINT, t.text
    assert 'ended by signal 2' in t.text, t.text


def ctrl_z_stops_both_and_fg_wakes_both(explorer, out):
    # No loop: a shell that is just starting a command cannot stop before that command runs.
    t = Terminal(explorer, out, 'echo go; exec sleep 60')
    t.type(b'\x1a')
    t.read_until(r'\[stopped\]')
    t.type(b'\x03')  # only who is awake can end of it
    assert t.end() == 128 + signal.SIGINT, t.text
    assert t.text.count('[stopped]') == 1, t.text


def a_resized_window_is_told_once(explorer, out):
    t = Terminal(explorer, out, "trap 'echo resized; told=1' WINCH; " + LOOP)
    fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 90, 0, 0))
    assert t.end() == 6, t.text
    assert t.text.count('resized\r\n') == 1, t.text


CASES = [ctrl_c_comes_once, ctrl_c_ends_a_command_and_is_its_end,
         ctrl_z_stops_both_and_fg_wakes_both, a_resized_window_is_told_once]


if __name__ == '__main__':
    sys.exit(run_cases([(case.__name__.replace('_', ' '),
                         lambda folder, case=case: case(sys.argv[1], folder)) for case in CASES]))
