#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run all commands of a document in order, in an empty home folder.

usage: run_commands.py BUILD_DIR DOCUMENT...

Fenced blocks are treated by their language:

    sh        every command must succeed
    console   lines after "$ " are commands; they must succeed and print the lines that follow.
              "..." stands for any number of lines, and runs of spaces compare equal
    text      not run: what needs a network, another machine or minutes. Their "make" targets must exist
    other     not run (json, c, ...)

A command whose comment says "ctrl-c" serves: it is started, its printed address is fetched, and
SIGINT ends it. SQL is skipped where there is no DuckDB library. Each document starts in a fresh stand-in for a clone: links to the source tree, and
"build" is BUILD_DIR. Variables and the working directory carry over from command to command.
Prints TAP. The commands use port 3001, so they run in a new network namespace if possible.
"""

import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PORT = 3001
PATIENCE_S = 120
CLONE_NEWNET, CLONE_NEWUSER = 0x40000000, 0x10000000
LIBRARIES = {'libnrt.so.1': 'nrt', 'libnxprofiler.so.1': 'profiler',
             'libnxservice.so.1': 'service'}  # and their rooms


class Failure(Exception):
    pass


class Command:
    """One command, its expected output (None: any), and its position."""

    def __init__(self, text, line, expected):
        self.text, self.line, self.expected = text, line, expected

    @property
    def serves(self):
        return re.search(r'#.*\bctrl-c\b', self.text) is not None


def blocks(document):
    """(language, first line, lines) of each fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        fence = re.match(r'```(\w*)\s*$', line)
        if fence and language is None:
            language, start, lines = fence.group(1), number + 1, []
        elif fence:
            yield language, start, lines
            language = None
        elif language is not None:
            lines.append(line)
    if language is not None:
        raise SystemExit('%s:%d: the block does not end' % (document, start))


def shell_commands(start, lines):
    """A backslash at the end of a line continues it."""
    text, first = '', start
    for number, line in enumerate(lines, start):
        if not text:
            first = number
        if line.endswith('\\'):
            text += line[:-1]
        else:
            text += line
            if text.strip() and not text.lstrip().startswith('#'):
                yield Command(text.strip(), first, None)
            text = ''


def console_commands(start, lines):
    command = None
    for number, line in enumerate(lines, start):
        if line.startswith('$ '):
            if command:
                yield command
            command = Command(line[2:], number, [])
        elif command:
            command.expected.append(line)
    if command:
        yield command


def commands_of(document):
    for language, start, lines in blocks(document):
        if language == 'sh':
            yield from shell_commands(start, lines)
        elif language == 'console':
            yield from console_commands(start, lines)


def make_targets(document):
    """(line, target) of every "make TARGET" at the start of a line in a text block."""
    for language, start, lines in blocks(document):
        if language == 'text':
            for number, line in enumerate(lines, start):
                for target in re.findall(r'(?:^|&& )make ([a-z-]+)', line):
                    yield number, target


def normal(line):
    return re.sub(r'\s+', ' ', line).strip()


def matches(expected, got):
    """Whether the lines match; "..." stands for any number of lines."""
    if not expected:
        return not got
    if expected[0] == '...':
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and normal(expected[0]) == normal(got[0]) and matches(expected[1:], got[1:])


def link_build(build, place):
    """A folder like the one that "make" creates: the runtime is in lib/."""
    (place / 'lib').mkdir(parents=True)
    for entry in build.iterdir():
        if entry.name != 'lib':
            (place / entry.name).symlink_to(entry)
    for entry in (build / 'lib').glob('*'):
        if entry.name not in LIBRARIES:
            (place / 'lib' / entry.name).symlink_to(entry)
    for name, room in LIBRARIES.items():
        (place / 'lib' / name).symlink_to(build / 'runtime' / room / name)


def answers(address):
    """The page, or the API if the build has no pages."""
    for place in (address, re.match(r'http://[^/]+', address).group() + '/api/v1/health'):
        try:
            with urllib.request.urlopen(place, timeout=PATIENCE_S) as answer:
                return answer.status == 200
        except urllib.error.HTTPError:
            pass
    return False


def has_duckdb(build):
    """The same check as in tests/cli."""
    tables = build / 'tests' / 'make_tables'
    return subprocess.run([tables, '--check'], stdout=subprocess.DEVNULL,
                          check=False).returncode == 0


class Shell:
    """Runs commands in sequence; a file passes variables and the folder from one to the next."""

    def __init__(self, folder, build):
        self.state = folder / 'state.sh'
        self.clone = folder / 'neuron-explorer'
        self.groups = []
        home = folder / 'home'
        home.mkdir()
        self.clone.mkdir()
        for entry in SOURCE.iterdir():
            if not entry.name.startswith(('.', 'build')) and entry.name != 'tour':
                (self.clone / entry.name).symlink_to(entry)
        link_build(build.resolve(), self.clone / 'build')
        # The environment of a fresh account: a locale and a terminal.
        self.environment = {'HOME': str(home), 'PATH': '/usr/local/bin:/usr/bin:/bin', 'LANG': 'C.UTF-8',
                            'TERM': 'dumb', 'TMPDIR': str(folder)}
        self.environment.update({k: v for k, v in os.environ.items()
                                 if k.startswith(('ASAN_', 'UBSAN_', 'LSAN_'))})

    def script(self, text):
        return ('cd %s; [ ! -e %s ] || . %s; trap \'export -p >%s; echo "cd \\"$PWD\\"" >>%s\' EXIT\n'
                'set -a -o pipefail\n%s\n' % ((self.clone,) + (self.state,) * 4 + (text,)))

    def start(self, text, **pipes):
        process = subprocess.Popen(['bash', '-c', self.script(text)], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT if 'joined' in pipes else subprocess.PIPE,
                                   text=True, start_new_session=True)
        self.groups.append(process.pid)
        return process

    def close(self):
        """Waits briefly for background processes of a command, then kills them."""
        deadline = time.monotonic() + 10
        for group in self.groups:
            try:
                while time.monotonic() < deadline:
                    os.killpg(group, 0)
                    time.sleep(0.05)
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def run(self, command):
        process = self.start(command.text)
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failure('does not end within %d s; does it serve? then say "ctrl-c" in a comment'
                          % PATIENCE_S)
        if process.returncode:
            raise Failure('exit code %d\n%s%s' % (process.returncode, out, err))
        if command.expected is not None and not matches(command.expected, out.splitlines()):
            raise Failure('expected\n%s\ngot\n%s' % ('\n'.join(command.expected), out))

    def serve(self, command):
        """The printed URL must respond, and ctrl-c must stop the server without an error."""
        process = self.start('exec ' + command.text, joined=True)
        said, address = [], None
        try:
            for line in process.stdout:
                said.append(line)
                found = re.search(r'http://\S+', line)
                address = address or (found and found.group())
                if 'ctrl-c' in line:
                    break
            if not address:
                raise Failure('prints no address:\n' + ''.join(said))
            if not answers(address):
                raise Failure('%s does not answer' % address)
            os.killpg(process.pid, signal.SIGINT)
            code = process.wait(PATIENCE_S)
            if code not in (0, 130):
                raise Failure('ctrl-c ends it with exit code %d' % code)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def leave_network():
    """Enters a new network namespace, so that port 3001 is free, if that is allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) and libc.unshare(CLONE_NEWUSER | CLONE_NEWNET):
        return False
    # SIOCSIFFLAGS: loopback up (IFF_UP | IFF_LOOPBACK | IFF_RUNNING).
    import fcntl
    import struct
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack('16sh22x', b'lo', 0x49))
    return True


def wait_for_port():
    """Another server may use the port for a short time."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with socket.socket() as s:
            if s.connect_ex(('127.0.0.1', PORT)):
                return
        time.sleep(0.5)
    raise Failure('port %d is taken by another program' % PORT)


def run_document(document, build, report):
    targets = set(re.findall(r'^([a-z][a-z-]*):', (SOURCE / 'Makefile').read_text(), re.M))
    for line, target in make_targets(document):
        report('%s:%d: make %s is a target' % (document.name, line, target),
               None if target in targets else 'the Makefile has no such target')
    with tempfile.TemporaryDirectory(prefix='nx-docs-', ignore_cleanup_errors=True) as folder:
        shell = Shell(pathlib.Path(folder), build)
        can_query = has_duckdb(build)
        for command in commands_of(document):
            title = '%s:%d: %s' % (document.name, command.line, command.text.replace('#', '\\#'))
            if re.search(r' query |/sql |where=', command.text) and not can_query:
                report(title + ' # SKIP there is no DuckDB library here', None)
                continue
            why = None
            try:
                if command.serves:
                    wait_for_port()
                    shell.serve(command)
                else:
                    shell.run(command)
            except (Failure, OSError, subprocess.TimeoutExpired) as error:
                why = str(error)
            report(title, why)
        shell.close()


def main():
    build, documents = pathlib.Path(sys.argv[1]), [pathlib.Path(a) for a in sys.argv[2:]]
    count = failed = 0

    def report(title, why):
        nonlocal count, failed
        count += 1
        failed += why is not None
        print('%sok %d - %s' % ('not ' if why else '', count, title))
        for line in (why or '').splitlines():
            print('# ' + line)

    if not shutil.which('bash'):
        print('1..0 # SKIP bash is missing')
        return 0
    if not leave_network():
        print('# no network namespace: using port %d of this machine' % PORT)
    for document in documents:
        before = count
        run_document(document, build, report)
        report('%s has commands' % document.name, None if count > before else 'none was found')
    print('1..%d' % count)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
