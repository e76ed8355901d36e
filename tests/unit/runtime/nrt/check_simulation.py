#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profile programs on the simulated device through libnrt.so.1 and read the profiles.

usage: check_simulation.py PROFILED_PROGRAM TRACED_PROGRAM NEURON_EXPLORER EXAMPLES

Programs of examples/ are assembled, run with profiling on and read back with `view`: every
instruction is there, in order, at the same time in each run, and nothing is said to be lost.
Prints TAP.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
from tap_cases import run_cases  # noqa: E402

PROFILED, TRACED, EXPLORER, EXAMPLES = sys.argv[1:5]
NAMES = ('vector_add', 'matmul', 'mlp', 'softmax', 'attention', 'all_reduce')
# Said of NEFFs that no compiler made: neither is about the capture.
HARMLESS = ('The NEFF carries no compiler metrics', 'The NEFF carries no HLO statistics',
            'The capture holds 4 executions; number ')
# Waits for a semaphore that nobody counts up.
STUCK = 'NOP S[stored]>=17 cycle=0'
SETTINGS = ('NEURON_SIM', 'NEURON_SIM_SEED', 'NEURON_SIM_STRICT', 'NEURON_SIM_EPOCH_PS',
            'NEURON_EXPLORER_INSTANCE', 'NEURON_EXPLORER_DEVICE', 'NEURON_RT_LOG_LEVEL',
            'NEURON_RT_VIRTUAL_CORE_SIZE', 'NEURON_RT_ENABLE_DGE_NOTIFICATIONS')


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in SETTINGS and not name.startswith('NEURON_RT_')}

    def assemble(self, name, text=None, arch=None):
        source = pathlib.Path(EXAMPLES) / f'{name}.nasm'
        if text is not None:
            source = self.folder / f'{name}.nasm'
            source.write_text(text)
        neff = self.folder / f'{name}_{arch or "own"}.neff'
        extra = ['--arch', arch] if arch else []
        subprocess.run([EXPLORER, 'neff', '--assemble', str(source), '-o', str(neff), *extra],
                       check=True, stdout=subprocess.DEVNULL)
        return neff

    def run(self, neff, out, *extra, count=1, **settings):
        """Status, sum of the outputs, and the log."""
        done = subprocess.run([PROFILED, str(neff), str(out), str(count), *extra], text=True,
                              env={**self.environment, **settings}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True)
        status, total = done.stdout.split()
        return status, total, done.stderr

    def profile(self, neff, *extra, **settings):
        out = self.folder / 'once.ntff'
        return *self.run(neff, out, *extra, **settings), out.read_bytes()

    def view(self, neff, ntff, *extra):
        out = self.folder / 'view.json'
        done = subprocess.run([EXPLORER, 'view', '-n', str(neff), '-s', str(ntff), *extra,
                               '--output-format', 'json', '--output-file', str(out)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout
        return json.loads(out.read_text())

    def profile_view(self, neff, *extra, **settings):
        self.run(neff, self.folder / 'seen.ntff', *extra, **settings)
        return self.view(neff, self.folder / 'seen.ntff')


def losses(view):
    return [w['message'] for w in view['warnings'] if not w['message'].startswith(HARMLESS)]


def by_engine(view):
    rows = {}
    for row in sorted(view['instruction'], key=lambda row: row['timestamp']):
        label = 'Tensor' if row['label'] == 'TensorMatrix' else row['label']
        rows.setdefault((row['fully_qualified_subgraph'], label), []).append(row)
    return rows


def opcodes(view, opcode):
    return [row for row in view['instruction'] if row['opcode'] == opcode]


def check_view(view):
    end = view['metadata'][0]['last_hw_timestamp']
    assert losses(view) == [], losses(view)
    assert view['metadata'][0]['is_simulation'] is True
    assert 'error' not in view or not view['error'], view['error']
    assert view['instruction'] and view['dma'] and view['semaphore_update']
    for row in view['instruction']:
        assert 0 <= row['timestamp'] <= row['timestamp'] + row['duration'] <= end + 1, row
        assert row['operands'] and row['opcode'] and not row['opcode'].startswith('0x'), row
    # Control words may run ahead of a queue of computing ones, but each runs once; the label that
    # streams begin with is no word of the device.
    for engine, rows in by_engine(view).items():
        compiled = sorted(row['compiler_pc'] for row in rows if row.get('compiler_pc') is not None)
        assert len(set(compiled)) == len(compiled) >= compiled[-1] - compiled[0], compiled
        slots = sorted(row['pc'] for row in rows)
        assert slots == list(range(slots[0], slots[-1] + 1)), (engine, slots)
    for row in view['dma']:
        assert row['timestamp'] + row['duration'] <= end + 1, row
        assert row['queue_type'] != 'data' or row['variable'], row


def every_example_can_be_seen(bench):
    for name in NAMES:
        check_view(bench.profile_view(bench.assemble(name)))


def what_was_compiled_is_there_and_in_order(bench):
    view = bench.profile_view(bench.assemble('vector_add'))
    triggers = sorted((row for row in opcodes(view, 'WRITE') + opcodes(view, 'PSEUDO_DMA_TRIGGER')
                       if row.get('compiler_pc') is not None), key=lambda row: row['timestamp'])
    adds = opcodes(view, 'TENSOR_TENSOR')
    assert len(adds) == 1 and len(triggers) == 3, (adds, triggers)
    add = adds[0]
    assert add['layer'] == 'add' and add['compiler_pc'] is not None
    assert 'op=ADD' in add['operands'] and 'channels=128' in add['operands']
    assert add['evt_wait_time'] > 0
    assert [row['label'] for row in triggers] == ['Sync', 'Sync', 'GpSimd']
    add_end = add['timestamp'] + add['duration']
    assert triggers[1]['timestamp'] < add['timestamp'] and triggers[2]['timestamp'] >= add_end - 1
    packets = [row for row in view['dma'] if row['aggregated'] == 'no']
    assert sum(row['transfer_size'] for row in packets) >= 3 * 128 * 512 * 4
    loads = [row for row in packets if row['variable'] in 'ab']
    assert loads and all(row['timestamp'] + row['duration'] <= add['timestamp'] for row in loads)
    assert all(row['timestamp'] >= triggers[2]['timestamp'] for row in packets
               if row['variable'] == 'c')
    loaded = [row for row in view['semaphore_update'] if 'qSyncIO0' in str(row['id'])]
    assert max(int(row['value']) for row in loaded) == 32


def both_cores_of_a_program_are_shown(bench):
    view = bench.profile_view(bench.assemble('all_reduce'))
    engines = by_engine(view)
    assert {graph for graph, _ in engines} == {'/sg00', '/sg01'}
    for (graph, label), rows in engines.items():
        assert graph == '/sg00' or len(rows) == len(engines['/sg00', label])


def the_same_program_gives_the_same_bytes(bench):
    for name in NAMES:
        neff = bench.assemble(name)
        first, second = bench.profile(neff), bench.profile(neff)
        assert first[0] == 'NRT_SUCCESS' and first[3] == second[3], name
    assert bench.profile(neff, NEURON_INSTANCE_ID='i-0other')[3] == first[3]


def executions_follow_each_other(bench):
    """On one core the second execution starts after the first and lasts as long as any later one."""
    neff = bench.assemble('vector_add')
    files = [bench.profile(neff, count=count)[3] for count in (1, 2, 3)]
    assert len(set(files)) == 3
    moved = bench.profile(neff, NEURON_SIM_EPOCH_PS='7000000000')[3]
    assert moved != files[0]
    view = bench.profile_view(neff)
    assert bench.profile_view(neff, NEURON_SIM_EPOCH_PS='7000000000')['instruction'] \
        == view['instruction']


def numbers_do_not_depend_on_times(bench):
    for name in NAMES:
        neff = bench.assemble(name)
        numbers = bench.profile(neff, NEURON_SIM='numeric')
        both = bench.profile(neff)
        times = bench.profile(neff, NEURON_SIM='timing')
        assert numbers[1] == both[1], name
        assert times[3] == both[3], name
        assert times[1] != both[1], name
        assert times[2].count('outputs are zero') == 1, times[2]


def jitter_is_drawn_from_the_seed(bench):
    neff = bench.assemble('matmul')
    seven = bench.profile(neff, NEURON_SIM_SEED='7')
    assert seven[3] == bench.profile(neff, NEURON_SIM_SEED='7')[3]
    assert seven[1] == bench.profile(neff)[1]


def wrong_settings_are_told(bench):
    neff = bench.assemble('vector_add')
    usual = bench.profile(neff)
    for name, value, nearest in (('NEURON_SIM', 'timng', 'timing'),
                                 ('NEURON_SIM_SEED', '-1', 'using 0'),
                                 ('NEURON_SIM_STRICT', 'yes', 'using 0'),
                                 ('NEURON_EXPLORER_INSTANCE', 'trn1.2xlrge', 'trn1.2xlarge')):
        done = bench.profile(neff, **{name: value})
        assert name in done[2] and nearest in done[2], done[2]
        assert done[3] == usual[3], name


def older_devices_have_older_files(bench):
    neff = bench.assemble('matmul', arch='trn1')
    view = bench.profile_view(neff)
    check_view(view)
    about = view['metadata'][0]
    assert about['ntff_version'] == 5 and about['pe_clock_freq'] == 2.8, about
    assert view['summary'][0]['instance_type'] == 'trn1.2xlarge'
    assert opcodes(view, 'MATMUL')
    view = bench.profile_view(neff, NEURON_EXPLORER_INSTANCE='inf2.48xlarge')
    assert view['summary'][0]['instance_type'] == 'inf2.48xlarge'
    log = bench.profile(neff, NEURON_RT_LOG_LEVEL='INFO')[2]
    assert 'compiled for trn1' in log, log
    log = bench.profile(neff, NEURON_RT_LOG_LEVEL='INFO',
                        NEURON_EXPLORER_INSTANCE='trn1.2xlarge')[2]
    assert 'compiled for' not in log, log


def what_is_no_number_is_an_error_of_its_instruction(bench):
    neff = bench.assemble('vector_add')
    status, _, _ = bench.run(neff, bench.folder / 'nan.ntff', 'nan')
    view = bench.view(neff, bench.folder / 'nan.ntff')
    add = opcodes(view, 'TENSOR_TENSOR')[0]
    assert status == 'NRT_EXEC_COMPLETED_WITH_NUM_ERR', status
    assert len(view['error']) == 1, view['error']
    error = view['error'][0]
    assert error['description'] == 'not a number' and error['engine'] == 'Vector', error
    assert error['pc'] == add['pc'] and error['opcode'] == 'TENSOR_TENSOR', error
    assert abs(error['timestamp'] - add['timestamp'] - add['duration']) <= 1, (error, add)


def a_program_that_hangs_leaves_its_profile(bench):
    text = (pathlib.Path(EXAMPLES) / 'vector_add.nasm').read_text()
    assert 'NOP S[stored]>=16 cycle=0' in text
    neff = bench.assemble('stuck', text.replace('NOP S[stored]>=16 cycle=0', STUCK))
    for mode in ('both', 'timing', 'numeric'):
        status, _, log = bench.run(neff, bench.folder / 'stuck.ntff', NEURON_SIM=mode)
        assert status == 'NRT_TIMEOUT', (mode, status)
        assert log.count('are deadlocked') == 1 and '>= 17' in log, log
        view = bench.view(neff, bench.folder / 'stuck.ntff')
        assert len(opcodes(view, 'TENSOR_TENSOR')) == (mode != 'numeric'), mode
        assert losses(view) == [], losses(view)


def continuous_profiles_are_the_same(bench):
    neff = bench.assemble('softmax')
    out = bench.folder / 'continuous'
    bench.run(neff, f'{out}/', count=3)
    files = list(out.glob('*.ntff'))
    assert len(files) == 1 and len(list(out.glob('*.neff'))) == 1, files
    assert files[0].read_bytes() == bench.profile(neff, count=3)[3]
    check_view(bench.view(neff, files[0]))


def sessions_keep_all_executions(bench):
    neff = bench.assemble('vector_add')
    out = bench.folder / 'session'
    subprocess.run([TRACED, str(neff), '4'], check=True, env={
        **bench.environment, 'NEURON_RT_INSPECT_ENABLE': '1',
        'NEURON_RT_INSPECT_DEVICE_PROFILE': 'session', 'NEURON_RT_INSPECT_OUTPUT_DIR': str(out)})
    ntff = next(out.glob('*/profile_nc_0_session_*.ntff'))
    alone = bench.profile_view(neff)
    for execution in range(4):
        view = bench.view(neff, ntff, '--execution', str(execution))
        check_view(view)
        assert view['instruction'] == alone['instruction'], execution
    done = subprocess.run([EXPLORER, 'view', '-d', str(out), '--output-format', 'summary-text'],
                          text=True, stdout=subprocess.PIPE, check=True)
    mean_us = re.search(r'^ +4 .* ([0-9.]+) us +[0-9.]+ us  nc_exec_running', done.stdout, re.M)
    assert mean_us, done.stdout
    total_us = view['metadata'][0]['last_hw_timestamp'] / 1000
    assert abs(float(mean_us[1]) - total_us) < 0.01, (mean_us[0], total_us)


def sessions_of_older_devices_keep_the_first(bench):
    """Their files cannot tell executions apart."""
    neff = bench.assemble('vector_add', arch='trn1')
    out = bench.folder / 'session'
    subprocess.run([TRACED, str(neff), '3'], check=True, env={
        **bench.environment, 'NEURON_RT_INSPECT_ENABLE': '1',
        'NEURON_RT_INSPECT_DEVICE_PROFILE': 'session', 'NEURON_RT_INSPECT_OUTPUT_DIR': str(out)})
    view = bench.view(neff, next(out.glob('*/profile_nc_0_session_*.ntff')))
    check_view(view)
    assert len(view['instruction']) == len(bench.profile_view(neff)['instruction'])


def what_nobody_measured_is_refused_when_asked(bench):
    text = (pathlib.Path(EXAMPLES) / 'vector_add.nasm').read_text()
    add = text[text.index('TENSOR_TENSOR'):text.index('\n', text.index('TENSOR_TENSOR'))]
    unknown = add + ' raw=0:7c'
    for mode in ('numeric', 'both'):
        neff = bench.assemble('unknown', text.replace(add, unknown))
        status, _, log = bench.run(neff, bench.folder / 'x.ntff', NEURON_SIM=mode,
                                   NEURON_SIM_STRICT='1')
        assert status == 'NRT_EXEC_COMPLETED_WITH_ERR', (mode, status, log)
        _, _, log = bench.run(neff, bench.folder / 'x.ntff', count=2, NEURON_SIM=mode)
        assert log.count('opcode 0x7c is not executed') == 1, log


def an_instance_can_be_chosen(bench):
    neff = bench.assemble('vector_add')
    for name in ('trn2.48xlarge', 'trn2.3xlarge'):
        view = bench.profile_view(neff, NEURON_EXPLORER_INSTANCE=name)
        assert view['summary'][0]['instance_type'] == name


CHECKS = (
    every_example_can_be_seen, what_was_compiled_is_there_and_in_order,
    both_cores_of_a_program_are_shown, the_same_program_gives_the_same_bytes,
    executions_follow_each_other, numbers_do_not_depend_on_times, jitter_is_drawn_from_the_seed,
    wrong_settings_are_told, older_devices_have_older_files,
    what_is_no_number_is_an_error_of_its_instruction, a_program_that_hangs_leaves_its_profile,
    continuous_profiles_are_the_same, sessions_keep_all_executions,
    sessions_of_older_devices_keep_the_first, what_nobody_measured_is_refused_when_asked,
    an_instance_can_be_chosen,
)


if __name__ == '__main__':
    sys.exit(run_cases(CHECKS, Bench))
