#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tools of 'mcp', called by the SDK of the Model Context Protocol.
# usage: sdk.sh PROGRAM SOURCE MODULES MAKE_TABLES
set -eu
program=$1 source=$2 modules=$3 make_tables=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

reason=$("$source/tests/mcp/fetch.sh" "$modules") || {
	[ $? -eq 77 ] || exit 1
	echo "1..0 # $reason"
	exit 0
}
"$make_tables" --check >/dev/null || {
	echo "1..0 # SKIP there is no DuckDB library here"
	exit 0
}
for example in vector_add softmax; do
	stem=$folder/$example
	"$program" neff --assemble "$source/examples/$example.nasm" -o "$stem.neff"
	"$program" capture -n "$stem.neff" -s "$stem.ntff" >/dev/null 2>&1
	"$program" view -n "$stem.neff" -s "$stem.ntff" --ingest-only --data-path "$folder/ws" \
		>/dev/null 2>&1
done
node "$source/tests/mcp/sdk.mjs" "$modules" "$program" "$folder/ws"
