#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plant one fault in a program and check that 'recommend' and 'why' name it, and nothing else.

usage: faults.py NEURON_EXPLORER MAKE_CAPTURE EXAMPLES LIBNRT TRAINING

Programs of devices run on the software device, so that their times do not depend on this machine.
Prints TAP.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, MAKE_CAPTURE, EXAMPLES, LIBNRT, TRAINING = (pathlib.Path(a).resolve()
                                                     for a in sys.argv[1:6])
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith('NEURON_')}
ENVIRONMENT['LD_LIBRARY_PATH'] = str(LIBNRT.parent)

HEAD = '''.name planted
.arch trn2
.input a fp32 [128,2048]
.output y fp32 [128,16]
.scratch left fp32 [128,1024]
.queue qSPIO0 owner=sp type=in semaphores=[8]
.queue qPoolIO0 owner=pool type=in semaphores=[11]
.queue qActIO0 owner=act type=data semaphores=[12]
.prologue
'''
TAIL = '''.engine pool
.dma qPoolIO0 S[4]>={} from=fp32@SB+16384[1,PARTITION][64,128] to=y[1,64][64,128]
NOP S[11]>=16 cycle=0
'''


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120,
                          env=ENVIRONMENT)
    if 'DuckDB' in done.stderr and done.returncode:
        raise Skip('there is no DuckDB library')
    assert done.returncode == 0, f'{words}: {done.stderr}'
    return done.stdout


def titles(*source):
    said = run(PROGRAM, 'recommend', *source)
    return re.findall(r'^## \d+\. (.*)$', said, re.M), said


def system(folder):
    """The profile of the capture in folder/run, its findings and their text."""
    run(PROGRAM, 'view', '-d', folder / 'run', '--ignore-device-profile', '--output-format',
        'parquet', '--output-file', folder / 't')
    profile = folder / 't' / 'system_profile'
    return (profile, *titles('-d', profile))


def device(folder, text):
    """Titles of the findings, and the answer of 'why'."""
    files = '-n', folder / 'p.neff', '-s', folder / 'p.ntff'
    (folder / 'p.nasm').write_text(text)
    run(PROGRAM, 'neff', '--assemble', folder / 'p.nasm', '-o', files[1])
    run(PROGRAM, 'capture', *files)
    why = json.loads(run(PROGRAM, 'why', *files, '--format', 'json'))
    return titles(*files, '--data-path', folder / 'ws')[0], why


def path(why, cause):
    return sum(p['time_ps'] for p in why['path'] if p['cause'] == cause) / why['span_ps']


# --- devices -------------------------------------------------------------------

def small_transfers(folder):
    """64 rows of 16 bytes, again and again, each of them waited for."""
    found, why = device(folder, HEAD + '''.repeat 48 i
.engine sp
.dma qSPIO0 S[4]>=i from=a+64*i[1,8192][16,16] to=SB+64*i[1,PARTITION][16,16]
.engine dve
COPY S[8]>=16*(i+1) S[4]++@complete src=fp32@0[1][4] dst=fp32@16384[1][4] channels=16
.end
''' + TAIL.format(48))
    assert 'Small transfers' in found, found
    assert not {'Throttled', 'Data that was in SBUF is loaded again'} & set(found), found
    startup = path(why, 'DMA start-up') + path(why, 'DMA completion')
    assert startup > 0.3, why['path']
    return f'{100 * startup:.0f} % of the path is the fixed cost of transfers'


def spills(folder):
    """A tile leaves SBUF and comes back, six times."""
    found, why = device(folder, HEAD + '''.engine sp
.dma qSPIO0 from=a+0[1,8192][4096,128] to=SB+0[1,PARTITION][4096,128]
.engine act
NOP S[8]>=16 cycle=0
.repeat 6 i
.engine act
.dma qActIO0 S[4]>=i from=fp32@SB+0[1,PARTITION][4096,128] to=left[1,4096][4096,128]
.dma qActIO0 S[12]>=16*(2*i+1) from=left[1,4096][4096,128] to=SB+0[1,PARTITION][4096,128]
.engine dve
COPY S[12]>=16*(2*i+2) S[4]++@complete src=fp32@0[1][1024] dst=fp32@16384[1][1024] channels=128
.end
''' + TAIL.format(6))
    assert found[:1] == ['Data that was in SBUF is loaded again'], found
    assert not {'Throttled', 'Small transfers'} & set(found), found
    gain = next(s for s in why['what_if'] if s['scenario'] == 'no reloads')
    assert gain['gain_ps'] > 0.15 * why['span_ps'], gain
    return f"without them {100 * gain['gain_ps'] / why['span_ps']:.0f} % shorter"


def throttling(folder):
    """Products behind pauses run at half the clock."""
    found, why = device(folder, HEAD + '''.repeat 20 i
.engine pe
LDWEIGHTS S[4]>=i src=bfloat16@254[-1][128] 128*128
.repeat 4 j
MATMUL S[5]++@complete acc_flags=3 src=bfloat16@512[1][512] dst=psum(0,0)[1][512] 128*128
.end
.engine dve
COPY S[5]>=4*(i+1) S[4]++@complete src=fp32@psum(0,0)[1][512] dst=fp32@16384[1][512] channels=128
.end
''' + TAIL.format(20))
    assert 'Throttled' in found, found
    assert not {'Small transfers', 'Data that was in SBUF is loaded again'} & set(found), found
    assert path(why, 'throttled') > 0.02, why['path']
    return f"{100 * path(why, 'throttled'):.1f} % of the path"


def clean_programs(folder):
    """The examples have no fault, so there is nothing to find."""
    for name in 'vector_add', 'relu', 'softmax':
        (folder / name).mkdir()
        found, _ = device(folder / name, (EXAMPLES / f'{name}.nasm').read_text())
        assert not found, f'{name}: {found}'


# --- systems -------------------------------------------------------------------

def growing_gaps(folder):
    run(MAKE_CAPTURE, '--system', folder / 'run', '--instances', 1, '--workers', 1, '--events', 3000,
        '--gaps')
    _, found, said = system(folder)
    assert 'Gaps between executions grow' in found, said


def steps(folder, durations_us):
    """A trace of PyTorch's profiler with one step after the other."""
    events, at = [], 1000
    for number, duration in enumerate(durations_us):
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{number}',
                       'pid': 7, 'tid': 7, 'ts': at, 'dur': duration})
        at += duration + 10
    (folder / 'run').mkdir()
    trace = {'schemaVersion': 1, 'traceEvents': events}
    (folder / 'run' / 'host.pt.trace.json').write_text(json.dumps(trace))
    return system(folder)[1:]


def a_clean_system(folder):
    found, said = steps(folder, [1000 + i % 3 for i in range(20)])
    assert not found, said


def a_slow_step(folder):
    found, said = steps(folder, [1000 + i % 3 if i != 13 else 5000 for i in range(20)])
    assert found == ['Some steps take much longer than others'], said
    assert 'ProfilerStep 13 ' in said and 'at most 16.7 % of the run' in said, said


def a_late_rank_and_a_slow_step(folder):
    neff = folder / 'rank_sum.neff'
    run(PROGRAM, 'neff', '--assemble', EXAMPLES / 'rank_sum.nasm', '-o', neff)
    ranks = dict(re.findall(r'^rank (\d) is process (\d+)$', run(TRAINING, neff, folder / 'run'),
                            re.M))
    profile, found, said = system(folder)
    for title in 'A process is late in its steps', 'Some steps take much longer than others':
        assert title in found, said
    late = said[said.index('A process is late in its steps'):]
    assert f"process {ranks['2']} " in late.split('\n## ')[0], (ranks, late)
    why = json.loads(run(PROGRAM, 'why', '-d', profile, '--format', 'json'))
    last = why['ranks'][0]
    assert last['rank'] == 2 and last['process_id'] == int(ranks['2']), why['ranks']
    assert last['came_last'] * 2 > last['meetings'] and last['stall_ns'] > 3 * 10 * 20e6, last
    assert sum(p['time_ns'] for p in why['path']) == why['span_ns'], why['path']
    # which step is the slowest depends on this machine; a_slow_step checks the name


sys.exit(run_cases([small_transfers, spills, throttling, clean_programs, growing_gaps, a_clean_system,
                    a_slow_step, a_late_rank_and_a_slow_step]))
