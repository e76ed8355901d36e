#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the line coverage of each room after the tests of a coverage build.
# usage: coverage.sh BUILD
set -eu
build=$1

# A child that is killed while it writes its counters leaves an unreadable file.
gcovr --root . --csv --exclude-unreachable-branches --exclude 'tests/.*' \
	--exclude 'build.*/.*' --gcov-ignore-parse-errors "$build" | awk -F, '
	NR == 1 {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
	{
		room = $column["filename"]
		sub(/\/[^\/]*$/, "", room)
		lines[room] += $column["line_total"]
		covered[room] += $column["line_covered"]
		all += $column["line_total"]
		all_covered += $column["line_covered"]
	}
	function row(name, total, done) {
		return sprintf("%-20s %8d %8d %7.1f %%", name, total, done,
			total ? 100 * done / total : 0)
	}
	END {
		printf "%-20s %8s %8s %9s\n", "room", "lines", "run", "coverage"
		for (room in lines)
			print row(room, lines[room], covered[room]) | "sort"
		close("sort")
		print row("total", all, all_covered)
		exit !all
	}'
