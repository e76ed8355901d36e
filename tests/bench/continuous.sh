#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures what continuous recording costs a program with four spans and one execution per step, how
# far back it reaches, and whether its memory stays constant.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
folder=$(mktemp -d "${TMPDIR:-$build}/continuous.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

"$build/cli/neuron-explorer" neff --assemble "$here/../../examples/relu.nasm" \
	-o "$folder/relu.neff" >/dev/null
"$build/tests/bench_continuous" "$folder/relu.neff" cost "${ROUNDS:-11}"
"$build/tests/bench_continuous" "$folder/relu.neff" horizon "$folder"
