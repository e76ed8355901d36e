/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "runtime/device/element.h"
#include "tests/unit/runtime/device/exactly.h"

static uint32_t stored(unsigned dtype, float value)
{
	uint8_t bytes[8] = {0};

	nx_element_store(dtype, &value, 1, bytes, 8);
	return nx_load32(bytes);
}

static float loaded(unsigned dtype, uint64_t bits)
{
	float value;

	nx_element_load(dtype, (const uint8_t *)&bits, 8, 1, &value);
	return value;
}

static void test_bf16_rounds_to_even(void **state)
{
	(void)state;
	assert_int_equal(stored(NX_DTYPE_BF16, 1.0f), 0x3f80);
	/* 1 + 2^-8 lies in the middle of 1 and 1 + 2^-7; the even mantissa wins, twice */
	assert_int_equal(stored(NX_DTYPE_BF16, 1.00390625f), 0x3f80);
	assert_int_equal(stored(NX_DTYPE_BF16, 1.01171875f), 0x3f82);
	assert_int_equal(stored(NX_DTYPE_BF16, 0x1.010002p0f), 0x3f81);
	assert_int_equal(stored(NX_DTYPE_BF16, 3.4e38f), 0x7f80);
	assert_int_equal(stored(NX_DTYPE_BF16, NAN), 0x7fc0);
	assert_int_equal(stored(NX_DTYPE_BF16, -INFINITY), 0xff80);
}

static void test_fp16_at_its_ends(void **state)
{
	(void)state;
	assert_int_equal(stored(NX_DTYPE_FP16, 65504), 0x7bff);
	assert_int_equal(stored(NX_DTYPE_FP16, 65519), 0x7bff);
	assert_int_equal(stored(NX_DTYPE_FP16, 65520), 0x7c00);
	assert_int_equal(stored(NX_DTYPE_FP16, 0x1p-24f), 1);
	assert_int_equal(stored(NX_DTYPE_FP16, 0x1p-25f), 0);
	assert_int_equal(stored(NX_DTYPE_FP16, 0x1.8p-24f), 2);
	assert_int_equal(stored(NX_DTYPE_FP16, -0x1p-14f), 0x8400);
	assert_int_equal(stored(NX_DTYPE_FP16, NAN) & 0x7e00, 0x7e00);
	assert_true(isinf(loaded(NX_DTYPE_FP16, 0xfc00)));
	assert_true(isnan(loaded(NX_DTYPE_FP16, 0x7c01)));
}

/* Every value of a narrow type survives the way to fp32 and back. */
static void test_all_narrow_values_return(void **state)
{
	(void)state;
	for (uint32_t bits = 0; bits < 65536; bits++) {
		if ((bits & 0x7c00) != 0x7c00 || (bits & 0x3ff) == 0)
			assert_int_equal(stored(NX_DTYPE_FP16, loaded(NX_DTYPE_FP16, bits)), bits);
		if ((bits & 0x7f80) != 0x7f80 || (bits & 0x7f) == 0)
			assert_int_equal(stored(NX_DTYPE_BF16, loaded(NX_DTYPE_BF16, bits)), bits);
		assert_int_equal(stored(NX_DTYPE_UINT16, loaded(NX_DTYPE_UINT16, bits)), bits);
		assert_int_equal(stored(NX_DTYPE_INT16, loaded(NX_DTYPE_INT16, bits)), bits);
	}
	for (uint32_t bits = 0; bits < 256; bits++) {
		for (unsigned dtype = NX_DTYPE_FP8E3; dtype <= NX_DTYPE_FP8E5; dtype++)
			if (!isnan(loaded(dtype, bits)))
				assert_int_equal(stored(dtype, loaded(dtype, bits)), bits);
		assert_int_equal(stored(NX_DTYPE_INT8, loaded(NX_DTYPE_INT8, bits)), bits);
	}
}

static void test_fp8_values(void **state)
{
	(void)state;
	assert_exactly(loaded(NX_DTYPE_FP8E5, 0x3c), 1.0);
	assert_exactly(loaded(NX_DTYPE_FP8E5, 0x7b), 57344.0);
	assert_exactly(loaded(NX_DTYPE_FP8E4, 0x38), 1.0);
	assert_exactly(loaded(NX_DTYPE_FP8E4, 0x77), 240.0);
	assert_exactly(loaded(NX_DTYPE_FP8E3, 0x30), 1.0);
	assert_exactly(loaded(NX_DTYPE_FP8E3, 0x6f), 15.5);
	assert_exactly(loaded(NX_DTYPE_FP8E4, 0x81), -0x1p-9);
	assert_int_equal(stored(NX_DTYPE_FP8E5, 1e9f), 0x7c);
	assert_true(isnan(loaded(NX_DTYPE_FP8E5, stored(NX_DTYPE_FP8E5, NAN))));
	/* 1.125 lies in the middle of 1 and 1.25 */
	assert_int_equal(stored(NX_DTYPE_FP8E5, 1.125f), 0x3c);
	assert_int_equal(stored(NX_DTYPE_FP8E5, 1.375f), 0x3e);
}

static void test_fp8_at_its_ends(void **state)
{
	(void)state;
	/* 248 lies in the middle of 240, the largest, and 256, which is infinity. */
	assert_int_equal(stored(NX_DTYPE_FP8E4, 0x1.effffep+7f), 0x77);
	assert_int_equal(stored(NX_DTYPE_FP8E4, -248), 0xf8);
	assert_int_equal(stored(NX_DTYPE_FP8E4, 0x1.fffffep+127f), 0x78);
	assert_int_equal(stored(NX_DTYPE_FP8E4, -INFINITY), 0xf8);
	assert_int_equal(stored(NX_DTYPE_FP8E4, NAN) & 0x7f, 0x79);
	/* The smallest is 2^-9, its half rounds to zero, and so do a float's subnormals. */
	assert_int_equal(stored(NX_DTYPE_FP8E4, 0x1p-9f), 0x01);
	assert_int_equal(stored(NX_DTYPE_FP8E4, 0x1p-10f), 0x00);
	assert_int_equal(stored(NX_DTYPE_FP8E4, 0x1.000002p-10f), 0x01);
	assert_int_equal(stored(NX_DTYPE_FP8E4, -0x1p-149f), 0x80);
	assert_int_equal(stored(NX_DTYPE_FP8E4, -0.0f), 0x80);
	/* 7.5 subnormal steps become the first normal one. */
	assert_int_equal(stored(NX_DTYPE_FP8E4, 0x1.ep-7f), 0x08);
}

static void test_fp8_reads_back(void **state)
{
	const unsigned dtypes[] = {NX_DTYPE_FP8E3, NX_DTYPE_FP8E4, NX_DTYPE_FP8E5};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (unsigned byte = 0; byte < 256; byte++) {
			float value = loaded(dtypes[i], byte);

			if (!isnan(value))
				assert_int_equal(stored(dtypes[i], value), byte);
		}
}

static void test_integers_round_and_stop(void **state)
{
	(void)state;
	assert_int_equal(stored(NX_DTYPE_INT32, 2.5f), 2);
	assert_int_equal(stored(NX_DTYPE_INT32, 3.5f), 4);
	assert_int_equal(stored(NX_DTYPE_INT32, -2.5f), (uint32_t)-2);
	assert_int_equal(stored(NX_DTYPE_INT32, -0.5f), 0);
	assert_int_equal(stored(NX_DTYPE_INT32, 0x1.fffffep+22f), 0x800000);
	assert_int_equal(stored(NX_DTYPE_INT32, 0x1.000002p+24f), 0x1000002);
	assert_int_equal(stored(NX_DTYPE_INT32, -1e20f), 0x80000000u);
	assert_int_equal(stored(NX_DTYPE_INT32, 1e20f), 0x7fffffff);
	assert_int_equal(stored(NX_DTYPE_UINT8, 300), 255);
	assert_int_equal(stored(NX_DTYPE_UINT8, -3), 0);
	assert_int_equal(stored(NX_DTYPE_INT8, -129), 0x80);
	assert_int_equal(stored(NX_DTYPE_UINT32, NAN), 0);
	assert_int_equal(stored(NX_DTYPE_UINT64, 1e30f), 0xffffffffu);
	assert_exactly(loaded(NX_DTYPE_INT64, (uint64_t)-7), -7.0);
}

static void test_unknown_types_have_no_elements(void **state)
{
	const float values[2] = {1, 2};
	uint8_t bytes[4] = {7, 7, 7, 7};

	(void)state;
	for (unsigned dtype = 0; dtype < 300; dtype++)
		if (!nx_dtype_bytes(dtype))
			nx_element_store(dtype, values, 2, bytes, 1);
	assert_int_equal(nx_load32(bytes), 0x07070707);
}

static void test_strides(void **state)
{
	const float values[3] = {1, 2, 3};
	uint8_t bytes[32] = {0};
	float out[3];

	(void)state;
	nx_element_store(NX_DTYPE_BF16, values, 3, bytes + 9, -4);
	nx_element_load(NX_DTYPE_BF16, bytes + 1, 4, 3, out);
	assert_exactly(out[0], 3);
	assert_exactly(out[2], 1);
	nx_element_load(NX_DTYPE_BF16, bytes + 5, 0, 3, out);
	assert_exactly(out[0], 2);
	assert_exactly(out[2], 2);
	nx_element_copy(2, bytes + 9, -4, 3, bytes + 20, 2);
	nx_element_load(NX_DTYPE_BF16, bytes + 20, 2, 3, out);
	assert_exactly(out[0], 1);
	assert_exactly(out[1], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bf16_rounds_to_even),
		cmocka_unit_test(test_fp16_at_its_ends),
		cmocka_unit_test(test_all_narrow_values_return),
		cmocka_unit_test(test_fp8_values),
		cmocka_unit_test(test_fp8_at_its_ends),
		cmocka_unit_test(test_fp8_reads_back),
		cmocka_unit_test(test_integers_round_and_stop),
		cmocka_unit_test(test_unknown_types_have_no_elements),
		cmocka_unit_test(test_strides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
