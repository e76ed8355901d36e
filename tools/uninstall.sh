#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Removes the files that `meson install` puts into DESTDIR and our own folders, if they are then empty.
# usage: uninstall.sh BUILD DESTDIR [OPTION of meson install]...     DESTDIR may be ''
set -eu
build=$1 destination=$2
shift 2
# A staged install gives the complete list, with links and files of install scripts.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
meson install -C "$build" --destdir "$stage" "$@" >"$stage.log" 2>&1 || {
	cat "$stage.log" >&2
	rm -f "$stage.log"
	exit 1
}
rm -f "$stage.log"
cd "$stage"
find . ! -type d | while IFS= read -r path; do
	rm -f "$destination/$path"
done
find . -depth -type d -path '*/neuron-explorer*' | while IFS= read -r path; do
	if [ -d "$destination/$path" ]; then
		rmdir --ignore-fail-on-non-empty "$destination/$path"
	fi
done
