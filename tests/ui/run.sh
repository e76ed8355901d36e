#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh unit|types|lint|browser NODE WORK_FOLDER: one test of the pages, or 77 (skipped) without the
# packages.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ ! -d "$3/node_modules/esbuild" ]; then
	echo "the pages were not built: $3/node_modules is missing"
	exit 77
fi
if [ "$1" = browser ]; then
	exec "$2" "$here/browser.mjs" --modules "$3/node_modules" --dist "$3/dist"
fi
exec "$2" "$here/../../ui/run_tests.mjs" "$1" --modules "$3/node_modules" --out "$3/tests-$1"
