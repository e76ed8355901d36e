#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_paths.py accepts paths that hold and names the step that does not. Prints TAP.
set -u
checker=$(dirname "$0")/../../tools/check_paths.py
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
count=0 failed=0

mkdir -p "$root/a" "$root/b" "$root/serve"
cat >"$root/a/one.c" <<'END'
/* unlike unused */
static void helper(void)
{
	second(1);
}

static const struct ops ops = {
	.add = callback,
};

/* unlike unused() */
void first(void)
{
	helper(); /* not unused() */
}

void through_table(void)
{
	use(&ops);
}

void alone(void)
{
}
END
cat >"$root/b/two.c" <<'END'
void second(int n);

void second(int n)
{
	sink->add(n);
}

static void callback(int n)
{
}

void unused(void)
{
}
END
cat >"$root/b/page.ts" <<'END'
export class Loader {
	private async load(): Promise<void> {
		await request("/window");
	}
}
END
echo 'ROUTE("/window", window)' >"$root/serve/routes.c"
cat >"$root/serve/handle.c" <<'END'
NX_HANDLER(window)
{
}
END

try() { # title, expected text ("" when all is well), steps
	count=$((count + 1))
	printf '# A\n\n## Data paths\n\n%s\n\n## Seams\n\n1. `not` a step\n' "$3" >"$root/ARCHITECTURE.md"
	said=$("$checker" "$root")
	code=$?
	if [ -z "$2" ] && [ $code -eq 0 ]; then
		echo "ok $count - $1"
	elif [ -n "$2" ] && [ $code -ne 0 ] && printf '%s' "$said" | grep -qF "$2"; then
		echo "ok $count - $1"
	else
		failed=1
		printf 'not ok %d - %s\n# exit %d: %s\n' "$count" "$1" "$code" "$said"
	fi
}

try "a call through a helper of the same file" "" '1. `a/one.c` `first`: x
2. `b/two.c` `second`: x'
try "a call through a table of the same file" "" '1. `a/one.c` `through_table`: x
2. `b/two.c` `callback`: x'
try "a call through a pointer" "" '1. `b/two.c` `second` -> `add`: x
2. `b/two.c` `callback`: x'
try "a request over HTTP" "" '1. `b/page.ts` `load` -> `/window`: x
2. `serve/handle.c` `nx_handle_window`: x'
try "two lists are not connected" "" '1. `a/one.c` `alone`: x

1. `b/two.c` `second`: x'
try "a function that moved" "ARCHITECTURE.md:5: b/two.c does not define first" '1. `b/two.c` `first`: x'
try "a file that moved" "there is no file b/first.c" '1. `b/first.c` `first`: x'
try "a step that leads elsewhere" "ARCHITECTURE.md:5: alone does not lead to second" '1. `a/one.c` `alone`: x
2. `b/two.c` `second`: x'
try "a mention in a comment is not a call" "first does not lead to unused" '1. `a/one.c` `first`: x
2. `b/two.c` `unused`: x'
try "a pointer that nothing is given" "nothing passes unused on" '1. `b/two.c` `second` -> `add`: x
2. `b/two.c` `unused`: x'
try "a declaration is not a definition" "a/one.c does not define second" '1. `a/one.c` `second`: x'
try "a step without a function" 'a step is "N. `file` `function`: what it does"' '1. `a/one.c`: x'
try "no paths at all" "0 lists" 'text'
echo "1..$count"
exit $failed
