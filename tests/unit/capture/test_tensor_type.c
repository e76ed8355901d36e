/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/tensor_type.h"

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(nx_tensor_type_named("bfloat16"), NRT_DTYPE_BFLOAT16);
	assert_int_equal(nx_tensor_type_named("fp32"), NRT_DTYPE_FLOAT32);
	assert_int_equal(nx_tensor_type_named("bool"), NRT_DTYPE_UINT8);
	assert_int_equal(nx_tensor_type_named("float"), NRT_DTYPE_UNKNOWN);
	assert_int_equal(nx_tensor_type_named(""), NRT_DTYPE_UNKNOWN);
	assert_string_equal(nx_tensor_type_name(NRT_DTYPE_FLOAT32), "float32");
	assert_string_equal(nx_tensor_type_name(NRT_DTYPE_UINT8), "uint8");
	assert_string_equal(nx_tensor_type_name(NRT_DTYPE_UNKNOWN), "");
}

static void test_numpy(void **state)
{
	(void)state;
	assert_string_equal(nx_tensor_type_npy(NRT_DTYPE_FLOAT16), "<f2");
	assert_string_equal(nx_tensor_type_npy(NRT_DTYPE_INT64), "<i8");
	assert_null(nx_tensor_type_npy(NRT_DTYPE_BFLOAT16));
	assert_null(nx_tensor_type_npy(NRT_DTYPE_FP8_E4));
	assert_null(nx_tensor_type_npy(NRT_DTYPE_UNKNOWN));
}

static void test_accepted(void **state)
{
	(void)state;
	assert_true(nx_tensor_type_accepts(NRT_DTYPE_BFLOAT16, "<u2"));
	assert_true(nx_tensor_type_accepts(NRT_DTYPE_BFLOAT16, "|V2"));
	assert_false(nx_tensor_type_accepts(NRT_DTYPE_BFLOAT16, "<f2"));
	assert_true(nx_tensor_type_accepts(NRT_DTYPE_UINT8, "|b1"));
	assert_false(nx_tensor_type_accepts(NRT_DTYPE_FLOAT32, ">f4"));
	assert_false(nx_tensor_type_accepts(NRT_DTYPE_FLOAT32, "<f8"));
	/* parts of a word are no words */
	assert_false(nx_tensor_type_accepts(NRT_DTYPE_BFLOAT16, "u2"));
	assert_false(nx_tensor_type_accepts(NRT_DTYPE_FLOAT32, ""));
	assert_true(nx_tensor_type_accepts(NRT_DTYPE_UNKNOWN, "<c8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numpy),
		cmocka_unit_test(test_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
