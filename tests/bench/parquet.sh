#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the Parquet writer: rows per second, resident memory and bytes per row, and the same of
# DuckDB's COPY for the same rows if available. Fails if a target is missed.
# usage: parquet.sh [ROWS]      default 5000000
# BUILD is the build folder (default: build), TMPDIR the folder for temporary files.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
program=$build/tests/parquet/parquet_rows
rows=${1:-5000000}
most_mb=48

if [ ! -x "$program" ]; then
	echo "bench: $build has no parquet_rows; run make build first" >&2
	exit 1
fi
folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

field() { # JSON, name
	echo "$1" | sed "s/.*\"$2\":\([0-9.]*\).*/\1/"
}

readers=
if "$here/../parquet/fetch.sh" "$build/parquet-readers" >/dev/null 2>&1; then
	readers=$build/parquet-readers
else
	echo "bench: no DuckDB here, comparison skipped"
fi

failed=0
line='%-28s%10s%14s%9s%11s  %s\n'
# shellcheck disable=SC2059 # the format is a constant
printf "$line" "parquet, $rows rows" "rows/s" "rows/cpu s" "MB peak" "bytes/row" "DuckDB's COPY: rows/s, bytes/row"
for group_rows in 122880 250000; do
	for threads in 1 2; do
		ours=$("$program" "$rows" $threads $group_rows "$folder/ours.parquet")
		note=
		if [ -n "$readers" ]; then
			theirs=$(node "$here/parquet.mjs" "$readers" "$folder/ours.parquet" $threads \
				$group_rows "$folder/theirs.parquet")
			note=$(echo "$(field "$ours" rows_per_second) $(field "$theirs" rows_per_second)" |
				awk '{ printf "%d, %.1f times as fast", $2, $1 / $2 }')
			note="$note, $(field "$theirs" bytes_per_row | cut -c 1-5)"
		fi
		mb=$(field "$ours" resident_mb)
		if [ "${mb%.*}" -gt "$most_mb" ]; then
			note="$note MISSED: at most $most_mb MB resident"
			failed=1
		fi
		# shellcheck disable=SC2059
		printf "$line" "groups of $group_rows, $threads threads" \
			"$(field "$ours" rows_per_second)" \
			"$(field "$ours" rows_per_cpu_second)" "$mb" "$(field "$ours" bytes_per_row)" "$note"
	done
done
exit "$failed"
