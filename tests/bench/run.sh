#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures speed and memory on synthetic captures of increasing size, then against the
# Python reference decoder if available. Fails if a target is missed.
# usage: run.sh [SIZE...]      default 256M 512M 1G
# BUILD is the build folder (default: build), TMPDIR the folder for captures,
# REFERENCE the reference decoder.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
reference=${REFERENCE:-../shared/reference/device/refdec.py}
[ $# -gt 0 ] || set -- 256M 512M 1G

if [ ! -x "$program" ] || [ ! -x "$build/tests/make_capture" ]; then
	echo "bench: $build has no neuron-explorer or no make_capture; run make build first" >&2
	exit 1
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

# The largest capture, its spools, and sixteen times the smallest as JSON.
need_kb=8000000
free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt "$need_kb" ]; then
	echo "bench: $folder has $free_kb KB free, $need_kb are needed; set TMPDIR" >&2
	exit 1
fi

measure() { # arguments of measure.py
	"$here/measure.py" "$@" || failed=1
}

failed=0
is_first=1
"$here/measure.py" head
for size; do
	ntff=$folder/capture.ntff neff=$folder/capture.neff
	"$build/tests/make_capture" --size "$size" "$ntff" --neff "$neff" >"$folder/made"
	records=$(sed 's/.*: \([0-9]*\) records.*/\1/' "$folder/made")
	set_limits=
	[ "$size" != 1G ] || set_limits='--max-seconds 20 --max-mb 1500'
	# shellcheck disable=SC2086
	measure row "$size summary" "$ntff" "$records" $set_limits -- \
		"$program" view -n "$neff" -s "$ntff" --output-format summary-json
	if [ "$is_first" = 1 ]; then
		measure row "$size json, to disk" "$ntff" "$records" --file "$folder/out.json" -- \
			"$program" view -n "$neff" -s "$ntff" --output-format json \
			--output-file "$folder/out.json"
		rm -f "$folder/out.json"
		is_first=0
	fi
	measure row "$size json, to a pipe" "$ntff" "$records" --min-out-mb 100 -- \
		"$program" view -n "$neff" -s "$ntff" --output-format json --output-file /dev/stdout
	rm -f "$ntff"
done

"$build/tests/make_capture" --demo "$folder" >/dev/null
if [ -f "$reference" ]; then
	measure compare 5 -- \
		"$program" view -n "$folder/demo.neff" -s "$folder/demo.ntff" \
		--output-format json --output-file /dev/stdout -- \
		python3 "$reference" "$folder/demo.ntff" "$folder/demo.neff"
else
	echo "bench: no reference decoder at $reference, comparison skipped"
fi
echo
"$here/sql.py" "$program" "$folder" || failed=1
echo
"$here/system.sh" || failed=1
echo
"$here/parquet.sh" || failed=1
echo
"$here/ingest.sh" || failed=1
echo
BUILD=$build "$here/xspace.sh" || failed=1
echo
"$here/timeline.sh" || failed=1
echo
BUILD=$build "$here/why.sh" || failed=1
echo
TMPDIR=$folder "$build/tests/bench_ingest_rows" "$folder/tables" || failed=1
echo
"$here/ui.sh" || failed=1
echo
"$here/trace.sh" || failed=1
echo
BUILD=$build "$here/continuous.sh" || failed=1
echo
"$here/python.sh" || failed=1
echo
"$here/accuracy.sh" || failed=1
exit "$failed"
