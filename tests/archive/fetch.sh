#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings the S3 server of package-lock.json into DIRECTORY/node_modules. No script of a package is run.
# usage: fetch.sh DIRECTORY     exit 77: it cannot be had here
set -eu

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

here=$(cd "$(dirname "$0")" && pwd)
directory=$1
stamp=$directory/fetched
[ -f "$stamp" ] && cmp -s "$stamp" "$here/package-lock.json" && exit 0
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

mkdir -p "$directory"
rm -f "$stamp"
cp "$here/package.json" "$here/package-lock.json" "$directory"
(cd "$directory" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000) \
	>/dev/null 2>&1 || give_up "npm could not fetch s3rver"
cp "$here/package-lock.json" "$stamp"
