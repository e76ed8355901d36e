# SPDX-License-Identifier: Apache-2.0
"""Runs cases and reports them in TAP.

A case is a function named after what it shows, or a pair of name and function. It fails by any
exception, and is skipped by raising Skip. What it returns, if anything, is printed after its name.
"""

import pathlib
import tempfile


class Skip(Exception):
    """The reason why a case cannot run here."""


def run_cases(cases, prepare=lambda folder: folder):
    """Calls each case with what prepare makes of a new folder. Returns the exit code."""
    failed = 0
    cases = [case if isinstance(case, tuple) else (case.__name__.replace('_', ' '), case)
             for case in cases]
    print(f'1..{len(cases)}')
    for number, (name, case) in enumerate(cases, 1):
        try:
            with tempfile.TemporaryDirectory(prefix='nx-case-') as folder:
                remark = case(prepare(pathlib.Path(folder)))
            print(f'ok {number} - {name}' + (f': {remark}' if remark else ''), flush=True)
        except Skip as why:
            print(f'ok {number} - {name} # SKIP {why}', flush=True)
        except Exception as why:  # the other cases still have something to report
            failed = 1
            lines = f'{type(why).__name__}: {why}'[:4000].splitlines()
            print(f'not ok {number} - {name}', *(f'# {line}' for line in lines), sep='\n', flush=True)
    return failed
