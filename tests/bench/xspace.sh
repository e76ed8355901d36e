#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures how long an XSpace of 3 million events takes to open, until the profile can be shown: beside it,
# Google's protobuf library reads the same file, which is only the first step. Fails if a target is missed:
# 1.5 s and 1 GB, with two processors that are idle.
# usage: xspace.sh [RECORDS]      default 6000000, of which most events have two
# BUILD is the build folder (default: build), TMPDIR the folder for temporary files.
set -eu

build=${BUILD:-build}
here=$(dirname "$0")
program=$build/neuron-explorer
[ -x "$program" ] || program=$build/cli/neuron-explorer
records=${1:-6000000}

if [ ! -x "$program" ] || [ ! -x "$build/tests/make_capture" ]; then
	echo "bench: $build has no neuron-explorer or no make_capture; run make build first" >&2
	exit 1
fi

folder=$(mktemp -d "${TMPDIR:-$build}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

# The file of one host, as our own export writes it.
"$build/tests/make_capture" --system "$folder/traces" --instances 1 --workers 32 \
	--events "$records" >/dev/null
"$program" view -d "$folder/traces" --ignore-device-profile --output-format xspace \
	--output-file "$folder/host.xplane.pb" >"$folder/made" 2>&1
rm -rf "$folder/traces"
# Debian's python has python3-protobuf.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
TMPDIR=$folder "$python" "$here/xspace.py" "$program" "$folder/host.xplane.pb" "$folder/workspace"
