#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that run_commands.py finds errors in documents. Prints TAP.

usage: test_run_commands.py BUILD_DIR
"""

import pathlib
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).with_name('run_commands.py')
# A document, the number of lines that must fail, and what it tests.
CASES = (
    ('```sh\ntrue\n```\n', 0, 'a command that succeeds'),
    ('```sh\nfalse | true\n```\n', 1, 'a command that fails inside a pipe'),
    ('```sh\nX=5\ncd /\n```\n```sh\n[ "$X$PWD" = 5/ ]\n```\n', 0, 'variables and folder carry over'),
    ('```sh\n[ -z "$(ls -A "$HOME")" ] && [ -e README.md ] && [ -x build/neuron-explorer ]\n```\n', 0,
     'an empty home, a clone, a build'),
    ('```console\n$ echo a  b; echo c\na b\nc\n```\n', 0, 'output as shown'),
    ('```console\n$ seq 9\n1\n...\n9\n```\n', 0, 'lines left out'),
    ('```console\n$ seq 9\n1\n...\n8\n```\n', 1, 'another last line'),
    ('```console\n$ echo a\n$ echo b\nb\n```\n', 1, 'output that is not shown'),
    ('```sh\necho no address   # ctrl-c to stop\n```\n', 1, 'a server without an address'),
    ('```sh\n! echo "$PATH" | grep -q /build\nneuron-explorer-too list\n```\n', 1,
     'the build is in PATH only if the document says so'),
    ('```sh\nPATH=$PWD/build:$PATH\nneuron-explorer view   # ctrl-c to stop\n```\n', 0,
     'a server that answers'),
    ('```text\ngit clone x && make run\nmake nonsense\n```\n', 1, 'a target that does not exist'),
    ('no commands\n', 1, 'a document without commands'),
)


def main():
    failed = 0
    print('1..%d' % len(CASES))
    for number, (text, expected, title) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            document = pathlib.Path(folder) / 'a.md'
            document.write_text(text)
            done = subprocess.run([RUNNER, sys.argv[1], document], stdout=subprocess.PIPE, text=True,
                                  check=False)
        wrong = done.stdout.count('\nnot ok') + done.stdout.startswith('not ok')
        is_right = wrong == expected and (done.returncode != 0) == (expected != 0)
        failed |= not is_right
        print('%sok %d - %s' % ('' if is_right else 'not ', number, title))
        if not is_right:
            print('# ' + done.stdout.replace('\n', '\n# '))
    return failed


if __name__ == '__main__':
    sys.exit(main())
