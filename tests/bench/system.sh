#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures a large system profile: 64 instances of 32 workers. Prints seconds, slices
# per second, bytes per slice and resident memory; with node and Perfetto's trace processor also
# how long that takes to read the result. Fails if a target is missed.
# usage: system.sh [SLICES]      default 5000000, ten million records
# BUILD is the build folder (default: build), TMPDIR the folder for temporary files.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
slices=${1:-5000000}

if [ ! -x "$program" ] || [ ! -x "$build/tests/make_capture" ]; then
	echo "bench: $build has no neuron-explorer or no make_capture; run make build first" >&2
	exit 1
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

# The traces, the spool, and the JSON: 200, 100 and 550 bytes of each slice.
need_kb=$((slices + 500000))
free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt "$need_kb" ]; then
	echo "bench: $folder has $free_kb KB free, $need_kb are needed; set TMPDIR" >&2
	exit 1
fi

# Most slices have two records.
"$build/tests/make_capture" --system "$folder/traces" --instances 64 --workers 32 \
	--events $((slices * 2)) >"$folder/made"
slices=$(($(sed 's/.*, \([0-9]*\) records/\1/' "$folder/made") / 2))
bytes=$(du -sb "$folder/traces" | cut -f 1)

failed=0
measure() { # label, file, options of view
	# shellcheck disable=SC2086 # options are words
	"$here/measure.py" system "$1" "$bytes" "$slices" "$folder/out/$2" --max-mb 500 \
		--save "$folder/seconds" -- "$program" view -d "$folder/traces" \
		--ignore-device-profile --output-file "$folder/out" --output-format $3 || failed=1
}

has_importer=1
"$here/../perfetto/fetch.sh" "$build/trace-processor" >/dev/null 2>&1 || has_importer=
[ "$has_importer" ] || echo "bench: no trace processor here, its import is not measured"
import() { # slices, trace
	[ "$has_importer" ] || return 0
	"$here/measure.py" system "  trace processor's import" "$(stat -c %s "$2")" "$1" "$2" \
		--ratio-to "$folder/seconds" -- node "$here/import.mjs" \
		"$build/trace-processor" "$2" ||
		echo "bench: the trace processor cannot read a trace of this size"
}

"$here/measure.py" system-head
measure "perfetto, compressed" system_profile.pftrace perfetto
import "$slices" "$folder/out/system_profile.pftrace"
measure "perfetto, plain" system_profile.pftrace "perfetto --uncompressed"
measure json system_profile.json json
rm -rf "$folder/out" "$folder/traces"

# The cost of the writer itself: generated slices with a name and times.
bare=4000000
for kind in compressed plain; do
	"$here/measure.py" system "slices alone, $kind" 0 "$bare" "$folder/bare" \
		--save "$folder/seconds" -- \
		"$build/tests/write_slices" "$bare" "$folder/bare" "$kind"
	[ "$kind" = plain ] || import "$bare" "$folder/bare"
done
exit "$failed"
