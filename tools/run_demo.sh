#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make demo captures and serve them: a training run on two hosts with the device profile of one of
# its cores, a single model, the programs of examples/ captured on the software NeuronCore, a
# benchmark of collectives under inspect, and a training loop with planted faults. They go into a
# workspace below the build folder, so they never mix with real captures.
# usage: run_demo.sh [OPTIONS OF VIEW]      BUILD names the build folder (build)
set -eu

build=${BUILD:-build}
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
if [ ! -x "$build/tests/make_capture" ]; then
	echo "make run: $build/tests/make_capture was not built" >&2
	exit 1
fi
sources=examples
runtime=$build/runtime/nrt/libnrt.so.1
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

is_stored() { # name
	"$program" list --data-path "$workspace" 2>/dev/null | grep -q "^$1 "
}

store() { # name, options of view: unless it is there, so that markers and names people gave stay
	name=$1
	shift
	if is_stored "$name"; then
		echo "  $name is there already"
	else
		run "$program" view "$@" --display-name "$name" --ingest-only --data-path "$workspace"
	fi
}

say "Two captures, as a device and its host would have written them:"
run "$build/tests/make_capture" --demo "$demo/block"
run "$build/tests/make_capture" --source "$demo/block/source"
run "$build/tests/make_capture" --system "$demo/training" --instances 2 --workers 4

say "Read into the workspace $workspace:"
store llama_training -d "$demo/training"
store llama_block -n "$demo/block/demo.neff" -s "$demo/block/demo.ntff" \
	--source-code-root "$demo/block/source"

examples="vector_add relu softmax matmul mlp attention all_reduce rank_sum"
say "The programs of $sources, assembled:"
mkdir -p "$demo/examples"
for example in $examples; do
	run "$program" neff --assemble "$sources/$example.nasm" -o "$demo/examples/$example.neff"
done

capture() { # name of an example, options of capture
	name=$1 neff=$demo/examples/$1.neff ntff=$demo/examples/$1.ntff
	shift
	if is_stored "$name"; then
		echo "  $name is there already"
		return
	fi
	run "$program" capture -n "$neff" -s "$ntff" --runtime "$runtime" "$@"
	[ -e "$ntff" ] || ntff=$demo/examples/${name}_rank_0.ntff
	store "$name" -n "$neff" -s "$ntff" --source-code-root "$sources"
}

say "Run on the software NeuronCore and captured, the last on four ranks:"
for example in $examples; do
	case $example in
	rank_sum) capture "$example" --collectives-workers-per-node 4 ;;
	*) capture "$example" ;;
	esac
done

say "A benchmark of collectives, with profiling on:"
if is_stored collectives; then
	echo "  collectives is there already"
else
	rm -rf "$demo/collectives"
	run "$program" inspect -o "$demo/collectives" --runtime "$runtime" \
		"$build/nccom-test" allr allg -b 64kb -e 64kb -r 4 -n 5 -w 1 -d fp32
	store collectives -d "$demo/collectives"
fi
say "A training loop on four ranks, with a slow step and a late rank:"
if is_stored training_loop; then
	echo "  training_loop is there already"
else
	rm -rf "$demo/training_loop"
	packages=$build/python/lib
	if PYTHONPATH=$packages python3 -c 'import neuron_explorer.profiler' 2>/dev/null; then
		run env "PYTHONPATH=$packages" "LD_LIBRARY_PATH=$(dirname "$runtime")" \
			python3 "$sources/training.py" "$demo/examples/rank_sum.neff" "$demo/training_loop"
	else
		run "$build/examples/training" "$demo/examples/rank_sum.neff" "$demo/training_loop"
	fi
	store training_loop -d "$demo/training_loop"
fi
rm -f "$demo/said"
echo
"$program" list --data-path "$workspace"

cat <<END

Things to try:
  llama_block      drag over the timeline to zoom, click an instruction, press ? for all keys;
                   Add panel, Source code: which line costs most
  llama_training   click nc_exec_running and open the device profile that was captured with it
  training_loop    Add panel, Steps: the slow step is marked, By process names the late rank
  attention        a kernel by hand: click an instruction for its line of $sources/attention.nasm
  collectives      what nccom-test did on four ranks; its device profiles have the collectives
  anywhere         SQL over every table: Add panel, SQL
  $program query --data-path $workspace -d llama_block .tables

END
if [ -n "${STARTED:-}" ]; then
	seconds=$(($(date +%s) - STARTED))
	printf 'make run: %d:%02d minutes from the first command to the page\n\n' $((seconds / 60)) $((seconds % 60))
fi
exec "$program" view --data-path "$workspace" "$@"
