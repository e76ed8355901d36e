# SPDX-License-Identifier: Apache-2.0
"""Matrix products as they were published: c[M,N] = at[K,M]^T b[K,N] in tiles of 128 x 128 x 512.

Which loops are where is known from the tutorials, or follows from the bytes that were measured;
each function says which. How many tiles are in flight was never published: rings are as large as
the state buffer allows.
"""

from program_steps import (Array, Weights, bring, combine, load, load_identity, product, store,
                           transpose)
from program_text import SIZES, Program

K = 128
M = 128
N = 512


class Matmul:
    """What all of them share: three arrays, loads on one queue, stores on another."""

    def __init__(self, name, arch, dtype, shape, out_dtype):
        rows, depth, columns = shape
        self.p = Program(name, arch)
        self.dtype = dtype
        self.size = SIZES[dtype]
        self.at = Array(self.p, 'input', 'at', dtype, depth, rows)
        self.b = Array(self.p, 'input', 'b', dtype, depth, columns)
        self.c = Array(self.p, 'output', 'c', out_dtype, rows, columns)
        self.m_tiles, self.k_tiles, self.n_tiles = rows // M, depth // K, columns // N
        if arch == 'trn2':
            self.loads = self.p.queue('qSPDynamicHW', 'sp')
            self.stores = self.p.queue('qActDynamicHW', 'act')
        else:
            self.loads = self.p.queue('qSPIO0', 'sp')
            self.stores = self.p.queue('qPoolIO0', 'pool')

    def weights(self, tile, at=0):
        return Weights(tile, self.dtype, K, M, at)


def matmul_rows(shape, block_m=1, block_n=1, name='matmul_rows'):
    """fp32: one block of rows of at stays, b comes again for every tile (A v3, v4).

    The bytes of v3 say so: b 32 times, at once. Those of v4 are 2 % less than this and fit no
    blocking; its block of b does not fit the state buffer, so the compiler reloaded.
    """
    k = Matmul(name, 'trn2', 'fp32', shape, 'fp32')
    p = k.p
    kept = p.ring(2 * k.k_tiles * block_m, M * 4)
    moving = p.ring(min(32, k.k_tiles * block_n), N * 4)
    out = p.ring(4, N * 4)
    banks = p.banks()
    blocks = k.m_tiles // block_m

    def load_rows(block):
        tiles = []
        for m in range(block_m):
            for depth in range(k.k_tiles):
                tile = kept.next()
                tiles.append(tile)
                load(p, k.loads, k.at, depth * K, K, (block * block_m + m) * M, M, tile)
                yield tiles

    *_, rows = load_rows(0)
    for block in range(blocks):
        # The next rows are loaded during this block's second half, or they would delay b.
        ahead = load_rows(block + 1) if block + 1 < blocks else iter(())
        slots = block_m * k.n_tiles * k.k_tiles
        every = max(1, slots // (2 * block_m * k.k_tiles))
        following, slot = None, 0
        for n_block in range(k.n_tiles // block_n):
            for m in range(block_m):
                for n in range(n_block * block_n, (n_block + 1) * block_n):
                    bank = banks.next()
                    for depth in range(k.k_tiles):
                        tile = moving.next()
                        load(p, k.loads, k.b, depth * K, K, n * N, N, tile)
                        slot += 1
                        if 2 * slot > slots and slot % every == 0:
                            following = next(ahead, following)
                        product(p, k.weights(rows[m * k.k_tiles + depth]), tile, tile.address,
                                f'[1][{N}]', bank, depth == 0, depth == k.k_tiles - 1)
                    done = out.next()
                    bring(p, 'dve', bank, done, 'fp32', N)
                    store(p, k.stores, k.c, (block * block_m + m) * M, M, n * N, N, done)
        for following in ahead:
            pass
        rows = following
    return p.text()


def matmul_blocked(shape, block_m=16, block_n=2, block_k=8, name='matmul_blocked'):
    """fp32, all three loops in blocks (A v5: 16 x 2 x 8 tiles).

    From the tutorial. Sums of a block of k are added to those before it on the Vector engine. The
    published bytes are 4 % more: what the compiler spilled is not known.
    """
    k = Matmul(name, 'trn2', 'fp32', shape, 'fp32')
    p = k.p
    half = block_m // 2
    kept = p.ring(3 * block_k, half * M * 4)
    moving = p.ring(2 * block_k, block_n * N * 4)
    sums = [[p.tile(N * 4) for _ in range(block_n)] for _ in range(block_m)]
    banks = p.banks()
    for n_block in range(k.n_tiles // block_n):
        for m_block in range(k.m_tiles // block_m):
            for k_block in range(k.k_tiles // block_k):
                _one_block(k, (m_block, n_block, k_block), (block_m, block_n, block_k),
                           (kept, moving, sums, banks))
            for m in range(block_m):
                store(p, k.stores, k.c, (m_block * block_m + m) * M, M, n_block * block_n * N,
                      block_n * N, *sums[m])
    return p.text()


def _one_block(k, where, blocks, memory):
    m_block, n_block, k_block = where
    block_m, block_n, block_k = blocks
    kept, moving, sums, banks = memory
    p, half = k.p, block_m // 2
    b_tiles, parts = [], [[], []]
    for part in range(2):
        for depth in range(block_k):
            row = (k_block * block_k + depth) * K
            tile = kept.next()
            parts[part].append(tile)
            load(p, k.loads, k.at, row, K, (m_block * block_m + part * half) * M, half * M, tile)
            if part == 0:
                b_tiles.append(moving.next())
                load(p, k.loads, k.b, row, K, n_block * block_n * N, block_n * N, b_tiles[-1])
    for m in range(block_m):
        for n in range(block_n):
            bank = banks.next()
            for depth in range(block_k):
                product(p, k.weights(parts[m // half][depth], m % half * M * 4), b_tiles[depth],
                        b_tiles[depth].address + n * N * 4, f'[1][{N}]', bank, depth == 0,
                        depth == block_k - 1)
            if k_block == 0:
                bring(p, 'dve', bank, sums[m][n], 'fp32', N)
            else:
                combine(p, 'ADD', bank, sums[m][n], sums[m][n], N)


def matmul_panels(shape, panel=8, whole_rows=True, buffers=2, name='matmul_panels'):
    """bf16: a panel of at, eight tiles wide, stays; b comes once for each panel (E V1, V2).

    From the bytes (201 MB: b four times, at and c once) and from the time of a transfer: V1 loads
    tile by tile, V2 a panel's row at once. That V1 has one panel and V2 two is a guess.
    """
    k = Matmul(name, 'trn2', 'bfloat16', shape, 'bfloat16')
    p = k.p
    wide = panel if whole_rows else 1
    kept = p.ring(buffers * k.k_tiles * panel // wide, wide * M * 2)
    moving = p.ring(min(2 * k.k_tiles, 48), N * 2)
    out = p.ring(4, N * 2)
    banks = p.banks()
    for block in range(k.m_tiles // panel):
        tiles = {}
        for group in range(panel // wide):
            for depth in range(k.k_tiles):
                tile = tiles[depth, group] = kept.next()
                load(p, k.loads, k.at, depth * K, K, (block * panel + group * wide) * M, wide * M,
                     tile)
        for n in range(k.n_tiles):
            b_tiles = [moving.next() for _ in range(k.k_tiles)]
            for depth, tile in enumerate(b_tiles):
                load(p, k.loads, k.b, depth * K, K, n * N, N, tile)
            for m in range(panel):
                bank = banks.next()
                for depth, tile in enumerate(b_tiles):
                    product(p, k.weights(tiles[depth, m // wide], m % wide * M * 2), tile,
                            tile.address, f'[1][{N}]', bank, depth == 0, depth == k.k_tiles - 1)
                done = out.next()
                bring(p, 'dve', bank, done, 'bfloat16', N)
                store(p, k.stores, k.c, (block * panel + m) * M, M, n * N, N, done)
    return p.text()


def matmul_resident(shape, name='matmul_resident'):
    """bf16: both operands fit and come once; two rows of tiles begin with the first loads (F).

    A reading of "the same 1024 matmuls with better prefetch": k outermost while operands come,
    weights used for a whole row of tiles.
    """
    k = Matmul(name, 'trn2', 'bfloat16', shape, 'bfloat16')
    p = k.p
    first = [p.tile(2 * M * 2) for _ in range(k.k_tiles)]
    rest = [p.tile((k.m_tiles - 2) * M * 2) for _ in range(k.k_tiles)]
    b_tiles = [p.tile(k.n_tiles * N * 2) for _ in range(k.k_tiles)]
    out = p.ring(2, k.n_tiles * N * 2)
    banks = p.banks(0, 8)
    for depth in range(k.k_tiles):
        load(p, k.loads, k.at, depth * K, K, 0, 2 * M, first[depth])
        load(p, k.loads, k.b, depth * K, K, 0, k.n_tiles * N, b_tiles[depth])
    for depth in range(k.k_tiles):
        load(p, k.loads, k.at, depth * K, K, 2 * M, (k.m_tiles - 2) * M, rest[depth])
    for group in [(0, 1)] + [(m,) for m in range(2, k.m_tiles)]:
        used = {(m, n): banks.next() for m in group for n in range(k.n_tiles)}
        for depth in range(k.k_tiles):
            for m in group:
                w = k.weights(first[depth], m * M * 2) if m < 2 else \
                    k.weights(rest[depth], (m - 2) * M * 2)
                for n in range(k.n_tiles):
                    product(p, w, b_tiles[depth], b_tiles[depth].address + n * N * 2,
                            f'[1][{N}]', used[m, n], depth == 0, depth == k.k_tiles - 1,
                            reuses=n > 0)
        for m in group:
            done = out.next()
            for n in range(k.n_tiles):
                bring(p, 'dve', used[m, n], done, 'bfloat16', N, n * N * 2, n > 0)
            store(p, k.stores, k.c, m * M, M, 0, k.n_tiles * N, done)
    return p.text()


def matmul_stream(count, name='matmul_stream'):
    """Products back to back, each with its weights, on operands that are there (E, Tensor)."""
    k = Matmul(name, 'trn2', 'bfloat16', (M, K, N), 'fp32')
    p = k.p
    kept, moving, out = p.tile(M * 2), p.tile(N * 2), p.tile(N * 4)
    banks = p.banks()
    load(p, k.loads, k.at, 0, K, 0, M, kept)
    load(p, k.loads, k.b, 0, K, 0, N, moving)
    for _ in range(count):
        bank = banks.next()
        product(p, k.weights(kept), moving, moving.address, f'[1][{N}]', bank, True, True)
    bring(p, 'dve', bank, out, 'fp32', N)
    store(p, k.stores, k.c, 0, M, 0, N, out)
    return p.text()


def matmul_turned(shape, block_n=2, name='matmul_turned'):
    """fp32 on trn1 with a[M,K] as it is, turned through the array (G matmul).

    From the bytes, which this meets exactly: a 12 times, b 32 times, an identity once; and from
    the flops of the turning.
    """
    rows, depth_size, columns = shape
    p = Program(name, 'trn1')
    loads, stores = p.queue('qSPIO0', 'sp'), p.queue('qPoolIO0', 'pool')
    a = Array(p, 'input', 'a', 'fp32', rows, depth_size)
    b = Array(p, 'input', 'b', 'fp32', depth_size, columns)
    c = Array(p, 'output', 'c', 'fp32', rows, columns)
    k_tiles = depth_size // K
    identity = load_identity(p, loads)
    straight = p.ring(2, depth_size * 4)
    turned = p.ring(2 * k_tiles, M * 4)
    moving = p.ring(12, block_n * N * 4)
    out = p.ring(2, block_n * N * 4)
    turning, banks = p.banks(0, 2), p.banks(2, 6)
    for n_block in range(columns // N // block_n):
        for m in range(rows // M):
            row = straight.next()
            load(p, loads, a, m * M, M, 0, depth_size, row)
            tiles = []
            for depth in range(k_tiles):
                bank = turning.next()
                transpose(p, Weights(row, 'fp32', M, K, depth * K * 4), identity, bank)
                tiles.append(turned.next())
                bring(p, 'act', bank, tiles[-1], 'fp32', M)
            used = [banks.next() for _ in range(block_n)]
            for depth in range(k_tiles):
                tile = moving.next()
                load(p, loads, b, depth * K, K, n_block * block_n * N, block_n * N, tile)
                for n, bank in enumerate(used):
                    product(p, Weights(tiles[depth], 'fp32'), tile, tile.address + n * N * 4,
                            f'[1][{N}]', bank, depth == 0, depth == k_tiles - 1)
            done = out.next()
            for n, bank in enumerate(used):
                bring(p, 'dve', bank, done, 'fp32', N, n * N * 4, n > 0)
            store(p, stores, c, m * M, M, n_block * block_n * N, block_n * N, done)
    return p.text()


def matmul_batched(batches, shape, name='matmul_batched'):
    """fp32 on trn1, a product for each of a batch (G bmm): bound by the stores of its result."""
    rows, depth, columns = shape
    p = Program(name, 'trn1')
    loads, stores = p.queue('qSPIO0', 'sp'), p.queue('qPoolIO0', 'pool')
    at = Array(p, 'input', 'at', 'fp32', batches * depth, rows)
    b = Array(p, 'input', 'b', 'fp32', batches * depth, columns)
    c = Array(p, 'output', 'c', 'fp32', batches * rows, columns)
    kept, moving = p.ring(2, rows * 4), p.ring(2, columns * 4)
    out = p.ring(4, columns * 4)
    banks = p.banks()
    turn = 0
    for batch in range(batches):
        a_tile, b_tile = kept.next(), moving.next()
        load(p, loads, at, batch * depth, depth, 0, rows, a_tile)
        load(p, loads, b, batch * depth, depth, 0, columns, b_tile)
        for m in range(rows // M):
            done = out.next()
            for n in range(columns // N):
                bank = banks.next()
                product(p, Weights(a_tile, 'fp32', depth, M, m * M * 4), b_tile,
                        b_tile.address + n * N * 4, f'[1][{N}]', bank, True, True)
                turn += 1
                bring(p, 'act' if turn % 2 else 'dve', bank, done, 'fp32', N, n * N * 4, n > 0)
            store(p, stores, c, batch * rows + m * M, M, 0, columns, done)
    return p.text()


def transpose_array(size, name='transpose_array'):
    """fp32 on trn2, turned tile by tile through the array (H transpose): four tiles fill a bank.

    The assignment names the way; blocks and buffers are ours.
    """
    p = Program(name, 'trn2')
    loads, stores = p.queue('qSPDynamicHW', 'sp'), p.queue('qActDynamicHW', 'act')
    a = Array(p, 'input', 'a', 'fp32', size, size)
    c = Array(p, 'output', 'c', 'fp32', size, size)
    identity = load_identity(p, loads)
    rows, out, banks = p.ring(8, size * 4), p.ring(8, N * 4), p.banks()
    for first in range(0, size, N):
        tiles = [rows.next() for _ in range(N // M)]
        for index, tile in enumerate(tiles):
            load(p, loads, a, first + index * M, M, 0, size, tile)
        for column in range(0, size, K):
            bank, done = banks.next(), out.next()
            for index, tile in enumerate(tiles):
                transpose(p, Weights(tile, 'fp32', M, K, column * 4), identity, bank,
                          index * M * 4)
            bring(p, 'dve', bank, done, 'fp32', N)
            store(p, stores, c, column, K, first, N, done)
    return p.text()
