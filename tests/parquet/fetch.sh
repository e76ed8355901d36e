#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings readers of Parquet into DIRECTORY/node_modules: hyparquet (JavaScript), parquet-wasm
# (Arrow in Rust) with apache-arrow, DuckDB (C++).
# usage: fetch.sh DIRECTORY     exit 77: they cannot be fetched here
set -eu

if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIP: the list has DuckDB for x86_64 only"
	exit 77
fi
exec "$(dirname "$0")/../unpack_packages.sh" "$1" "the readers" <<END
hyparquet 1.31.5 5fb6b118fcbc4575771204acd0aa5cab532f40be92339094b7cc756d79830ab5
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
@duckdb/node-bindings-linux-x64 1.5.6-r.1 1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
END
