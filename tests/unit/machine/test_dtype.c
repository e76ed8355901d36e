/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/dtype.h"

static enum nx_dtype find(const char *name)
{
	return nx_dtype_find(nx_slice_text(name));
}

static void every_type_is_found_by_its_names(void **state)
{
	(void)state;
	for (unsigned i = 1; i < NX_DTYPE_COUNT; i++) {
		assert_int_equal(find(nx_dtype_name(i)), i);
		assert_int_equal(find(nx_dtype_neff_name(i)), i);
		assert_int_not_equal(nx_dtype_bytes(i), 0);
	}
	assert_int_equal(find("bf16"), NX_DTYPE_BF16);
	assert_int_equal(find("bool"), NX_DTYPE_UINT8);
	assert_int_equal(find("float8_e4m3fn"), NX_DTYPE_FP8E4);
	assert_string_equal(nx_dtype_name(NX_DTYPE_FP32), "fp32");
	assert_string_equal(nx_dtype_neff_name(NX_DTYPE_FP32), "float32");
}

static void other_words_and_codes_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(find("complex64"), NX_DTYPE_UNKNOWN);
	assert_int_equal(find("float"), NX_DTYPE_UNKNOWN);
	assert_int_equal(find(""), NX_DTYPE_UNKNOWN);
	for (unsigned i = 0; i < 300; i += NX_DTYPE_COUNT) {
		assert_null(nx_dtype_name(i));
		assert_null(nx_dtype_neff_name(i));
		assert_null(nx_dtype_npy(i));
		assert_int_equal(nx_dtype_bytes(i), 0);
		assert_false(nx_dtype_is_integer(i));
	}
}

static void numpy_lacks_some(void **state)
{
	(void)state;
	assert_string_equal(nx_dtype_npy(NX_DTYPE_FP16), "<f2");
	assert_string_equal(nx_dtype_npy(NX_DTYPE_INT64), "<i8");
	assert_null(nx_dtype_npy(NX_DTYPE_BF16));
	assert_null(nx_dtype_npy(NX_DTYPE_FP8E4));
}

static void integers_are_told_from_floats(void **state)
{
	(void)state;
	assert_true(nx_dtype_is_integer(NX_DTYPE_UINT64));
	assert_true(nx_dtype_is_integer(NX_DTYPE_UINT16));
	assert_false(nx_dtype_is_integer(NX_DTYPE_BF16));
	assert_true(nx_dtype_is_integer(NX_DTYPE_UINT32));
	assert_false(nx_dtype_is_integer(NX_DTYPE_FP32R));
	assert_true(nx_dtype_is_integer(NX_DTYPE_INT64));
	assert_false(nx_dtype_is_integer(NX_DTYPE_FP8E5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_found_by_its_names),
		cmocka_unit_test(other_words_and_codes_are_unknown),
		cmocka_unit_test(numpy_lacks_some),
		cmocka_unit_test(integers_are_told_from_floats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
