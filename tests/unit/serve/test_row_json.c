/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "serve/row_json.h"

static void check(struct nx_value value, const char *expected)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_row_json_row(&w, &value, 1);
	assert_int_equal(bytes.len, strlen(expected));
	assert_memory_equal(bytes.items, expected, bytes.len);
	nx_vec_release(&bytes);
}

static void numbers_that_do_not_fit_are_texts(void **state)
{
	(void)state;
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = 9007199254740991},
	      "[9007199254740991]");
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = 9007199254740992},
	      "[\"9007199254740992\"]");
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = -9007199254740991},
	      "[-9007199254740991]");
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = INT64_MIN},
	      "[\"-9223372036854775808\"]");
	check((struct nx_value){.kind = NX_VALUE_U64, .u64 = UINT64_MAX},
	      "[\"18446744073709551615\"]");
	check((struct nx_value){.kind = NX_VALUE_DIGITS, .text = nx_slice_text("123")},
	      "[\"123\"]");
}

static void numbers_that_are_none_are_null(void **state)
{
	(void)state;
	check((struct nx_value){.kind = NX_VALUE_F64, .f64 = NAN}, "[null]");
	check((struct nx_value){.kind = NX_VALUE_F32, .f32 = INFINITY}, "[null]");
	check((struct nx_value){.kind = NX_VALUE_F64, .f64 = 0.5}, "[0.5]");
	check((struct nx_value){.kind = NX_VALUE_NULL}, "[null]");
}

static void lists_and_structs_are_nested(void **state)
{
	const struct nx_value items[] = {{.kind = NX_VALUE_BOOL, .flag = true},
					 {.kind = NX_VALUE_TEXT, .text = nx_slice_text("a\"")}};
	const struct nx_slice names[] = {nx_slice_of("onex", 3), nx_slice_text("two")};

	(void)state;
	check((struct nx_value){.kind = NX_VALUE_LIST, .list = {items, NULL, 2}},
	      "[[true,\"a\\\"\"]]");
	check((struct nx_value){.kind = NX_VALUE_STRUCT, .list = {items, names, 2}},
	      "[{\"one\":true,\"two\":\"a\\\"\"}]");
	check((struct nx_value){.kind = NX_VALUE_LIST}, "[[]]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_do_not_fit_are_texts),
		cmocka_unit_test(numbers_that_are_none_are_null),
		cmocka_unit_test(lists_and_structs_are_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
