/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/query_session.h"
#include "tests/unit/cli/captured_output.h"
#include "tests/unit/export/given_rows.h"

#define DOTS "\xe2\x80\xa6"

static const struct nx_column columns[] = {
	{"name", NX_VALUE_TEXT}, {"count", NX_VALUE_I64}, {"note", NX_VALUE_TEXT}};

static void assert_table(struct given_rows given, struct nx_query_table_style style,
			 const char *expected)
{
	struct captured_output c;
	struct nx_row_sink *sink = nx_query_table_open(captured_begin(&c), &style);

	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_OK);
	nx_row_sink_close(sink);
	assert_string_equal(captured_end(&c), expected);
}

static void columns_are_aligned_by_what_is_seen(void **state)
{
	const struct nx_value rows[] = {
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("日本")},
		{.kind = NX_VALUE_I64, .i64 = 7},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("a\nb")},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("e\xcc\x81t\xc3\xa9 long")},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_NULL},
	};

	(void)state;
	assert_table(given_rows_of(columns, 3, rows, 2), (struct nx_query_table_style){0},
		     "name      count  note\n"
		     "日本          7  a\\nb\n"
		     "e\xcc\x81t\xc3\xa9 long   NULL  NULL\n");
}

static void colours_and_counts_are_for_terminals(void **state)
{
	const struct nx_value rows[] = {
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("x")},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("y")},
	};

	(void)state;
	assert_table(given_rows_of(columns, 3, rows, 1),
		     (struct nx_query_table_style){
			     .width = 40, .is_coloured = true, .shows_count = true},
		     "\033[1mname\033[0m  \033[1mcount\033[0m  \033[1mnote\033[0m\n"
		     "x      \033[2mNULL\033[0m  y\n"
		     "\033[2m1 row\033[0m\n");
}

static void a_terminals_width_is_shared(void **state)
{
	const struct nx_value rows[] = {
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("a name that is too long")},
		{.kind = NX_VALUE_I64, .i64 = 12345},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("short")},
	};

	(void)state;
	assert_table(given_rows_of(columns, 3, rows, 1), (struct nx_query_table_style){.width = 24},
		     "name        count  note\n"
		     "a name th" DOTS "  12345  short\n");
	assert_table(given_rows_of(columns, 3, rows, 1), (struct nx_query_table_style){.width = 12},
		     "name  " DOTS "\na n" DOTS "  " DOTS "\n");
}

static void behind_the_limit_rows_are_counted(void **state)
{
	const struct nx_column one[] = {{"n", NX_VALUE_I64}};
	struct nx_value rows[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		rows[i] = (struct nx_value){.kind = NX_VALUE_I64, .i64 = (int64_t)i};
	assert_table(given_rows_of(one, 1, rows, 2000),
		     (struct nx_query_table_style){.limit_count = 2, .shows_count = true},
		     "n\n0\n1\n" DOTS " 1,998 more rows\n");
	assert_table(given_rows_of(one, 1, rows, 2),
		     (struct nx_query_table_style){.limit_count = 2, .shows_count = true},
		     "n\n0\n1\n2 rows\n");
	assert_table(given_rows_of(one, 1, rows, 3),
		     (struct nx_query_table_style){.limit_count = 2},
		     "n\n0\n1\n" DOTS " 1 more row\n");
}

/* Row 1000 is the first that did not decide the widths: it is printed whole all the same. */
static void rows_after_the_sample_flow(void **state)
{
	const struct nx_column one[] = {{"n", NX_VALUE_I64}, {"m", NX_VALUE_I64}};
	static struct nx_value rows[2004];
	struct given_rows given = given_rows_of(one, 2, rows, 1002);
	struct nx_query_table_style style = {0};
	struct captured_output c;
	struct nx_row_sink *sink = nx_query_table_open(captured_begin(&c), &style);
	struct nx_file file;

	(void)state;
	for (size_t i = 0; i < 2004; i++)
		rows[i] = (struct nx_value){.kind = NX_VALUE_I64, .i64 = i < 2000 ? 1 : 123456};
	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_OK);
	nx_row_sink_close(sink);
	assert_int_equal(nx_output_commit(&c.out, NULL), NX_OK);
	assert_int_equal(nx_file_map(&file, c.path, NULL), NX_OK);
	assert_int_equal(file.bytes.len, (size_t)1001 * 5 + 2 * 15);
	assert_true(nx_slice_ends(file.bytes, "1  1\n123456  123456\n123456  123456\n"));
	nx_file_unmap(&file);
	unlink(c.path);
}

static void no_rows_and_no_columns(void **state)
{
	(void)state;
	assert_table(given_rows_of(columns, 3, NULL, 0),
		     (struct nx_query_table_style){.shows_count = true},
		     "name  count  note\n0 rows\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_aligned_by_what_is_seen),
		cmocka_unit_test(colours_and_counts_are_for_terminals),
		cmocka_unit_test(a_terminals_width_is_shared),
		cmocka_unit_test(behind_the_limit_rows_are_counted),
		cmocka_unit_test(rows_after_the_sample_flow),
		cmocka_unit_test(no_rows_and_no_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
