#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the examples of a document as they stand there, and check that they do what they say.

usage: run_examples.py FOLDER_OF_HEADERS LIBRARY DOCUMENT MAKE_CAPTURE TRACED_PROGRAM EXPLORER

The C examples become a function of example_application.c, whose application() takes the place
of the comment that stands for one. Lines that export a variable are set one by one for a traced
program, whose capture is then read back.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import check_examples  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
APPLICATION = re.compile(r'// Your application code here\.\.\.')
EXPORT = re.compile(r'^ *export (NEURON_RT_INSPECT_EVENT_FILTER_\w+)=(\S+)', re.M)
SHOWN = re.compile(r'^ +\d+ .* (\w+) \(neuron_(rt|hw)\)$', re.M)
# As the document names them, and as captures do.
LONG_NAMES = {'model_load': 'nrt_load', 'runtime_execute': 'kmgr_exec_core', 'cc_exec': 'cc_running',
              'tensor_read': 'nrt_tensor_read', 'tensor_write': 'nrt_tensor_write'}
ALSO_HARDWARE = {'nrt_model_switch'}


def require(holds, what, *seen):
    if not holds:
        raise SystemExit(f'{what}: {seen}')


class Examples:
    def __init__(self, include, library, folder, neff):
        self.include, self.library, self.folder, self.neff = include, library, folder, neff

    def build(self, source, name):
        program = self.folder / name
        text = check_examples.program_of(APPLICATION.sub('application();', source))
        # C++ is what the examples are written in, C what most hosts are.
        (self.folder / f'{name}.c').write_text('void application(void);\n' + text,
                                               encoding='utf-8')
        # A sanitized library keeps what the linker would drop, and with it names nobody calls.
        flags = ['-fsanitize=address,undefined', '-Wl,--allow-shlib-undefined'] \
            if self.is_sanitized() else []
        subprocess.run(['gcc', '-Dnullptr=NULL', *flags, '-I', self.include, '-o', program,
                        self.folder / f'{name}.c', HERE / 'example_application.c', self.library],
                       check=True)
        return program

    def is_sanitized(self):
        return b'__asan_init' in self.library.read_bytes()

    def run(self, source, name):
        """What the example prints, and the events of its application."""
        events = self.folder / 'events.json'
        events.unlink(missing_ok=True)
        done = subprocess.run([self.build(source, name), self.neff, events], check=False,
                              text=True, capture_output=True, timeout=60,
                              env=dict(os.environ, LD_LIBRARY_PATH=str(self.library.parent),
                                       NEURON_EXPLORER_DEVICE='idle', NEURON_RT_LOG_LEVEL='ERROR',
                                       ASAN_OPTIONS='detect_leaks=0'))
        require(done.returncode == 0 and not done.stderr, f'{name} failed', done)
        kept = json.loads(events.read_text(encoding='utf-8'))['events'] if events.exists() else None
        return done.stdout, kept


def check_cores(printed, events):
    require(not printed and events, 'cores', printed)
    require({event['nc_idx'] for event in events} == {0, 2}, 'not the two cores',
            {event['nc_idx'] for event in events})
    require({'nrt_execute', 'nrt_load'} <= {event['event_type'] for event in events}, 'events')


def check_list(printed, events):
    lines = printed.splitlines()
    require(lines[0] == 'Available event types:' and events is None, 'list', printed)
    names = {line.strip() for line in lines[1:]}
    require({'nrt_execute', 'nrt_load', 'nc_exec_running', 'timestamp_sync_point'} <= names and
            len(names) == len(lines) - 1, 'names', names)


def check_types(printed, events):
    lines = [line.strip() for line in printed.splitlines()]
    require(lines[0] == 'Enabled event types: 2', 'types', printed)
    require(set(lines[1:]) == {'nrt_load', 'nrt_execute'}, 'names', printed)
    require({event['event_type'] for event in events} == set(lines[1:]), 'events', events[:3])
    require({event['nc_idx'] for event in events} == {0, 1, 2, 3}, 'all cores', events[:3])


# By what only that example says.
CHECKS = {
    'set_capture_enabled_for_nc(config, 2, true)': check_cores,
    'Available event types:': check_list,
    'get_enabled_event_types': check_types,
}


def run_c(examples, sources):
    for number, source in enumerate(sources):
        checks = [check for mark, check in CHECKS.items() if mark in source]
        require(len(checks) == 1, 'an example nobody checks', source)
        checks[0](*examples.run(source, f'example{number}'))


def expected_types(value, everything):
    """The events of everything (name -> source) that a filter leaves."""
    hardware = {name for name, source in everything.items() if source == 'hw'} | ALSO_HARDWARE
    groups = {'hardware': hardware, 'software': set(everything) - hardware}
    chosen, left_out = set(), set()
    for item in value.split(','):
        name = item.lstrip('^')
        names = groups.get(name, {LONG_NAMES.get(name, name)})
        (left_out if item[0] == '^' else chosen).update(names)
    return (chosen & set(everything)) - left_out


def capture(programs, folder, neff, variables):
    maker, traced, explorer = programs
    del maker
    out = folder / f'out{len(list(folder.glob("out*")))}'
    done = subprocess.run([traced, neff, '3'], check=False, text=True, capture_output=True,
                          env=dict(os.environ, NEURON_RT_INSPECT_ENABLE='1',
                                   NEURON_EXPLORER_DEVICE='idle', NEURON_RT_LOG_LEVEL='ERROR',
                                   NEURON_RT_INSPECT_OUTPUT_DIR=str(out), **variables))
    require(done.returncode == 0 and not done.stderr, 'a filter is refused', variables, done)
    shown = subprocess.run([explorer, 'view', '-d', out, '--output-format', 'summary-text'],
                           check=True, text=True, capture_output=True).stdout
    return dict(SHOWN.findall(shown))


def run_filters(programs, folder, neff, text):
    everything = capture(programs, folder, neff, {})
    exports = EXPORT.findall(text)
    require(len(everything) > 8 and len(exports) >= 9, 'too little', everything, exports)
    for name, value in exports:
        seen = set(capture(programs, folder, neff, {name: value}))
        wanted = expected_types(value, everything) if name.endswith('_TYPE') else set(everything)
        require(seen == wanted, f'{name}={value}', seen ^ wanted)
    return len(exports)


def main(argv):
    include, library, document = argv[1], pathlib.Path(argv[2]).resolve(), pathlib.Path(argv[3])
    if not document.exists():
        print(f'{document} is not here: its examples are skipped')
        return 77
    text = document.read_text(encoding='utf-8')
    sources = [match[1] for match in check_examples.BLOCK.findall(text)]
    require(len(sources) == text.count('.. code-block:: c\n') > 0, 'an example is not found')
    with tempfile.TemporaryDirectory(prefix='nx-examples-') as name:
        folder = pathlib.Path(name)
        subprocess.run([argv[4], '--demo', folder], check=True, stdout=subprocess.DEVNULL)
        run_c(Examples(include, library, folder, folder / 'demo.neff'), sources)
        count = run_filters(argv[4:7], folder, folder / 'demo.neff', text)
    print(f'{len(sources)} programs and {count} settings do what they say')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
