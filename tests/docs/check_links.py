#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that relative links of all documents lead to existing files and headings.

usage: check_links.py SOURCE_ROOT

Prints TAP, one line per document.
"""

import pathlib
import re
import sys


def without_code(text):
    text = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    return re.sub(r'`[^`\n]*`', lambda m: re.sub(r'[\[\]()]', '_', m.group()), text)


def anchor(heading):
    """As on GitHub: lower case, words joined by dashes, no punctuation."""
    heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading.strip().lower())
    return re.sub(r'[^\w\- ]', '', heading).replace(' ', '-')


def anchors_of(document):
    text = re.sub(r'^```.*?^```', '', document.read_text(), flags=re.M | re.S)
    return {anchor(h) for h in re.findall(r'^#+ (.*)$', text, re.M)}


def faults_of(document):
    text = without_code(document.read_text())
    links = re.findall(r'\]\(([^)\s]+)\)', text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    for link in links:
        if re.match(r'[a-z]+:', link):
            continue
        path, _, fragment = link.partition('#')
        target = (document.parent / path).resolve() if path else document
        if not target.exists():
            yield 'no such file: ' + link
        elif fragment and target.suffix == '.md' and fragment not in anchors_of(target):
            yield 'no such heading: ' + link


def main():
    root = pathlib.Path(sys.argv[1])
    documents = sorted(root.glob('*.md')) + sorted((root / 'docs').rglob('*.md'))
    failed = 0
    print('1..%d' % len(documents))
    for number, document in enumerate(documents, 1):
        faults = list(faults_of(document))
        failed |= bool(faults)
        print('%sok %d - %s' % ('not ' if faults else '', number, document.relative_to(root)))
        for fault in faults:
            print('# ' + fault)
    return failed


if __name__ == '__main__':
    sys.exit(main())
