#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the explanation of a made run of 10 million instructions. Fails above 10 s of
# processor time or 1 GiB.
# usage: why.sh [INSTRUCTIONS]
# BUILD is the build folder (default: build).
set -eu

line=$("${BUILD:-build}/tests/bench_why" "${1:-10000000}")
echo "$line"
echo "$line" | awk '{ exit !($3 <= 10 && $10 <= 1074) }' || {
	echo "bench: the limits are 10 s of processor time and 1 GiB" >&2
	exit 1
}
