#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that packets of dynamic DMAs are attributed to the instructions that made them.

usage: dynamic_dma.py NEURON_EXPLORER DUMP_TABLES SHARED

A program whose transfers are known is captured on the software NeuronCore with and without DGE
notifications, and with a notification removed. Real captures, if there are any in SHARED, check
what devices record. Prints TAP.
"""

import collections
import json
import pathlib
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap_cases import Skip, run_cases  # noqa: E402

EXPLORER, DUMP_TABLES, SHARED = (pathlib.Path(word).resolve() for word in sys.argv[1:])
ROW = 256
# engine, variable, rows, table or not, in the order of each engine's program. 20 and 7 rows are
# not shared evenly by 16 DMA engines.
TRANSFERS = (('pool', 'a', 128, True), ('pool', 'b', 20, True), ('pool', 'a', 7, False),
             ('sp', 'b', 20, False), ('sp', 'a', 128, True))
QUEUES = {'pool': ('qGpSimdDynamic', 'software_dynamic'),
          'sp': ('qSyncDynamicHW', 'hardware_dynamic')}


def program():
    lines = ['.name dynamic', '.arch trn2', '.input a fp32 [128,64]', '.input b fp32 [20,64]',
             '.output c fp32 [128,64]', '.table T = a, b', '.semaphore soft', '.semaphore hard',
             '.queue qPoolDynamic owner=pool type=dynamic semaphores=[soft]',
             '.queue qSPDynamicHW owner=sp type=dynamic semaphores=[hard]', '.prologue']
    for engine, semaphore in (('pool', 'soft'), ('sp', 'hard')):
        lines.append(f'.engine {engine}')
        mine = [t for t in TRANSFERS if t[0] == engine]
        for number, (_, variable, rows, by_table) in enumerate(mine):
            source = (f'src_table_offset_imm=0 src_table_index={"ab".index(variable)}' if by_table
                      else f'src_var_id={variable} src_var_offset=0')
            place = (number + (8 if engine == 'sp' else 0)) * ROW
            lines.append(
                f'PSEUDO_DMA_DIRECT2D dge_op=DIRECT2D semaphore={semaphore} sem_increment=16 '
                f'src_elem_size={ROW} dst_elem_size={ROW} src_pattern=[{ROW},1][{rows},1] '
                f'dst_pattern=[262144,1][{rows},1] {source} src_shape_reg=0 dst_var_id=0 '
                f'dst_var_offset={place} dst_shape_reg=0')
        lines.append(f'NOP S[{semaphore}]>={16 * len(mine)} cycle=0')
    return '\n'.join(lines) + '\n'


def run(*words, folder):
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, f'{words}: {done.stderr}'
    return done.stdout, done.stderr


def capture(folder, *options):
    (folder / 'program.nasm').write_text(program())
    run(EXPLORER, 'neff', '--assemble', 'program.nasm', '-o', 'file.neff', folder=folder)
    run(EXPLORER, 'capture', '-n', 'file.neff', '-s', 'profile.ntff', *options, folder=folder)


def table(folder, name, ntff='profile.ntff', neff='file.neff'):
    text, _ = run(DUMP_TABLES, ntff, neff, name, folder=folder)
    return [json.loads(line) for line in text.splitlines()]


def warnings(folder):
    return [row['message'] for row in table(folder, 'Warning') if 'DGE' in row['message']]


def same(got, expected, what):
    assert got == expected, f'{what}: {got}, expected {expected}'


def ring_packets(rows, engine):
    """Packets of a transfer, as docs/design/simulator.md divides it; rows of 256 bytes fit."""
    shares = [rows // 16 + (ring < rows % 16) for ring in range(16)]
    per_ring = [share if engine == 'sp' else int(share > 0) for share in shares]
    return sum(per_ring) + 16


def packets_know_their_instruction(folder):
    capture(folder, '--enable-dge-notifs')
    transfers = table(folder, 'DmaPacketAggregated')
    instructions = {row['id']: row for row in table(folder, 'Instruction')}
    packets = collections.Counter()
    for packet in table(folder, 'DmaPacket'):
        packets[packet['packet_aggregation_id'], packet['variable']] += 1
    for engine, (queue, queue_type) in QUEUES.items():
        mine = [t for t in transfers if t['queue_name'] == queue]
        mine.sort(key=lambda t: instructions[t['trigger']]['compiler_pc'])
        wanted = [t for t in TRANSFERS if t[0] == engine]
        same([(t['variable'], t['transfer_bytes'], t['queue_type']) for t in mine],
             [(variable, rows * ROW, queue_type) for _, variable, rows, _ in wanted], queue)
        same([packets[t['id'], t['variable']] for t in mine],
             [ring_packets(rows, engine) for _, _, rows, _ in wanted], f'packets of {queue}')
        for t in mine:
            trigger = instructions[t['trigger']]
            same(trigger['opcode'], 'DMA_DIRECT2D', 'opcode')
            assert trigger['start_ts'] <= t['start_ts'] <= t['end_ts'], t
        same([t['source'] for t in mine], ['[["INPUT"]]'] * len(wanted), 'sources')
        same({t['dest'] for t in mine}, {'["SB"]'}, 'destinations')
        same([t['write_num_sbuf_partitions'] for t in mine], [rows for _, _, rows, _ in wanted],
             'partitions')
    same(len({t['id'] for t in transfers}), len(transfers), 'ids of transfers')
    same(table(folder, 'PendingDma')[-1]['value'], 0, 'DMAs that are pending at the end')
    filled = {(row['tensor_name'], row['queue_name']) for row in table(folder, 'SbufAllocation')
              if row['op_source_type'] == 'dma'}
    same(filled, {(variable, QUEUES[engine][0]) for engine, variable, _, _ in TRANSFERS}, 'SBUF')
    same(warnings(folder), [], 'warnings')


def the_json_agrees(folder):
    capture(folder, '--enable-dge-notifs')
    run(EXPLORER, 'view', '-n', 'file.neff', '-s', 'profile.ntff', '--output-format', 'json',
        '--output-file', 'out.json', folder=folder)
    rows = [row for row in json.loads((folder / 'out.json').read_text())['dma']
            if row['queue_type'].endswith('_dynamic')]
    whole = {row['id']: row for row in rows if row['aggregated'] == 'yes'}
    same(len(whole), len(TRANSFERS), 'transfers')
    for row in rows:
        if row['aggregated'] == 'no':
            same(row['variable'], whole[row['packet_aggregation_id']]['variable'], 'variable')
    same({t['id'] for t in table(folder, 'DmaPacketAggregated')} >= set(whole), True, 'ids')


def without_notifications_nothing_is_claimed(folder):
    capture(folder)
    same(table(folder, 'DmaPacketAggregated'), [], 'transfers')
    same({row['variable'] for row in table(folder, 'DmaPacket')}, {'unknown'}, 'variables')
    message, = warnings(folder)
    assert message.startswith('5 dynamic DMAs ran, but the capture has no DGE'), message


def a_lost_notification_is_told(folder):
    """Only the queue that it belongs to is unknown."""
    capture(folder, '--enable-dge-notifs')
    path = folder / 'profile.ntff'
    content = bytearray(path.read_bytes())
    start = 128 + struct.unpack_from('<Q', content, 1)[0]
    for at in range(start, len(content) - 15, 16):
        w0, w1 = struct.unpack_from('<II', content, at)
        # GpSimd, explicit, hint 1, all DMA engines
        if w0 >> 24 == 0x0e and w0 >> 20 & 15 == 1 and w1 & 0xffff == 0xffff:
            struct.pack_into('<II', content, at, 0x0b000000, 0)  # an event instead
            break
    else:
        raise AssertionError('the capture has no notification of GpSimd')
    path.write_bytes(content)
    kinds = collections.Counter((row['queue_type'], row['variable'] == 'unknown')
                                for row in table(folder, 'DmaPacket'))
    assert not kinds['software_dynamic', False] and kinds['software_dynamic', True], kinds
    assert kinds['hardware_dynamic', False] and not kinds['hardware_dynamic', True], kinds
    message, = warnings(folder)
    assert 'qGpSimdDynamic' in message and 'not matched' in message, message


def devices_record_it_too(folder):
    raw = SHARED / 'data/neuron-raw'
    if not raw.exists():
        raise Skip(f'no captures at {SHARED}')
    for stem, counts in (('v6b', {'software_dynamic': 160}),
                         ('attn_v6', {'software_dynamic': 324, 'hardware_dynamic': 20})):
        files = (raw / f'profile_{stem}_exec_2.ntff', raw / f'{stem}.neff')
        packets = table(folder, 'DmaPacket', *files)
        instructions = {row['id']: row for row in table(folder, 'Instruction', *files)}
        transfers = [t for t in table(folder, 'DmaPacketAggregated', *files)
                     if t['queue_type'].endswith('_dynamic')]
        same(collections.Counter(t['queue_type'] for t in transfers), counts, stem)
        assert all(p['variable'] != 'unknown' for p in packets
                   if p['queue_type'].endswith('_dynamic')), f'{stem}: packets without a variable'
        # The last packet on each DMA engine counts the semaphore up: four bytes.
        last = {}
        for p in packets:
            last[p['packet_aggregation_id'], p['engine_idx']] = p['transfer_bytes']
        same({last[key] for key in last if key[0] in {t['id'] for t in transfers}}, {4}, stem)
        for t in transfers:
            trigger = instructions.get(t.get('trigger'))
            if trigger:  # else another core's instruction of that nanosecond replaced it
                moved = max(trigger.get(f'{place}_{way}_bytes') or 0
                            for place in ('hbm', 'sbuf') for way in ('read', 'write'))
                same(t['transfer_bytes'], moved, f'{stem}: bytes of {t["id"]}')


CASES = (packets_know_their_instruction, the_json_agrees,
         without_notifications_nothing_is_claimed, a_lost_notification_is_told,
         devices_record_it_too)

sys.exit(run_cases(CASES))
