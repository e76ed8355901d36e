#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures timelines: the tracks of a device, the same rows on one track, and names so evenly
# mixed that every row must be read (without limits). Then runs the same queries in DuckDB on the rows
# as Parquet and in Perfetto's trace processor on the first rows, as many as fit into its
# memory. Fails if a target is missed or results differ; missing programs are
# skipped.
# usage: timeline.sh [SPANS [TRACE_SPANS]]      default 50000000 and 3000000
# BUILD is the build folder (default: build), TMPDIR the folder for temporary files.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
spans=${1:-50000000}
trace_spans=${2:-3000000}
[ "$trace_spans" -le "$spans" ] || trace_spans=$spans

if [ ! -x "$build/tests/bench_timeline" ] || [ ! -x "$build/tests/bench_timeline_sql" ]; then
	echo "bench: $build has no bench_timeline or no bench_timeline_sql; run make build first" >&2
	exit 1
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

# Rows in flight, the timeline, the Parquet file and the trace: 40, 9, 5 and 8 bytes per row.
need_kb=$((spans / 16 + 500000))
free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt "$need_kb" ]; then
	echo "bench: $folder has $free_kb KB free, $need_kb are needed; set TMPDIR" >&2
	exit 1
fi

failed=0
measure() { # options of bench_timeline
	TMPDIR=$folder "$build/tests/bench_timeline" "$folder/timeline.nxl" "$@" || failed=1
}

# A few rows are summed as fast as looked up.
ratio_limits=
[ "$spans" -ge 10000000 ] || ratio_limits=--no-limits
ask_duckdb() {
	"$build/tests/bench_timeline_sql" "$folder/timeline.nxl" "$folder/rows" $ratio_limits \
		>>"$folder/table" || [ $? -eq 77 ] || failed=1
}

ask_trace_processor() {
	if ! "$here/../perfetto/fetch.sh" "$build/trace-processor" >/dev/null 2>&1; then
		echo "the trace processor is left out: it or node cannot be had here" >>"$folder/table"
		return
	fi
	# The cost of this smaller timeline does not matter.
	TMPDIR=$folder "$build/tests/bench_timeline" "$folder/timeline.nxl" --events "$trace_spans" \
		--no-limits --perfetto "$folder/rows.pftrace" >/dev/null
	"$build/tests/bench_timeline_sql" "$folder/timeline.nxl" --questions "$folder/questions"
	node "$here/timeline.mjs" "$build/trace-processor" "$folder/rows.pftrace" \
		"$folder/questions" $ratio_limits >>"$folder/table" || failed=1
}

mkdir "$folder/rows"
measure --events "$spans" --parquet "$folder/rows/Span.parquet"
ask_duckdb
rm -r "$folder/rows"
echo
measure --events "$spans" --tracks 1
echo
measure --events "$((spans / 5))" --names uniform --no-limits
ask_trace_processor
echo
printf 'program\trows\twindow\tms\ttimeline ms\tspeed-up\n' | cat - "$folder/table" |
	awk -F '\t' 'NF < 2 { print; next }
		{ printf "%-18s%10s%12s%10s%13s%15s\n", $1, $2, $3, $4, $5, $6 }'
exit "$failed"
