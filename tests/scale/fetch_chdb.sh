#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings chDB, the current ClickHouse as a library, into DIRECTORY (178 MB to fetch, 566 MB
# unpacked). It is only unpacked: nothing of it is installed and no script of it is run.
# usage: fetch_chdb.sh DIRECTORY     exit 77: it cannot be had here
set -eu

package=@chdb/lib-linux-x64-gnu@26.7.3-stable.1
tarball=chdb-lib-linux-x64-gnu-26.7.3-stable.1.tgz
sum="36ad4e999882821ef13cf2d0f52c93f48e6ee1b4498b35a201c23ce4b8d15bf5  libchdb.so"

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

is_complete() {
	[ -d "$1" ] && (cd "$1" && echo "$sum" | sha256sum --check --status 2>/dev/null)
}

directory=$1
is_complete "$directory" && exit 0
[ "$(uname -m)" = x86_64 ] || give_up "chDB is fetched for x86_64 only"
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --ignore-scripts --fetch-retries=1 --fetch-timeout=300000 "$package") \
	>/dev/null 2>&1 || give_up "npm could not fetch $package"
mkdir -p "$directory"
tar xzf "$work/$tarball" -C "$directory" --strip-components=1 package/libchdb.so
if ! is_complete "$directory"; then
	echo "fetch_chdb.sh: $package is not what it was: the check sum differs" >&2
	exit 1
fi
