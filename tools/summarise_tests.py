#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Add up test results; the last line is "N passed, N failed".

usage: summarise_tests.py FILE...
       summarise_tests.py --failed LOG     the tests that may run once more, one a line

A FILE is meson's testlog.json or plain TAP. Each case of a TAP test counts; a test that
speaks no TAP counts as one. A test that failed without a failing case (it crashed, it ran
out of time, its plan was not kept) counts as one more failure. A FILE that does not exist
is a failure: its tests should have run. Exits 1 on any failure or if nothing ran.

LOG-again.json beside a LOG.json holds the tests that failed and were run once more, alone. What
passed then counts as passed and is listed as unsteady: somebody has to find out why.
"""

import json
import pathlib
import re
import sys

PLAN = re.compile(r'^1\.\.\d+', re.M)
CASE = re.compile(r'^(ok|not ok)\b(.*)$', re.M)
SANITIZER = re.compile(r'Sanitizer|runtime error:')
GOOD = {'OK', 'EXPECTEDFAIL'}


def count_tap(text):
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    for verdict, rest in CASE.findall(text):
        directive = re.search(r'#\s*(skip|todo)', rest, re.I)
        if directive and (directive.group(1).lower() == 'skip' or verdict == 'not ok'):
            counts['skipped'] += 1
        else:
            counts['passed' if verdict == 'ok' else 'failed'] += 1
    return counts


def count_test(test):
    output = test.get('stdout') or ''
    counts = count_tap(output if PLAN.search(output) else '')
    cases = sum(counts.values())
    if test['result'] == 'SKIP':
        counts['skipped'] += not cases
    elif test['result'] in GOOD:
        counts['passed'] += not cases
    else:
        counts['failed'] += not counts['failed']
    return counts


def tests_of(path):
    text = path.read_text(encoding='utf-8', errors='replace')
    return [json.loads(line) for line in text.split('\n') if line]


def may_run_again(test):
    """What a sanitizer reported is a fault, even if it happens only once."""
    output = (test.get('stdout') or '') + (test.get('stderr') or '')
    return count_test(test)['failed'] and not SANITIZER.search(output)


def failing_cases(test):
    lines = (test.get('stdout') or '').split('\n')
    return [line for line in lines if line.startswith('not ok')]


def counts_of(path):
    if not path.exists():
        print(f'{path}: missing, the tests did not run')
        return {'passed': 0, 'failed': 1, 'skipped': 0}
    if path.suffix != '.json':
        return count_tap(path.read_text(encoding='utf-8', errors='replace'))
    again_path = path.with_name(f'{path.stem}-again.json')
    again = {t['name']: t for t in tests_of(again_path)} if again_path.exists() else {}
    sums = {'passed': 0, 'failed': 0, 'skipped': 0}
    for first in tests_of(path):
        name = first['name']
        test = again.get(name, first)
        counts = count_test(test)
        if counts['failed']:
            print(f'{path}: {name}: {test["result"]}', *failing_cases(test), sep='\n  ')
        elif name in again:
            print(f'{path}: unsteady: {name} failed, then passed alone',
                  *failing_cases(first), sep='\n  ')
        for key, value in counts.items():
            sums[key] += value
    return sums


def sentence(counts):
    skipped = f', {counts["skipped"]} skipped' if counts['skipped'] else ''
    return f'{counts["passed"]} passed, {counts["failed"]} failed{skipped}'


def main(argv):
    if argv[1:2] == ['--failed']:
        # meson prints "project:suite / name" and takes the name.
        print(*(test['name'].rpartition(' / ')[2] for test in tests_of(pathlib.Path(argv[2]))
                if may_run_again(test)), sep='\n')
        return 0
    total = {'passed': 0, 'failed': 0, 'skipped': 0}
    for name in argv[1:]:
        counts = counts_of(pathlib.Path(name))
        print(f'{name}: {sentence(counts)}')
        for key, value in counts.items():
            total[key] += value
    print(sentence(total))
    return 1 if total['failed'] or not total['passed'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
