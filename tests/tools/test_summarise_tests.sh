#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/summarise_tests.py decides whether a run counts as good: what it must never
# do is call a run good in which something failed or did not run.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0

expect() { # name, exit code, last line, files...
	name=$1 code=$2 line=$3
	shift 3
	"$root/tools/summarise_tests.py" "$@" >out 2>&1
	status=$?
	count=$((count + 1))
	if [ "$status" -eq "$code" ] && [ "$(tail -n 1 out)" = "$line" ]; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' out
	fi
}

meson_log() { # result, stdout (JSON text)
	printf '{"name": "t", "result": "%s", "returncode": 0, "stdout": "%s"}\n' "$1" "$2"
}

meson_log OK '1..2\nok 1 - a\nok 2 - b\n' >good.json
expect 'cases of a TAP test count one by one' 0 '2 passed, 0 failed' good.json

{ meson_log OK ''; meson_log OK 'ok then\nnot ok, but no TAP\n'; } >plain.json
expect 'a test without TAP counts as one' 0 '2 passed, 0 failed' plain.json

expect 'files add up' 0 '4 passed, 0 failed' good.json plain.json

meson_log FAIL '1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c\n' >bad.json
expect 'a failing case fails the run' 1 '2 passed, 1 failed' bad.json

meson_log ERROR '1..3\nok 1 - a\n' >crashed.json
expect 'a crash behind good cases is a failure' 1 '1 passed, 1 failed' crashed.json

meson_log TIMEOUT '' >slow.json
expect 'a timeout is a failure' 1 '0 passed, 1 failed' slow.json

{ meson_log OK '1..2\nok 1 - a\nok 2 - b # SKIP no disk\n'; meson_log SKIP ''; } >skipped.json
expect 'skips are counted apart' 0 '1 passed, 0 failed, 2 skipped' skipped.json

expect 'a missing log is a failure' 1 '2 passed, 1 failed' good.json none.json

: >empty.json
expect 'nothing run is not a success' 1 '0 passed, 0 failed' empty.json

printf 'ok fuzz_a\nnot ok fuzz_b\n' >steps.tap
expect 'plain TAP is read too' 1 '1 passed, 1 failed' steps.tap

cp bad.json twice.json
cp good.json twice-again.json
expect 'a failure that passes alone is unsteady, not a failure' 0 '2 passed, 0 failed' twice.json

cp bad.json twice-again.json
expect 'a failure that fails alone stays one' 1 '2 passed, 1 failed' twice.json

expect 'a failing test may run again' 0 't' --failed bad.json
meson_log FAIL 'ERROR: AddressSanitizer: heap-use-after-free\n' >report.json
expect 'what a sanitizer reported may not' 0 '' --failed report.json

echo "1..$count"
