#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the DuckDB library that was fetched into DIRECTORY, if one was.
# usage: install_duckdb.sh DIRECTORY     called by meson install
set -eu
[ -f "$1/libduckdb.so" ] || exit 0
target=$MESON_INSTALL_DESTDIR_PREFIX/lib/neuron-explorer
mkdir -p "$target"
install -m 644 "$1/libduckdb.so" "$1/LICENSE.duckdb" "$target"
