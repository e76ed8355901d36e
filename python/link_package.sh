#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes BUILD/lib, a folder for PYTHONPATH: links to the files of the package and to the extension.
# usage: link_package.sh SOURCE BUILD FILE...
set -eu

source=$1 build=$2
shift 2
rm -rf "$build/lib"
for file; do
	mkdir -p "$(dirname "$build/lib/neuron_explorer/$file")"
	ln -sfn "$source/neuron_explorer/$file" "$build/lib/neuron_explorer/$file"
done
ln -sfn "$build/_native.abi3.so" "$build/lib/neuron_explorer/_native.abi3.so"
