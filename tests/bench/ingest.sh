#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures `view --ingest-only` of a device capture and of a system profile of 8 instances of 32
# workers. Prints seconds, rows of all tables per second, megabytes resident and bytes per row.
# Fails if a target is missed; the system profile does not reach its target yet, see "Speed" in
# docs/design/system.md.
# usage: ingest.sh [SIZE [EVENTS]]      default 1G and 2000000
# BUILD is the build folder (default: build), TMPDIR the folder for temporary files.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
size=${1:-1G}
events=${2:-2000000}

if [ ! -x "$program" ] || [ ! -x "$build/tests/make_capture" ]; then
	echo "bench: $build has no neuron-explorer or no make_capture; run make build first" >&2
	exit 1
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

# The spools and the tables together are several times the capture.
need_room() { # input
	need_kb=$(($(du -sk "$1" | cut -f 1) * 8))
	free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
	[ "$free_kb" -ge "$need_kb" ] && return
	echo "bench: $folder has $free_kb KB free, $need_kb are needed; set TMPDIR" >&2
	exit 1
}

failed=0
measure() { # label, input, records, options of view
	label=$1 input=$2 records=$3
	shift 3
	need_room "$input"
	TMPDIR=$folder "$here/measure.py" ingest "$label" "$input" "$records" "$folder/out" \
		--min-rows 2000000 --max-mb 1000 -- "$program" view "$@" --ingest-only \
		--data-path "$folder/out" || failed=1
	rm -rf "$folder/out" "$input"
}

"$here/measure.py" ingest-head
"$build/tests/make_capture" --size "$size" "$folder/capture.ntff" --neff "$folder/capture.neff" \
	>"$folder/made"
measure "device, $size" "$folder/capture.ntff" \
	"$(sed 's/.*: \([0-9]*\) records.*/\1/' "$folder/made")" \
	-n "$folder/capture.neff" -s "$folder/capture.ntff"
"$build/tests/make_capture" --system "$folder/traces" --instances 8 --workers 32 \
	--events "$events" >"$folder/made"
measure "system, $events events" "$folder/traces" \
	"$(sed 's/.*, \([0-9]*\) records/\1/' "$folder/made")" \
	-d "$folder/traces" --ignore-device-profile
exit "$failed"
