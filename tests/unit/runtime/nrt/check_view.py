#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capture a program with libnrt.so.1 and read the capture with neuron-explorer.

usage: check_view.py TRACED_PROGRAM NEURON_EXPLORER MAKE_CAPTURE
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXECUTIONS = 25


def summary(explorer, folder):
    done = subprocess.run([explorer, 'view', '-d', folder, '--output-format', 'summary-text'],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise SystemExit(f'view failed: {done.stdout}')
    return done.stdout


def require(holds, what, text):
    if not holds:
        raise SystemExit(f'{what}:\n{text}')


def main(argv):
    program, explorer, maker = argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'out'
        subprocess.run([maker, '--demo', folder], check=True, stdout=subprocess.DEVNULL)
        environment = dict(os.environ, NEURON_RT_INSPECT_ENABLE='1',
                           NEURON_RT_INSPECT_DEVICE_PROFILE='1', NEURON_EXPLORER_DEVICE='idle',
                           NEURON_RT_INSPECT_OUTPUT_DIR=str(out), NEURON_INSTANCE_ID='i-0view')
        subprocess.run([program, f'{folder}/demo.neff', str(EXECUTIONS)], env=environment,
                       check=True)
        text = summary(explorer, out)
        require(re.search(rf'^ +{EXECUTIONS} .* nrt_execute \(neuron_rt\)$', text, re.M),
                'not all executions are there', text)
        require('unfinished 0, without start 0' in text and 'dropped 0' in text,
                'events are missing', text)
        require('i-0view' in text and '_instid_0_vnc_0.ntff, NEFF ' in text,
                'the device profile is missing', text)
        stream = next(out.glob('*/ntrace.pb'))
        os.truncate(stream, stream.stat().st_size - 3)
        text = summary(explorer, out)
        require('bytes of its files do not form a complete record; all before is shown' in text,
                'the torn end is not told', text)
        out = pathlib.Path(folder) / 'small'
        environment.update(NEURON_RT_INSPECT_OUTPUT_DIR=str(out), NEURON_RT_LOG_LEVEL='ERROR',
                           NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC='16')
        subprocess.run([program, f'{folder}/demo.neff', str(EXECUTIONS)], env=environment,
                       check=True)
        text = summary(explorer, out)
        told = re.search(r'(\d+) trace events were dropped during capture \(stored (\d+) out of '
                         r'(\d+) total events\) in .*\. Consider increasing buffer size, reducing '
                         r'trace duration, or filtering events\.', text)
        require(told and int(told[1]) + int(told[2]) == int(told[3]) > 0 < int(told[1]),
                'dropped events are not told', text)
        print('captured and read back')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
