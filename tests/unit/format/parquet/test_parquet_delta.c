/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "format/parquet/parquet_delta.h"

#define MOST 1000

static int64_t values[MOST], back[MOST];

static void check_round_trip(size_t count)
{
	struct nx_bytes out = {0};

	nx_parquet_delta_encode(values, count, &out);
	memset(back, 0x55, sizeof(back));
	assert_true(nx_parquet_delta_decode(nx_slice_of(out.items, out.len), back, count));
	assert_memory_equal(back, values, count * sizeof(*values));
	nx_vec_release(&out);
}

static void the_documented_example_has_its_bytes(void **state)
{
	/* 1 to 5: block of 128 in 4 quarters, 5 values, first 1, smallest step 1, no bits */
	static const uint8_t want[] = {0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 0, 0, 0, 0};
	struct nx_bytes out = {0};

	(void)state;
	for (int64_t i = 0; i < 5; i++)
		values[i] = i + 1;
	nx_parquet_delta_encode(values, 5, &out);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.items, want, sizeof(want));
	nx_vec_release(&out);
}

static void every_number_of_values_reads_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < MOST; i++)
		values[i] = (int64_t)(i * i) - (int64_t)(i % 7) * 1000;
	for (size_t count = 0; count < MOST; count += count < 300 ? 1 : 97)
		check_round_trip(count);
}

static void every_width_reads_back(void **state)
{
	(void)state;
	for (unsigned width = 0; width <= 64; width++) {
		uint64_t top = width ? UINT64_MAX >> (64 - width) : 0;

		for (size_t i = 0; i < MOST; i++)
			values[i] = (int64_t)(i % 3 ? (i * 0x9e3779b97f4a7c15u) & top : top);
		check_round_trip(MOST);
	}
}

static void the_extremes_stand_beside_each_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < MOST; i++)
		values[i] = i % 2 ? INT64_MAX : INT64_MIN;
	check_round_trip(MOST);
	for (size_t i = 0; i < MOST; i++)
		values[i] = i % 3 ? -1 : INT64_MIN;
	check_round_trip(MOST);
}

static void the_estimate_is_near_the_truth(void **state)
{
	struct nx_bytes out = {0};
	size_t estimate;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		values[i] = (int64_t)(i * 100 + (i * 37 & 63));
	nx_parquet_delta_encode(values, MOST, &out);
	estimate = nx_parquet_delta_estimate_bytes(values, MOST);
	assert_in_range(estimate, out.len * 9 / 10, out.len * 11 / 10);
	assert_in_range(nx_parquet_delta_estimate_bytes(values, 1), 5, 15);
	assert_in_range(nx_parquet_delta_estimate_bytes(values, 0), 5, 15);
	nx_vec_release(&out);
}

static bool decodes(const char *bytes, size_t len, size_t count)
{
	return nx_parquet_delta_decode(nx_slice_of(bytes, len), back, count);
}

static void damaged_bytes_are_refused(void **state)
{
	(void)state;
	assert_true(decodes("\x80\x01\x04\x00\x00", 5, 0));
	assert_false(decodes("\x80\x01\x04\x00\x00", 5, 1)); /* says none, one is wanted */
	assert_false(decodes("", 0, 0));
	assert_false(decodes("\x00\x04\x01\x00", 4, 1));		    /* blocks of nothing */
	assert_false(decodes("\x80\x01\x00\x01\x00", 5, 1));		    /* no quarters */
	assert_false(decodes("\x80\x01\x03\x01\x00", 5, 1));		    /* 128 / 3 */
	assert_false(decodes("\x80\x01\x80\x01\x01\x00", 6, 1));	    /* quarters of one */
	assert_false(decodes("\x80\x80\x80\x10\x04\x01\x00", 7, 1));	    /* blocks of 2^25 */
	assert_false(decodes("\x80\x01\x04\x02\x00\x02\x41\0\0\0", 10, 2)); /* width 65 */
	assert_false(decodes("\x80\x01\x04\x02\x00\x02\x08\0\0\0\x01", 11, 2));
	assert_false(decodes("\x80\x01\x04\x02\x00\x02\x00\0", 8, 2)); /* widths cut */
}

static void blocks_of_other_writers_are_read(void **state)
{
	/* blocks of 64 in two halves: 3, then steps of 2 */
	static const char bytes[] = "\x40\x02\x05\x06\x04\x00\x00";

	(void)state;
	assert_true(decodes(bytes, sizeof(bytes) - 1, 5));
	assert_int_equal(back[0], 3);
	assert_int_equal(back[4], 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documented_example_has_its_bytes),
		cmocka_unit_test(every_number_of_values_reads_back),
		cmocka_unit_test(every_width_reads_back),
		cmocka_unit_test(the_extremes_stand_beside_each_other),
		cmocka_unit_test(the_estimate_is_near_the_truth),
		cmocka_unit_test(damaged_bytes_are_refused),
		cmocka_unit_test(blocks_of_other_writers_are_read),
	};

	return cmocka_run_group_tests_name("format/parquet_delta", tests, NULL, NULL);
}
