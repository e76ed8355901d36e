/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "export/row_sink.h"
#include "tests/unit/cli/captured_output.h"
#include "tests/unit/export/given_rows.h"

static void assert_poured(struct nx_row_sink *(*open)(struct nx_output *), struct given_rows given,
			  const char *expected)
{
	struct captured_output c;
	struct nx_row_sink *sink = open(captured_begin(&c));

	assert_int_equal(nx_row_sink_pour(sink, &given.stream, NULL), NX_OK);
	nx_row_sink_close(sink);
	assert_string_equal(captured_end(&c), expected);
}

static void an_array_or_lines_of_objects(void **state)
{
	const struct nx_column columns[] = {{"a", NX_VALUE_I64}, {"b \"", NX_VALUE_TEXT}};
	const struct nx_value rows[] = {
		{.kind = NX_VALUE_I64, .i64 = INT64_MAX},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("x\n\"")},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("\xff")},
	};

	(void)state;
	assert_poured(nx_rows_json_open, given_rows_of(columns, 2, rows, 2),
		      "[\n{\"a\":9223372036854775807,\"b \\\"\":\"x\\n\\\"\"},\n"
		      "{\"a\":null,\"b \\\"\":\"\xef\xbf\xbd\"}\n]\n");
	assert_poured(nx_rows_jsonl_open, given_rows_of(columns, 2, rows, 2),
		      "{\"a\":9223372036854775807,\"b \\\"\":\"x\\n\\\"\"}\n"
		      "{\"a\":null,\"b \\\"\":\"\xef\xbf\xbd\"}\n");
}

static void no_rows_are_still_json(void **state)
{
	const struct nx_column columns[] = {{"a", NX_VALUE_I64}};

	(void)state;
	assert_poured(nx_rows_json_open, given_rows_of(columns, 1, NULL, 0), "[]\n");
	assert_poured(nx_rows_jsonl_open, given_rows_of(columns, 1, NULL, 0), "");
}

static void values_of_every_kind(void **state)
{
	static const struct nx_value items[] = {{.kind = NX_VALUE_I64, .i64 = 1},
						{.kind = NX_VALUE_NULL}};
	const struct nx_slice names[] = {nx_slice_text("k"), nx_slice_text("l")};
	const struct nx_column columns[] = {
		{"bool", NX_VALUE_BOOL},   {"u", NX_VALUE_U64},	    {"f", NX_VALUE_F32},
		{"d", NX_VALUE_F64},	   {"n", NX_VALUE_F64},	    {"digits", NX_VALUE_DIGITS},
		{"bytes", NX_VALUE_BYTES}, {"list", NX_VALUE_LIST}, {"struct", NX_VALUE_STRUCT},
	};
	const struct nx_value row[] = {
		{.kind = NX_VALUE_BOOL, .flag = true},
		{.kind = NX_VALUE_U64, .u64 = UINT64_MAX},
		{.kind = NX_VALUE_F32, .f32 = 0.1f},
		{.kind = NX_VALUE_F64, .f64 = 2.5},
		{.kind = NX_VALUE_F64, .f64 = (double)NAN},
		{.kind = NX_VALUE_DIGITS,
		 .text = nx_slice_text("340282366920938463463374607431.5")},
		{.kind = NX_VALUE_BYTES, .text = nx_slice_of("\0a", 2)},
		{.kind = NX_VALUE_LIST, .list = {items, NULL, 2}},
		{.kind = NX_VALUE_STRUCT, .list = {items, names, 2}},
	};

	(void)state;
	assert_poured(nx_rows_jsonl_open, given_rows_of(columns, 9, row, 1),
		      "{\"bool\":true,\"u\":18446744073709551615,\"f\":0.1,\"d\":2.5,\"n\":null,"
		      "\"digits\":340282366920938463463374607431.5,\"bytes\":\"\\\\x00a\","
		      "\"list\":[1,null],\"struct\":{\"k\":1,\"l\":null}}\n");
}

static void columns_of_one_name_are_told_apart(void **state)
{
	const struct nx_column columns[] = {{"a", NX_VALUE_NULL},
					    {"a", NX_VALUE_NULL},
					    {"a_1", NX_VALUE_NULL},
					    {"a", NX_VALUE_NULL}};
	const struct nx_value row[] = {{.kind = NX_VALUE_NULL},
				       {.kind = NX_VALUE_NULL},
				       {.kind = NX_VALUE_NULL},
				       {.kind = NX_VALUE_NULL}};

	(void)state;
	assert_poured(nx_rows_jsonl_open, given_rows_of(columns, 4, row, 1),
		      "{\"a\":null,\"a_1\":null,\"a_1_1\":null,\"a_2\":null}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_or_lines_of_objects),
		cmocka_unit_test(no_rows_are_still_json),
		cmocka_unit_test(values_of_every_kind),
		cmocka_unit_test(columns_of_one_name_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
