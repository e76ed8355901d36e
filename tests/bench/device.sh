#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the software device: each kind of instruction, a convolution of 224 x 224
# pixels, then real NEFFs if available, compared with the Python prototype if python3
# has numpy.
# usage: device.sh
# BUILD is the build folder (default: build), SHARED the folder of captures and reference (../shared).
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
shared=${SHARED:-../shared}
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer

for needed in bench_device bench_real_functions run_neff simulate_neff; do
	if [ ! -x "$build/tests/$needed" ]; then
		echo "bench: $build has no $needed; run make build first" >&2
		exit 1
	fi
done
folder=$(mktemp -d "${TMPDIR:-$build}/convolution.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

measure() { # options and NEFFs of device_neffs.py
	"$here/device_neffs.py" "$build/tests/run_neff" "$build/tests/simulate_neff" "$@"
}

"$build/tests/bench_device"
"$build/tests/bench_real_functions"
for type in fp16 fp32; do
	"$here/kernels.py" "h_conv_$type" "$folder/$type.nasm"
	"$program" neff --assemble "$folder/$type.nasm" -o "$folder/$type.neff"
done
echo "convolution 3 x 3 of 256 channels and 224 x 224 pixels:"
measure "$folder/fp16.neff" "$folder/fp32.neff"
if [ ! -d "$shared/data/neuron-device" ]; then
	echo "bench: no captures at $shared/data, real NEFFs are not measured"
	exit 0
fi
echo "programs of AWS's compiler:"
measure --prototype "$shared/reference/emulator" \
	"$shared"/data/neuron-device/*/*.neff "$shared"/data/neuron-raw/*.neff
