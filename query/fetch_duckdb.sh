#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings the DuckDB library into DIRECTORY. It travels inside an npm package that is only unpacked:
# nothing of it is installed and no script of it is run. What does not have the expected check sum
# is not kept.
# usage: fetch_duckdb.sh DIRECTORY     exit 77: it cannot be had here
set -eu

case $(uname -s)-$(uname -m) in
Linux-x86_64)
	name=duckdb-node-bindings-linux-x64 version=1.5.6-r.1
	sum=3f4962cdd266eab2b479a5b5a4a6d063d279b2954ae814ed00385d553b747633
	;;
Linux-aarch64)
	name=duckdb-node-bindings-linux-arm64 version=1.5.5-r.5
	sum=d00d007f3f7ca1f2896a5e4b89c2ce141bf0508506a9d6d56f9598b8e59d074e
	;;
*) name= ;;
esac

give_up() { # reason
	echo "no DuckDB: $1; all but SQL will work"
	exit 77
}

is_right() { # file
	[ -f "$1" ] && printf '%s  %s\n' "$sum" "$1" | sha256sum --check --status 2>/dev/null
}

directory=$1
[ -n "$name" ] || give_up "there is no package for $(uname -s) on $(uname -m)"
is_right "$directory/libduckdb.so" && exit 0
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package="@duckdb/${name#duckdb-}@$version"
(cd "$work" && npm pack --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 "$package") \
	>/dev/null 2>&1 || give_up "npm could not fetch $package"
tar xzf "$work/$name-$version.tgz" -C "$work" package/libduckdb.so package/LICENSE
if ! is_right "$work/package/libduckdb.so"; then
	echo "fetch_duckdb.sh: $package is not what it was: the check sum differs" >&2
	exit 1
fi
mkdir -p "$directory"
cp "$work/package/LICENSE" "$directory/LICENSE.duckdb"
# Whole or not at all, should another build be fetching it too.
cp "$work/package/libduckdb.so" "$directory/libduckdb.so.$$"
mv "$directory/libduckdb.so.$$" "$directory/libduckdb.so"
