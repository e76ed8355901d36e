#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare predictions of a replay with reruns of changed programs on the software device.

usage: replay.py NEURON_EXPLORER REPLAY_RUN

Each case captures a program, predicts its time with one engine's work scaled or one cause removed,
then changes the program in just that way, captures it again and prints how far the prediction was
off. Prints TAP.
"""

import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, REPLAY = sys.argv[1:3]
MOST_PERCENT = 2

HEAD = '''.name rerun
.arch trn2
.input a fp32 [128,1024]
.output y fp32 [128,16]
.queue qSPIO0 owner=sp type=in semaphores=[8,9]
.queue qPoolIO0 owner=pool type=in semaphores=[11]
.prologue
'''
# Takes the result away when semaphore 4 has reached the value.
TAIL = '''.engine pool
.dma qPoolIO0 S[4]>={} from=fp32@SB+16384[1,PARTITION][64,128] to=y[1,64][64,128]
NOP S[11]>=16 cycle=0
'''
LOAD = '.engine sp\n.dma qSPIO0 from=a+0[1,4096][4096,128] to=SB+{}[1,PARTITION][4096,128]\n'
COPY = 'COPY {} src=fp32@{}[1][{}] dst=fp32@{}[1][{}] channels=128\n'


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    if 'DuckDB' in done.stderr and done.returncode:
        raise Skip('there is no DuckDB library')
    assert done.returncode == 0, done.stderr
    return done.stdout


def capture(folder, text):
    """The files of a run, and what explains it."""
    folder.mkdir()
    files = folder / 'p.neff', folder / 'p.ntff'
    (folder / 'p.nasm').write_text(text)
    run(PROGRAM, 'neff', '--assemble', folder / 'p.nasm', '-o', files[0])
    run(PROGRAM, 'capture', '-n', files[0], '-s', files[1])
    why = run(PROGRAM, 'why', '-n', files[0], '-s', files[1], '--format', 'json')
    return files, json.loads(why)


def work(files, engine):
    return int(run(REPLAY, *files, 'work', engine))


def compare(folder, before, after, change):
    """change is what the replay removes, or the engine whose work differs."""
    files, old = capture(folder / 'before', before)
    new_files, new = capture(folder / 'after', after)
    if not change.startswith('no_'):
        change = f'{change}={round(1e6 * work(new_files, change) / work(files, change))}'
    predicted = int(run(REPLAY, *files, change))
    error = 100 * (predicted - new['span_ps']) / new['span_ps']
    assert predicted != old['span_ps'], 'the change must matter'
    assert abs(error) <= MOST_PERCENT, f'{predicted} predicted, {new["span_ps"]} run'
    return (f'{old["span_ps"] / 1e6:.3f} us, predicted {predicted / 1e6:.3f}, '
            f'run {new["span_ps"] / 1e6:.3f} ({error:+.2f} %)')


# --- programs ------------------------------------------------------------------

def in_turn(vector=256, scalar=256, gpsimd=0):
    """Engines hand a tile on; every one of them is on the path."""
    text = HEAD + '.repeat 12 i\n.engine dve\n' + COPY.format(
        'S[4]>=i S[6]++@complete', 0, vector, 4096, vector)
    last = 6
    if gpsimd:
        text += '.engine pool\n' + COPY.format('S[6]>=i+1 S[7]++@complete', 4096, gpsimd, 8192, gpsimd)
        last = 7
    return text + '.engine act\n' + COPY.format(
        f'S[{last}]>=i+1 S[4]++@complete', 4096, scalar, 16384, scalar) + '.end\n' + TAIL.format(12)


def beside(vector=512, scalar=64):
    """Vector produces, Scalar consumes; the slower one is the path."""
    return HEAD + f'''.repeat 40 i
.engine dve
TENSOR_TENSOR S[6]++@complete op=ADD src0=fp32@0[1][{vector}] src1=fp32@2048[1][{vector}] dst=fp32@4096[1][{vector}] channels=128
.engine act
''' + COPY.format('S[6]>=i+1 S[4]++@complete', 4096, scalar, 16384, scalar) + '.end\n' + TAIL.format(40)


def behind_load(vector=1024):
    """A transfer, then work on what it brought."""
    return HEAD + LOAD.format(0) + '.engine dve\n.repeat 6 i\n' + COPY.format(
        'S[8]>=16 S[4]++@complete', 0, vector, 16384, vector) + '.end\n' + TAIL.format(6)


def loads(again):
    """The same part of the input twice, and work that needs the last of them."""
    text = HEAD + LOAD.format(0) + '.engine dve\n' + COPY.format(
        'S[8]>=16 S[6]++@complete', 0, 64, 8192, 64)
    if again:
        text += LOAD.format(4096).replace('.dma qSPIO0', '.dma qSPIO0 S[6]>=1')
    return text + '.engine act\n' + COPY.format(
        f'S[{"9" if again else "8"}]>=16 S[4]++@complete', 0, 256, 16384, 256) + TAIL.format(1)


def scaled(make, engine, before, after):
    return lambda folder: compare(folder, make(**before), make(**after), engine)


CASES = (
    ('Scalar has a sixteenth of the work, in turn', in_turn, 'Scalar', {}, {'scalar': 16}),
    ('Scalar has half of the work, in turn', in_turn, 'Scalar', {}, {'scalar': 128}),
    ('Vector has a quarter of the work, in turn', in_turn, 'Vector', {}, {'vector': 64}),
    ('Vector has twice the work, in turn', in_turn, 'Vector', {}, {'vector': 512}),
    ('GpSimd has a quarter of the work, in turn', in_turn, 'GpSimd', {'gpsimd': 256}, {'gpsimd': 64}),
    ('Vector is faster, and Scalar becomes the limit', beside, 'Vector', {}, {'vector': 64}),
    ('Vector is faster, and stays the limit', beside, 'Vector', {}, {'vector': 256}),
    ('Scalar is slower, and becomes the limit', beside, 'Scalar', {}, {'scalar': 1024}),
    ('Vector is slower, and stays the limit', beside, 'Vector', {}, {'vector': 1024}),
    ('Vector has an eighth of the work behind a transfer', behind_load, 'Vector', {}, {'vector': 128}),
    ('Vector has half of the work behind a transfer', behind_load, 'Vector', {}, {'vector': 512}),
)


def a_second_load_of_the_same_data_goes_away(folder):
    return compare(folder, loads(True), loads(False), 'no_reloads')


sys.exit(run_cases([(name, scaled(*rest)) for name, *rest in CASES] +
                   [a_second_load_of_the_same_data_goes_away]))
