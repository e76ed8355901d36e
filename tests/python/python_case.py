# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: run a script, and look at what it left."""

import os
import pathlib
import subprocess
import sys
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / 'tests'))
from tap_cases import Skip  # noqa: E402

BUILD = pathlib.Path(os.environ['NX_BUILD']).resolve()
PACKAGE = BUILD / 'python/lib'
PROGRAM = BUILD / 'cli/neuron-explorer'
LIBNRT = BUILD / 'runtime/nrt/libnrt.so.1'
PATIENCE_S = 900


def environment(**more):
    """Like the user's, without settings of profilers, and without the libraries of meson's tests."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith('NEURON_') and name != 'LD_LIBRARY_PATH'}
    return {**kept, 'PYTHONPATH': str(PACKAGE), 'PYTHONDONTWRITEBYTECODE': '1',
            'NEURON_EXPLORER_PROGRAM': str(PROGRAM), 'NEURON_EXPLORER_LIBNRT': str(LIBNRT),
            'NEURON_EXPLORER_DUCKDB': str(BUILD / 'lib/neuron-explorer/libduckdb.so'),
            **{name: str(value) for name, value in more.items()}}


class Ended:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f'exit code {self.code}\n{self.out}\n{self.err}'


def run(words, folder, **more):
    return Ended(subprocess.run([str(word) for word in words], cwd=folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=PATIENCE_S, env=environment(**more)))


def run_script(folder, text, *words, code=0, options=(), **more):
    """Runs a script in a folder, checks its exit code, and returns how it ended."""
    path = pathlib.Path(folder) / 'script.py'
    path.write_text(textwrap.dedent(text))
    ended = run([sys.executable, *options, path, *words], folder, **more)
    assert ended.code == code, str(ended)
    return ended


def make_neff(folder, name):
    """An example, assembled."""
    path = pathlib.Path(folder) / f'{name}.neff'
    ended = run([PROGRAM, 'neff', '--assemble', SOURCE / f'examples/{name}.nasm', '-o', path], folder)
    assert ended.code == 0, str(ended)
    return path


def need(module):
    """Skips a case where a module of Debian is not installed."""
    try:
        return __import__(module)
    except ImportError:
        raise Skip(f'{module} is not installed (python3-{module})') from None


def need_sql():
    if not (BUILD / 'lib/neuron-explorer/libduckdb.so').exists():
        raise Skip('the DuckDB library is not here (make duckdb)')
