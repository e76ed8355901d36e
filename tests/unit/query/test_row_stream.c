/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/row_stream.h"

static void assert_text(struct nx_value value, const char *expected)
{
	struct nx_bytes text = {0};

	nx_value_append_text(&value, &text);
	nx_bytes_append_zeros(&text, 1);
	assert_string_equal((const char *)text.items, expected);
	nx_vec_release(&text);
}

static void integers_are_exact(void **state)
{
	(void)state;
	assert_text((struct nx_value){.kind = NX_VALUE_I64, .i64 = INT64_MIN},
		    "-9223372036854775808");
	assert_text((struct nx_value){.kind = NX_VALUE_U64, .u64 = UINT64_MAX},
		    "18446744073709551615");
	assert_text((struct nx_value){.kind = NX_VALUE_DIGITS, .text = nx_slice_text("-1.50")},
		    "-1.50");
}

static void numbers_have_a_word_for_what_json_lacks(void **state)
{
	(void)state;
	assert_text((struct nx_value){.kind = NX_VALUE_F64, .f64 = 0.1}, "0.1");
	assert_text((struct nx_value){.kind = NX_VALUE_F32, .f32 = 0.1f}, "0.1");
	assert_text((struct nx_value){.kind = NX_VALUE_F64, .f64 = (double)NAN}, "nan");
	assert_text((struct nx_value){.kind = NX_VALUE_F64, .f64 = (double)INFINITY}, "inf");
	assert_text((struct nx_value){.kind = NX_VALUE_F32, .f32 = -INFINITY}, "-inf");
}

static void null_bool_and_bytes(void **state)
{
	(void)state;
	assert_text((struct nx_value){.kind = NX_VALUE_NULL}, "NULL");
	assert_text((struct nx_value){.kind = NX_VALUE_BOOL, .flag = true}, "true");
	assert_text((struct nx_value){.kind = NX_VALUE_BYTES, .text = nx_slice_of("a\\\0\xff", 4)},
		    "a\\x5C\\x00\\xFF");
}

static void lists_quote_their_texts(void **state)
{
	const struct nx_value inner[] = {{.kind = NX_VALUE_TEXT, .text = nx_slice_text("it's, ")},
					 {.kind = NX_VALUE_NULL}};
	const struct nx_slice names[] = {nx_slice_text("a"), nx_slice_text("b'")};
	const struct nx_value list = {.kind = NX_VALUE_LIST, .list = {inner, NULL, 2}};
	const struct nx_value outer[] = {list, {.kind = NX_VALUE_I64, .i64 = 7}};

	(void)state;
	assert_text(list, "['it''s, ', NULL]");
	assert_text((struct nx_value){.kind = NX_VALUE_STRUCT, .list = {outer, names, 2}},
		    "{'a': ['it''s, ', NULL], 'b''': 7}");
	assert_text((struct nx_value){.kind = NX_VALUE_LIST}, "[]");
}

static void only_numbers_are_numbers(void **state)
{
	(void)state;
	assert_true(nx_value_kind_is_number(NX_VALUE_I64));
	assert_true(nx_value_kind_is_number(NX_VALUE_DIGITS));
	assert_false(nx_value_kind_is_number(NX_VALUE_BOOL));
	assert_false(nx_value_kind_is_number(NX_VALUE_TEXT));
	assert_false(nx_value_kind_is_number(NX_VALUE_NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(numbers_have_a_word_for_what_json_lacks),
		cmocka_unit_test(null_bool_and_bytes),
		cmocka_unit_test(lists_quote_their_texts),
		cmocka_unit_test(only_numbers_are_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
