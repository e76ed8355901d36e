#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the cost of a traced event, and of LTTng-UST in the same rounds with a session
# in memory, so that no disk is involved. Fails if a target is missed: 6 ns beyond the time stamp
# counter with 1 and with 64 threads, 0.5 ns off, 25 ns for a span with a text and two attributes, and
# less than 2 % of a program with an event for every microsecond of its work (each the best of the
# rounds, so that other load does not matter).
# LTTng-UST is skipped unless Debian's liblttng-ust-dev and lttng-tools are installed.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
set -- --max-beyond "${MAX_BEYOND_NS:-6}" --max-off "${MAX_OFF_NS:-0.5}" \
	--max-span "${MAX_SPAN_NS:-25}" \
	--max-slowdown "${MAX_SLOWDOWN_PERCENT:-2}"

if ! command -v lttng >/dev/null 2>&1 || ! pkg-config --exists lttng-ust 2>/dev/null; then
	echo "bench: LTTng-UST is left out: liblttng-ust-dev or lttng-tools are not here"
	exec "$build/tests/bench_trace" "$@"
fi

folder=$(mktemp -d "${TMPDIR:-$build}/lttng.XXXXXX")
folder=$(cd "$folder" && pwd)
session=nx-bench-$$
stop() {
	lttng destroy "$session" >/dev/null 2>&1 || true
	# This file has the pid of the daemon started here.
	[ ! -s "$folder/pid" ] || kill "$(cat "$folder/pid")" 2>/dev/null || true
	rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

# If a daemon is already running, this one exits at once.
lttng-sessiond --daemonize --no-kernel --pidfile "$folder/pid" >"$folder/said" 2>&1 || true
gcc -O2 -shared -fPIC -I "$here" "$here/trace_lttng.c" -o "$folder/trace_lttng.so" -llttng-ust -ldl
{
	lttng create "$session" --snapshot --output="$folder/snapshot"
	lttng enable-channel -s "$session" -u --overwrite --subbuf-size=4M --num-subbuf=4 nx
	lttng enable-event -s "$session" -u -c nx nx_bench:recorded
	lttng enable-event -s "$session" -u -c nx nx_bench:filtered --filter 'b == 65'
	lttng start "$session"
} >"$folder/said" 2>&1 || {
	cat "$folder/said" >&2
	exit 1
}
# A program waits until the daemon has registered it.
LTTNG_UST_REGISTER_TIMEOUT=-1 "$build/tests/bench_trace" "$@" --lttng "$folder/trace_lttng.so"
