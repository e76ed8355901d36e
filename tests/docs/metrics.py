#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that every query, table and column that docs/metrics.md names exists.

usage: metrics.py NEURON_EXPLORER DOCS
"""

import pathlib
import re
import subprocess
import sys

program, docs = sys.argv[1], pathlib.Path(sys.argv[2])
text = (docs / 'metrics.md').read_text(encoding='utf-8')
schema = subprocess.run([program, '--print-schema-docs'], capture_output=True, text=True,
                        check=True).stdout
queries = (docs.parent / 'query' / 'named_queries.c').read_text(encoding='utf-8')

named = re.findall(r'`\.query (\w+)`', text)
columns = re.findall(r'`([A-Z]\w+)\.(\w+)`', text)
wrong = [f'.query {name}' for name in named if f'{{"{name}", "' not in queries]
for table, column in columns:
    start = schema.find(f'### {table}\n')
    section = schema[start:schema.find('\n### ', start + 1)] if start >= 0 else ''
    if not re.search(rf'^\| {column}\??[ ,|]', section, re.M):
        wrong.append(f'{table}.{column}')
if not named or not columns or wrong:
    sys.exit(f'docs/metrics.md: not found: {", ".join(wrong) or "any name"}')
