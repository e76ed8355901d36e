#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check nccom-test, collectives in a NEFF, and captures of them.

usage: nccom.py NEURON_EXPLORER LIBNRT EXAMPLES

Tables are recomputed from the values they print, checks compare with plain loops inside
nccom-test, and an assembled program runs on four ranks through libnrt. Prints TAP.
"""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

PROGRAM, LIBNRT, EXAMPLES = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
OPS = 'allr allg allgv redsct sendrecv alltoall alltoallv permute broadcast'.split()
TYPES = 'uint8 int8 fp8 uint16 int16 fp16 bf16 uint32 int32 fp32'.split()
FACTORS = {'allr': lambda r: 2 * (r - 1) / r, 'allg': lambda r: (r - 1) / r,
           'redsct': lambda r: (r - 1) / r, 'alltoall': lambda r: (r - 1) / r,
           'permute': lambda r: 1, 'sendrecv': lambda r: 1}


def run(line, folder, env=None, code=0):
    environment = {k: v for k, v in os.environ.items() if not k.startswith('NEURON_')}
    environment.update({'TMPDIR': str(folder), **(env or {})})
    done = subprocess.run([str(folder / 'nccom-test')] + line.split(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment, cwd=folder)
    if done.returncode != code:
        raise AssertionError('%s: exit code %d\n%s%s' % (line, done.returncode, done.stdout,
                                                         done.stderr))
    return done.stdout, done.stderr


def tables(text):
    """The rows of each table as dictionaries, and the averages below them."""
    found, rows, titles = [], [], []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ['size(B)']:
            titles, rows = words, []
        elif line.startswith('Avg bus bandwidth:'):
            found.append((rows, float(re.match(r'.*?([0-9.]+)GB/s$', line).group(1))))
        elif titles and len(words) == len(titles):
            rows.append(dict(zip(titles, words)))
    return found


def near(a, b, tolerance):
    if abs(a - b) > tolerance:
        raise AssertionError('%r is not %r' % (a, b))


def equal(a, b):
    if a != b:
        raise AssertionError('%r is not %r' % (a, b))


def documented_lines(folder):
    one, _ = run('allg -b 512kb -e 512kb -r 32 -n 10 -d fp32 -w 1 -f 512', folder)
    two, _ = run('allr allg -b 512kb -e 512kb -r 32 -n 10 -d fp32 -w 1 -f 512', folder)
    equal(len(tables(one)), 1)
    equal(len(tables(two)), 2)
    row = tables(one)[0][0][0]
    equal(list(row), ['size(B)', 'count(elems)', 'type', 'time:avg(us)', 'algbw(GB/s)',
                      'busbw(GB/s)'])
    equal((row['size(B)'], row['count(elems)'], row['type']), ('524288', '131072', 'fp32'))


def formulas(folder):
    for op, factor in FACTORS.items():
        text, _ = run(op + ' -r 6 -b 12kb -e 768kb -f 4 -n 3 -w 1 -d fp32', folder)
        rows, average = tables(text)[0]
        equal([int(r['size(B)']) for r in rows], [12288, 49152, 196608, 786432])
        for r in rows:
            size, us = int(r['size(B)']), float(r['time:avg(us)'])
            equal(int(r['count(elems)']), size // 4)
            algbw = size / us / 1e3
            near(float(r['algbw(GB/s)']), algbw, 0.006 + algbw * 0.005 / us)
            near(float(r['busbw(GB/s)']), algbw * factor(6), 0.02 + algbw * 0.01 / us)
        near(average, sum(float(r['busbw(GB/s)']) for r in rows) / len(rows), 0.006)


def columns(folder):
    text, _ = run('allr -r 4 -b 1mb -e 2mb -i 1mb -n 4 -w 0 -t avg p25 p99 --show-algorithm '
                  '--show-input-output-size --report-to-json-file r.json', folder)
    rows, _ = tables(text)[0]
    equal(list(rows[0]), ['size(B)', 'count(elems)', 'total_input_size(B)',
                          'total_output_size(B)', 'type', 'time:avg(us)', 'time:p25(us)',
                          'time:p99(us)', 'algbw(GB/s)', 'busbw(GB/s)', 'algorithm'])
    equal([r['algorithm'] for r in rows], ['rdh', 'rdh'])
    equal(int(rows[0]['total_input_size(B)']), 4 << 20)
    report = json.loads((folder / 'r.json').read_text())['results']
    equal([r['size(B)'] for r in report], [1 << 20, 2 << 20])
    for r in report:
        near(r['busbw(GB/s)'], r['algbw(GB/s)'] * 1.5, 1e-9)
        near(r['size(B)'] / r['algbw(GB/s)'] / 1e3, r['time:avg(us)'], 0.006)


def algorithms(folder):
    text, _ = run('allr -r 4 -b 64kb -e 64mb -f 32 -n 1 -w 0 --show-algorithm', folder)
    equal([r['algorithm'] for r in tables(text)[0][0]], ['mesh', 'rdh', 'kangaring'])
    text, _ = run('allr -r 3 -b 3mb -e 3mb -n 1 -w 0 -c --show-algorithm', folder)
    equal(tables(text)[0][0][0]['algorithm'], 'ring')


def checks(folder):
    for kind in TYPES:
        run('%s -r 4 -b 4kb -e 4kb -n 1 -w 1 -c random --seed 7 -d %s' % (' '.join(OPS), kind),
            folder)
    run('%s -r 4 -b 4kb -e 4kb -n 1 -w 1 -c all_ones -d fp32' % ' '.join(OPS), folder)
    run('allr -r 8 -b 2mb -e 2mb -n 1 -w 0 -c -d bf16', folder)


def variable_sizes(folder):
    text, _ = run('allgv -r 3 -d fp32 -n 1 -w 0 -c --variable-size-op-metadata [3,0,5]', folder)
    equal(tables(text)[0][0][0]['size(B)'], '32')
    run('alltoallv -r 2 -d fp16 -n 1 -w 0 -c --variable-size-op-metadata [[1,2],[0,4]]', folder)
    _, said = run('allgv -r 3 -c --variable-size-op-metadata [3,0]', folder, code=7)
    assert 'needs 3' in said, said
    # 65,536 counts: one machine of four, whose program is not longer than that.
    run('alltoallv -r 256 -N 4 --node-rank 0 -b 64kb -e 64kb -n 1 -w 0', folder,
        {'NEURON_SIM': 'timing', 'NEURON_RT_ROOT_COMM_ID': '127.0.0.1:1'})


def groups(folder):
    text, _ = run('allr -r 4 -b 4kb -e 4kb -n 15 -w 5 -I 10 -W 5 -c '
                  '--custom-replica-groups [[0,2],[1,3]]', folder)
    row = tables(text)[0][0][0]
    near(float(row['busbw(GB/s)']), float(row['algbw(GB/s)']), 0.011)
    run('allg -r 4 -b 4kb -e 4kb -c --data-parallel-dimension 2', folder)
    run('permute -r 4 -b 64 -e 64 -c --custom-src-target-pairs [[0,3],[3,1]]', folder)
    _, said = run('allr -r 4 -b 64 -e 64 --custom-replica-groups [[0,1],[1,3]]', folder, code=2)
    assert 'in two groups' in said, said


def processes(folder):
    text, _ = run('allr alltoall -r 4 --processes -b 64kb -e 64kb -n 2 -w 1 -d bf16 -c', folder)
    threads, _ = run('allr alltoall -r 4 -b 64kb -e 64kb -n 2 -w 1 -d bf16 -c', folder)
    equal(text, threads)


def machines(folder):
    near_us = float(tables(run('allr -r 4 -b 64kb -e 64kb', folder)[0])[0][0][0]['time:avg(us)'])
    far_us = float(tables(run('allr -r 4 -N 2 -b 64kb -e 64kb', folder)[0])[0][0][0]
                   ['time:avg(us)'])
    assert far_us > near_us + 20, (near_us, far_us)


def wall_time(folder):
    text, _ = run('allr -r 2 -b 64kb -e 64kb -n 2 --wall-time', folder)
    assert float(tables(text)[0][0][0]['time:avg(us)']) > 0


def errors(folder):
    for line, code, part in (
            ('allr', 2, 'with --nworkers'), ('-r 2', 2, 'name 1 to'),
            ('allx -r 2', 2, "no operation 'allx'"), ('allr -r 2 -b 12zb', 2, 'is not a size'),
            ('allr -r 2 -d fp64', 2, "no type 'fp64'"),
            ('allr -r 2 -b 2mb -e 1mb', 2, 'at most --maxbytes'),
            ('allr -r 2 --node-rank x', 2, 'number of a machine'),
            ('allr -r 2 -S -s a,b', 2, 'Slurm chooses'),
            ('allr -r 2 -s a,b -N 3', 2, '3 machines, but 2 are named'),
            ('allr -r 2 -f 1', 2, 'stepfactor'), ('allr -r 2 -c sometimes', 2, 'no operation'),
            ('allr -r 3 -N 2', 2, 'cannot be spread'), ('allr -r 2 -n 0', 2, '-n must be')):
        out, said = run(line, folder, code=code)
        assert part in said, said
    out, said = run('allg -r 3 -b 64 -e 64', folder, code=7)
    assert 'multiple of 3' in said, said
    lines = out.splitlines()
    assert re.match(r'Failure running neuron-bench - log file \S+$', lines[-2]), out
    equal(lines[-1], '1 errors found - test failed')
    log = pathlib.Path(lines[-2].split()[-1])
    assert 'multiple of 3' in log.read_text()
    log.unlink()


def captured(folder):
    capture = folder / 'inspected'
    run('allg -b 64kb -e 64kb -r 4 -n 3 -d fp32 -w 1', folder,
        {'NEURON_RT_INSPECT_ENABLE': '1', 'NEURON_RT_INSPECT_DEVICE_PROFILE': '1',
         'NEURON_RT_INSPECT_OUTPUT_DIR': str(capture)})
    text = subprocess.run([str(PROGRAM), 'view', '-d', str(capture), '--output-format',
                           'summary-text'], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    for count, event in ((4, 'nrt_load_collectives'), (4, 'enc_barrier'), (8, 'enc_barrier_send'),
                         (8, 'enc_barrier_recv'), (16, 'cc_running'), (4, 'cc_exec_barrier')):
        assert re.search(r'^ +%d .* %s \(' % (count, event), text, re.M), (event, text)
    ntffs = sorted(capture.glob('*/*_vnc_*.ntff'))
    equal(len(ntffs), 4)
    neff = next(capture.glob('*/neff_*.neff'))
    text = subprocess.run([str(PROGRAM), 'view', '-n', str(neff), '-s', str(ntffs[1]),
                           '--output-format', 'summary-text'], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    assert re.search(r'^cc_op_count +4$', text, re.M), text
    near(float(re.search(r'^cc_op_time +(\S+)$', text, re.M).group(1)), 4 * 4.268e-6, 1e-9)


class Runtime:
    """libnrt.so.1, initialised once for this process."""

    def __init__(self):
        os.environ['NEURON_RT_LOG_LEVEL'] = 'ERROR'
        self.lib = ctypes.CDLL(str(LIBNRT))
        equal(self.lib.nrt_init(1, b'', b''), 0)

    def tensor_set(self, core, name, size, data=None):
        tensor, group = ctypes.c_void_p(), ctypes.c_void_p()
        equal(self.lib.nrt_tensor_allocate(0, core, ctypes.c_size_t(size), name,
                                           ctypes.byref(tensor)), 0)
        if data:
            equal(self.lib.nrt_tensor_write(tensor, data, ctypes.c_size_t(0),
                                            ctypes.c_size_t(size)), 0)
        equal(self.lib.nrt_allocate_tensor_set(ctypes.byref(group)), 0)
        equal(self.lib.nrt_add_tensor_to_tensor_set(group, name, tensor), 0)
        return tensor, group


def assembled(folder):
    if b'__asan_init' in LIBNRT.read_bytes():
        raise Skip('a sanitized library cannot be loaded into Python')
    neff_path, count = folder / 'a.neff', 128 * 64
    subprocess.run([str(PROGRAM), 'neff', '--assemble', str(EXAMPLES / 'rank_sum.nasm'), '-o',
                    str(neff_path)], check=True)
    neff, runtime, results = neff_path.read_bytes(), Runtime(), {}

    def rank_main(rank):
        values = (ctypes.c_float * count)(*((i % 50) + rank for i in range(count)))
        got = (ctypes.c_float * count)()
        model = ctypes.c_void_p()
        equal(runtime.lib.nrt_load_collectives(neff, ctypes.c_size_t(len(neff)), rank, 1, rank, 4,
                                               ctypes.byref(model)), 0)
        _, inputs = runtime.tensor_set(rank, b'x', 4 * count, values)
        output, outputs = runtime.tensor_set(rank, b'y', 4 * count)
        for _ in range(3):
            equal(runtime.lib.nrt_execute(model, inputs, outputs), 0)
        equal(runtime.lib.nrt_tensor_read(output, got, ctypes.c_size_t(0),
                                          ctypes.c_size_t(4 * count)), 0)
        results[rank] = list(got)

    threads = [threading.Thread(target=rank_main, args=(r,)) for r in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runtime.lib.nrt_close()
    wanted = [2.0 * (4 * (i % 50) + 6) for i in range(count)]
    for rank in range(4):
        equal(results.get(rank), wanted)


CASES = (documented_lines, formulas, columns, algorithms, checks, variable_sizes, groups,
         processes, machines, wall_time, errors, captured, assembled)


def with_program(folder):
    (folder / 'nccom-test').symlink_to(PROGRAM)
    return folder


sys.exit(run_cases(CASES, with_program))
