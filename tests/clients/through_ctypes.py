#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Python program that loads the runtime itself, without headers.

usage: through_ctypes.py NEFF     with libnrt.so.1 in LD_LIBRARY_PATH

NEFF is examples/vector_add.nasm, assembled.
"""

import ctypes
import json
import struct
import sys
import time

COUNT = 128 * 512
NRT = ctypes.CDLL('libnrt.so.1')
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
TENSOR_OP, COMPUTE = 0, 1


def call(name, *arguments):
    status = getattr(NRT, name)(*arguments)
    assert status == 0, f'{name} returned {status}'


def names_lead_to_version_3():
    libc = ctypes.CDLL(None)
    libc.dlvsym.restype = POINTER
    libc.dlvsym.argtypes = [POINTER, ctypes.c_char_p, ctypes.c_char_p]
    for name in ('nrta_tensor_write', 'nrta_tensor_read', 'nrta_tensor_copy',
                 'nrta_execute_schedule', 'nrta_cc_schedule', 'nrta_get_sequence'):
        found = ctypes.cast(getattr(NRT, name), POINTER).value
        old, new = (libc.dlvsym(NRT._handle, name.encode(), version)
                    for version in (b'NRT_2.0.0', b'NRT_3.0.0'))
        assert found == new and old and old != new, (name, found, old, new)


def load(path):
    with open(path, 'rb') as file:
        neff = file.read()
    model = POINTER()
    call('nrt_load', neff, SIZE(len(neff)), -1, -1, ctypes.byref(model))
    return model


def tensor_sets():
    tensors, sets = {}, {}
    for names in ('ab', 'c'):
        sets[names] = POINTER()
        call('nrt_allocate_tensor_set', ctypes.byref(sets[names]))
        for name in names:
            tensors[name] = POINTER()
            call('nrt_tensor_allocate', 0, 0, SIZE(4 * COUNT), name.encode(),
                 ctypes.byref(tensors[name]))
            call('nrt_add_tensor_to_tensor_set', sets[names], name.encode(), tensors[name])
    return tensors, sets['ab'], sets['c']


def check_sum(tensors, a, b):
    got = ctypes.create_string_buffer(4 * COUNT)
    call('nrt_tensor_read', tensors['c'], got, SIZE(0), SIZE(4 * COUNT))
    assert struct.unpack(f'<{COUNT}f', got.raw) == tuple(x + y for x, y in zip(a, b))


def wait_for(seq):
    done = ctypes.c_bool(False)
    for _ in range(60000):
        call('nrta_is_completed', seq, ctypes.byref(done))
        if done:
            return
        time.sleep(0.001)
    raise AssertionError(f'request {seq.value:#x} does not end')


def execute_asynchronously(model, inputs, outputs, tensors, b):
    """With the arguments of version 3: a core, a queue, and a status for each request."""
    a = [float(i % 11) for i in range(COUNT)]
    data = struct.pack(f'<{COUNT}f', *a)
    status, seq = ctypes.c_int(-1), ctypes.c_uint64()
    call('nrta_tensor_write', tensors['a'], data, ctypes.c_uint64(0), ctypes.c_uint64(len(data)),
         0, 0, ctypes.byref(status), ctypes.byref(seq))
    wait_for(seq)
    last = ctypes.c_uint64()
    call('nrta_get_sequence', 0, TENSOR_OP, 0, ctypes.byref(last))
    assert status.value == 0 and last.value == seq.value, (status, last, seq)
    status.value = -1
    call('nrta_execute_schedule', model, inputs, outputs, 0, ctypes.byref(status),
         ctypes.byref(seq))
    wait_for(seq)
    call('nrta_get_sequence', 0, COMPUTE, 0, ctypes.byref(last))
    assert status.value == 0 and last.value == seq.value, (status, last, seq)
    check_sum(tensors, a, b)


def trace_with_defaults(model, inputs, outputs):
    config, text, size = POINTER(), ctypes.c_char_p(), SIZE()
    call('nrt_sys_trace_config_allocate', ctypes.byref(config))
    NRT.nrt_sys_trace_config_set_capture_enabled_for_event_type(config, b'nrt_execute', False)
    NRT.nrt_sys_trace_config_set_defaults(config)  # all types and cores again
    call('nrt_sys_trace_start', config)
    for _ in range(3):
        call('nrt_execute', model, inputs, outputs)
    call('nrt_sys_trace_fetch_events', ctypes.byref(text), ctypes.byref(size), None)
    events = json.loads(ctypes.string_at(text, size.value).rstrip(b'\0'))['events']
    NRT.nrt_sys_trace_buffer_free(text)
    call('nrt_sys_trace_stop')
    NRT.nrt_sys_trace_config_free(config)
    starts = [e for e in events if e['event_type'] == 'nrt_execute' and e['phase'] == 'start']
    assert len(starts) == 3, [e['event_type'] for e in events]


def main():
    names_lead_to_version_3()
    call('nrt_init', 1, b'', b'')
    model = load(sys.argv[1])
    tensors, inputs, outputs = tensor_sets()
    a = [float(i % 97) for i in range(COUNT)]
    b = [float(i % 89) / 2 for i in range(COUNT)]
    for name, values in (('a', a), ('b', b)):
        call('nrt_tensor_write', tensors[name], struct.pack(f'<{COUNT}f', *values), SIZE(0),
             SIZE(4 * COUNT))
    call('nrt_execute', model, inputs, outputs)
    check_sum(tensors, a, b)
    execute_asynchronously(model, inputs, outputs, tensors, b)
    trace_with_defaults(model, inputs, outputs)
    call('nrt_unload', model)
    NRT.nrt_close()
    print('sums match')


# Handles are wider than the int that ctypes assumes for what it is not told.
for void in ('nrt_close', 'nrt_sys_trace_config_free', 'nrt_sys_trace_buffer_free',
             'nrt_sys_trace_config_set_defaults'):
    getattr(NRT, void).restype = None

if __name__ == '__main__':
    main()
