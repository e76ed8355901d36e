#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile every public header alone, and the C examples of a document against them, unchanged.

usage: check_examples.py FOLDER_OF_HEADERS DOCUMENT

An example is what follows ".. code-block:: c"; its includes go in front, the rest into a
function. They say nullptr, so they are compiled as C++, and as C with that word explained.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r'^( *)\.\. code-block:: c\n\n((?:\1 +.*\n|\s*\n)+)', re.M)
INCLUDES = '#include <stdio.h>\n#include <stdlib.h>\n'
COMPILERS = (['g++', '-x', 'c++', '-std=c++11'], ['gcc', '-x', 'c', '-Dnullptr=NULL'])


def program_of(example):
    lines = textwrap.dedent(example).splitlines()
    heads = [line for line in lines if line.startswith('#include')]
    body = [line for line in lines if not line.startswith('#include')]
    return INCLUDES + '\n'.join(heads) + '\nvoid example(void);\nvoid example(void)\n{\n' \
        + '\n'.join(body) + '\n}\n'


def count_bad(programs, include):
    bad = 0
    for program in programs:
        for compiler in COMPILERS:
            done = subprocess.run([*compiler, '-fsyntax-only', '-Wall', '-Werror', '-I', include,
                                   '-'], input=program, text=True, check=False)
            bad += done.returncode != 0
    return bad


def main(argv):
    document = pathlib.Path(argv[2])
    headers = sorted((pathlib.Path(argv[1]) / 'nrt').glob('*.h'))
    bad = count_bad([f'#include <nrt/{header.name}>\n' for header in headers], argv[1])
    print(f'{len(headers)} headers, {bad} do not compile alone')
    if bad or not headers or not document.exists():
        if not bad:
            print(f'{document} is not here: its examples are skipped')
        return 1 if bad or not headers else 77
    examples = [match[1] for match in BLOCK.findall(document.read_text(encoding='utf-8'))]
    bad = count_bad(map(program_of, examples), argv[1])
    print(f'{len(examples)} examples, {bad} do not compile')
    return 1 if bad or not examples else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
