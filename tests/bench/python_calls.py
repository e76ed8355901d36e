#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tracing costs a Python program, beside cProfile in the same rounds.

usage: python_calls.py [--max-ns N] [--rounds N]      with the package in PYTHONPATH

Prints the time per call of a function that does nothing, and of an annotation, each the best of the
rounds so that other load does not matter. Fails if a recorded call costs more than --max-ns beyond
the call itself.
"""

import argparse
import cProfile
import sys
import tempfile
import time

from neuron_explorer import profiler

CALLS = 200_000


def nothing():
    pass


def call_often():
    for _ in range(CALLS):
        nothing()


def annotate_often():
    for _ in range(CALLS):
        with profiler.TraceAnnotation('label'):
            pass


def timed(work):
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / CALLS


def plain():
    return timed(call_often)


def with_cprofile():
    profile = cProfile.Profile()
    profile.enable()
    try:
        return timed(call_often)
    finally:
        profile.disable()


def with_calls(**options):
    def measure():
        with tempfile.TemporaryDirectory() as folder:
            calls = profiler.PythonCalls(**options)
            with profiler.profile(output_dir=folder, python=calls, buffer_bytes=256 << 20) as prof:
                ns = timed(call_often)
            assert prof.result.lost == 0, prof.result
            return ns
    return measure


def with_annotations():
    with tempfile.TemporaryDirectory() as folder:
        with profiler.profile(output_dir=folder, python=False, buffer_bytes=256 << 20):
            return timed(annotate_often)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--max-ns', type=float, default=0)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    ways = {
        'without a profiler': plain,
        'cProfile': with_cprofile,
        'recorded': with_calls(min_duration_us=0),
        'shorter than the minimum': with_calls(min_duration_us=1000),
        'of an excluded module': with_calls(exclude=('__main__',)),
        'annotation, no session': lambda: timed(annotate_often),
        'annotation, recorded': with_annotations,
    }
    best = {}
    for _ in range(options.rounds):
        for name, way in ways.items():
            best[name] = min(best.get(name, float('inf')), way())
    base = best['without a profiler']
    print(f'Python {sys.version.split()[0]}: ns per call, best of {options.rounds} rounds')
    for name, ns in best.items():
        beyond = '' if 'annotation' in name or ns == base else f'   {ns - base:7.1f} beyond the call'
        print(f'  {name:26}{ns:9.1f}{beyond}')
    cost = best['recorded'] - base
    if options.max_ns and cost > options.max_ns:
        print(f'FAILED: a recorded call costs {cost:.0f} ns, more than {options.max_ns:.0f}')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
