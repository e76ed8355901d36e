#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the pages on a large profile: time to the first picture, frames per second
# with wheel and keys, memory of the tab, response times of the server, also with two
# hundred concurrent clients. Then how long Perfetto's trace processor takes to load
# a smaller capture that fits into its memory. Fails if a target is missed; skipped without a
# browser.
# usage: ui.sh [SIZE [TRACE_SIZE]]      default 700M (50 million rows) and 32M
# BUILD is the build folder (default: build), TMPDIR the folder for temporary files.
set -eu

build=$(cd "${BUILD:-build}" && pwd)
here=$(dirname "$0")
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
size=${1:-700M}
trace_size=${2:-32M}
modules=$build/ui/made/node_modules

if ! command -v node >/dev/null || [ ! -d "$modules/playwright-core" ]; then
	echo "bench: the pages are left out: node or their packages are not here"
	exit 0
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
server=
stop() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

need_kb=4000000
free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt "$need_kb" ]; then
	echo "bench: $folder has $free_kb KB free, $need_kb are needed; set TMPDIR" >&2
	exit 1
fi

"$build/tests/make_capture" --size "$size" "$folder/large.ntff" --neff "$folder/large.neff" >/dev/null
begin=$(date +%s%N)
TMPDIR=$folder "$program" view -n "$folder/large.neff" -s "$folder/large.ntff" --ingest-only \
	--display-name large --data-path "$folder/workspace" -v 2 >/dev/null
ingest_ms=$((($(date +%s%N) - begin) / 1000000))
rm "$folder/large.ntff"

: >"$folder/said"
"$program" view --data-path "$folder/workspace" -p 0 --api-server-port 0 >"$folder/said" &
server=$!
url=
until [ -n "$url" ]; do
	sleep 0.2
	kill -0 "$server" || exit 1
	url=$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$folder/said")
done

failed=0
node "$here/ui.mjs" --url "$url" --profile large --modules "$modules" \
	--server "$server" --ingest-ms "$ingest_ms" || failed=1
kill "$server"
wait "$server" || true
server=

if "$here/../perfetto/fetch.sh" "$build/trace-processor" >/dev/null 2>&1; then
	"$build/tests/make_capture" --size "$trace_size" "$folder/small.ntff" --neff "$folder/small.neff" \
		>"$folder/made"
	"$program" view -n "$folder/small.neff" -s "$folder/small.ntff" --output-format perfetto \
		--output-file "$folder/small.pftrace" -v 2
	begin=$(date +%s%N)
	"$program" view -n "$folder/small.neff" -s "$folder/small.ntff" --ingest-only --display-name small \
		--data-path "$folder/workspace" -v 2 >/dev/null
	own_ms=$((($(date +%s%N) - begin) / 1000000))
	records=$(sed 's/.*: \([0-9]*\) records.*/\1/' "$folder/made")
	begin=$(date +%s%N)
	slices=$(node "$here/import.mjs" "$build/trace-processor" "$folder/small.pftrace")
	theirs_ms=$((($(date +%s%N) - begin) / 1000000))
	echo "$records records: ours can be looked at after $own_ms ms, which needs doing once; Perfetto's trace"
	echo "processor takes $theirs_ms ms for the $slices slices of their trace, each time it is opened"
else
	echo "the trace processor is left out: it or node cannot be had here"
fi
exit "$failed"
