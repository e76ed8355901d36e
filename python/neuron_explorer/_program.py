# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the program neuron-explorer, which reads profiles."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

VARIABLE = 'NEURON_EXPLORER_PROGRAM'
NAME = 'neuron-explorer'


class ProgramError(RuntimeError):
    """neuron-explorer failed; its last line says why. args are the sentence and the exit code."""


def find() -> str:
    """The path of the program. FileNotFoundError says where it was looked for."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return chosen
    here = os.path.dirname(os.path.abspath(__file__))
    candidates = []
    while os.path.dirname(here) != here:  # a prefix, or the build folder of a checkout
        candidates += [os.path.join(here, 'bin', NAME), os.path.join(here, NAME)]
        here = os.path.dirname(here)
    found = shutil.which(NAME) or next(
        (path for path in candidates if os.path.isfile(path) and os.access(path, os.X_OK)), None)
    if found is None:
        raise FileNotFoundError(f'{NAME} is not in PATH; install it, or set {VARIABLE} to its path')
    return found


def run(*words: Any) -> str:
    """Runs a command and returns its output. ProgramError if it fails."""
    done = subprocess.run([find(), *map(str, words)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          encoding='utf-8', errors='replace')
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f'exit code {done.returncode}']
        raise ProgramError(lines[-1], done.returncode)
    return done.stdout
