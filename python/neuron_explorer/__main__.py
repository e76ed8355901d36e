# SPDX-License-Identifier: Apache-2.0
"""Profiles a whole script: python3 -m neuron_explorer [options] script.py [arguments]"""

from __future__ import annotations

import argparse
import runpy
import sys
from typing import Optional, Sequence

from .profiler import PythonCalls, profile


def _parse(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='python3 -m neuron_explorer', description='Run a Python script and profile it.')
    parser.add_argument('-o', '--output-dir', help='folder of the profile (default: '
                        'NEURON_RT_INSPECT_OUTPUT_DIR, else ./output)')
    parser.add_argument('--profile-type', default='system', choices=('system', 'operator', 'trace'))
    parser.add_argument('--min-duration-us', type=float, default=1.0,
                        help='count shorter Python calls instead of recording them (default: 1)')
    parser.add_argument('--max-depth', type=int, default=128, help='of Python calls (default: 128)')
    parser.add_argument('--include', action='append', default=[], metavar='MODULE',
                        help='record only functions of this module or package; may be repeated')
    parser.add_argument('--exclude', action='append', default=[], metavar='MODULE',
                        help='record no functions of this module or package; may be repeated')
    parser.add_argument('-m', dest='module', action='store_true',
                        help='script is the name of a module')
    parser.add_argument('script')
    parser.add_argument('arguments', nargs=argparse.REMAINDER)
    return parser.parse_args(words)


def main(words: Optional[Sequence[str]] = None) -> int:
    options = _parse(words)
    calls = PythonCalls(max_depth=options.max_depth, min_duration_us=options.min_duration_us,
                        include=tuple(options.include),
                        exclude=PythonCalls().exclude + tuple(options.exclude) + ('runpy',))
    sys.argv = [options.script, *options.arguments]
    prof = profile(profile_type=options.profile_type, output_dir=options.output_dir, python=calls)
    status = 0
    try:
        with prof:
            if options.module:
                runpy.run_module(options.script, run_name='__main__', alter_sys=True)
            else:
                runpy.run_path(options.script, run_name='__main__')
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    finally:
        if prof.result is not None:
            print(f'neuron_explorer: {prof.result.recorded - prof.result.lost} events in '
                  f'{prof.result.directory}', file=sys.stderr)
    return status


if __name__ == '__main__':
    sys.exit(main())
