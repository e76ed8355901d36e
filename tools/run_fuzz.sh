#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs all fuzz targets of a fuzz build, in parallel on all processors,
# and fails if one crashes, hangs or uses too much memory.
# usage: run_fuzz.sh BUILD SECONDS [MAKE_CAPTURE]
#        SECONDS per target, or total:SECONDS for all of them
# With RESULTS set, one TAP line per target is appended to that file.
# With SEED set, every run tries the same inputs, so that a check of one change never fails by luck.
set -eu

run_target() { # build, seconds, target
	build=$1 seconds=$2 target=$3
	corpus=$build/corpus/$target log=$build/$target.log crashes=$build/crashes/$target
	mkdir -p "$corpus" "$crashes"
	set -- "$corpus"
	for more in "$build/seeds/$target" "$PWD/tests/fuzz/corpus/$target"; do
		[ ! -d "$more" ] || set -- "$@" "$more"
	done
	status=0
	"$build/tests/fuzz/$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
		-seed="${SEED:-0}" -print_final_stats=1 -artifact_prefix="$crashes/" "$@" \
		>"$log" 2>&1 || status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	if [ "$status" -eq 0 ]; then
		echo "$target: ${runs:-0} runs in $seconds s, no failure"
		[ -z "${RESULTS:-}" ] || echo "ok $target" >>"$RESULTS"
		return 0
	fi
	found=$(sed -n 's/^.*Test unit written to //p' "$log" | tail -n 1)
	tail -n 40 "$log"
	echo "$target: FAILURE after ${runs:-?} runs; log $log"
	[ -z "$found" ] || echo "$target: reproduce with: $build/tests/fuzz/$target $found"
	[ -z "${RESULTS:-}" ] || echo "not ok $target" >>"$RESULTS"
	return 1
}

if [ "$1" = --one ]; then
	shift
	run_target "$@"
	exit
fi

# Absolute paths, because a target may change its folder.
build=$(cd "$1" && pwd) seconds=$2 maker=${3:-}
targets=$(find "$build/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x |
	sed 's,.*/,,' | sort)
if [ -z "$targets" ]; then
	echo "fuzz: $build has no targets" >&2
	exit 1
fi
jobs=$(getconf _NPROCESSORS_ONLN)
case $seconds in
total:*)
	count=$(echo "$targets" | wc -l)
	rounds=$(((count + jobs - 1) / jobs))
	seconds=$((${seconds#total:} / rounds))
	[ "$seconds" -ge 1 ] || seconds=1
	;;
esac
if [ -n "$maker" ] && [ -x "$maker" ]; then
	rm -rf "$build/seeds" && mkdir -p "$build/seeds"
	"$maker" --corpus "$build/seeds"
else
	echo "fuzz: no capture maker, starting without seeds"
fi
echo "$targets" | xargs -P "$jobs" -I '{}' "$0" --one "$build" "$seconds" '{}'
