/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "base/bare/bits.h"
#include "format/parquet/parquet_plain.h"

static void integers_are_narrowed_and_come_back(void **state)
{
	static const int64_t values[] = {0, 1, -1, INT32_MAX, INT32_MIN};
	static const uint8_t want[] = {
		0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x00, 0x00, 0x00, 0x80,
	};
	struct nx_bytes out = {0};
	int64_t back[5];

	(void)state;
	nx_parquet_plain_append(NX_PARQUET_I32, values, 5, &out);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.items, want, sizeof(want));
	nx_parquet_plain_load(NX_PARQUET_I32, out.items, 5, back);
	assert_memory_equal(back, values, sizeof(values));
	nx_vec_release(&out);
}

static void floats_come_back_bit_by_bit(void **state)
{
	const float values[] = {0.0F, -0.0F, 1.5F, INFINITY, -INFINITY, FLT_MAX, 0x1p-149F, NAN};
	static const uint32_t want[] = {0,	    0x80000000, 0x3fc00000, 0x7f800000,
					0xff800000, 0x7f7fffff, 1,	    0x7fc00000};
	double wide[8], back[8];
	struct nx_bytes out = {0};

	(void)state;
	for (size_t i = 0; i < 8; i++)
		wide[i] = (double)values[i];
	nx_parquet_plain_append(NX_PARQUET_F32, wide, 8, &out);
	assert_int_equal(out.len, sizeof(want));
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(nx_load32(out.items + i * 4), want[i]);
	nx_parquet_plain_load(NX_PARQUET_F32, out.items, 8, back);
	assert_memory_equal(back, wide, sizeof(wide));
	nx_vec_release(&out);
}

static void a_nan_keeps_its_payload(void **state)
{
	const uint8_t bits[] = {0x34, 0x12, 0xd0, 0xff}; /* quiet and negative */
	uint8_t back[4];
	double wide;

	(void)state;
	nx_parquet_plain_load(NX_PARQUET_F32, bits, 1, &wide);
	assert_true(isnan(wide));
	nx_parquet_plain_store(NX_PARQUET_F32, &wide, 1, back);
	assert_memory_equal(back, bits, sizeof(bits));
}

static void wide_numbers_are_copied(void **state)
{
	static const int64_t integers[] = {INT64_MIN, 7};
	const double doubles[] = {-0.0, 0.1};
	struct nx_bytes out = {0};

	(void)state;
	nx_parquet_plain_append(NX_PARQUET_I64, integers, 2, &out);
	nx_parquet_plain_append(NX_PARQUET_F64, doubles, 2, &out);
	assert_int_equal(out.len, 32);
	assert_memory_equal(out.items, integers, 16);
	assert_memory_equal(out.items + 16, doubles, 16);
	nx_vec_release(&out);
}

static void nothing_needs_no_memory(void **state)
{
	struct nx_bytes out = {0};

	(void)state;
	for (enum nx_parquet_type type = NX_PARQUET_I32; type <= NX_PARQUET_F64; type++) {
		nx_parquet_plain_append(type, NULL, 0, &out);
		nx_parquet_plain_load(type, NULL, 0, NULL);
	}
	assert_null(out.items);
}

static void bounds_are_read_by_their_type(void **state)
{
	static const uint8_t bytes[] = {0xfe, 0xff, 0xff, 0xff, 0x01, 0x00, 0x00, 0x00};

	(void)state;
	assert_true(nx_parquet_plain_integer(NX_PARQUET_I32, nx_slice_of(bytes, 4)) == -2);
	assert_true(nx_parquet_plain_integer(NX_PARQUET_I64, nx_slice_of(bytes, 8)) == 0x1fffffffe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_narrowed_and_come_back),
		cmocka_unit_test(floats_come_back_bit_by_bit),
		cmocka_unit_test(a_nan_keeps_its_payload),
		cmocka_unit_test(wide_numbers_are_copied),
		cmocka_unit_test(nothing_needs_no_memory),
		cmocka_unit_test(bounds_are_read_by_their_type),
	};

	return cmocka_run_group_tests_name("format/parquet_plain", tests, NULL, NULL);
}
