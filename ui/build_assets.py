#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the pages and write them, compressed, as one C file with the table of serve/assets.h.

usage: build_assets.py auto|enabled|disabled WORK_FOLDER OUTPUT.c DEPFILE

WORK_FOLDER takes the packages and the bundle; the source tree stays as it is. With `auto`, a
machine without node, npm or network gets one plain page that says how to have the pages built.
"""

import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
PACKAGE_FILES = ('package.json', 'package-lock.json', '.npmrc')
TYPES = {
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.nasm': 'text/plain; charset=utf-8',
    '.neff': 'application/octet-stream',
    '.ntff': 'application/octet-stream',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain; charset=utf-8',
    '.woff2': 'font/woff2',
}
PLAIN_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Neuron Explorer</title>
<h1>The pages are not in this program</h1>
<p>It was built without them, because {reason}.</p>
<p>Install Node.js 18 or newer with npm (on Debian: <code>apt install nodejs npm</code>), see that
<code>npm</code> can reach its registry, then run <code>make ui</code> in the source folder and start
<code>neuron-explorer view</code> again.</p>
<p>The <a href="/api/v1/profiles">HTTP API</a> and all other commands work as they are.</p>
</html>
"""


class CannotBuild(Exception):
    pass


def run(command, what):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise CannotBuild(what)
    return done.stdout


def tool(name):
    path = shutil.which(name)
    if not path:
        raise CannotBuild(f'{name} is not installed')
    return path


def install_packages(work):
    """Run npm ci if the lists of packages have changed."""
    digest = hashlib.sha256()
    for name in PACKAGE_FILES:
        digest.update((SOURCE / name).read_bytes())
    stamp = work / 'packages.stamp'
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    npm = tool('npm')
    for name in PACKAGE_FILES:
        shutil.copy(SOURCE / name, work / name)
    # Packages' scripts are not run: esbuild's binary comes as a separate package.
    # Fail soon on a machine without network.
    run([npm, 'ci', '--ignore-scripts', '--prefer-offline', '--fetch-retries=1',
         '--fetch-timeout=60000', '--prefix', str(work)],
        'npm could not fetch the packages')
    stamp.write_text(digest.hexdigest())


def bundle(work, output, depfile):
    node = tool('node')
    install_packages(work)
    print(run([node, str(SOURCE / 'build.mjs'), '--out', str(work / 'dist'),
               '--modules', str(work / 'node_modules'),
               '--depfile', str(depfile), '--target', str(output)],
              'the sources of the pages do not build'), end='')
    return {path.name: path.read_bytes() for path in sorted((work / 'dist').iterdir())}


def plain_pages(reason, output, depfile):
    depfile.write_text(f'{output}:\n')
    return {'index.html': PLAIN_PAGE.format(reason=reason).encode()}


def c_text(data):
    """A C string literal of any bytes; three octal digits, so that no following digit joins them."""
    rows = []
    for at in range(0, len(data), 64):
        rows.append(''.join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f'\\{b:03o}'
                            for b in data[at:at + 64]))
    return '\n\t'.join(f'"{row}"' for row in rows)


def c_source(files):
    bodies, entries = [], []
    for idx, (name, data) in enumerate(files.items()):
        packed = gzip.compress(data, 9, mtime=0)
        etag = hashlib.sha256(data).hexdigest()[:16]
        is_hashed = bool(re.search(r'-[0-9A-Za-z]{8}\.\w+$', name))
        bodies.append(f'static const uint8_t file_{idx}[] =\n\t{c_text(packed)};\n')
        entries.append(f'\t{{"{name}", "{TYPES[pathlib.Path(name).suffix]}", "{etag}", file_{idx}, '
                       f'{len(packed)}, {len(data)}, {"true" if is_hashed else "false"}}},')
    table = '\n'.join(entries)
    return ('/* SPDX-License-Identifier: Apache-2.0 */\n/* Written by ui/build_assets.py. */\n'
            '#include "serve/assets.h"\n\n' + '\n'.join(bodies) +
            f'\nconst struct nx_asset nx_assets[] = {{\n{table}\n}};\n'
            f'const size_t nx_asset_count = {len(files)};\n')


def main(mode, work, output, depfile):
    work, depfile = pathlib.Path(work), pathlib.Path(depfile)
    work.mkdir(parents=True, exist_ok=True)
    if mode == 'disabled':
        files = plain_pages('it was configured with -Dui=disabled', output, depfile)
    else:
        try:
            files = bundle(work, output, depfile)
        except CannotBuild as reason:
            # Sources that do not build are our fault, not the machine's.
            if mode == 'enabled' or 'sources' in str(reason):
                sys.exit(f'ui: {reason}')
            print(f'ui: {reason}; the program gets a plain page instead', file=sys.stderr)
            files = plain_pages(reason, output, depfile)
    new = pathlib.Path(output + '.new')
    new.write_text(c_source(files))
    os.replace(new, output)


main(*sys.argv[1:])
