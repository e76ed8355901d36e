#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that a libnrt.so.1 exports what its headers declare, and needs nothing but libc.

usage: check_exports.py LIBRARY FOLDER_OF_HEADERS
"""

import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r'/\*.*?\*/', re.S)
FUNCTION = re.compile(r'\b((?:nrta?|nec)_\w+)\(')
SYMBOL = re.compile(r' [A-Z] (\w+)@@(\w+\.\d+\.\d+)$', re.M)
OLDER = re.compile(r' [A-Z] (\w+)@(NRT_2\.0\.0)$', re.M)
# What programs compiled for version 2 of nrt_async bind to.
VERSION_2 = {'nrta_tensor_write', 'nrta_tensor_read', 'nrta_tensor_copy', 'nrta_execute_schedule',
             'nrta_cc_prepare', 'nrta_cc_schedule', 'nrta_is_completed', 'nrta_get_sequence',
             'nrta_get_completion_handle', 'nrta_error_tracker_create',
             'nrta_error_tracker_destroy', 'nrta_error_tracker_get_list'}
# Exported so that programs load; their arguments are not published, so no header declares them.
UNDECLARED = {'nrt_cc_prepare_coalesced', 'nrt_dump_device_allocation_info',
              'nrt_debug_log_oom_report', 'nrt_tensor_cast', 'nrt_tensor_compute',
              'nrta_cc_prepare_coalesced', 'nrta_tensor_cast', 'nrta_tensor_compute',
              # for libnxprofiler.so.1 alone
              'nrt_private_trace_share'}
# An older libc has its threads beside it; sanitizers bring libraries of their own. Not libm: other
# machines' would compute other bytes.
NEEDED = re.compile(r'lib(c|pthread|asan|ubsan|tsan|gcc_s)\.so|ld-linux')


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def declared(folder):
    names = set()
    for header in sorted(folder.glob('*.h')):
        names.update(FUNCTION.findall(COMMENT.sub(' ', header.read_text(encoding='utf-8'))))
    return names


def main(argv):
    library, folder = argv[1], pathlib.Path(argv[2])
    symbols = output_of('nm', '-D', '--defined-only', '--with-symbol-versions', library)
    exported = dict(SYMBOL.findall(symbols))
    exported = {name: version for name, version in exported.items() if name != version}
    wanted = declared(folder) | UNDECLARED
    faults = [f'{name} is declared but not exported' for name in sorted(wanted - set(exported))]
    faults += [f'{name} is exported but not declared' for name in sorted(set(exported) - wanted)]
    for name, version in sorted(exported.items()):
        want = 'NRT_3.0.0' if name.startswith('nrta_') else 'NRT_2.0.0'
        if version != want:
            faults.append(f'{name} has version {version} instead of {want}')
    faults += [f'{name} differs from version 2 of the interface'
               for name in sorted(VERSION_2 ^ ({name for name, _ in OLDER.findall(symbols)} - UNDECLARED))]
    dynamic = output_of('readelf', '-d', library)
    if 'Library soname: [libnrt.so.1]' not in dynamic:
        faults.append('the SONAME is not libnrt.so.1')
    for name in re.findall(r'\(NEEDED\).*\[(.*)\]', dynamic):
        if not NEEDED.match(name):
            faults.append(f'it needs {name}')
    # A file missing from the library is only seen by who binds all at once.
    if not re.search(r'NEEDED.*lib(asan|ubsan|tsan)', dynamic):
        if '__assert_fail' in output_of('nm', '-D', '--undefined-only', library):
            faults.append('it has an assert, which could end its host')
    undefined = re.findall(r' U (nx_\w+)', output_of('nm', '-D', '--undefined-only', library))
    faults += [f'{name} is used but not in it' for name in undefined]
    print('\n'.join(faults) if faults else f'{len(exported)} functions, all as declared')
    return 1 if faults or not exported else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
