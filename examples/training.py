#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a training loop looks like to a profiler.

Four processes, one per core, load data, compute and sum their results, step by step. Two things are
wrong with it on purpose: step 12 takes much longer than the others to load its data, and rank 2 is
late in every step, so that the others wait for it in the sum.

    neuron-explorer neff --assemble examples/rank_sum.nasm -o rank_sum.neff
    python3 examples/training.py rank_sum.neff output
    neuron-explorer view -d output --output-format summary-text

It needs the package neuron_explorer and libnrt.so.1 (LD_LIBRARY_PATH); training.c does the same
without Python.
"""

import array
import ctypes
import os
import sys
import time

try:
    from neuron_explorer import profiler
except ImportError as why:
    sys.exit(f'training.py: {why}; install the package neuron_explorer (pip install . in the '
             'source folder), or add its folder to PYTHONPATH')

RANKS, STEPS, ELEMENTS = 4, 20, 128 * 64
LOAD_S, SLOW_STEP, SLOW_S = 0.003, 12, 0.4
LATE_RANK, LATE_S = 2, 0.02

Handle, Size = ctypes.c_void_p, ctypes.c_size_t


class Model:
    """rank_sum.neff on one core: doubles x and sums it over all ranks."""

    def __init__(self, path, rank):
        self.nrt = ctypes.CDLL('libnrt.so.1')
        self.model, self.tensors, self.sets = Handle(), {}, {}
        self.call('nrt_init', 1, b'', b'')  # no framework
        with open(path, 'rb') as file:
            neff = file.read()
        self.call('nrt_load_collectives', neff, Size(len(neff)), 0, 1, rank, RANKS,
                  ctypes.byref(self.model))
        for name in (b'x', b'y'):
            self.tensors[name], self.sets[name] = Handle(), Handle()
            self.call('nrt_allocate_tensor_set', ctypes.byref(self.sets[name]))
            self.call('nrt_tensor_allocate', 0, 0, Size(4 * ELEMENTS), name,
                      ctypes.byref(self.tensors[name]))
            self.call('nrt_add_tensor_to_tensor_set', self.sets[name], name, self.tensors[name])

    def call(self, name, *arguments):
        status = getattr(self.nrt, name)(*arguments)
        if status:
            sys.exit(f'training.py: {name}: status {status}')

    def run(self, x):
        y = array.array('f', bytes(4 * ELEMENTS))
        self.call('nrt_tensor_write', self.tensors[b'x'], Handle(x.buffer_info()[0]), Size(0),
                  Size(4 * ELEMENTS))
        self.call('nrt_execute', self.model, self.sets[b'x'], self.sets[b'y'])
        self.call('nrt_tensor_read', self.tensors[b'y'], Handle(y.buffer_info()[0]), Size(0),
                  Size(4 * ELEMENTS))
        return y

    def close(self):
        self.call('nrt_unload', self.model)
        self.nrt.nrt_close()


def load_data(rank, step):
    with profiler.TraceAnnotation('load data'):
        time.sleep(SLOW_S if step == SLOW_STEP else LOAD_S)  # stands for reading a batch
        batch = array.array('f', [float(rank + step)]) * ELEMENTS
    if rank == LATE_RANK:
        with profiler.TraceAnnotation('augment data'):
            time.sleep(LATE_S)
    return batch


def run_rank(rank, neff, output):
    os.write(1, f'rank {rank} is process {os.getpid()}\n'.encode())  # in one piece
    wrong = 0
    with profiler.trace(output):
        model = Model(neff, rank)
        for step in range(STEPS):
            with profiler.StepTraceAnnotation('train', step_num=step):
                batch = load_data(rank, step)
                with profiler.TraceAnnotation('forward'):
                    y = model.run(batch)
                # twice each rank's value, summed over the ranks
                wrong += y[0] != 2 * (sum(range(RANKS)) + RANKS * step)
        model.close()
    if wrong:
        print(f'training.py: rank {rank} has {wrong} wrong sums', file=sys.stderr)
    return 1 if wrong else 0


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: training.py rank_sum.neff OUTPUT_FOLDER')
    # Ranks meet at a port; the number makes a clash with other runs unlikely.
    os.environ.setdefault('NEURON_RT_ROOT_COMM_ID', f'127.0.0.1:{20000 + os.getpid() % 20000}')
    children = []
    for rank in range(RANKS):
        child = os.fork()
        if not child:
            os.environ['NEURON_RT_VISIBLE_CORES'] = str(rank)
            sys.exit(run_rank(rank, *sys.argv[1:]))
        children.append(child)
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    print(f'training: {RANKS} ranks, {STEPS} steps, {failed} failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
