#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that a collective has the same time in its instruction, profile, system trace and nccom-test.

usage: collectives.py NEURON_EXPLORER DUMP_TABLES

An assembled program and nccom-test's own run on 1, 2 and 8 ranks. In the profile of every rank a
collective is triggered when the instruction that does it starts, lies inside the execution, and
nobody who waits for its semaphore starts before its end. Prints TAP.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import run_cases  # noqa: E402

PROGRAM, DUMP_TABLES = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
TRIGGER_NS, BARRIER_NS = 1491, 369
SUMMED, AGAIN = 20, 21

# The second sum waits for the first one, the third only for its stream.
SOURCE = '''
.name rank_chain
.arch %(arch)s
.set N = 64
.set ROW = 4*N
.semaphore loaded
.semaphore stored
.semaphore back
.set doubled = 6
.input  x fp32 [128,N]
.output y fp32 [128,N]
.output z fp32 [128,N]
.scratch part fp32 [128,N]
.scratch whole fp32 [128,N]
.replica_groups [[%(ranks)s]]
.queue qSPIO0   owner=sp   type=in   semaphores=[loaded]
.queue qPoolIO0 owner=pool type=data semaphores=[stored]
.queue qActIO0  owner=act  type=data semaphores=[back]
.prologue
.engine sp
.dma qSPIO0 from=x[1,ROW][ROW,128] to=SB[1,PARTITION][ROW,128]
.engine dve
TENSOR_TENSOR S[loaded]>=16 S[doubled]++@complete op=ADD src0=fp32@0[1][N] src1=fp32@0[1][N] \
dst=fp32@ROW[1][N] channels=128
.engine pool
.dma qPoolIO0 S[doubled]>=1 from=fp32@SB+ROW[1,PARTITION][ROW,128] to=part[1,ROW][ROW,128]
PSEUDO_TRIGGER_COLLECTIVE S[stored]>=16 S[20]++@complete ctype=ALL_REDUCE input_tensor_id=part \
output_tensor_id=whole num_elements=128*N dtype=fp32 op=ADD group_id=0
PSEUDO_TRIGGER_COLLECTIVE S[20]>=1 S[21]++@complete ctype=ALL_REDUCE input_tensor_id=whole \
output_tensor_id=y num_elements=128*N dtype=fp32 op=ADD group_id=0
PSEUDO_TRIGGER_COLLECTIVE ctype=ALL_REDUCE input_tensor_id=part output_tensor_id=z \
num_elements=128*N dtype=fp32 op=ADD group_id=0
.engine act
.dma qActIO0 S[20]>=1 from=whole[1,ROW][ROW,128] to=SB[1,PARTITION][ROW,128]
.engine dve
TENSOR_TENSOR S[21]>=1 op=ADD src0=fp32@0[1][N] src1=fp32@0[1][N] dst=fp32@2*ROW[1][N] channels=128
%(second_core)s
'''


def equal(a, b):
    if a != b:
        raise AssertionError('%r is not %r' % (a, b))


def near(a, b):
    """Equal, but for the part of a nanosecond that each time lost on its own."""
    if abs(a - b) > 1:
        raise AssertionError('%r is not %r' % (a, b))


def run(words, folder, env=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith('NEURON_')}
    environment.update(env or {})
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=environment, cwd=folder)
    if done.returncode:
        raise AssertionError('%s: exit code %d\n%s%s' % (words, done.returncode, done.stdout,
                                                         done.stderr))
    return done.stdout


def table(name, *paths):
    return [json.loads(line)
            for line in run([DUMP_TABLES, *paths, name], pathlib.Path.cwd()).splitlines()]


def check_profile(ntff, neff, count):
    """Checks any profile with collectives; returns its CcOp rows and instructions."""
    ops = sorted(table('CcOp', ntff, neff), key=lambda op: op['start_ts'])
    words = table('Instruction', ntff, neff)
    triggers = sorted(w['start_ts'] for w in words
                      if w['opcode'].startswith('PSEUDO_TRIGGER_COLLECTIVE'))
    equal(len(ops), count)
    equal([op['trigger_start_ts'] for op in ops], triggers)
    free, last = 0, max(w['end_ts'] for w in words)
    for op in ops:
        near(op['start_ts'], max(op['trigger_start_ts'] + TRIGGER_NS, free))
        near(op['cc_trigger_start_delay'], op['start_ts'] - op['trigger_start_ts'])
        free = op['end_ts']
        assert free < last, (op, last)
    return ops, words


def check_waiters(ntff, neff, ops, words, semaphore):
    waiting = [w for w in words if re.search(r'S\[%d\][^>]*>=' % semaphore, w['operands'])]
    assert waiting
    for word in waiting:
        assert word['start_ts'] >= ops['end_ts'], (word, ops)
    changes = [u['timestamp'] for u in table('SemaphoreUpdate', ntff, neff)
               if re.match(r'(S\[)?%d\b' % semaphore, u['id'])]
    near(changes[0], ops['end_ts'])


def assemble(folder, ranks, arch):
    source, neff = folder / 'p.nasm', folder / 'p.neff'
    source.write_text(SOURCE % {
        'arch': arch, 'ranks': ','.join(str(r) for r in range(ranks)),
        'second_core': '.core 1\n.engine sp\nNOP cycle=0' if arch == 'trn2' else ''})
    run([PROGRAM, 'neff', '--assemble', source, '-o', neff], folder)
    return neff


def assembled(folder, ranks, arch='trn2'):
    neff = assemble(folder, ranks, arch)
    run([PROGRAM, 'capture', '-n', neff, '-s', 'p.ntff'] + (['-r', ranks] if ranks > 1 else []),
        folder, {'NEURON_EXPLORER_INSTANCE': 'trn1.32xlarge' if arch == 'trn1'
                 else 'trn2.48xlarge'})
    ntffs = sorted(folder.glob('p*.ntff'))
    equal(len(ntffs), ranks)
    times = []
    for ntff in ntffs:
        ops, words = check_profile(ntff, neff, 3)
        check_waiters(ntff, neff, ops[0], words, SUMMED)
        check_waiters(ntff, neff, ops[1], words, AGAIN)
        times.append([(op['start_ts'], op['end_ts']) for op in ops])
    equal(times, [times[0]] * ranks)


def check_system(capture, ops, ranks):
    """The same on every core, at the same offset in its execution as in the profile."""
    events = table('SystemProfileEvents', capture)
    for core in range(ranks):
        own = [e for e in events if e['nc_idx'] == core]
        runs = [e for e in own if e['name'] == 'nc_exec_running']
        barriers = [e for e in own if e['name'] == 'cc_exec_barrier']
        begin, end = runs[0]['start_ts'], runs[0]['end_ts']
        equal([(b['start_ts'], b['end_ts']) for b in barriers], [(begin, begin + BARRIER_NS)])
        spans = sorted((e['start_ts'] - begin, e['end_ts'] - begin) for e in own
                       if e['name'] == 'cc_running')
        equal(len(spans), len(ops))
        for (start, stop), op in zip(spans, ops):
            assert abs(start - op['start_ts']) <= 1 and abs(stop - op['end_ts']) <= 1, (start, op)
            assert stop + begin <= end
    equal(len({e['start_ts'] for e in events if e['name'] == 'nc_exec_running'}), 1)


def measured(folder, ranks):
    (folder / 'nccom-test').symlink_to(PROGRAM)
    capture = folder / 'inspected'
    run([folder / 'nccom-test', *'allr -b 256kb -e 256kb -n 4 -w 2 -d fp32 -r'.split(), ranks,
         '--report-to-json-file', 'r.json'], folder,
        {'NEURON_RT_INSPECT_ENABLE': '1', 'NEURON_RT_INSPECT_DEVICE_PROFILE': '1',
         'NEURON_RT_INSPECT_OUTPUT_DIR': str(capture),
         'NEURON_EXPLORER_INSTANCE': 'trn2.48xlarge'})
    ntffs, neff = sorted(capture.glob('*/*_vnc_*.ntff')), next(capture.glob('*/neff_*.neff'))
    equal(len(ntffs), ranks)
    for ntff in ntffs:
        ops, _ = check_profile(ntff, neff, 6)
    check_system(capture, ops, ranks)
    printed = json.loads((folder / 'r.json').read_text())['results'][0]['time:avg(us)']
    mean = sum(op['duration_ns'] for op in ops[2:]) / 4000
    assert abs(printed - mean) <= 0.005001, (printed, mean)


def numbers_alone(folder):
    """Without simulated times, collectives have their own clock with the same durations."""
    (folder / 'nccom-test').symlink_to(PROGRAM)
    line = [folder / 'nccom-test', *'allr -b 256kb -e 256kb -n 4 -w 2 -d fp32 -c -r 4'.split()]
    equal(run(line, folder, {'NEURON_SIM': 'numeric'}), run(line, folder))


def capture_alone(folder, neff, ranks, mode, words=()):
    """Profiles of all ranks, with values and times or with times only."""
    run([PROGRAM, 'capture', '-n', neff, '-s', mode + '.ntff', '-r', ranks, *words], folder,
        {'NEURON_SIM': mode})
    return [folder / ('%s_rank_%d.ntff' % (mode, rank)) for rank in range(ranks)]


def times_alone(folder):
    """Without values nothing is exchanged, but the profile is complete."""
    neff = assemble(folder, 2, 'trn2')
    for both, alone in zip(*(capture_alone(folder, neff, 2, mode) for mode in ('both', 'timing'))):
        ops, words = check_profile(alone, neff, 3)
        check_waiters(alone, neff, ops[0], words, SUMMED)
        for name in ('CcOp', 'CcStream', 'Instruction', 'SemaphoreUpdate'):
            equal(table(name, alone, neff), table(name, both, neff))
        equal(alone.read_bytes(), both.read_bytes())


def times_of_two_cores(folder):
    """Instructions of two engines and two cores, in the order in which a device runs them."""
    source, neff = folder / 't.nasm', folder / 't.neff'
    line = ('PSEUDO_TRIGGER_COLLECTIVE ctype=ALL_REDUCE input_tensor_id=x output_tensor_id=%s '
            'num_elements=1024 dtype=fp32 op=ADD group_id=%d\n')
    groups = '.replica_groups [[0,1,2,3]]\n.replica_groups [[0,2],[1,3]]\n'
    source.write_text(
        '.name two\n.arch trn2\n.input x fp32 [1024]\n.output y fp32 [1024]\n'
        '.output z fp32 [1024]\n' + groups + '.engine pool\n' + line % ('y', 0) + line % ('y', 1) +
        '.engine act\nNOP cycle=200\n' + line % ('z', 1) +
        '.core 1\n.input x fp32 [1024]\n.output w fp32 [1024]\n' + groups + '.engine pool\n' +
        line % ('w', 0))
    run([PROGRAM, 'neff', '--assemble', source, '-o', neff], folder)
    for both, alone in zip(*(capture_alone(folder, neff, 4, mode) for mode in ('both', 'timing'))):
        equal(alone.read_bytes(), both.read_bytes())
        equal(len(table('CcOp', alone, neff)), 4)


def one_of_many(folder):
    """One machine without the other: times depend on the number of ranks, without waiting."""
    (folder / 'nccom-test').symlink_to(PROGRAM)
    line = [folder / 'nccom-test', *'allr -b 64kb -e 64kb -n 4 -w 2 -r 4 -N 2'.split()]
    alone = run(line + ['--node-rank', 0], folder,
                {'NEURON_SIM': 'timing', 'NEURON_RT_ROOT_COMM_ID': '127.0.0.1:1'})
    equal(alone, run(line, folder))


def measured_by_times(folder):
    (folder / 'nccom-test').symlink_to(PROGRAM)
    line = [folder / 'nccom-test', *'allr -b 256kb -e 256kb -n 4 -w 2 -d fp32 -r 4'.split()]
    equal(run(line, folder, {'NEURON_SIM': 'timing'}), run(line, folder))


def many_devices(folder):
    (folder / 'nccom-test').symlink_to(PROGRAM)
    capture = folder / 'inspected'
    run([folder / 'nccom-test', *'allg -b 64kb -e 64kb -n 1 -w 0 -r 32'.split()], folder,
        {'NEURON_RT_INSPECT_ENABLE': '1', 'NEURON_RT_INSPECT_OUTPUT_DIR': str(capture),
         'NEURON_EXPLORER_INSTANCE': 'trn2.48xlarge'})
    text = run([PROGRAM, 'view', '-d', capture, '--output-format', 'summary-text'], folder)
    found = re.findall(r'^ +(\d+) .*%  device (\d+), core (\d+)$', text, re.M)
    equal([(int(d), int(c)) for _, d, c in found],
          [(device, core) for device in range(8) for core in range(8)])
    equal({count for count, _, _ in found}, {'1'})


def renamed(folder):
    """A capture tells its rank, whatever the name of its file."""
    neff = assemble(folder, 4, 'trn2')
    captured = capture_alone(folder, neff, 4, 'both')
    (folder / 'all').mkdir()
    for rank, name in enumerate('dbca'):
        captured[rank].rename(folder / 'all' / (name + '.ntff'))
    run([PROGRAM, 'view', '-n', neff, '-d', 'all', '--output-format', 'json'], folder)
    for rank, name in enumerate('dbca'):
        found = list(folder.rglob('device_profile_rank_%d.json' % rank))
        equal(len(found), 1)
        shown = json.loads(found[0].read_text())['profile_info'][0]['ntff_filename']
        assert shown.endswith('/%s.ntff' % name), shown


def one_clock(folder):
    """Ranks of two processes, whose cores are not neighbours. All begin on the host's clock when
    the last does, and a collective ends at the same time in all."""
    neff = assemble(folder, 4, 'trn2')
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    node = ('NEURON_RT_VISIBLE_CORES=%%s %s capture -n %s -s n%%d.ntff -r 2 '
            '--collectives-worker-count 4 --collectives-worker-start-id %%d' % (PROGRAM, neff))
    run([PROGRAM, 'inspect', '-o', 'traced', 'sh', '-c',
         '%s & %s && wait' % (node % ('0,2', 0, 0), node % ('1,3', 2, 2))], folder,
        {'NEURON_RT_ROOT_COMM_ID': '127.0.0.1:%d' % port})
    said = run([PROGRAM, 'view', '-d', 'traced', '--output-format', 'json', '--output-file', 'out'],
               folder)
    assert "ranks are aligned on the host's clock" in said, said
    ranks = json.loads((folder / 'out/ranks.json').read_text())
    equal([r['rank'] for r in ranks['ranks']], [0, 1, 2, 3])
    equal((ranks['aligned_by'], ranks['collective_skew_ns']), ('host_clock', 0))
    equal({r['offset_ns'] for r in ranks['ranks']}, {0})
    equal(ranks['span_ns'], ranks['most_total_ns'])
    # The cores of a process keep their numbers on the machine.
    system = json.loads((folder / 'out/system_profile.json').read_text())
    workers = sorted([(w['lnc_idx'], w['worker_gid']) for w in p['workers']]
                     for p in system['process_list'])
    equal(workers, [[(0, 0), (1, 2)], [(0, 1), (1, 3)]])


def no_host_clock(folder):
    """Without a system trace, a common collective ties ranks together; without one, nothing."""
    neff = assemble(folder, 2, 'trn2')
    (folder / 'alone').mkdir()
    for ntff in capture_alone(folder, neff, 2, 'both'):
        ntff.rename(folder / 'alone' / ntff.name)
    said = run([PROGRAM, 'view', '-n', neff, '-d', 'alone', '--output-format', 'json',
                '--output-file', 'out'], folder)
    assert 'ranks are aligned at the end of their first collective' in said, said
    ranks = json.loads((folder / 'out/ranks.json').read_text())
    equal((ranks['aligned_by'], ranks['collective_skew_ns']), ('collective', 0))


CASES = [('assembled program on %d ranks' % n, lambda f, n=n: assembled(f, n)) for n in (1, 2, 8)]
CASES += [('assembled program of trn1', lambda f: assembled(f, 2, 'trn1'))]
CASES += [('nccom-test on %d ranks' % n, lambda f, n=n: measured(f, n)) for n in (1, 2, 8)]
CASES += [('numbers alone', numbers_alone), ('times alone', times_alone),
          ('times only, two cores', times_of_two_cores), ('one rank of many', one_of_many),
          ('nccom-test with times only', measured_by_times),
          ('cores of eight devices', many_devices), ('renamed files', renamed),
          ('ranks of two processes on one clock', one_clock),
          ('ranks without a host clock', no_host_clock)]


sys.exit(run_cases(CASES))
