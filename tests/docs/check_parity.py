#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check docs/parity.md: the tests and cases it names exist, and no feature of the guides is missing.

usage: check_parity.py SOURCE_ROOT BUILD_ROOT SHARED

A case of `cli` is a title of a .cases file. The words of any other case must stand, in this order, in
the file of its test (golden/<name>.py, unit/.../test_<name>.c), or in any if that has another name. Without SHARED/specs/features.md the list of features is not compared. Prints
TAP.
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap_cases import Skip, run_cases  # noqa: E402

SOURCE, BUILD, SHARED = (pathlib.Path(name) for name in sys.argv[1:4])
ROW = re.compile(r'^\| ([A-Z]+-\d+) \| ([^|]+) \| ([^|]+) \|$', re.M)
BEYOND = re.compile(r'^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$', re.M)  # features of our own
ID = re.compile(r'[A-Z]+-\d+')
SECTIONS = {f'1.{number}' for number in (*range(1, 11), 20, 24, 27)}
TEXTS = {'.c', '.py', '.mjs', '.ts', '.cases', '.sh'}


def rows(*patterns):
    text = (SOURCE / 'docs/parity.md').read_text()
    found = [pattern.findall(text) for pattern in patterns or (ROW, BEYOND)]
    assert all(found), 'no rows'
    return sum(found, [])


def words(text):
    return ' '.join(re.findall(r'[a-z0-9]+', text.lower()))


def every_feature_has_a_test_a_need_or_a_gap(_):
    for name, _, shown in rows():
        assert re.search(r'`|needs |open: ', shown), name


def every_test_exists(_):
    tests = json.loads((BUILD / 'meson-info/intro-tests.json').read_text())
    names = {test['name'] for test in tests}
    folders = {name.partition('/')[0] for name in names}
    for name, _, shown in rows():
        for test in re.findall(r'`([a-z0-9_/]+)`', shown):
            # A build may leave a whole folder out: the pages, for instance.
            assert test in names or test.partition('/')[0] not in folders, f'{name}: {test}'


def every_case_exists(_):
    files = [path for folder in ('tests', 'ui/tests') for path in (SOURCE / folder).rglob('*')
             if path.suffix in TEXTS and path.is_file()]
    texts = {path: f' {words(path.read_text(errors="replace"))} ' for path in files}
    titles = {line[2:] for path in (SOURCE / 'tests/cli').glob('*.cases')
              for line in path.read_text().splitlines() if line.startswith('# ')}
    for name, _, shown in rows():
        test = ''
        for other, case in re.findall(r'`([^`]+)`|"([^"]+)"', shown):
            test = other or test
            unit = f'test_{test.split("/")[-1]}.c'
            own = [t for path, t in texts.items() if path.as_posix().endswith(f'/{test}{path.suffix}')]
            own = own or [t for path, t in texts.items() if path.name == unit]
            found = case in titles if test == 'cli' else any(
                f' {words(case)} ' in t for t in own or texts.values())
            assert other or found, f'{name}: {case}'


def no_feature_is_missing_or_listed_twice(_):
    listed = [name for name, _, _ in rows(ROW)]
    assert len(set(listed)) == len(listed), sorted(n for n in listed if listed.count(n) > 1)
    path = SHARED / 'specs/features.md'
    if not path.exists():
        raise Skip('the list of features is not here')
    section, wanted, known = None, set(), set()
    for line in path.read_text().splitlines():
        heading = re.match(r'##+ (\d+\.\d+[a-z]?)?', line)
        section = heading.group(1) if heading else section
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if ID.fullmatch(cells[0]):
            known.add(cells[0])
            if section in SECTIONS and cells[-1] != 'no':
                wanted.add(cells[0])
    assert wanted <= set(listed) <= known, \
        f'missing {wanted - set(listed)}, unknown {set(listed) - known}'
    return f'{len(wanted)} features'


if __name__ == '__main__':
    sys.exit(run_cases([every_feature_has_a_test_a_need_or_a_gap, every_test_exists,
                        every_case_exists, no_feature_is_missing_or_listed_twice]))
