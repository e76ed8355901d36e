#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the output of --show-profile-schema on standard input as its readers see it.

Scripts cut it at every "---" and name each piece after its first key; the pieces have to be sound
and their references have to lead somewhere. Prints what was found, one line per fault. Where
python3-yaml is installed the pieces are parsed, elsewhere only their lines are looked at.
"""

import re
import sys

try:
    import yaml
except ImportError:
    yaml = None

WORDS = {'boolean', 'integer', 'number', 'string', 'array'}


def check_lines(name, piece):
    keys = re.findall(r'^(\S[^:]*):', piece, re.M)
    if name != 'openapi' and keys != [name]:
        yield f'keys {keys} at the margin'
    for line in piece.splitlines():
        if '\t' in line or line != line.rstrip():
            yield f'tab or trailing blank: {line!r}'
    fields = set(re.findall(r"^    '?(\w+)'?:$", piece, re.M))
    required = re.search(r"^  required:\n((?:    - .*\n)+)", piece + '\n', re.M)
    for field in re.findall(r"- '?(\w+)", required.group(1)) if required else []:
        if field not in fields:
            yield f'{field} is required and not there'


def check_field(name, field):
    if not field.get('description', '').endswith('.'):
        yield f'{name} is not described'
    if 'allOf' not in field and field.get('type') not in WORDS:
        yield f'{name} has type {field.get("type")}'
    if 'allOf' not in field and (field['type'] == 'array') != ('items' in field):
        yield f'{name} has items or lacks them'


def check_document(name, document):
    if name == 'openapi':
        if not {'openapi', 'info', 'paths', 'components'} <= set(document):
            yield f'keys {sorted(document)}'
        return
    schema = document[name]
    if 'enum' in schema:
        if not all(isinstance(value, str) for value in schema['enum']):
            yield 'a value that is no text'
        return
    required = set(schema.get('required', []))
    for field, meaning in schema['properties'].items():
        if not isinstance(field, str):
            yield f'{field!r} is no text'
            continue
        yield from check_field(field, meaning)
        if (field in required) == ('nullable' in meaning):
            yield f'{field} is both required and nullable, or neither'
    if required - set(schema['properties']):
        yield 'required fields that are not there'


def main():
    pieces = {}
    faults = []
    for piece in re.split('---', sys.stdin.read()):
        name = re.match(r'\n?(\w+):', piece)
        if not name or name.group(1) in pieces:
            faults.append(f'a piece without a name of its own: {piece[:40]!r}')
            continue
        pieces[name.group(1)] = piece.strip('\n')
    for name, piece in pieces.items():
        found = list(check_lines(name, piece))
        if yaml:
            found += check_document(name, yaml.safe_load(piece))
        for target, inside in re.findall(r"\$ref: '(\w+)\.yaml#/(\w+)'", piece):
            if target != inside or target not in pieces:
                found.append(f'reference to {target}')
        faults += [f'{name}: {fault}' for fault in found]
    print('\n'.join(faults) if faults else f'{len(pieces)} documents are sound')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
