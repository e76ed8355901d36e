#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything a change has to survive. Goes on after a failure, so that one run shows
# all of them, and ends with the line "N passed, N failed".
set -u

fuzz_total_seconds=${FUZZ_TOTAL_SECONDS:-60}
steps=build/steps.tap
make=${MAKE:-make}
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

# The test program reports case by case; only a failure to build is a step of its own.
run_meson_tests() { # build, extra arguments...
	build=$1
	shift
	rm -f "$build/meson-logs/testlog.json"
	meson test -C "$build" --no-rebuild --print-errorlogs "$@" || true
}

mkdir -p build
rm -f "$steps"

say 'build'
if ! step build "$make" --no-print-directory build; then
	tools/summarise_tests.py "$steps"
	exit 1
fi

say 'unit, golden and cli tests'
run_meson_tests build

say 'the same tests under ASan and UBSan'
if step build-asan "$make" --no-print-directory build-asan; then
	find build-asan -name '*.gcda' -delete
	export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}"
	export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
	run_meson_tests build-asan --timeout-multiplier 4
	say 'coverage by room'
	step coverage tools/coverage.sh build-asan
else
	rm -f build-asan/meson-logs/testlog.json
fi

say 'threads under TSan'
if step build-tsan "$make" --no-print-directory build-tsan; then
	run_meson_tests build-tsan --timeout-multiplier 4 http http/uploads base/conveyor base/errands \
		base/workers device/device tables/ahead_rows \
		format/perfetto format/parquet_writer export/to_perfetto_system query/watchdog \
		serve/job_queue serve/processing serve/stream runtime/trace_ring runtime/tracer \
		runtime/tracer_quiet nrt/handles nrt/async_queue nrt/execution nrt/inspect_session \
		nrt/software_port nrt/rank_world nrt/rank_collective capture/capture_run
else
	rm -f build-tsan/meson-logs/testlog.json
fi

say "fuzzing, $fuzz_total_seconds s in all"
if step build-fuzz "$make" --no-print-directory build-fuzz; then
	RESULTS=$steps tools/run_fuzz.sh build-fuzz "total:$fuzz_total_seconds" \
		build/tests/make_capture || echo "FAILED: fuzzing"
fi

for check in check-layers check-format check-warnings check-tidy; do
	say "$check"
	step "$check" "$make" --no-print-directory "$check"
done

say 'result'
tools/summarise_tests.py build/meson-logs/testlog.json build-asan/meson-logs/testlog.json \
	build-tsan/meson-logs/testlog.json "$steps"
