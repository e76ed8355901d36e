#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the shape of the tree: lines and files per room, function sizes, asserts, and the places
that may read better in one piece: headers with a single user and functions called once.

usage: survey.py [--lists] [FOLDER...]

Shown in review; it fails nothing. --lists names the headers and functions.
"""

import collections
import pathlib
import re
import sys

ROOMS = ['base', 'machine', 'format', 'assemble', 'runtime/trace', 'runtime/device', 'runtime/timing',
         'runtime/nrt', 'capture', 'model', 'decode', 'analyse', 'tables', 'store', 'query',
         'pipeline', 'export', 'serve', 'cli', 'include']
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
FUNCTION = re.compile(r'^((?:static )?[a-z][^;={}()]*?\b(\w+)\([^;{}]*\)(?: [A-Z_]\w*(?:\([^)]*\))?)?)\n\{\n(.*?)^\}',
                      re.M | re.S)
ASSERT = re.compile(r'\b(?:static_)?assert\(')
SHORT_LINES = 8


def share(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * percent // 100)] if values else 0


def functions_of(text):
    for match in FUNCTION.finditer(text):
        yield match[2], match[1].startswith('static'), match[3].count('\n') + 2 + match[1].count('\n')


def main(arguments):
    wants_lists = '--lists' in arguments
    rooms = [a for a in arguments if not a.startswith('--')] or ROOMS
    texts = {f.as_posix(): f.read_text(encoding='utf-8', errors='replace')
             for top in sorted({r.split('/')[0] for r in ROOMS}) for f in pathlib.Path(top).rglob('*.[ch]')}
    users = collections.defaultdict(set)
    for path, text in texts.items():
        for target in INCLUDE.findall(text):
            users[target].add(path)

    total = collections.Counter()
    all_sizes = []
    print(f'{"room":<16}{"files":>7}{"lines":>8}{"p50":>5}{"p90":>5}{"max":>5}{"asserts/1000":>14}'
          f'{"one-user .h":>13}{"called once":>13}')
    for room in rooms:
        paths = sorted(p for p in texts if p.startswith(room + '/'))
        sizes, lonely, once = [], [], []
        for path in paths:
            text = texts[path]
            others = {u for u in users[path] if u[:-1] != path[:-1]}
            if path.endswith('.h') and room != 'include' and len(others) <= 1:
                lonely.append(f'{path} <- {", ".join(others) or "none"}')
            for name, is_static, size in functions_of(text):
                sizes.append(size)
                uses = len(re.findall(rf'\b{name}\b', text))
                is_called = len(re.findall(rf'\b{name}\(', text)) == uses
                if is_static and size <= SHORT_LINES and uses == 2 and is_called:
                    once.append(f'{path}: {name}')
        lines = sum(texts[p].count('\n') for p in paths)
        asserts = sum(len(ASSERT.findall(texts[p])) for p in paths)
        all_sizes += sizes
        total.update(files=len(paths), lines=lines, asserts=asserts, lonely=len(lonely), once=len(once))
        print(f'{room:<16}{len(paths):>7}{lines:>8}{share(sizes, 50):>5}{share(sizes, 90):>5}'
              f'{max(sizes, default=0):>5}{1000 * asserts / max(lines, 1):>14.1f}{len(lonely):>13}{len(once):>13}')
        if wants_lists:
            print(*(f'    header with one user: {line}' for line in lonely), sep='\n')
            print(*(f'    short and called once: {line}' for line in once), sep='\n')
    print(f'{"all":<16}{total["files"]:>7}{total["lines"]:>8}{share(all_sizes, 50):>5}{share(all_sizes, 90):>5}'
          f'{max(all_sizes, default=0):>5}{1000 * total["asserts"] / max(total["lines"], 1):>14.1f}'
          f'{total["lonely"]:>13}{total["once"]:>13}')


if __name__ == '__main__':
    main(sys.argv[1:])
