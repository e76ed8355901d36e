#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the command line cases and compare what users see.

usage: run.py PROGRAM_DIR MAKE_CAPTURE [CASE_FILE...]

PROGRAM_DIR has neuron-explorer and neuron-profile. Each *.cases file holds cases:

    # title
    ? unprivileged          (run as nobody when we are root; skipped if that is impossible)
    ? duckdb                (skipped where there is no DuckDB library)
    $ neuron-explorer view  (a line for sh, in a fresh folder with demo.* and other.*)
    > a line of standard output, exactly
    >~ a regular expression for one line
    >* any number of lines
    ! the same for standard error (!~ and !* too)
    = 2                     (exit code; 0 if not given)

In a command $SOURCE is the root of the tree, $MAKE_CAPTURE the maker of captures and $MAKE_TABLES,
which lies beside it, the maker of profiles for SQL; $FAKES is the folder of runtimes that fail as
told (libfake_nrt.so).

Prints TAP.
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534
SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Case:
    def __init__(self, title):
        self.title = title
        self.command = []
        self.expected = {'>': [], '!': []}
        self.code = 0
        self.is_unprivileged = False
        self.needs_duckdb = False


def read_cases(path):
    cases = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark, text = line[:1], line[2:]
        if not line.strip():
            continue
        if mark == '#':
            cases.append(Case(text))
            continue
        case = cases[-1]
        if mark == '$':
            case.command.append(text)
        elif mark == '=':
            case.code = int(text)
        elif line == '? unprivileged':
            case.is_unprivileged = True
        elif line == '? duckdb':
            case.needs_duckdb = True
        elif mark in '>!':
            kind = line[1:2] if line[1:2] in ('~', '*') else '='
            case.expected[mark].append((kind, line[3:] if kind == '~' else text))
        else:
            raise SystemExit(f'{path}:{number}: cannot read {line!r}')
    return cases


def matches(patterns, lines):
    """Whether the lines are what the patterns describe, '*' being any number of lines."""
    if not patterns:
        return not lines
    kind, text = patterns[0]
    if kind == '*':
        return any(matches(patterns[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines:
        return False
    if kind == '~' and not re.fullmatch(text, lines[0]):
        return False
    if kind == '=' and text != lines[0]:
        return False
    return matches(patterns[1:], lines[1:])


def first_difference(patterns, lines):
    for i, line in enumerate(lines):
        if i >= len(patterns) or patterns[i][0] == '*':
            break
        kind, text = patterns[i]
        if (kind == '=' and text != line) or (kind == '~' and not re.fullmatch(text, line)):
            return [f'expected {text!r}', f'     got {line!r}']
    return [f'got {line!r}' for line in lines[:20]] or ['got nothing']


def environment(program_dir, make_capture):
    keep = {k: v for k, v in os.environ.items() if k.startswith(('ASAN_', 'UBSAN_', 'LSAN_'))}
    return {**keep, 'PATH': f'{program_dir}:/usr/bin:/bin', 'LC_ALL': 'C', 'TERM': 'dumb',
            'SOURCE': str(SOURCE), 'MAKE_CAPTURE': str(make_capture),
            'MAKE_TABLES': str(make_capture.parent / 'make_tables'),
            'FAKES': str(make_capture.parent)}


@functools.cache
def has_duckdb(make_tables):
    done = subprocess.run([make_tables, '--check'], stdout=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def run(case, program_dir, make_capture, captures):
    if case.needs_duckdb and not has_duckdb(make_capture.parent / 'make_tables'):
        return None, ['there is no DuckDB library here']
    with tempfile.TemporaryDirectory(prefix='nx-cli-') as folder, \
            tempfile.TemporaryDirectory(prefix='nx-cli-coverage-') as coverage:
        variables = environment(program_dir, make_capture)
        for capture in captures.iterdir():
            shutil.copy(capture, folder)
        options = {}
        if case.is_unprivileged and os.geteuid() == 0:
            for name in [folder, *pathlib.Path(folder).iterdir()]:
                os.chown(name, NOBODY, NOBODY)
            # nobody may not add to the coverage counters of the build
            os.chmod(coverage, 0o777)
            variables['GCOV_PREFIX'] = coverage
            options = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
            reach = subprocess.run(['test', '-x', program_dir / 'neuron-explorer'], check=False,
                                   **options)
            if reach.returncode != 0:
                return None, ['nobody cannot reach the program']
        done = subprocess.run(['sh', '-c', '\n'.join(case.command)], cwd=folder, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              env=variables, **options)
    problems = []
    for mark, output in (('>', done.stdout), ('!', done.stderr)):
        lines = output.decode(errors='replace').splitlines()
        if not matches(case.expected[mark], lines):
            problems += [f'{mark} {line}' for line in first_difference(case.expected[mark], lines)]
    if done.returncode != case.code:
        problems.append(f'exit code {done.returncode}, expected {case.code}')
    return not problems, problems


def make_captures(make_capture, folder):
    for arguments in (['--demo', folder],
                      ['--tiny', folder / 'other.ntff', '--neff', folder / 'other.neff',
                       '--seed', '7'],
                      ['--tiny', folder / 'faulty.ntff', '--faults']):
        subprocess.run([make_capture, *arguments], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def main(argv):
    if len(argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    program_dir, make_capture = (pathlib.Path(a).resolve() for a in argv[1:3])
    files = [pathlib.Path(a) for a in argv[3:]]
    files = files or sorted(pathlib.Path(__file__).parent.glob('*.cases'))
    cases = [(f.stem, case) for f in files for case in read_cases(f)]
    print(f'1..{len(cases)}')
    failures = 0
    with tempfile.TemporaryDirectory(prefix='nx-captures-') as folder:
        captures = pathlib.Path(folder)
        make_captures(make_capture, captures)
        os.chmod(folder, 0o755)
        for number, (stem, case) in enumerate(cases, 1):
            passed, notes = run(case, program_dir, make_capture, captures)
            name = f'{stem}: {case.title}'.replace('#', '')
            if passed is None:
                print(f'ok {number} - {name} # SKIP {notes[0]}')
                continue
            print(f'{"ok" if passed else "not ok"} {number} - {name}', flush=True)
            failures += not passed
            for note in notes:
                print(f'#   {note}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
