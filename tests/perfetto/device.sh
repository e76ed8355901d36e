#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exports the demo capture as Perfetto trace and as JSON and compares the two.
# usage: device.sh ASSETS EXPORT_CAPTURE MAKE_CAPTURE     exit 77: no trace processor here
set -eu

here=$(dirname "$0")
assets=$1 export_capture=$2 make_capture=$3
"$here/fetch.sh" "$assets"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$make_capture" --demo "$work" >/dev/null

compare() { # name session neff options
	"$export_capture" json "$2" "$3" "$work/$1.json"
	# shellcheck disable=SC2086 # options are words
	"$export_capture" perfetto "$2" "$3" "$work/$1.pftrace" $4
	echo "$1 $4"
	# shellcheck disable=SC2086
	node "$here/check_device.mjs" "$assets" "$work/$1.pftrace" "$work/$1.json" $4
}

compare with-neff "$work/demo.ntff" "$work/demo.neff" ""
compare with-flows "$work/demo.ntff" "$work/demo.neff" "flows plain"
compare without-neff "$work/demo.ntff" - "plain"
