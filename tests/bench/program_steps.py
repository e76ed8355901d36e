# SPDX-License-Identifier: Apache-2.0
"""The steps kernels are made of: rows into tiles and back, products, elementwise work."""

from program_text import PARTITION, SIZES


class Array:
    """A tensor in device memory, row after row."""

    def __init__(self, program, kind, name, dtype, rows, columns):
        self.name = program.tensor(kind, name, dtype, [rows, columns])
        self.dtype = dtype
        self.element_bytes = SIZES[dtype]
        self.row_bytes = columns * self.element_bytes

    def side(self, row, rows, column, columns):
        return (self.name, row * self.row_bytes + column * self.element_bytes,
                columns * self.element_bytes, self.row_bytes, rows)


def on_chip(address, run, rows):
    return ('SB', address, run, PARTITION, rows)


def load(p, queue, array, row, rows, column, columns, tile, at=0, adds=False):
    """Rows of an array into the partitions of a tile, from byte `at` on."""
    source = array.side(row, rows, column, columns)
    p.dma(queue, source, on_chip(tile.address + at, source[2], rows), array.dtype, (), (tile,),
          adds)


def store(p, queue, array, row, rows, column, columns, *tiles):
    """The bytes from the first tile on; the others lie behind it."""
    target = array.side(row, rows, column, columns)
    p.dma(queue, on_chip(tiles[0].address, target[2], rows), target, array.dtype, tiles, ())


def load_identity(p, queue, dtype='fp32'):
    tile = p.tile(128 * SIZES[dtype])
    run = 128 * SIZES[dtype]
    p.dma(queue, (p.identity(dtype), 0, run, run, 128), on_chip(tile.address, run, 128), dtype, (),
          (tile,))
    return tile


class Weights:
    """A tile of the array: K rows and M columns, from byte `at` of a tile on."""

    def __init__(self, tile, dtype, rows=128, columns=128, at=0):
        self.tile = tile
        self.dtype = dtype
        self.rows = rows
        self.columns = columns
        self.address = tile.address + at


def _load_weights(p, w, mode, transposes=False):
    last = w.address + (w.columns - 1) * SIZES[w.dtype]
    enabled = ''
    if p.arch != 'trn1':
        enabled = f'transpose_mode={"ENABLED" if transposes else "DISABLED"} '
    p.quiet('pe', 'LDWEIGHTS', f'{mode}{enabled}src={w.dtype}@{last}[-1][{w.columns}] '
            f'{w.rows}*{w.columns}', (w.tile,))


def product(p, w, moving, address, pattern, bank, is_first, is_last, at=0, reuses=False):
    """bank += weights^T moving. fp32 takes two passes, the low part of the weights first.

    pattern is the moving operand's, "[1][512]"; a product of 16-bit types may reuse the weights
    of the one before it.
    """
    columns = 1
    for size in pattern.rsplit('[', 1)[1].rstrip(']').split(','):
        columns *= int(size)
    passes = ['fp32_mode=LOW ', 'fp32_mode=HIGH '] if w.dtype == 'fp32' else ['']
    mode = 'fp32_mode=LOW_HIGH ' if w.dtype == 'fp32' else ''
    for turn, low_or_high in enumerate(passes):
        if not reuses:
            _load_weights(p, w, low_or_high)
        is_end = turn == len(passes) - 1
        flags = (is_first and turn == 0) | (is_last and is_end) << 1
        text = (f'acc_flags={int(flags)} {mode}src={w.dtype}@{address}{pattern} '
                f'dst={bank.address + at}[1][{columns}] {w.rows}*{w.columns}')
        if is_end:
            p.compute('pe', 'MATMUL', text, (moving,), (bank,), (w.tile,))
        else:
            p.quiet('pe', 'MATMUL', text, (moving,), (bank,))


def transpose(p, w, identity, bank, at=0):
    """128 x 128 through the array: what is stationary comes out with rows and columns changed.

    From trn2 on the array has a mode for it, one pass over fp32; before, it is a product.
    """
    if p.arch == 'trn1':
        product(p, w, identity, identity.address, '[1][128]', bank, True, True, at)
        return
    mode = 'fp32_mode=LOW ' if w.dtype == 'fp32' else ''
    _load_weights(p, w, mode, True)
    mode = 'fp32_mode=LOW_HIGH ' if w.dtype == 'fp32' else ''
    p.compute('pe', 'MATMUL', f'acc_flags=3 {mode}src={w.dtype}@{identity.address}[1][128] '
              f'dst={bank.address + at}[1][128] {w.rows}*{w.columns} transpose_mode=1',
              (identity,), (bank,), (w.tile,))


def bring(p, engine, bank, tile, dtype, count, at=0, adds=False, rows=128):
    """Sums from PSUM into the state buffer, in the type wanted there."""
    if engine == 'act':
        text = (f'COPY bias_imm=0.0 scale=1.0 src=fp32@{bank.address}[1][{count}] '
                f'dst={dtype}@{tile.address + at}[1][{count}] channels={rows}')
        p.compute('act', 'ACTIVATE', text, (bank,), (tile,), adds=adds)
        return
    opcode = 'COPY' if dtype == 'fp32' else 'CAST'
    text = (f'src=fp32@{bank.address}[1][{count}] dst={dtype}@{tile.address + at}[1][{count}] '
            f'channels={rows}')
    p.compute('dve', opcode, text, (bank,), (tile,), adds=adds)


def combine(p, op, left, right, out, count, rows=128):
    """out = left op right on the Vector engine, in fp32."""
    text = (f'op={op} src0=fp32@{left.address}[1][{count}] src1=fp32@{right.address}[1][{count}] '
            f'dst=fp32@{out.address}[1][{count}] channels={rows}')
    p.compute('dve', 'TENSOR_TENSOR', text, (left, right), (out,))


def activate(p, function, source, scales, out, count):
    """out = function(source * scale), one scale for each partition."""
    text = (f'{function} bias_imm=0.0 scale=[{scales.address}] src=fp32@{source.address}'
            f'[1][{count}] dst=fp32@{out.address}[1][{count}] channels=128')
    p.compute('act', 'ACTIVATE', text, (source, scales), (out,))
