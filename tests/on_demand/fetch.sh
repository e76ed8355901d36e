#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings gRPC for JavaScript into DIRECTORY/node_modules.
# usage: fetch.sh DIRECTORY     exit 77: they cannot be fetched here
set -eu

exec "$(dirname "$0")/../unpack_packages.sh" "$1" "@grpc/grpc-js" <<END
@grpc/grpc-js 1.14.7 52492ad11afb972e428dc0ff5ae7b2a2dfa2119cf3cf0044f40916774631d649
@js-sdsl/ordered-map 4.4.2 445977543e62c08dbeb285a177b05d484485bcd4fda80ad5014d29c454f47476
END
