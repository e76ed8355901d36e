/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/tensor_type.h"

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
		cmocka_unit_test(test_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
