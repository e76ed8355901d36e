#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes captures to play with and serves them: a training run on two hosts, with the recording of one
# of its devices, and one model's run by itself. They have a workspace of their own below the build
# folder, so that nothing is mixed with captures that matter.
# usage: run_demo.sh [OPTIONS OF VIEW]      BUILD names the build folder (build)
set -eu

build=${BUILD:-build}
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
if [ ! -x "$build/tests/make_capture" ]; then
	echo "make run: $build/tests/make_capture was not built" >&2
	exit 1
fi
demo=$build/demo
workspace=$demo/workspace
mkdir -p "$demo"

say() {
	printf '\n%s\n' "$1"
}

run() { # as it could be typed
	echo "  $ $*"
	"$@" >"$demo/said" 2>&1 || {
		cat "$demo/said" >&2
		exit 1
	}
}

store() { # name, options of view: unless it is there, so that markers and names people gave stay
	name=$1
	shift
	if "$program" list --data-path "$workspace" 2>/dev/null | grep -q "^$name "; then
		echo "  $name is there already"
	else
		run "$program" view "$@" --display-name "$name" --ingest-only --data-path "$workspace"
	fi
}

say "Two captures, as a device and its host would have written them:"
run "$build/tests/make_capture" --demo "$demo/block"
run "$build/tests/make_capture" --system "$demo/training" --instances 2 --workers 4

say "Read into the workspace $workspace:"
store llama_training -d "$demo/training"
store llama_block -n "$demo/block/demo.neff" -s "$demo/block/demo.ntff"
rm -f "$demo/said"
echo
"$program" list --data-path "$workspace"

cat <<END

Things to try:
  llama_block      drag over the timeline to zoom, click an instruction, press ? for all keys
  llama_training   click nc_exec_running and open the device profile that was captured with it
  anywhere         SQL over every table: Add panel, SQL
  $program query --data-path $workspace -d llama_block .tables

END
exec "$program" view --data-path "$workspace" "$@"
