#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the software device: kind by kind on programs made for it, then real NEFFs if they are
# at hand, and beside them the Python prototype where python3 has numpy.
# usage: device.sh
# BUILD names the build folder (build), SHARED the folder of captures and reference (../shared).
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
shared=${SHARED:-../shared}

if [ ! -x "$build/tests/bench_device" ] || [ ! -x "$build/tests/run_neff" ]; then
	echo "bench: $build has no bench_device or no run_neff; run make build first" >&2
	exit 1
fi
"$build/tests/bench_device"
if [ ! -d "$shared/data/neuron-device" ]; then
	echo "bench: no captures at $shared/data, real NEFFs are not measured"
	exit 0
fi
"$here/device_neffs.py" "$build/tests/run_neff" "$shared"
