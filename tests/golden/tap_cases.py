# SPDX-License-Identifier: Apache-2.0
"""Runs cases, each in a new folder, and tells of them in TAP."""

import pathlib
import subprocess
import tempfile

FAULTS = (AssertionError, OSError, LookupError, StopIteration, ValueError,
          subprocess.SubprocessError)


def title_of(case):
    return case.__name__.replace('_', ' ')


def run_cases(cases, prepare=lambda folder: folder):
    """cases: (name, function) each, called with what prepare makes of the folder; 1 if one fails."""
    failed = 0
    print('1..%d' % len(cases))
    for number, (name, case) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(prepare(pathlib.Path(folder)))
                print('ok %d - %s' % (number, name), flush=True)
            except FAULTS as why:
                failed = 1
                print('not ok %d - %s' % (number, name))
                print('\n'.join('# ' + line for line in repr(why).splitlines()), flush=True)
    return failed
