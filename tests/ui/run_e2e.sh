#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_e2e.sh AREA NODE WORK_FOLDER NEURON_EXPLORER MAKE_CAPTURE: the pages in a browser, against the
# program itself; exits with 77 (skipped) if the pages, their packages or DuckDB are missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ ! -d "$3/node_modules/playwright-core" ]; then
	echo "the pages were not built: $3/node_modules is missing"
	exit 77
fi
if [ ! -e "$(dirname "$(readlink -f "$4")")/../lib/neuron-explorer/libduckdb.so" ]; then
	echo "DuckDB is missing: the pages cannot be compared with SQL"
	exit 77
fi
exec "$2" "$here/e2e/$1.mjs" --modules "$3/node_modules" --program "$4" --maker "$5"
