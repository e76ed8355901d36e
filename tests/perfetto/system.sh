#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exports a made directory, and the real one where it is there, as Perfetto trace and as JSON
# and compares the two.
# usage: system.sh ASSETS NEURON_EXPLORER MAKE_CAPTURE REAL_DIRECTORY     exit 77: no trace processor
set -eu

here=$(dirname "$0")
assets=$1 explorer=$2 make_capture=$3 real=$4
"$here/fetch.sh" "$assets"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compare() { # name directory options
	echo "$1"
	# shellcheck disable=SC2086 # options are words
	for format in json perfetto; do
		"$explorer" view -v 2 -d "$2" --output-format $format --output-file "$work/$1" \
			--ignore-device-profile $3
	done
	node "$here/check_system.mjs" "$assets" "$work/$1/system_profile.pftrace" \
		"$work/$1/system_profile.json"
}

"$make_capture" --system "$work/made" --instances 2 --workers 8 --events 4000 >/dev/null
compare two-instances "$work/made" ""
compare plain "$work/made" "--uncompressed"
compare by-core "$work/made" "--system-trace-primary-group=lnc_idx --system-trace-secondary-group=thread_id"
compare one-core "$work/made" "--system-trace-filter-neuron-core=1"
"$make_capture" --system "$work/gaps" --instances 1 --workers 2 --events 4000 --gaps >/dev/null
compare growing-gaps "$work/gaps" ""
if [ -d "$real" ]; then
	compare real "$real" ""
else
	echo "# the real directory is not here: skipped"
fi
