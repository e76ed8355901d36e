/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_rows.h"

#define HEADER                                                                                     \
	"id\tname\tx\tok\tns\tts\n"                                                                \
	"Nullable(Int64)\tString\tFloat64\tBool\tArray(Int64)\tArray(String)\n"

struct seen {
	unsigned row_count;
	char text[512]; /* all rows as text */
	unsigned fail_at;
};

static void add(struct seen *seen, const char *fmt, ...) NX_PRINTF(2, 3);

static void add(struct seen *seen, const char *fmt, ...)
{
	size_t len = strlen(seen->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(seen->text + len, sizeof(seen->text) - len, fmt, args);
	va_end(args);
}

static void add_cell(struct seen *seen, unsigned kind, const union nx_cell *cell)
{
	switch (kind) {
	case NX_CELL_NULL:
		add(seen, "null ");
		break;
	case NX_CELL_I64:
		add(seen, "%lld ", (long long)cell->i64);
		break;
	case NX_CELL_F64:
		add(seen, "%g ", cell->f64);
		break;
	case NX_CELL_BOOL:
		add(seen, cell->boolean ? "yes " : "no ");
		break;
	case NX_CELL_TEXT:
		add(seen, "'%.*s' ", (int)cell->text.len, (const char *)cell->text.data);
		break;
	case NX_CELL_LIST_I64:
		for (size_t i = 0; i < cell->list_i64.count; i++)
			add(seen, "<%lld>", (long long)cell->list_i64.items[i]);
		break;
	default:
		for (size_t i = 0; i < cell->list_text.count; i++)
			add(seen, "<%.*s>", (int)cell->list_text.items[i].len,
			    (const char *)cell->list_text.items[i].data);
	}
}

static enum nx_status on_row(void *context, const struct nx_clickhouse_row *row,
			     struct nx_error *err)
{
	struct seen *seen = context;

	if (++seen->row_count == seen->fail_at)
		return nx_fail(err, NX_LIMIT, "enough");
	for (size_t i = 0; i < row->column_count; i++)
		add_cell(seen, row->kinds[i], &row->cells[i]);
	add(seen, ";");
	return NX_OK;
}

/* The whole text in pieces of that size. */
static enum nx_status read(const char *text, size_t size, struct seen *seen, struct nx_error *err)
{
	struct nx_slice all = nx_slice_text(text);
	struct nx_clickhouse_rows rows;
	enum nx_status st = NX_OK;

	nx_clickhouse_rows_init(&rows, on_row, seen);
	for (size_t at = 0; !st && at < all.len; at += size)
		st = nx_clickhouse_rows_take(&rows, nx_slice_part(all, at, size), err);
	if (!st)
		st = nx_clickhouse_rows_finish(&rows, err);
	nx_clickhouse_rows_release(&rows);
	return st;
}

static void rows_are_the_same_however_they_are_cut(void **state)
{
	static const char text[] = HEADER "-5\ta\\tb\t1.5\ttrue\t[1,-2]\t['x','y\\'z']\n"
					  "\\N\t\tnan\t0\t[]\t[]\n";

	(void)state;
	for (size_t size = 1; size <= sizeof(text); size++) {
		struct seen seen = {0};
		struct nx_error err;

		if (read(text, size, &seen, &err))
			fail_msg("%zu: %s", size, err.message);
		assert_string_equal(seen.text, "-5 'a\tb' 1.5 yes <1><-2><x><y'z>;"
					       "null '' nan no ;");
	}
}

static void values_are_read_by_type(void **state)
{
	static const struct {
		const char *type, *raw;
		const char *text; /* NULL: refused */
	} cases[] = {
		{"Int8", "-5", "-5 ;"},
		{"UInt64", "7", "7 ;"},
		{"Nullable(Int64)", "8", "8 ;"},
		{"LowCardinality(Nullable(String))", "a", "'a' ;"},
		{"Int128", "9", "'9' ;"},
		{"Float32", "1.5", "1.5 ;"},
		{"Decimal(9, 2)", "2.25", "2.25 ;"},
		{"Bool", "true", "yes ;"},
		{"Bool", "0", "no ;"},
		{"Bool", "maybe", NULL},
		{"DateTime64(9)", "now", "'now' ;"},
		{"Enum8('a' = 1)", "a", "'a' ;"},
		{"Array(Nullable(UInt8))", "[1]", "<1>;"},
		{"Array(Float64)", "[1.5]", "<1.5>;"},
		{"Array(Array(Int64))", "[]", NULL},
		{"Array(Tuple(Int64, String))", "[]", NULL},
		{"Nullable(", "a", "'a' ;"},
		{"Array()", "['a']", "<a>;"},
		{"Int64", "9223372036854775807", "9223372036854775807 ;"},
		{"Int64", "-9223372036854775808", "-9223372036854775808 ;"},
		{"Int64", "-0", "0 ;"},
		{"Int64", "9223372036854775808", NULL},
		{"Int64", "-9223372036854775809", NULL},
		{"Int64", "-", NULL},
		{"Int64", "", NULL},
		{"Int64", "1.5", NULL},
		{"Int64", " 1", NULL},
		{"Float64", "-1.5e-3", "-0.0015 ;"},
		{"Float64", "nan", "nan ;"},
		{"Float64", "-inf", "-inf ;"},
		{"Float64", "1.5x", NULL},
		{"Float64", "", NULL},
		{"String", "a\\tb\\nc\\\\d\\'e\\bf\\q\\", "'a\tb\nc\\d'e\bfq\\' ;"},
		{"Array(Int64)", "[-1,22]", "<-1><22>;"},
		{"Array(String)", "['a,b','','it\\'s',1.5]", "<a,b><><it's><1.5>;"},
		{"Array(Int64)", "[1", NULL},
		{"Array(Int64)", "[", NULL},
		{"Array(Int64)", "", NULL},
		{"Array(Int64)", "[1,]", NULL},
		{"Array(Int64)", "[NULL]", NULL},
		{"Array(Int64)", "['1']", NULL},
		{"Array(String)", "['a]", NULL},
		{"Array(String)", "['a'b]", NULL},
		{"Array(String)", "['a',]", NULL},
		{"Array(String)", "['\\']", NULL},
		{"Array(String)", "[,'a']", NULL},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen seen = {0};
		char text[128];

		snprintf(text, sizeof(text), "c\n%s\n%s\n", cases[i].type, cases[i].raw);
		if (!read(text, sizeof(text), &seen, NULL) != !!cases[i].text ||
		    strcmp(seen.text, cases[i].text ? cases[i].text : "") != 0)
			fail_msg("%s %s: %s", cases[i].type, cases[i].raw, seen.text);
	}
}

static enum nx_status on_zero(void *context, const struct nx_clickhouse_row *row,
			      struct nx_error *err)
{
	(void)err;
	*(bool *)context =
		row->cells[0].text.len == 3 && memcmp(row->cells[0].text.data, "a\0b", 3) == 0;
	return NX_OK;
}

static void a_zero_byte_is_part_of_a_text(void **state)
{
	struct nx_clickhouse_rows rows;
	bool is_there = false;

	(void)state;
	nx_clickhouse_rows_init(&rows, on_zero, &is_there);
	assert_int_equal(nx_clickhouse_rows_take(&rows, nx_slice_text("c\nString\na\\0b\n"), NULL),
			 NX_OK);
	nx_clickhouse_rows_release(&rows);
	assert_true(is_there);
}

static void no_bytes_are_no_rows(void **state)
{
	struct seen seen = {0};
	struct nx_error err;

	(void)state;
	assert_int_equal(read("", 1, &seen, &err), NX_OK);
	assert_int_equal(read("a\nInt8\n", 9, &seen, &err), NX_OK);
	assert_int_equal(seen.row_count, 0);
}

static void damage_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"a\n", "ends"},
		{"a\nInt8\n1", "ends"},
		{"a\tb\nInt8\n", "2 columns"},
		{"a\nInt8\tInt8\n", "1 columns"},
		{"a\nInt8\n1\t2\n", "row 1 does not have 1 cells"},
		{"a\tb\nInt8\tInt8\n1\t2\n3\n", "row 2 does not have 2 cells"},
		{"a\nInt8\nx\n", "'x' in column 'a'"},
		{"big\nUInt64\n18446744073709551615\n", "column 'big', which is not a UInt64"},
		{"a\nArray(Int64)\n[1,x]\n", "'[1,x]'"},
		{"a\nArray(String)\n['x\n", "column 'a'"},
		{"a\nBool\nmaybe\n", "'maybe'"},
		{"a\nArray(Array(Int8))\n", "toString()"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen seen = {0};
		struct nx_error err;

		if (!read(cases[i].text, 3, &seen, &err) || !strstr(err.message, cases[i].says))
			fail_msg("case %u: %s", i, err.message);
	}
}

static void the_reader_can_end_it(void **state)
{
	struct seen seen = {.fail_at = 2};
	struct nx_error err;

	(void)state;
	assert_int_equal(read("a\nInt8\n1\n2\n3\n", 100, &seen, &err), NX_LIMIT);
	assert_string_equal(err.message, "enough");
	assert_int_equal(seen.row_count, 2);
}

static void too_many_columns_are_refused(void **state)
{
	char *text = nx_heap_alloc(NX_CLICKHOUSE_COLUMNS_MAX + 2);
	struct seen seen = {0};
	struct nx_error err;

	(void)state;
	memset(text, '\t', NX_CLICKHOUSE_COLUMNS_MAX);
	text[NX_CLICKHOUSE_COLUMNS_MAX] = '\n';
	text[NX_CLICKHOUSE_COLUMNS_MAX + 1] = '\0';
	assert_int_equal(read(text, 4096, &seen, &err), NX_LIMIT);
	nx_heap_free(text);
}

static void a_line_is_bounded(void **state)
{
	struct nx_slice piece = nx_slice_of(nx_heap_alloc(1 << 20), 1 << 20);
	struct nx_clickhouse_rows rows;
	struct nx_error err;
	enum nx_status st = NX_OK;
	unsigned count = 0;

	(void)state;
	memset((void *)piece.data, 'x', piece.len);
	nx_clickhouse_rows_init(&rows, on_row, NULL);
	while (!st && count++ < 100)
		st = nx_clickhouse_rows_take(&rows, piece, &err);
	assert_int_equal(st, NX_LIMIT);
	assert_int_equal(count, 65);
	nx_clickhouse_rows_release(&rows);
	nx_heap_free((void *)piece.data);
}

static void expectations_are_checked(void **state)
{
	uint8_t kinds[] = {NX_CELL_I64, NX_CELL_TEXT};
	union nx_cell cells[2] = {{.i64 = 1}};
	struct nx_clickhouse_row row = {2, NULL, kinds, cells};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_clickhouse_row_expect(&row, "it", &err), NX_OK);
	assert_int_equal(nx_clickhouse_row_expect(&row, "i", &err), NX_FORMAT);
	assert_int_equal(nx_clickhouse_row_expect(&row, "ii", &err), NX_FORMAT);
	kinds[0] = NX_CELL_NULL;
	assert_int_equal(nx_clickhouse_row_expect(&row, "it", &err), NX_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_same_however_they_are_cut),
		cmocka_unit_test(values_are_read_by_type),
		cmocka_unit_test(a_zero_byte_is_part_of_a_text),
		cmocka_unit_test(no_bytes_are_no_rows),
		cmocka_unit_test(damage_is_told_with_its_place),
		cmocka_unit_test(the_reader_can_end_it),
		cmocka_unit_test(too_many_columns_are_refused),
		cmocka_unit_test(a_line_is_bounded),
		cmocka_unit_test(expectations_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
