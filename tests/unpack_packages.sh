#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpack npm packages into DIRECTORY/node_modules. Nothing of them is installed, and none of their
# scripts run. Standard input has a line for each: name, version, sha256 of its tarball.
# usage: unpack_packages.sh DIRECTORY WHAT     exit 77: WHAT cannot be fetched here
set -eu

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

directory=$1
what=$2
packages=$(cat)
stamp=$directory/fetched
is_complete() {
	[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$packages" ]
}

is_complete && exit 0
# Tests run side by side: one fetches, the others wait.
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
is_complete && exit 0
command -v node >/dev/null 2>&1 || give_up "node is not installed (tools/setup.sh installs it)"
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=$(echo "$packages" | awk '{ print $1 "@" $2 }')
# shellcheck disable=SC2086 # the names are a list
(cd "$work" && npm pack --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 $names) \
	>/dev/null 2>&1 || give_up "npm could not fetch $what"

rm -rf "$directory/node_modules" "$stamp"
echo "$packages" | while read -r name version sum; do
	tarball=$work/$(echo "$name" | sed 's/^@//; s,/,-,')-$version.tgz
	if ! echo "$sum  $tarball" | sha256sum --check --status; then
		echo "unpack_packages.sh: the checksum of $name@$version has changed" >&2
		exit 1
	fi
	mkdir -p "$directory/node_modules/$name"
	tar xzf "$tarball" -C "$directory/node_modules/$name" --strip-components=1
done
echo '{"private": true}' >"$directory/package.json"
echo "$packages" >"$stamp"
