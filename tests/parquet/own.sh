#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes all tables with 1, 2 and 4 threads: the bytes must be the same, and our own reader must
# find every value again.
# usage: own.sh WRITE_TABLES DUMP_TABLE
set -eu

write_tables=$1 dump_table=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for threads in 1 2 4; do
	mkdir "$work/$threads"
	"$write_tables" "$work/$threads" "$threads"
done
count=0
for file in "$work"/1/*.parquet; do
	name=$(basename "$file" .parquet)
	cmp "$file" "$work/2/$name.parquet"
	cmp "$file" "$work/4/$name.parquet"
	"$dump_table" "$file" >"$work/lines"
	cmp "$work/lines" "$work/1/$name.jsonl"
	count=$((count + 1))
done
echo "$count tables"
[ "$count" -ge 16 ]
