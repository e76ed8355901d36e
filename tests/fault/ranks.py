#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One rank of nccom-test cannot create a thread or process; the others must not wait.

usage: ranks.py NEURON_EXPLORER REFUSE_AT

Prints TAP.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, REFUSE_AT = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
PATIENCE_S = 60  # ranks that wait for each other would take minutes
CASES = [
    ('a refused thread ends all ranks with one error', 'allr -r 4 -b 1k -e 1k',
     {'NX_REFUSE_THREAD': '3'}, 'the system refuses to start a thread'),
    ('a refused process ends all ranks with one error', 'allr -r 4 -b 1k -e 1k --processes',
     {'NX_REFUSE_FORK': '3'}, 'cannot start a process for rank 2'),
]


def run(folder, line, environment):
    done = subprocess.run([str(folder / 'nccom-test'), *line.split()], capture_output=True,
                          text=True, timeout=PATIENCE_S, cwd=folder,
                          env={**os.environ, 'LD_PRELOAD': str(REFUSE_AT), **environment})
    return done.returncode, done.stderr


def main():
    print(f'1..{len(CASES)}')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'nccom-test').symlink_to(PROGRAM)
        for number, (title, line, environment, words) in enumerate(CASES, 1):
            try:
                code, said = run(folder, line, environment)
                is_right = code not in (0, -6, -9, -11) and said.count(words) == 1
            except subprocess.TimeoutExpired:
                is_right, said = False, 'the ranks wait for each other'
            print(f'{"ok" if is_right else "not ok"} {number} - {title}', flush=True)
            if not is_right:
                print('# ' + said.replace('\n', '\n# '), flush=True)


main()
