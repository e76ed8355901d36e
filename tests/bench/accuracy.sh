#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints measured and simulated times side by side: published kernels, written as programs for
# the assembler, then captures of real devices if available.
# usage: accuracy.sh [KERNEL...]      prefixes of names in kernels.py; default: all
# BUILD is the build folder (default: build), SHARED the folder of captures (../shared).
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer

if [ ! -x "$program" ] || [ ! -x "$build/tests/simulate_neff" ]; then
	echo "bench: $build has no neuron-explorer or no simulate_neff; run make build first" >&2
	exit 1
fi
exec "$here/accuracy.py" "$program" "$build/tests/simulate_neff" "${SHARED:-../shared}" "$@"
