#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures timelines: a device's worth of tracks, the same rows on one track, and names so evenly
# mixed that every row has to be looked at, which has no limits. Fails when a target is missed.
# usage: timeline.sh [SPANS]      default 50000000
# BUILD names the build folder (build), TMPDIR where the files are kept meanwhile.
set -eu

build=${BUILD:-build}
spans=${1:-50000000}

if [ ! -x "$build/tests/bench_timeline" ]; then
	echo "bench: $build has no bench_timeline; run make build first" >&2
	exit 1
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

# The rows on their way and the timeline: 40 and 9 bytes of each.
need_kb=$((spans / 20 + 500000))
free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt "$need_kb" ]; then
	echo "bench: $folder has $free_kb KB free, $need_kb are needed; set TMPDIR" >&2
	exit 1
fi

failed=0
TMPDIR=$folder "$build/tests/bench_timeline" "$folder/timeline.nxl" --events "$spans" || failed=1
echo
TMPDIR=$folder "$build/tests/bench_timeline" "$folder/timeline.nxl" --events "$spans" \
	--tracks 1 || failed=1
echo
TMPDIR=$folder "$build/tests/bench_timeline" "$folder/timeline.nxl" --events "$((spans / 5))" \
	--names uniform --no-limits || failed=1
exit "$failed"
