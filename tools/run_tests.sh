#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run all checks for a change. Continues after a failure, so that one run shows all of them,
# and ends with the line "N passed, N failed".
# usage: run_tests.sh test      every test, in a plain build
#        run_tests.sh verify    the tests again under sanitizers, coverage, fuzzing, the sources
set -u

make=${MAKE:-make}
threads="http http/uploads profiler/profiler profiler/continuous profiler/triggers rpc/rpc_server
	runtime/trace_history base/conveyor base/thread base/timer base/workers device/device tables/ahead_rows
	tables/system_tables format/perfetto format/parquet_writer export/to_perfetto_system query/watchdog
	query/engine_pool query/sql_child serve/processing serve/stream runtime/trace_ring runtime/tracer
	runtime/tracer_quiet nrt/handles nrt/async_queue nrt/execution nrt/inspect_session
	nrt/software_port nrt/rank_world nrt/rank_collective capture/capture_run"
started=$(date +%s)

say() {
	seconds=$(($(date +%s) - started))
	printf '\n== %s (after %d:%02d)\n' "$*" $((seconds / 60)) $((seconds % 60))
}

step() { # name, command...
	name=$1
	shift
	if "$@"; then
		echo "ok $name" >>"$steps"
	else
		echo "not ok $name" >>"$steps"
		echo "FAILED: $name"
		return 1
	fi
}

# The summary reads the results from meson's log; a missing log counts as a failure. What fails runs
# once more, alone, and the summary names it either way: one unlucky wait on a busy machine must not
# hide whether everything else is good.
meson_tests() { # build, arguments...
	build=$1
	shift
	log=$build/meson-logs/testlog
	rm -f "$log.json" "$log-again.json"
	meson test -C "$build" --print-errorlogs --timeout-multiplier "$patience" "$@" && return
	failed=$(tools/summarise_tests.py --failed "$log.json")
	[ -n "$failed" ] || return 0
	say 'what failed, once more and alone'
	# shellcheck disable=SC2086 # the names are a list
	meson test -C "$build" --print-errorlogs --timeout-multiplier "$patience" --no-rebuild \
		--num-processes 1 --logbase testlog-again $failed || true
}

run_plain() {
	say 'build'
	step build "$make" --no-print-directory build-tests || return
	say 'all tests'
	patience=4
	meson_tests build --no-rebuild
}

run_address() {
	say 'the tests under ASan and UBSan'
	rm -f build-asan/meson-logs/testlog.json
	step build-asan "$make" --no-print-directory build-asan || return
	find build-asan -name '*.gcda' -delete
	export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}"
	export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
	patience=8
	meson_tests build-asan --no-rebuild
	say 'coverage by room'
	step coverage tools/coverage.sh build-asan
}

# Only the tests of code with threads; meson builds only what they need.
run_thread() {
	say 'threads under TSan'
	rm -f build-tsan/meson-logs/testlog.json
	step build-tsan "$make" --no-print-directory build-tsan/build.ninja || return
	patience=8
	# shellcheck disable=SC2086 # the names are a list
	meson_tests build-tsan $threads
}

run_fuzzers() {
	fuzz_seconds=${FUZZ_TOTAL_SECONDS:-60}
	say "fuzzing, $fuzz_seconds s in all"
	step build-fuzz "$make" --no-print-directory build-fuzz build || return
	rm -rf build-fuzz/corpus
	SEED=1 RESULTS=$steps tools/run_fuzz.sh build-fuzz "total:$fuzz_seconds" \
		build/tests/make_capture ||
		echo 'FAILED: fuzzing'
}

case ${1:-} in
test | verify) ;;
*)
	echo 'usage: run_tests.sh test|verify' >&2
	exit 2
	;;
esac
mkdir -p build
steps=build/steps-$1.tap
rm -f "$steps"
case $1 in
test)
	run_plain
	say 'result'
	tools/summarise_tests.py build/meson-logs/testlog.json "$steps"
	;;
verify)
	run_address
	run_thread
	run_fuzzers
	for check in check-layers check-format check-warnings check-tidy; do
		say "$check"
		step "$check" "$make" --no-print-directory "$check"
	done
	say 'result'
	tools/summarise_tests.py build-asan/meson-logs/testlog.json \
		build-tsan/meson-logs/testlog.json "$steps"
	;;
esac
