# SPDX-License-Identifier: Apache-2.0
"""Published kernels in which the Vector engine or the transfers decide, and a convolution."""

from program_steps import (Array, Weights, activate, bring, combine, load, on_chip, product,
                           store)
from program_text import SIZES, Program

CHANNELS = 128


def vector_add(arch, count, rows, columns, ahead=8, name='vector_add'):
    """c = a + b, `rows` partitions of `columns` numbers at a time (H, vector add).

    The chunks are published. Unknown: the queues, and how far loads run ahead of stores. trn2 has
    one queue for all, as the time of a transfer says; trn1 has one for loads, one for stores.
    """
    p = Program(name, arch)
    if arch == 'trn2':
        loads = stores = p.queue('qPoolDynamic', 'pool')
    else:
        loads, stores = p.queue('qSPIO0', 'sp'), p.queue('qPoolIO0', 'pool')
    width = columns if columns > 1 else 1
    across = count // rows if columns > 1 else 1
    a, b, c = (Array(p, kind, name, 'fp32', count // across, across)
               for kind, name in (('input', 'a'), ('input', 'b'), ('output', 'c')))
    steps = count // rows // width
    ahead = min(ahead, steps)
    left, right = p.ring(ahead + 1, 4 * width), p.ring(ahead + 1, 4 * width)
    out = p.ring(ahead + 1, 4 * width)
    places = []

    def finish(step):
        row, column, a_tile, b_tile = places[step]
        done = out.next()
        combine(p, 'ADD', a_tile, b_tile, done, width, rows)
        store(p, stores, c, row, rows, column, width, done)

    for step in range(steps):
        row, column = (0, step * width) if columns > 1 else (step * rows, 0)
        places.append((row, column, left.next(), right.next()))
        load(p, loads, a, row, rows, column, width, places[-1][2])
        load(p, loads, b, row, rows, column, width, places[-1][3])
        if step >= ahead:
            finish(step - ahead)
    for step in range(steps - ahead, steps):
        finish(step)
    return p.text()


def dma_stream(count, run_bytes, name='dma_stream'):
    """Loads of 128 rows, one behind the other (E, DMA)."""
    p = Program(name, 'trn2')
    loads = p.queue('qSPDynamicHW', 'sp')
    a = Array(p, 'input', 'a', 'fp32', CHANNELS, run_bytes // 4)
    tiles = p.ring(16, run_bytes)
    for _ in range(count):
        load(p, loads, a, 0, CHANNELS, 0, run_bytes // 4, tiles.next())
    return p.text()


class Mamba:
    """y[c,t] = sum over s of C[s,t] h[s,c,t], h = exp(delta A) h of t-1 + delta u B[s,t].

    Channels lie in the partitions. B and C are one row each and have to reach all of them: the
    Tensor engine multiplies them by a column of ones, and the Vector engine reads them in PSUM.
    The scan's instruction has no known layout; a TENSOR_TENSOR, which costs the same (2N), stands
    for it, or with is_exact a pair of instructions for each column, to check the numbers.
    """

    def __init__(self, name, channels, length, states, tile, is_exact):
        p = self.p = Program(name, 'trn1')
        self.channels, self.length, self.states = channels, length, states
        self.tile, self.is_exact = tile, is_exact
        self.loads, self.rows = p.queue('qSPIO0', 'sp'), p.queue('qActIO0', 'act')
        self.stores = p.queue('qPoolIO0', 'pool')
        self.delta = Array(p, 'input', 'delta', 'fp32', channels, length)
        self.u = Array(p, 'input', 'u', 'fp32', channels, length)
        self.a = Array(p, 'input', 'a', 'fp32', channels, states)
        self.b = Array(p, 'input', 'b', 'fp32', states, length)
        self.c = Array(p, 'input', 'c', 'fp32', states, length)
        self.y = Array(p, 'output', 'y', 'fp32', channels, length)
        size = 4 * tile
        self.ones = p.tile(4 * CHANNELS)
        p.dma(self.loads, (p.ones(CHANNELS), 0, 4 * CHANNELS, 4 * CHANNELS, 1),
              on_chip(self.ones.address, 4 * CHANNELS, 1), 'fp32', (), (self.ones,))
        self.inputs = p.ring(8, size)
        self.scaled = p.ring(4, size)
        self.scales = p.ring(8, 4)
        self.single = p.ring(12, size)
        self.decays, self.driven = p.ring(4, size), p.ring(4, size)
        self.states_at, self.read = p.ring(4, size), p.ring(4, size)
        self.sums = p.ring(4, size)
        self.carried = {}
        self.b_banks, self.c_banks = p.banks(0, 4), p.banks(4, 4)
        self.waiting = []

    def spread(self, array, state, column, banks):
        row, bank = self.single.next(), banks.next()
        load(self.p, self.loads, array, state, 1, column, self.tile, row)
        ones = Weights(self.ones, 'fp32', 1, CHANNELS)
        product(self.p, ones, row, row.address, f'[1][{self.tile}]', bank, True, True)
        return bank

    def scan(self, decay, driven, out, carry, is_first):
        p, n = self.p, self.tile
        if not self.is_exact:
            # The previous column is read like the scan does: it waits for the copy.
            text = (f'op=MULTIPLY src0=fp32@{decay.address}[1][{n}] '
                    f'src1=fp32@{driven.address}[1][{n}] dst=fp32@{out.address}[1][{n}] '
                    f'channels={CHANNELS}')
            p.compute('dve', 'TENSOR_TENSOR', text, (decay, driven, carry) if carry else
                      (decay, driven), (out,))
            return
        for t in range(n):
            where = carry.address if t == 0 and carry else out.address + 4 * (t - 1)
            if t == 0 and is_first:
                text = (f'src=fp32@{driven.address}[1][1] dst=fp32@{out.address}[1][1] '
                        f'channels={CHANNELS}')
                p.compute('dve', 'COPY', text, (decay, driven), (out,))
                continue
            before = (carry,) if t == 0 else (out,)
            for op, left, right in (('MULTIPLY', decay.address + 4 * t, where),
                                    ('ADD', driven.address + 4 * t, out.address + 4 * t)):
                text = (f'op={op} src0=fp32@{left}[1][1] src1=fp32@{right}[1][1] '
                        f'dst=fp32@{out.address + 4 * t}[1][1] channels={CHANNELS}')
                p.compute('dve', 'TENSOR_TENSOR', text, (decay, driven, *before), (out,))
                before = (out,)

    def step(self, *stages):
        """Begins a step; each stage runs one step later than the one before it, as nothing else
        lets the Vector engine work while a result is on its way."""
        self.waiting.append(list(stages))
        for stages_left in list(self.waiting):
            stages_left.pop(0)()
            if not stages_left:
                self.waiting.remove(stages_left)

    def drain(self):
        while self.waiting:
            for stages_left in list(self.waiting):
                stages_left.pop(0)()
                if not stages_left:
                    self.waiting.remove(stages_left)

    def load_pair(self, channel, column):
        delta, u = self.inputs.next(), self.inputs.next()
        load(self.p, self.loads, self.delta, channel, CHANNELS, column, self.tile, delta)
        load(self.p, self.loads, self.u, channel, CHANNELS, column, self.tile, u)
        return delta, u

    def scale_inputs(self, delta, u):
        scaled = self.scaled.next()
        combine(self.p, 'MULTIPLY', delta, u, scaled, self.tile)
        return scaled

    def state_step(self, channel, column, state, delta, scaled, total, after=None):
        """One state of one tile: four instructions of the Vector engine."""
        p, n = self.p, self.tile
        scale, decay, driven = self.scales.next(), self.decays.next(), self.driven.next()
        result, read = self.states_at.next(), self.read.next()
        load(p, self.rows, self.a, channel, CHANNELS, state, 1, scale)
        b_bank = self.spread(self.b, state, column, self.b_banks)
        c_bank = self.spread(self.c, state, column, self.c_banks)
        activate(p, 'EXP', delta, scale, decay, n)
        is_first = column == 0
        carry = None if is_first else self.carried[channel, state]

        def scan():
            self.scan(decay, driven, result, carry, is_first)
            if column + n < self.length:
                kept = self.carried.setdefault((channel, state), None) or p.tile(4)
                self.carried[channel, state] = kept
                text = (f'src=fp32@{result.address + 4 * (n - 1)}[1][1] '
                        f'dst=fp32@{kept.address}[1][1] channels={CHANNELS}')
                p.compute('dve', 'COPY', text, (result,), (kept,))

        def finish():
            combine(p, 'ADD', total, read, total, n)
            if after:
                after()

        self.step(lambda: combine(p, 'MULTIPLY', scaled, b_bank, driven, n), scan,
                  lambda: combine(p, 'MULTIPLY', result, c_bank, read, n), finish)

    def clear(self, total):
        self.p.compute('dve', 'MEMSET', f'value=0 dst=fp32@{total.address}[1][{self.tile}] '
                       f'channels={CHANNELS}', (), (total,))


def mamba_tiled(channels, length, states=16, tile=512, is_exact=False, name='mamba_tiled'):
    """D v2 (a tile is the sequence) and v3 (tiles of 512): channels outermost, then the sequence.

    From the tutorial's text; that delta u is made once for a tile, and that B and C are read in
    PSUM, follows from the time of the Vector engine (6N for a state).
    """
    k = Mamba(name, channels, length, states, tile, is_exact)
    for channel in range(0, channels, CHANNELS):
        for column in range(0, length, tile):
            delta, u = k.load_pair(channel, column)
            scaled, total = k.scale_inputs(delta, u), k.sums.next()
            k.clear(total)
            for state in range(states):
                done = None
                if state == states - 1:
                    def done(channel=channel, column=column, total=total):
                        store(k.p, k.stores, k.y, channel, CHANNELS, column, tile, total)
                k.state_step(channel, column, state, delta, scaled, total, done)
    k.drain()
    return k.p.text()


def mamba_plain(channels, length, states=16, is_exact=False, name='mamba_plain'):
    """D v1: states outermost; delta and u come and are multiplied again for each state."""
    k = Mamba(name, channels, length, states, length, is_exact)
    totals = [k.p.tile(4 * length) for _ in range(channels // CHANNELS)]
    for total in totals:
        k.clear(total)
    for state in range(states):
        for index, total in enumerate(totals):
            channel = index * CHANNELS
            delta, u = k.load_pair(channel, 0)
            k.state_step(channel, 0, state, delta, k.scale_inputs(delta, u), total)
    k.drain()
    for index, total in enumerate(totals):
        store(k.p, k.stores, k.y, index * CHANNELS, CHANNELS, 0, length, total)
    return k.p.text()


def convolution(dtype, channels, height, width, block=8, name='convolution'):
    """3 x 3 without padding, shifted windows summed in PSUM (H conv2d).

    The method is published with the assignment; weights come here in the order wanted, where the
    assignment's kernels turn them first.
    """
    p = Program(name, 'trn2')
    loads, stores = p.queue('qSPDynamicHW', 'sp'), p.queue('qActDynamicHW', 'act')
    size, taps, groups = SIZES[dtype], 9, channels // 128
    x = Array(p, 'input', 'x', dtype, channels, height * width)
    w = Array(p, 'input', 'w', dtype, taps * channels, channels)
    out_height, out_width = height - 2, width - 2
    y = Array(p, 'output', 'y', dtype, channels, out_height * out_width)
    weights = [p.tile(channels * size) for _ in range(taps * groups)]
    images = p.ring(2 * groups, (block + 2) * width * size)
    out = p.ring(3, block * out_width * size)
    banks = p.banks()
    for index, tile in enumerate(weights):
        load(p, loads, w, index * 128, 128, 0, channels, tile)
    for top in range(0, out_height, block):
        rows = min(block, out_height - top)
        parts = [images.next() for _ in range(groups)]
        for group, part in enumerate(parts):
            load(p, loads, x, group * 128, 128, top * width, (rows + 2) * width, part)
        for column_group in range(groups):
            done = out.next()
            for row in range(0, rows, 2):
                bank = banks.next()
                for tap in range(taps):
                    for group, part in enumerate(parts):
                        shift = ((row + tap // 3) * width + tap % 3) * size
                        product(p, Weights(weights[tap * groups + group], dtype, 128, 128,
                                           column_group * 128 * size), part, part.address + shift,
                                f'[1,{width}][{out_width},2]', bank, tap == 0 and group == 0,
                                tap == taps - 1 and group == groups - 1)
                bring(p, 'dve', bank, done, dtype, 2 * out_width, row * out_width * size, row > 0)
            store(p, stores, y, column_group * 128, 128, top * out_width, rows * out_width, done)
    return p.text()
