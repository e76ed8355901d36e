#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes all tables and has them read by readers that are not ours.
# usage: readers.sh READERS WRITE_TABLES     exit 77: no readers here
set -eu

here=$(dirname "$0")
readers=$1 write_tables=$2
"$here/fetch.sh" "$readers"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$write_tables" "$work"
node "$here/check.mjs" "$readers" "$work"
