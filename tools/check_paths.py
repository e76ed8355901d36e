#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the data paths that ARCHITECTURE.md draws: every step exists and leads to the next.

usage: check_paths.py [ROOT]

Below the heading "Data paths", every numbered list is a chain of steps

    1. `file` `function`: what it does

The function must be defined in the file. Unless it is the last of its list, it must reach the next
one: its text, or that of functions and tables of the same file that it leads to, mentions the next
function. A call through a pointer or over HTTP names what is mentioned instead:

    2. `file` `function` -> `member`: what it does

Then the function reaches `member`, and some file of the tree mentions the next function beside its
definition.
"""

import functools
import pathlib
import re
import sys

STEP = re.compile(r'^\d+\. `([^`]+)` `([^`]+)`(?: -> `([^`]+)`)?:')


def lists_of(text):
    """[(line, file, function, member)] of each numbered list below the heading."""
    is_inside, steps = False, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('## '):
            is_inside = line == '## Data paths'
        if not is_inside:
            continue
        step = STEP.match(line)
        if step:
            if line.startswith('1. ') and steps:
                yield steps
                steps = []
            steps.append((number,) + step.groups())
        elif re.match(r'\d+\. ', line):
            steps.append((number, None, None, None))
    if steps:
        yield steps


def without_comments(text):
    return re.sub(r'(?<!:)//.*', '', re.sub(r'/\*.*?\*/', '', text, flags=re.S))


class Source:
    """A file split into its definitions, which start and end in the first column."""

    def __init__(self, path):
        self.pieces, lines = [], []
        for line in without_comments(path.read_text()).splitlines():
            lines.append(line)
            if line.startswith(('}', ')')) or re.match(r'\S.*;\s*$', line):
                self.pieces.append('\n'.join(lines))
                lines = []
        self.pieces.append('\n'.join(lines))
        self.named = {}
        for piece in self.pieces:
            for name in self.names_of(piece):
                self.named.setdefault(name, piece)

    @staticmethod
    def names_of(piece):
        """The body of a function, a table, or a class and its methods; "" if there is none."""
        code = re.sub(r'^#.*$', '', piece, flags=re.M)
        if '{' not in code and '=>' not in code:
            return []
        head = code[:code.index('{')] if '{' in code else code
        if re.search(r'\bclass \w+', head):
            return re.findall(r'^\s+(?:(?:async|private|static|public|readonly) )*(\w+)\(', code, re.M) + \
                re.findall(r'class (\w+)', head)
        const = re.search(r'^(?:export )?const (\w+)', code.lstrip())
        if const:
            return [const.group(1)]
        handler = re.match(r'NX_HANDLER\((\w+)\)', head.strip())
        if handler:
            return ['nx_handle_' + handler.group(1)]
        before = re.match(r'[^(\[=]*?(\w+)\s*[(\[=<]', head.strip(), re.S)
        return [before.group(1)] if before else []

    def reached_from(self, name):
        """The text of a definition and of all definitions in this file that it uses."""
        seen, waiting = set(), [name]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            waiting += [w for w in re.findall(r'\w+', self.named[name])
                        if w in self.named and w not in seen]
        return '\n'.join(self.named[name] for name in seen)


@functools.cache
def source(path):
    return Source(path)


def mentions(text, words):
    return re.search(r'(?<!\w)' + re.escape(words) + r'(?!\w)', text) is not None


def is_passed_on(root, name):
    """Whether a file mentions the function other than to declare, define or call it."""
    if name.startswith('nx_handle_'):  # routes name handlers without their prefix
        routes = root / 'serve' / 'routes.c'
        return mentions(routes.read_text(), name[len('nx_handle_'):]) if routes.is_file() else False
    for path in list(root.rglob('*.[ch]')) + list(root.rglob('*.ts*')):
        if path.relative_to(root).parts[0].startswith(('build', 'tests')) or 'node_modules' in path.parts:
            continue
        text = path.read_text(errors='replace')
        if name in text and re.search(r'(?<!\w)' + re.escape(name) + r'(?!\w|\()',
                                      without_comments(text)):
            return True
    return False


def faults_of(root, steps):
    for at, (line, file, function, member) in enumerate(steps):
        if file is None:
            yield line, 'a step is "N. `file` `function`: what it does"'
            continue
        path = root / file
        if not path.is_file():
            yield line, 'there is no file %s' % file
            continue
        if function not in source(path).named:
            yield line, '%s does not define %s' % (file, function)
            continue
        following = steps[at + 1][2] if at + 1 < len(steps) else None
        if not following:
            continue
        text = source(path).reached_from(function)
        if not mentions(text, member or following):
            yield line, '%s does not lead to %s' % (function, member or following)
        elif member and not is_passed_on(root, following):
            yield line, 'nothing passes %s on, so %s cannot lead there' % (following, member)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    lists = list(lists_of((root / 'ARCHITECTURE.md').read_text()))
    faults = [fault for steps in lists for fault in faults_of(root, steps)]
    for line, why in faults:
        print('ARCHITECTURE.md:%d: %s' % (line, why))
    print('paths: %d lists, %d steps, %d faults' % (len(lists), sum(map(len, lists)), len(faults)))
    return not lists or faults != []


if __name__ == '__main__':
    sys.exit(main())
