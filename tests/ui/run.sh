#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh unit|types|lint|browser|api NODE WORK_FOLDER [PRINT_API]: one test of the pages, or 77 (skipped) without the
# packages.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ ! -d "$3/node_modules/esbuild" ]; then
	echo "the pages were not built: $3/node_modules is missing"
	exit 77
fi
if [ "$1" = api ]; then
	if "$4" | "$2" "$here/../../ui/make_types.mjs" | diff - "$here/../../ui/src/api/types.ts"; then
		exit 0
	fi
	echo "ui/src/api/types.ts is out of date; run: make ui-types"
	exit 1
fi
if [ "$1" = browser ]; then
	exec "$2" "$here/browser.mjs" --modules "$3/node_modules" --dist "$3/dist"
fi
exec "$2" "$here/../../ui/run_tests.mjs" "$1" --modules "$3/node_modules" --out "$3/tests-$1"
