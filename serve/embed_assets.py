#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a C file that holds each given file as a struct nx_plain_asset.

usage: embed_assets.py OUTPUT FILE...
"""

import pathlib
import re
import sys

ROW_BYTES = 20


def definition(path):
    name = re.sub(r'\W', '_', path.name)
    data = path.read_bytes()
    rows = (', '.join(map(str, data[at:at + ROW_BYTES])) for at in range(0, len(data), ROW_BYTES))
    body = ',\n\t'.join(rows)
    return (f'static const unsigned char {name}[] = {{\n\t{body}\n}};\n'
            f'const struct nx_plain_asset nx_asset_{name} = {{{name}, sizeof({name})}};\n')


def main(output, *files):
    parts = ['/* SPDX-License-Identifier: Apache-2.0 */', '#include "serve/assets.h"', '']
    parts += [definition(pathlib.Path(f)) for f in files]
    pathlib.Path(output).write_text('\n'.join(parts))


main(*sys.argv[1:])
