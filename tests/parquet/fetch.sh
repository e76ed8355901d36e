#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings readers of Parquet into DIRECTORY/node_modules: hyparquet (JavaScript), parquet-wasm
# (Arrow in Rust) with apache-arrow, DuckDB (C++). The npm packages are only unpacked: nothing of
# them is installed and no script of them is run.
# usage: fetch.sh DIRECTORY     exit 77: they cannot be had here
set -eu

# package, version, check sum of its tarball
packages="hyparquet 1.31.5 5fb6b118fcbc4575771204acd0aa5cab532f40be92339094b7cc756d79830ab5
hyparquet-compressors 1.1.2 d0b146d31c35a8f51ee05358326fb833ff13347e64d7c61b8592e9de0a76c3cc
fzstd 0.1.1 5ed2ee2d3439067be211d0093292c708a831045372342c897437e5a4997c45c5
hysnappy 1.1.1 3935b671bab5e639e061d473f45ab19c756c65ff6b6fb884f4370eb6b8ae528f
parquet-wasm 0.8.0 b3b9dff7561a35833bfed7c45f28279f981f9b10478a8c5b56c38f012c4c23ad
apache-arrow 21.2.0 dd63a3a4c380eddeb00c718740414ff33c4ded015c8720798afdfcc61b5dac41
flatbuffers 25.9.23 484129ef89da43decec3d004810863a70fad9b2aa6df6246602e58d9ba207d26
tslib 2.9.1 8092ae46b512c361b086443cc1b6ae94bfe2587b75034663e4b89d24ba40670a
json-with-bigint 3.5.12 608af3ce68ceba88a6cec4cdbd2fb35f1ac219a3b038f995344d0881b73b86ae
detect-libc 2.1.2 270dec0fc06cff86481da8af2dd8f18dee6b602790b14ef0e1c2c18d7da39427
@duckdb/node-api 1.5.6-r.1 64d5080af3c0144329f9cbdbff7bc867c9c1f9df57a7e7e2a8b13bc6ed2bc664
@duckdb/node-bindings 1.5.6-r.1 9d1ebca9020dcd5680e2e38bd182f1a0e69e59f00d31dfc5afca2623b8a34ac3
@duckdb/node-bindings-linux-x64 1.5.6-r.1 1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff"

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

directory=$1
stamp=$directory/fetched
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$packages" ] && exit 0
[ "$(uname -m)" = x86_64 ] || give_up "the list has DuckDB for x86_64 only"
command -v node >/dev/null 2>&1 || give_up "node is not installed (tools/setup.sh installs it)"
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (tools/setup.sh installs it)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=$(echo "$packages" | awk '{ print $1 "@" $2 }')
# shellcheck disable=SC2086 # the names are a list
(cd "$work" && npm pack --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 $names) \
	>/dev/null 2>&1 || give_up "npm could not fetch the readers"

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
echo '{"private": true}' >"$directory/package.json"
echo "$packages" >"$stamp"
