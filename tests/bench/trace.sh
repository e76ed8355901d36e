#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a traced event costs. Fails when a target is missed: 20 ns recorded, 1 ns off (best of
# rounds, so that a busy machine does not decide).
# LTTng-UST is measured beside it where liblttng-ust-dev and lttng-tools are installed.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
"$build/tests/bench_trace" --max-on "${MAX_ON_NS:-20}" --max-off "${MAX_OFF_NS:-1}" && failed=0 || failed=1

if ! command -v lttng >/dev/null 2>&1 || ! pkg-config --exists lttng-ust 2>/dev/null; then
	echo "bench: LTTng-UST is not installed, comparison skipped"
	exit "$failed"
fi
folder=$(mktemp -d "${TMPDIR:-$build}/lttng.XXXXXX")
trap 'lttng destroy nx-bench >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
gcc -O2 -I "$here" "$here/trace_lttng.c" -o "$folder/trace_lttng" -llttng-ust -ldl
"$folder/trace_lttng" off
lttng create nx-bench --snapshot >/dev/null
lttng enable-channel -u --overwrite --subbuf-size=4M --num-subbuf=4 nx >/dev/null
lttng enable-event -u -c nx 'nx_bench:*' >/dev/null
lttng start nx-bench >/dev/null
"$folder/trace_lttng" on
exit "$failed"
