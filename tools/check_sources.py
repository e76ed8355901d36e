#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check every C file: format, warnings, clang-tidy.

usage: check_sources.py format
       check_sources.py warnings BUILD
       check_sources.py tidy BUILD

The compiler flags come from BUILD/compile_commands.json, so meson.build stays their
only home. A clean file is not checked again until its preprocessed text,
its flags or the tool change. Run from the root of the tree.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path.cwd()
# Other releases of clang-format format code differently.
CLANG_FORMAT_MAJOR = '14'


def run(command):
    return subprocess.run(command, cwd=ROOT, text=True, errors='replace',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def source_files(pattern):
    skipped = re.compile(r'(build(-.*)?|third_party|node_modules|\..*)/')
    paths = (f.relative_to(ROOT).as_posix() for f in ROOT.rglob(pattern))
    return sorted(p for p in paths if not skipped.match(p))


def flags_of(command):
    """The compiler's arguments without input, output and dependency files, and with asserts."""
    words = shlex.split(command)
    # With ccache the compiler is the second word.
    arguments = iter(words[2 if pathlib.Path(words[0]).name == 'ccache' else 1:])
    flags = []
    for argument in arguments:
        if argument in ('-o', '-c', '-MQ', '-MF', '-MT'):
            next(arguments)
        elif argument not in ('-MD', '-MMD', '-DNDEBUG') and not argument.startswith('-fdiagnostics-color'):
            flags.append(argument)
    return flags


def compile_flags(build):
    """Path -> flags of every compiled file; include paths made to start at the root."""
    flags = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        folder = pathlib.Path(entry['directory'])
        path = os.path.relpath(folder / entry['file'], ROOT)
        found = []
        for flag in flags_of(entry['command']):
            if flag.startswith('-I'):
                flag = '-I' + os.path.relpath(folder / flag[2:], ROOT)
            found.append(flag)
        if not path.startswith('..'):
            flags[path] = found
    return flags


class Cache:
    """Remembers which (tool, flags, preprocessed text) were clean."""

    def __init__(self, build, *tool_facts):
        self.folder = build / 'check-cache'
        self.folder.mkdir(exist_ok=True)
        self.facts = '\0'.join(tool_facts)

    def stamp(self, command, flags, path):
        text = run(['gcc', *flags, '-E', '-C', path]).stdout
        key = '\0'.join([self.facts, *command, text]).encode()
        return self.folder / hashlib.sha256(key).hexdigest()


def check(cache, command, flags, path):
    stamp = cache.stamp(command, flags, path)
    if stamp.exists():
        return True, ''
    done = run(command)
    if done.returncode == 0:
        stamp.touch()
    return done.returncode == 0, done.stdout


def check_all(what, jobs, cache):
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for ok, output in pool.map(lambda job: check(cache, *job), jobs):
            bad += not ok
            sys.stdout.write('' if ok else output)
    print(f'{what}: {len(jobs)} checks, {bad} failed')
    return 1 if bad else 0


def tool_version(tool):
    return run([tool, '--version']).stdout


def check_format():
    version = re.search(r'version (\d+)', tool_version('clang-format'))
    if not version or version.group(1) != CLANG_FORMAT_MAJOR:
        print(f'format: skipped, it needs clang-format {CLANG_FORMAT_MAJOR}')
        return 0
    files = source_files('*.[ch]')
    done = run(['clang-format', '--dry-run', '-Werror', *files])
    sys.stdout.write(done.stdout)
    print(f'format: {len(files)} files, ' + ('bad (make format)' if done.returncode else 'good'))
    return 1 if done.returncode else 0


def check_warnings(build):
    """gcc compiles completely, because some warnings need the optimiser, unless BUILD was strict
    already; clang only checks the syntax."""
    jobs = []
    all_flags = compile_flags(build)
    for path, flags in sorted(all_flags.items()):
        if '-Werror' not in flags:
            jobs.append((['gcc', *flags, '-Werror', '-c', path, '-o', '/dev/null'], flags, path))
        jobs.append((['clang', *flags, '-Werror', '-Wno-unknown-warning-option',
                      '-fsyntax-only', path], flags, path))
    plain = next(iter(all_flags.values()))
    beside = {os.path.dirname(path): flags for path, flags in all_flags.items()}
    for path in source_files('*.h'):
        if path.startswith('tests/'):
            continue
        # A room's header must compile alone, with what the files beside it are compiled with.
        flags = beside.get(os.path.dirname(path), plain)
        jobs.append((['gcc', *flags, '-Werror', '-fsyntax-only', '-include', path, '-x', 'c',
                      '/dev/null'], [*flags, '-x', 'c'], path))
    return check_all('warnings', jobs, Cache(build, tool_version('gcc'), tool_version('clang')))


def check_tidy(build):
    """Tests are not checked with the slow static analyser, because they run under sanitizers.

    The analyser stops a function after 50,000 states: the default of 225,000 takes more than
    twice as long."""
    settings = (ROOT / '.clang-tidy').read_text()
    jobs = []
    for path, flags in sorted(compile_flags(build).items()):
        fewer = ['--checks=-clang-analyzer-*'] if path.startswith('tests/') else []
        command = ['clang-tidy', '--quiet', '--warnings-as-errors=*', *fewer, path, '--', *flags,
                   '-Wno-unknown-warning-option',
                   '-Xclang', '-analyzer-config', '-Xclang', 'max-nodes=50000']
        jobs.append((command, flags, path))
    return check_all('tidy', jobs, Cache(build, tool_version('clang-tidy'), settings))


def main(argv):
    if argv[1:] == ['format']:
        return check_format()
    if len(argv) == 3 and argv[1] in ('warnings', 'tidy'):
        build = pathlib.Path(argv[2])
        return check_warnings(build) if argv[1] == 'warnings' else check_tidy(build)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv))
