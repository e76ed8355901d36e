#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask why a run took so long where the answer is known.

usage: why.py NEURON_EXPLORER SHARED

Programs whose answer follows from how they are made are assembled and run on the software device.
Seven real captures are explained too if SHARED, the folder beside the repository, has them: all
waits are matched, parts add up, and at most as much is unexplained as stated here. Prints TAP.
"""

import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, SHARED = sys.argv[1], pathlib.Path(sys.argv[2])

HEAD = '''.name known
.arch trn2
.output y fp32 [128,16]
.queue qPoolIO0 owner=pool type=in semaphores=[11]
'''
# Takes the result away when semaphore s has reached v.
TAIL = '''.engine pool
.dma qPoolIO0 S[{s}]>={v} from=fp32@SB+16384[1,PARTITION][64,128] to=y[1,64][64,128]
NOP S[11]>=16 cycle=0
'''


class Run:
    """A program that ran, its releases and its explanation."""

    def __init__(self, folder, text):
        (folder / 'p.nasm').write_text(text)
        self.run('neff', '--assemble', folder / 'p.nasm', '-o', folder / 'p.neff')
        self.run('capture', '-n', folder / 'p.neff', '-s', folder / 'p.ntff')
        self.run('view', '-n', folder / 'p.neff', '-s', folder / 'p.ntff', '--output-format',
                 'parquet', '--output-file', folder / 't')
        self.folder = folder
        self.answer = json.loads(self.run('why', '-d', folder / 't', '--format', 'json'))
        rows = self.run('query', '-d', folder / 't', '--format', 'jsonl', 'FROM Release ORDER BY id')
        self.rows = [json.loads(line) for line in rows.splitlines()]
        check_sums(self.answer)
        assert self.answer['waits_matched'] == self.answer['waits'], 'a wait is not matched'
        assert self.path('unexplained') == 0, 'a part is unexplained'
        assert self.answer['replay']['error_ps'] == 0 and self.answer['replay']['pinned'] == 0

    @staticmethod
    def run(*words):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)
        if 'DuckDB' in done.stderr and done.returncode:
            raise Skip('there is no DuckDB library')
        assert done.returncode == 0, done.stderr
        return done.stdout

    def own(self, engine, opcode, core=0):
        """Instructions of the program itself, in order."""
        return [r for r in self.rows if r['node'] == 'instruction' and not int(r['flags']) & 1 and
                (r['engine'], r['opcode'], int(r['pcore_idx'])) == (engine, opcode, core)]

    def blocks(self, queue):
        return [r for r in self.rows if r['queue_name'] == queue]

    def cause(self, row):
        return self.rows[int(row['cause']) - 1]

    def path(self, cause, engine=None):
        return sum(p['time_ps'] for p in self.answer['path']
                   if p['cause'] == cause and engine in (None, p['engine']))

    def engine(self, engine, cause, core=0):
        return sum(p['time_ps'] for p in self.answer['engines']
                   if (p['core'], p['engine'], p['cause']) == (core, engine, cause))

    def what_if(self, scenario):
        return next(s for s in self.answer['what_if'] if s['scenario'] == scenario)


def length(row):
    return int(row['end_ps']) - int(row['start_ps'])


def check_sums(answer):
    span = answer['span_ps']
    assert sum(p['time_ps'] for p in answer['path']) == span, 'the path does not add up'
    engines = {}
    for p in answer['engines']:
        key = p['core'], p['engine']
        engines[key] = engines.get(key, 0) + p['time_ps']
    wrong = {k: v for k, v in engines.items() if v != span}
    assert engines and not wrong, f'engines do not add up to {span}: {wrong}'


# --- known answers -------------------------------------------------------------

def one_engine_waits_for_another(folder):
    run = Run(folder, HEAD + '''.prologue
.engine dve
MEMSET S[6]++@complete value=0 dst=fp32@0[1][1024] channels=128
.engine act
COPY S[6]>=1 S[4]++@complete src=fp32@0[1][512] dst=fp32@16384[1][512] channels=128
''' + TAIL.format(s=4, v=1))
    copy, fill = run.own('Scalar', 'COPY')[0], run.own('Vector', 'MEMSET')[0]
    assert copy['kind'] == 'SEMAPHORE' and run.cause(copy) is fill
    assert int(copy['semaphore']) == 6 and int(copy['value']) == 1
    late = int(copy['start_ps']) - int(fill['end_ps'])
    assert 33000 <= late <= 35000, late
    assert run.engine('Scalar', 'wait') >= length(fill)
    return f'hand-over of {late / 1000:.1f} ns'


def the_later_of_two_engines_releases(folder):
    """In one run Vector has more to do, in the other Scalar."""
    answers = []
    for name, vector, scalar in (('a', 512, 64), ('b', 64, 522)):
        (folder / name).mkdir()
        run = Run(folder / name, HEAD + f'''.prologue
.engine dve
COPY S[6]++@complete src=fp32@0[1][{vector}] dst=fp32@4096[1][{vector}] channels=128
.engine act
COPY S[4]++@complete src=fp32@0[1][{scalar}] dst=fp32@8192[1][{scalar}] channels=128
.engine pe
NOP S[6]>=1 cycle=0
NOP S[4]>=1 S[7]++@complete cycle=0
''' + TAIL.format(s=7, v=1))
        first, second = run.own('Tensor', 'NOP')[:2]
        done = {e: int(run.own(e, 'COPY')[0]['end_ps']) for e in ('Vector', 'Scalar')}
        last = max(done, key=done.get)
        by = run.cause(second) if second['kind'] == 'SEMAPHORE' else run.cause(first)
        assert by['engine'] == last, (by['engine'], done)
        answers.append(last)
    assert answers == ['Vector', 'Scalar'], answers


def a_transfer_queues_behind_another(folder):
    run = Run(folder, HEAD.replace('.output', '''.input a fp32 [128,1024]
.input b fp32 [128,1024]
.output''') + '''.queue qSPIO0 owner=sp type=in semaphores=[8,9]
.prologue
.engine sp
.dma qSPIO0 from=a+0[1,4096][4096,128] to=SB+0[1,PARTITION][4096,128]
.dma qSPIO0 from=b+0[1,4096][4096,128] to=SB+4096[1,PARTITION][4096,128]
.engine dve
COPY S[9]>=16 S[6]++@complete src=fp32@4096[1][64] dst=fp32@16384[1][64] channels=128
''' + TAIL.format(s=6, v=1))
    blocks = run.blocks('qSyncIO0')
    firsts = [b for b in blocks if b['block_id'] == blocks[0]['block_id']]
    seconds = [b for b in blocks if b['block_id'] != blocks[0]['block_id']]
    assert len(firsts) == len(seconds) == 16
    assert all(b['kind'] == 'TRIGGER' for b in firsts)
    assert all(b['kind'] == 'RING' and run.cause(b) in firsts for b in seconds)
    # 32 KiB at 27.2 bytes a nanosecond take 1.2 us, twice
    assert run.engine('Vector', 'DMA queueing') > 1204000
    assert run.engine('Vector', 'DMA transfer') > 1204000
    return f"queueing {run.engine('Vector', 'DMA queueing') / 1000:.0f} ns"


def engines_in_turn_are_all_on_the_path(folder):
    rounds = 12
    run = Run(folder, HEAD + f'''.prologue
.repeat {rounds} i
.engine dve
COPY S[4]>=i S[6]++@complete src=fp32@0[1][256] dst=fp32@4096[1][256] channels=128
.engine act
COPY S[6]>=i+1 S[4]++@complete src=fp32@4096[1][256] dst=fp32@16384[1][256] channels=128
.end
''' + TAIL.format(s=4, v=rounds))
    turns = sorted(run.own('Vector', 'COPY') + run.own('Scalar', 'COPY'),
                   key=lambda r: int(r['start_ps']))
    assert len(turns) == 2 * rounds
    for before, after in zip(turns, turns[1:]):
        assert run.cause(after) is before and before['engine'] != after['engine']
    both = sum(length(t) for t in turns)
    assert run.path('useful', 'Vector') + run.path('useful', 'Scalar') == both
    # without Vector's work the run is shorter by nearly all of it: its sequencer needs some time
    gain = run.what_if('Vector infinitely fast')
    assert gain['path_ps'] == run.path('useful', 'Vector')
    assert 0.95 * gain['path_ps'] < gain['gain_ps'] <= gain['path_ps'], gain
    return f'{both / 1000:.0f} ns of work'


def the_busy_engine_is_the_path(folder):
    run = Run(folder, HEAD + '''.prologue
.engine act
.repeat 10 i
COPY S[4]++@complete src=fp32@0[1][16] dst=fp32@8192[1][16] channels=128
.end
.engine dve
.repeat 10 i
TENSOR_TENSOR S[6]++@complete op=ADD src0=fp32@0[1][512] src1=fp32@2048[1][512] dst=fp32@16384[1][512] channels=128
.end
''' + TAIL.format(s=6, v=10))
    adds = run.own('Vector', 'TENSOR_TENSOR')
    assert run.path('useful', 'Vector') == int(adds[-1]['end_ps']) - int(adds[0]['start_ps'])
    assert run.path('useful', 'Scalar') == 0
    assert run.what_if('Scalar infinitely fast')['gain_ps'] == 0
    assert run.what_if('Vector infinitely fast')['gain_ps'] > 0.9 * run.path('useful', 'Vector')


def the_last_core_releases_the_other(folder):
    text = '.name cores\n.arch trn2\n'
    for core in range(2):
        text += f'''.core {core}
.output y fp32 [2,128,16]
.queue qPoolIO0 owner=pool type=in semaphores=[11]
.prologue
.engine dve
'''
        if core == 1:
            text += '''.repeat 6 i
MEMSET S[20]++@complete value=0 dst=fp32@32768[1][2048] channels=128
.end
.engine pool
NOP S[20]>=6 cycle=0
'''
        text += f'''.engine pool
PSEUDO_CORE_BARRIER semaphore=9 id=0 S[13]++@complete
.engine dve
MEMSET S[13]>=1 S[6]++@complete value=0 dst=fp32@16384[1][64] channels=128
.engine pool
.dma qPoolIO0 S[6]>=1 from=fp32@SB+16384[1,PARTITION][64,128] to=y+{core * 8192}[1,64][64,128]
NOP S[11]>=16 cycle=0
'''
    run = Run(folder, text)
    meet = [run.own('GpSimd', 'EVENT_SEMAPHORE', core)[0] for core in (0, 1)]
    assert meet[0]['kind'] == 'CROSS_CORE' and run.cause(meet[0]) is meet[1]
    wait = run.engine('Vector', 'other core')
    assert wait > 3000000, wait
    return f'Vector of core 0 waits {wait / 1000:.0f} ns'


def a_gap_is_explained_to_its_deepest_cause(folder):
    run = Run(folder, HEAD.replace('.output', '.input a fp32 [128,1024]\n.output') +
              '''.queue qSPIO0 owner=sp type=in semaphores=[8]
.prologue
.engine sp
.dma qSPIO0 from=a+0[1,4096][4096,128] to=SB+0[1,PARTITION][4096,128]
.engine dve
COPY S[8]>=16 S[6]++@complete src=fp32@0[1][64] dst=fp32@16384[1][64] channels=128
''' + TAIL.format(s=6, v=1))
    copy = run.own('Vector', 'COPY')[0]
    at = int(copy['work_ps']) // 1000 - 1
    gap = json.loads(run.run('why', '-d', folder / 't', '--gap', f'Vector@{at}ns', '--format',
                             'json'))
    assert gap['before'] == int(copy['id'])
    steps = gap['steps']
    assert sum(s['duration_ps'] for s in steps) == gap['duration_ps']
    causes = [s['cause'] for s in steps]
    order = ['wake', 'DMA completion', 'DMA transfer', 'DMA start-up']
    assert [c for c in causes if c in order][:4] == order, causes
    assert 'qSyncIO0 moved data' in gap['sentence'], gap['sentence']


# --- real captures -------------------------------------------------------------

# NEFF and session below data/, waits, least % of gap time explained, most % of the path unexplained
CAPTURES = (
    ('neuron-device/baseline_bf16_s512', None, 130, 100, 0),
    ('neuron-device/baseline_fp32_s512', None, 129, 100, 0),
    ('neuron-device/fused_attention', None, 118, 100, 0),
    ('neuron-device/fused_bf16_s512', None, 119, 100, 0),
    ('neuron-device/fused_bf16_s1024', None, 197, 99.14, 0.76),
    ('neuron-raw', 'v6b', 1268, 97.29, 1.94),
    ('neuron-raw', 'attn_v6', 1422, 96.87, 1.62),
)


def real(place, name, waits, explained, unexplained):
    def case(_):
        folder = SHARED / 'data' / place
        neff = sorted(folder.glob(f'{name}.neff' if name else '*.neff'))
        session = sorted(folder.glob(f'*_{name}_*.ntff' if name else '*.ntff'))
        if not neff or not session:
            raise Skip('the capture is not here')
        answer = json.loads(Run.run('why', '-n', neff[0], '-s', session[0], '--format', 'json'))
        check_sums(answer)
        assert answer['waits_matched'] == answer['waits'] == waits, answer['waits_matched']
        good = 100 - 100 * answer['gap_unexplained_ps'] / answer['gap_ps']
        bad = 100 * answer['path_unexplained_ps'] / answer['span_ps']
        assert good >= explained, good
        assert bad <= unexplained, bad
        assert answer['replay']['error_ps'] == 0 and answer['replay']['pinned'] == 0
        assert answer['what_if']
        return f'{good:.2f} % of pauses explained, {bad:.2f} % of the path not'
    return f'{place} {name or ""}'.strip(), case


if __name__ == '__main__':
    sys.exit(run_cases([one_engine_waits_for_another, the_later_of_two_engines_releases,
                        a_transfer_queues_behind_another, engines_in_turn_are_all_on_the_path,
                        the_busy_engine_is_the_path, the_last_core_releases_the_other,
                        a_gap_is_explained_to_its_deepest_cause] +
                       [real(*capture) for capture in CAPTURES]))
