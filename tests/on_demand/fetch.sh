#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings gRPC for JavaScript into DIRECTORY/node_modules. The npm packages are only unpacked:
# nothing of them is installed and no script of them is run.
# usage: fetch.sh DIRECTORY     exit 77: they cannot be had here
set -eu

# package, version, check sum of its tarball
packages="@grpc/grpc-js 1.14.7 52492ad11afb972e428dc0ff5ae7b2a2dfa2119cf3cf0044f40916774631d649
@js-sdsl/ordered-map 4.4.2 445977543e62c08dbeb285a177b05d484485bcd4fda80ad5014d29c454f47476"

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

directory=$1
stamp=$directory/fetched
# several tests may start at once
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$packages" ] && exit 0
command -v node >/dev/null 2>&1 || give_up "node is not installed (tools/setup.sh installs it)"
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=$(echo "$packages" | awk '{ print $1 "@" $2 }')
# shellcheck disable=SC2086 # the names are a list
(cd "$work" && npm pack --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 $names) \
	>/dev/null 2>&1 || give_up "npm could not fetch @grpc/grpc-js"

rm -rf "$directory/node_modules" "$stamp"
echo "$packages" | while read -r name version sum; do
	tarball=$work/$(echo "$name" | sed 's/^@//; s,/,-,')-$version.tgz
	if ! echo "$sum  $tarball" | sha256sum --check --status; then
		echo "fetch.sh: $name@$version is not what it was: the check sums differ" >&2
		exit 1
	fi
	mkdir -p "$directory/node_modules/$name"
	tar xzf "$tarball" -C "$directory/node_modules/$name" --strip-components=1
done
echo "$packages" >"$stamp"
