#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plants one fault at a time into a toy tree under the project's real tables and
# expects tools/check_layers.py to name it, and to stay silent about what is allowed.
root=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree" "$tree.out"' EXIT
count=0

fresh() {
	rm -rf "$tree" && mkdir -p "$tree"
	cp "$root/ARCHITECTURE.md" "$tree/"
	plant base/bare/bits.h ''
	plant base/arena.h '#include "base/bare/bits.h"'
	plant base/arena.c '#include "base/arena.h"' 'void *f(void) { return malloc(1); }'
	plant format/ntff.h '#include "base/arena.h"'
	plant model/rows.h '#include "base/bare/bits.h"'
	plant decode/reader.h '#include "model/rows.h"'
	plant decode/formats.c '#include "decode/ntff/ntff.h"' '#include "decode/neff/neff.h"'
	plant decode/ntff/ntff.h '#include "decode/reader.h"' '#include "format/ntff.h"'
	plant decode/neff/neff.h '#include "decode/reader.h"'
	plant analyse/idle.c '#include <stdio.h>' '#include "model/rows.h"'
	plant cli/main.c '#include "decode/ntff/ntff.h"' 'int main(void) { return printf("x"); }'
}

plant() { # file, lines...
	mkdir -p "$tree/$(dirname "$1")"
	file=$tree/$1
	shift
	printf '%s\n' "$@" >"$file"
}

report() { # status, name
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$tree.out"
	fi
}

passes() { # name; the toy tree does not use all that the real table permits
	"$root/tools/check_layers.py" "$tree" 2>&1 |
		grep -v '^ARCHITECTURE.md: .* which none of its files does$\|^layers: ' >"$tree.out"
	[ ! -s "$tree.out" ]
	report $? "$1"
}

fails() { # name, expected line of the report, [exit code]
	"$root/tools/check_layers.py" "$tree" >"$tree.out" 2>&1
	status=$?
	[ "$status" -eq "${3:-1}" ] && grep -qF -- "$2" "$tree.out"
	report $? "$1"
}

fresh
passes 'a tree that keeps the rules passes'

fresh
plant analyse/idle.c '' '#include "format/ntff.h"'
fails 'a forbidden include is named with its line' \
	'analyse/idle.c:2: analyse may not include "format/ntff.h"'

fresh
plant model/rows.h '#include "analyse/idle.h"'
fails 'the model knows nobody' 'model/rows.h:1: model may not include "analyse/idle.h"'

fresh
plant base/bare/bits.h '#include "base/arena.h"'
fails 'base/bare does not see base' 'base/bare may not include "base/arena.h"'

fresh
plant machine/engine.c '#include "base/bare/bits.h"' '#include "base/arena.h"'
fails 'a room allowed base/bare is not allowed base' \
	'machine/engine.c:2: machine may not include "base/arena.h"'

fresh
plant decode/ntff/ntff.c '#include "decode/neff/neff.h"'
fails 'decoders do not see each other' 'decode/ntff may not include "decode/neff/neff.h"'

fresh
plant analyse/idle.c '#include <format/ntff.h>'
fails 'angle brackets are no way round' 'analyse may not include "format/ntff.h"'

fresh
plant analyse/idle.c '  #  include   "cli/main.h"'
fails 'spaces are no way round' 'analyse may not include "cli/main.h"'

fresh
plant model/rows.h '/* #include "cli/main.h"' '#include "cli/main.h" */' '// #include "cli/a.h"'
passes 'a comment is not an include'

fresh
plant analyse/idle.c '#include "rows.h"'
fails 'an include relative to its folder is refused' '"rows.h" is in no room'

fresh
plant format/ntff_internal.h ''
plant decode/ntff/ntff.c '#include "format/ntff_internal.h"'
fails 'an internal header stays in its folder' '"format/ntff_internal.h" is internal'

fresh
plant runtime/stray.c ''
fails 'a file outside every room is found' 'runtime/stray.c: is in no room'

fresh
plant analyse/idle.c 'void f(void)' '{' '	fprintf(stderr, "x");' '}'
fails 'printing below cli is refused' 'analyse/idle.c:3: fprintf() is reserved for'

fresh
plant export/json.c 'void f(void) { exit (1); }'
fails 'leaving below cli is refused' 'export/json.c:1: exit() is reserved for'

fresh
plant model/rows.c '#define R(p) free(p)'
fails 'the heap outside base is refused, in macros too' 'free() is reserved for base'

fresh
plant base/bare/bits.c 'void *f(void) { return malloc(1); }'
fails 'the heap of base is not that of base/bare' 'malloc() is reserved for base'

fresh
plant base/spool.c 'void f(void) { puts("x"); }'
fails 'only the named files of base print' 'puts() is reserved for'

fresh
plant base/progress.c 'void f(void) { fprintf(stderr, "x"); }'
passes 'a named file may do what its room may not'

fresh
plant cli/main.c 'char *f(char *s) { return strcpy(s, "x"); }'
fails 'some calls are for nobody' 'strcpy() is reserved for nobody'

fresh
plant model/rows.c '/* malloc(1) */ const char *s = "free(p) \" exit(1)"; // printf("x")' \
	'void f(struct t *t) { nx_heap_free(t); t->free(t); t->ops.exit(1); snprintf(s, 1, "x"); }'
passes 'comments, strings, members and longer names are not calls'

fresh
plant model/rows.c 'int nx_rows_count(void)' '{' '	return 1;' '}'
plant store/rows_kept.c 'int nx_rows_count(void)' '{' '	return 2;' '}'
fails 'a function of one name in two files is found' 'nx_rows_count() is also defined in model'

fresh
plant model/rows.h 'struct nx_rows {' '	int count;' '};'
plant store/rows_kept.h 'struct nx_rows {' '	int kept;' '};'
fails 'a type of one name in two files is found' 'struct nx_rows is also defined in model/rows.h'

fresh
plant model/rows.c 'static int nx_rows_count(void)' '{' '	return 1;' '}'
plant model/rows_kept.c 'static int nx_rows_count(void)' '{' '	return 2;' '}' \
	'struct nx_rows *nx_rows_new(void);'
passes 'what stays in its file may have any name'

fresh
plant decode/ntff/ntff.h '#include "decode/reader.h"' '#include "base/arena.h"'
fails 'a permission that no file needs is found' \
	'ARCHITECTURE.md: decode/<format> may include format, which none of its files does'

fresh
plant format/instruction.h '' && plant decode/ntff/ntff.c '#include "format/instruction.h"' \
	'int f(const uint8_t *word) { return word[35]; }'
fails 'a byte of an instruction word read by offset is found' \
	'decode/ntff/ntff.c:2: a field of an instruction word is named'

fresh
plant runtime/device/operand.h ''
plant runtime/device/operand.c '#include "runtime/device/operand.h"' \
	'void f(uint8_t *slot) { nx_store32(slot + 8, nx_load32(slot->bytes + 36)); }'
fails 'so are loads and stores at an offset' 'runtime/device/operand.c:2: a field of'

fresh
plant format/instruction.h ''
plant format/text.c '#include "format/instruction.h"' 'int f(uint8_t *slot) { return slot[3]; }'
plant export/json.c '#include "format/instruction.h"' \
	'int f(uint32_t slot, int *rows) { return rows[slot + 1] + nx_word_opcode(word); }'
plant cli/words.c 'int f(const char *word) { return word[1]; }'
passes 'format reads by offset, and other words are not instructions'

fresh
plant decode/neff/again.c 'const char *names[] = {"x", "sg00/def.json"};'
fails 'a second parser of a NEFF is found by the files it names' \
	'decode/neff/again.c:1: "def.json" is reserved for format'

fresh
plant capture/model.c 'static const char *path = "kelf-0.json"; /* tf_shape */'
fails 'also by the start of a name, and not by comments' 'capture/model.c:1: "kelf" is reserved'

fresh
plant format/neff.c 'const char *def = "def.json";'
plant decode/neff/shape.c 'int tf_shape; /* "def.json" */' 'const char *s = "tf_shapes undef.json";'
passes 'format spells them, and others may use such names in code and comments'

fresh
printf 'no tables\n' >"$tree/ARCHITECTURE.md"
fails 'a document without tables is an error, not a pass' 'no table of rooms' 2

fresh
sed -i 's/ model, store |/ model, sotre |/' "$tree/ARCHITECTURE.md"
fails 'a misspelt room in the table is found' 'unknown rooms: sotre' 2

echo "1..$count"
