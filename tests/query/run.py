#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test the query command with signals, terminals and memory limits.

usage: run.py NEURON_EXPLORER MAKE_TABLES

Prints TAP.
"""

import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

ENDLESS = 'SELECT count(*) FROM range(1000000000000) a, range(1000000) b'
IS_SANITIZED = 'ASAN_OPTIONS' in os.environ


class Query:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def words(self, *words):
        return [self.program, 'query', '-d', self.folder / 'profile', *words]

    def run(self, *words, **options):
        return subprocess.run(self.words(*words), capture_output=True, check=False, timeout=120,
                              **options)

    def start(self, *words, **options):
        return subprocess.Popen(self.words(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                **options)

    def on_terminal(self, *words, typed=(), columns=40, environment=None):
        """The output on a terminal of that width; typed: (text to wait for, text to type).

        A function in place of the text to type gets the process and returns the text.
        """
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
            os.environ.update({'TERM': 'xterm', 'LC_ALL': 'C.UTF-8', **(environment or {})})
            os.execv(self.program, [os.fspath(w) for w in self.words(*words)])
        seen, waiting, end = b'', list(typed), time.monotonic() + 60
        while time.monotonic() < end:
            if waiting and waiting[0][0] in seen:
                text = waiting.pop(0)[1]
                os.write(terminal, text(pid) if callable(text) else text)
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        else:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        return seen.decode(), os.waitstatus_to_exitcode(status)


def wait_until_busy(pid):
    """Waits until it has used more CPU time than an idle program."""
    ticks = os.sysconf('SC_CLK_TCK')
    for _ in range(1000):
        fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
        if (int(fields[11]) + int(fields[12])) / ticks > (2.0 if IS_SANITIZED else 0.6):
            return
        time.sleep(0.02)


def check(condition, note=''):
    if not condition:
        raise AssertionError(note)


def ctrl_c_ends_a_query(query):
    child = query.start(ENDLESS)
    wait_until_busy(child.pid)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    check(child.returncode == 130, child.returncode)
    check(err == b'neuron-explorer: the query was interrupted\n', err)
    check(out == b'', out)


def ctrl_c_leaves_no_file_behind(query):
    target = query.folder / 'out.csv'
    child = query.start('--format', 'csv', '--output-file', target, 'SELECT * FROM range(1e12::BIGINT)')
    wait_until_busy(child.pid)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    check(child.returncode == 130, child.returncode)
    check([p.name for p in query.folder.iterdir()] == ['profile'], list(query.folder.iterdir()))


def a_background_job_ignores_ctrl_c(query):
    child = query.start('SELECT count(*) FROM range(30000000) t(i) WHERE hash(i) % 7 = 0',
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=110)
    check(child.returncode == 0, child.returncode)


def the_time_limit_ends_a_query(query):
    done = query.run('--timeout', '1', ENDLESS)
    check(done.returncode == 10, done.returncode)
    check(b'the query was stopped after 1 s' in done.stderr, done.stderr)


def a_reader_that_closes_the_pipe_ends_it(query):
    line = ' '.join(f"'{w}'" for w in query.words('--format', 'csv', 'FROM range(1000000000000)'))
    done = subprocess.run(['bash', '-c', f'{line} | head -n 1; echo ${{PIPESTATUS[0]}}'],
                          capture_output=True, check=False, timeout=60)
    check(done.stdout == b'range\n141\n', done.stdout)


def memory_stays_bounded(query, *words):
    child = query.start(*words)
    total = 0
    while piece := child.stdout.read(1 << 20):
        total += len(piece)
    child.stdout.close()
    child.stderr.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    check(child.returncode == 0, child.returncode)
    limit = 600_000 if IS_SANITIZED else 150_000
    check(usage.ru_maxrss < limit, f'{usage.ru_maxrss} kB for {total} bytes')
    return total


def a_huge_result_is_streamed(query):
    rows = 300_000 if IS_SANITIZED else 6_000_000
    for form in ('csv', 'jsonl', 'table'):
        total = memory_stays_bounded(
            query, '--format', form,
            f"SELECT i, i * i AS square, 'name ' || i AS name FROM range({rows // 3}) t(i)")
        check(total > rows * 5, total)


def json_output_is_valid(query):
    done = query.run('--format', 'json', 'FROM Layer ORDER BY id')
    rows = json.loads(done.stdout)
    check(rows[0] == {'id': 1, 'name': 'plain', 'ratio': None, 'steps': [1, None, 3],
                      'exact': 9007199254740993}, rows[0])
    check(rows[1]['exact'] == -9223372036854775808 and rows[1]['name'] == 'naïve 日本', rows[1])
    check(rows[2]['steps'] is None, rows[2])


def a_terminal_gets_a_table_that_fits(query):
    seen, code = query.on_terminal('SELECT i, repeat(\'x\', 60) AS long, NULL AS n '
                                   'FROM range(250) t(i)')
    lines = seen.replace('\x1b[2m', '').replace('\x1b[1m', '').replace('\x1b[0m', '').splitlines()
    check(code == 0, code)
    check(len(lines) == 102, len(lines))
    check(all(len(line) <= 40 for line in lines), max(lines, key=len))
    check(lines[1].startswith(' 0  xxxx') and '…' in lines[1], lines[1])
    check(lines[-1] == '… 150 more rows', lines[-1])
    check('\x1b[2mNULL\x1b[0m' in seen, seen[:300])


def colours_can_be_turned_off(query):
    seen, _ = query.on_terminal('SELECT NULL AS n', environment={'NO_COLOR': '1'})
    check('\x1b' not in seen, repr(seen))
    check(seen.splitlines()[1:] == ['NULL', '1 row'], seen)


def the_prompt_works(query):
    seen, code = query.on_terminal(columns=80, typed=[
        (b'neuron> ', b'SELECT count(*) AS many\n'),
        (b'...> ', b'FROM Instruction;\n'),
        (b'1 row', b'SELECT * FROM Instrction;\n'),
        (b'did you mean', b'.tables\n'),
        (b'Warning', b'.quit\n'),
    ])
    check(code == 0, code)
    check('1000' in seen and "did you mean 'Instruction'?" in seen, seen)
    check('Layer' in seen.split('.tables')[-1], seen)


def ctrl_c_at_the_prompt_ends_only_the_query(query):
    def ctrl_c(pid):
        wait_until_busy(pid)
        return b'\x03'

    seen, code = query.on_terminal(columns=80, typed=[
        (b'neuron> ', ENDLESS.encode() + b';\n'),
        (b'1000000) b;', ctrl_c),
        (b'interrupted\r\nneuron> ', b'SELECT 40 + 2 AS answer;\n'),
        # Not ctrl-d: before the prompt is ready, the terminal would swallow it.
        (b'1 row\x1b[0m\r\nneuron> ', b'.quit\n'),
    ])
    check(code == 0, (code, seen))
    check('the query was interrupted' in seen and '42' in seen, seen)


CASES = [ctrl_c_ends_a_query, ctrl_c_leaves_no_file_behind, a_background_job_ignores_ctrl_c,
         the_time_limit_ends_a_query, a_reader_that_closes_the_pipe_ends_it, a_huge_result_is_streamed,
         json_output_is_valid, a_terminal_gets_a_table_that_fits, colours_can_be_turned_off,
         the_prompt_works, ctrl_c_at_the_prompt_ends_only_the_query]


def main(argv):
    program, make_tables = (pathlib.Path(a).resolve() for a in argv[1:3])
    if subprocess.run([make_tables, '--check'], stdout=subprocess.DEVNULL, check=False).returncode:
        print('1..0 # SKIP there is no DuckDB library here')
        return 0

    def prepare(folder):
        subprocess.run([make_tables, folder / 'profile'], check=True)
        return Query(program, folder)

    return run_cases(CASES, prepare)


if __name__ == '__main__':
    sys.exit(main(sys.argv))
