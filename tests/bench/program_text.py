# SPDX-License-Identifier: Apache-2.0
"""A kernel as text for the assembler; its waits are derived from what it reads and writes.

A kernel says in plain order what it loads, computes and stores; each engine and each queue gets
its own part of that in its own order. Tiles remember who wrote and who reads them, so an
instruction waits for exactly what it needs: for the writer of what it reads, and before it
overwrites a tile for those who still read it. A wait that follows from an earlier one is left
out, as compilers do. How far loads run ahead is decided by one thing alone, the number of tiles
of a ring.

Engines are written pe, act, pool, dve and sp, as the assembler has them.
"""

PARTITION = 1 << 18
PSUM = 0x2000000
BANK = 2048
BANKS = 8
SIZES = {'fp32': 4, 'bfloat16': 2, 'fp16': 2}
DONE = {'act': 4, 'pe': 5, 'dve': 6, 'pool': 7}
FIRST_QUEUE_SEMAPHORE = 8
QUEUE_SEMAPHORES = 16
RINGS = 16
# Bytes of a partition that programs may use.
SBUF_BYTES = {'trn1': 192 << 10, 'trn2': 224 << 10}


class Tile:
    """Bytes on chip that are written and read as one; in rings they are used again."""

    def __init__(self, address):
        self.address = address
        self.writes = []
        self.reads = {}
        self.before = []

    def wanted_by_writer(self, adds):
        """Tokens a writer waits for; with adds it fills another part than the writers before."""
        return self.before if adds else [*self.reads.values(), *self.writes]

    def written(self, token, adds):
        if adds:
            self.writes = [t for t in self.writes if t[0] != token[0]] + [token]
            return
        self.before = [*self.reads.values(), *self.writes]
        self.writes = [token]
        self.reads = {}


class Ring:
    def __init__(self, tiles):
        self.tiles = tiles
        self.turn = 0

    def next(self):
        tile = self.tiles[self.turn % len(self.tiles)]
        self.turn += 1
        return tile


class Engine:
    def __init__(self):
        self.lines = []
        self.done = 0
        # Values that semaphores are known to have reached: for the front end, which runs ahead of the
        # queue and executes transfers and waits, and for the queue behind it.
        self.front = {}
        self.queue = {}


class Queue:
    def __init__(self, name, owner, first_semaphore):
        self.name = name
        self.owner = owner
        self.first_semaphore = first_semaphore
        self.count = 0
        self.last = {}


class Program:
    def __init__(self, name, arch):
        self.name = name
        self.arch = arch
        self.head = []
        self.engines = {engine: Engine() for engine in ('pe', 'act', 'pool', 'dve', 'sp')}
        self.queues = {}
        self.learnt = {}
        self.sbuf_used = 0
        self.waits_put = 0

    # --- memory ---------------------------------------------------------------------------

    def tensor(self, kind, name, dtype, shape):
        dims = ','.join(str(size) for size in shape)
        self.head.append(f'.{kind} {name} {dtype} [{dims}]')
        return name

    def identity(self, dtype='fp32'):
        self.head.append(f'.constant identity {dtype} [128,128] = identity')
        return 'identity'

    def ones(self, columns, dtype='fp32'):
        self.head.append(f'.constant ones {dtype} [1,{columns}] = 1.0')
        return 'ones'

    def tile(self, byte_count):
        address = self.sbuf_used
        self.sbuf_used += (byte_count + 31) // 32 * 32
        if self.sbuf_used > SBUF_BYTES[self.arch]:
            raise ValueError(f'{self.name}: {self.sbuf_used} bytes of a partition are too many')
        return Tile(address)

    def ring(self, count, byte_count):
        return Ring([self.tile(byte_count) for _ in range(count)])

    def banks(self, first=0, count=BANKS):
        return Ring([Tile(PSUM + BANK * bank) for bank in range(first, first + count)])

    # --- waits ----------------------------------------------------------------------------

    @staticmethod
    def _needs(engine, reads, writes, adds):
        """An engine writes in order, so it never waits for its own earlier reads and writes."""
        own = DONE.get(engine)
        needs = [token for tile in reads for token in tile.writes]
        for tile in writes:
            needs += [token for token in tile.wanted_by_writer(adds) if token[0] != own]
        return needs

    def _missing(self, known, needs):
        """The waits that do not follow from what is known; the highest value of each semaphore."""
        wanted = {}
        for semaphore, value in needs:
            if known.get(semaphore, 0) < value and wanted.get(semaphore, 0) < value:
                wanted[semaphore] = value
        if len(wanted) > 1:
            for token in list(wanted.items()):
                implied = self.learnt.get(token, {})
                for semaphore in list(wanted):
                    if semaphore != token[0] and implied.get(semaphore, 0) >= wanted[semaphore]:
                        del wanted[semaphore]
        return list(wanted.items())

    def _learn(self, known, tokens):
        known = dict(known)
        for token in tokens:
            for semaphore, value in self.learnt.get(token, {}).items():
                if known.get(semaphore, 0) < value:
                    known[semaphore] = value
            if known.get(token[0], 0) < token[1]:
                known[token[0]] = token[1]
        return known

    def _wait(self, name, needs, is_front):
        """Puts all waits but one into the engine's stream; the text of that one."""
        engine = self.engines[name]
        missing = self._missing(engine.front if is_front else engine.queue, needs)
        if not missing:
            return ''
        for semaphore, value in missing[:-1]:
            engine.lines.append(f'EVENT_SEMAPHORE S[{semaphore}]>={value} setter=0')
        self.waits_put += len(missing) - 1
        seen_by_front = missing if is_front else missing[:-1]
        if seen_by_front:
            engine.front = self._learn(engine.front, seen_by_front)
        engine.queue = self._learn(engine.queue, missing)
        semaphore, value = missing[-1]
        return f' S[{semaphore}]>={value}'

    # --- instructions ---------------------------------------------------------------------

    def compute(self, name, opcode, operands, reads, writes, others=(), adds=False):
        """One instruction; others are tiles that an earlier one without an update has read."""
        engine = self.engines[name]
        wait = self._wait(name, self._needs(name, reads, writes, adds), False)
        engine.done += 1
        engine.lines.append(f'{opcode}{wait} S[{DONE[name]}]++@complete {operands}')
        token = (DONE[name], engine.done)
        self.learnt[token] = engine.queue
        for tile in (*reads, *others):
            tile.reads[name] = token
        for tile in writes:
            tile.written(token, adds)
        return token

    def quiet(self, name, opcode, operands, reads, writes=()):
        """An instruction that changes no semaphore: a later one of the engine speaks for it."""
        wait = self._wait(name, self._needs(name, reads, writes, False), False)
        self.engines[name].lines.append(f'{opcode}{wait} {operands}')

    def queue(self, name, owner):
        first = FIRST_QUEUE_SEMAPHORE + QUEUE_SEMAPHORES * len(self.queues)
        self.queues[name] = Queue(name, owner, first)
        return name

    def _is_dynamic(self, queue):
        return 'Dynamic' in queue

    def dma(self, queue_name, source, target, dtype, reads=(), writes=(), adds=False):
        """source and target: (variable, offset, run in bytes, step, count[, step, count])."""
        queue = self.queues[queue_name]
        engine = self.engines[queue.owner]
        semaphore = queue.first_semaphore + queue.count % QUEUE_SEMAPHORES
        value = RINGS * (queue.count // QUEUE_SEMAPHORES + 1)
        queue.count += 1
        needs = self._needs(None, reads, writes, adds)
        if value > RINGS:
            needs.append((semaphore, value - RINGS))
        wait = self._wait(queue.owner, needs, True)
        token = (semaphore, value)
        self.learnt[token] = engine.front
        text = self._dynamic if self._is_dynamic(queue_name) else self._static
        engine.lines.append(text(queue_name, semaphore, wait, source, target, dtype))
        queue.last[semaphore] = token
        for tile in reads:
            tile.reads[token] = token
        for tile in writes:
            tile.written(token, adds)
        return token

    @staticmethod
    def _static(queue, _, wait, source, target, dtype):
        def side(what):
            variable, offset, run, *dims = what
            steps = ','.join(['1', *map(str, dims[::2])])
            sizes = ','.join([str(run), *map(str, dims[1::2])])
            return f'{dtype}@{variable}+{offset}[{steps}][{sizes}]'
        return f'.dma {queue}{wait} from={side(source)} to={side(target)}'

    @staticmethod
    def _dynamic(_, semaphore, wait, source, target, dtype):
        def side(name, what):
            variable, offset, run, *dims = what
            dims += [1, 1][:4 - len(dims)]
            return (f'{name}_elem_size={run} {name}_pattern=[{dims[0]},{dims[2]}]'
                    f'[{dims[1]},{dims[3]}] {name}_var_id={variable} {name}_var_offset={offset} '
                    f'{name}_shape_reg=0')
        return (f'PSEUDO_DMA_DIRECT2D{wait} dge_op=DIRECT2D semaphore={semaphore} '
                f'sem_increment={RINGS} {side("src", source)} {side("dst", target)} '
                f'in_dtype={dtype} out_dtype={dtype}')

    # --- text -----------------------------------------------------------------------------

    def text(self):
        for queue in self.queues.values():
            lines = self.engines[queue.owner].lines
            wait = self._wait(queue.owner, list(queue.last.values()), True)
            if wait:
                lines.append(f'EVENT_SEMAPHORE{wait} setter=0')
        head = [f'.name {self.name}', f'.arch {self.arch}', *self.head]
        for queue in self.queues.values():
            last = queue.first_semaphore + QUEUE_SEMAPHORES
            numbers = ','.join(str(n) for n in range(queue.first_semaphore, last))
            kind = 'dynamic' if self._is_dynamic(queue.name) else 'in'
            scratch = ' scratch=[0,16384]' if queue.name == 'qPoolDynamic' else ''
            head.append(f'.queue {queue.name} owner={queue.owner} type={kind} '
                        f'semaphores=[{numbers}]{scratch}')
        head.append('.prologue')
        for name, engine in self.engines.items():
            head += [f'.engine {name}', *engine.lines]
        return '\n'.join(head) + '\n'
