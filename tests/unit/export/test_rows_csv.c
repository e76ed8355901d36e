/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "export/row_sink.h"
#include "tests/unit/cli/captured_output.h"
#include "tests/unit/export/given_rows.h"

static void fields_are_quoted_only_where_needed(void **state)
{
	const struct nx_column columns[] = {{"a,b", NX_VALUE_TEXT}, {"n", NX_VALUE_I64}};
	const struct nx_value rows[] = {
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("plain text")},
		{.kind = NX_VALUE_I64, .i64 = INT64_MIN},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("say \"hi\"\"")},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("")},
		{.kind = NX_VALUE_U64, .u64 = UINT64_MAX},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("two\nlines")},
		{.kind = NX_VALUE_BOOL, .flag = false},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text(" blank")},
		{.kind = NX_VALUE_NULL},
	};
	struct given_rows given = given_rows_of(columns, 2, rows, 5);
	struct captured_output c;
	struct nx_row_sink *sink = nx_rows_csv_open(captured_begin(&c));

	(void)state;
	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_OK);
	nx_row_sink_close(sink);
	assert_string_equal(captured_end(&c), "\"a,b\",n\n"
					      "plain text,-9223372036854775808\n"
					      "\"say \"\"hi\"\"\"\"\",\n"
					      "\"\",18446744073709551615\n"
					      "\"two\nlines\",false\n"
					      "\" blank\",\n");
}

static void values_inside_values_are_one_field(void **state)
{
	const struct nx_column columns[] = {{"list", NX_VALUE_LIST}};
	const struct nx_value items[] = {{.kind = NX_VALUE_I64, .i64 = 1}, {.kind = NX_VALUE_NULL}};
	const struct nx_value rows[] = {{.kind = NX_VALUE_LIST, .list = {items, NULL, 2}}};
	struct given_rows given = given_rows_of(columns, 1, rows, 1);
	struct captured_output c;
	struct nx_row_sink *sink = nx_rows_csv_open(captured_begin(&c));

	(void)state;
	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_OK);
	nx_row_sink_close(sink);
	assert_string_equal(captured_end(&c), "list\n\"[1, NULL]\"\n");
}

static void no_rows_are_a_line_of_names(void **state)
{
	const struct nx_column columns[] = {{"a", NX_VALUE_I64}, {"", NX_VALUE_I64}};
	struct given_rows given = given_rows_of(columns, 2, NULL, 0);
	struct captured_output c;
	struct nx_row_sink *sink = nx_rows_csv_open(captured_begin(&c));

	(void)state;
	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_OK);
	nx_row_sink_close(sink);
	assert_string_equal(captured_end(&c), "a,\"\"\n");
}

static void a_full_disk_ends_it_at_once(void **state)
{
	const struct nx_column columns[] = {{"a", NX_VALUE_I64}};
	struct given_rows given = given_rows_of(columns, 1, NULL, 0);
	struct nx_row_sink *sink;
	struct nx_output out;
	struct nx_error err;

	(void)state;
	given.is_endless = true;
	assert_int_equal(nx_output_open(&out, "/dev/full", NULL), NX_OK);
	sink = nx_rows_csv_open(&out);
	assert_int_equal(nx_row_sink_pour(sink, &given.stream, &err), NX_NO_SPACE);
	nx_row_sink_close(sink);
	nx_output_abort(&out);
}

static void a_failing_stream_is_told(void **state)
{
	const struct nx_column columns[] = {{"a", NX_VALUE_I64}};
	struct given_rows given = given_rows_of(columns, 1, NULL, 0);
	struct captured_output c;
	struct nx_row_sink *sink = nx_rows_csv_open(captured_begin(&c));

	(void)state;
	given.status = NX_LIMIT;
	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_LIMIT);
	nx_row_sink_close(sink);
	captured_end(&c);
}

static void formats_are_found_by_name(void **state)
{
	(void)state;
	assert_non_null(nx_row_format_find("csv"));
	assert_non_null(nx_row_format_find("jsonl"));
	assert_null(nx_row_format_find("table"));
	assert_null(nx_row_format_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_quoted_only_where_needed),
		cmocka_unit_test(values_inside_values_are_one_field),
		cmocka_unit_test(no_rows_are_a_line_of_names),
		cmocka_unit_test(a_full_disk_ends_it_at_once),
		cmocka_unit_test(a_failing_stream_is_told),
		cmocka_unit_test(formats_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
