#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures what tracing costs a Python program, beside cProfile in the same rounds. Fails if a recorded
# call costs more than MAX_CALL_NS beyond the call. LONG_SECONDS=600 adds a run of that length: memory,
# slowdown and losses.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if [ ! -e "$build/python/lib/neuron_explorer/_native.abi3.so" ]; then
	echo "bench: the Python package was not built (python3-dev is missing)"
	exit 0
fi
PYTHONPATH=$build/python/lib "$python" -B "$here/python_calls.py" --max-ns "${MAX_CALL_NS:-600}"
if [ -n "${LONG_SECONDS:-}" ]; then
	NX_BUILD=$build PYTHONPATH=$here/.. "$python" -B "$here/../python/test_long_run.py" \
		--seconds "$LONG_SECONDS"
fi
