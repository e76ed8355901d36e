/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "format/parquet/parquet_rle.h"

static uint32_t random_u32(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return (uint32_t)(s >> 16);
}

static void check_round_trip(const uint32_t *values, size_t count, unsigned width)
{
	uint32_t *back = nx_heap_alloc((count + 1) * sizeof(*back));
	struct nx_bytes out = {0};

	nx_parquet_rle_encode(values, count, width, &out);
	back[count] = 0xabcdef01;
	assert_true(nx_parquet_rle_decode(nx_slice_of(out.items, out.len), width, back, count));
	assert_memory_equal(back, values, count * sizeof(*back));
	assert_int_equal(back[count], 0xabcdef01);
	nx_vec_release(&out);
	nx_heap_free(back);
}

static void packed_bits_are_laid_out_as_the_format_says(void **state)
{
	/* the example of the format's own documentation: 0 to 7 in three bits each */
	static const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7};
	static const uint8_t want[] = {0x03, 0x88, 0xc6, 0xfa};
	struct nx_bytes out = {0};

	(void)state;
	nx_parquet_rle_encode(values, 8, 3, &out);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.items, want, sizeof(want));
	nx_vec_release(&out);
}

static void a_long_run_is_a_count_and_a_value(void **state)
{
	static const uint8_t want[] = {0xd0, 0x0f, 0x2c, 0x01}; /* 1000 << 1, 300 in two bytes */
	uint32_t values[1000];
	struct nx_bytes out = {0};

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		values[i] = 300;
	nx_parquet_rle_encode(values, 1000, 9, &out);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.items, want, sizeof(want));
	nx_vec_release(&out);
}

static void every_width_and_odd_length_reads_back(void **state)
{
	uint32_t values[300];

	(void)state;
	for (unsigned width = 1; width <= 32; width++)
		for (size_t count = 1; count < 300; count += 37) {
			for (size_t i = 0; i < count; i++)
				values[i] = random_u32() >> (32 - width);
			check_round_trip(values, count, width);
		}
}

static void runs_of_every_length_between_others_read_back(void **state)
{
	uint32_t values[4000];

	(void)state;
	for (unsigned width = 1; width <= 20; width += 3)
		for (size_t run = 1; run < 100; run++) {
			for (size_t i = 0; i < 4000; i++)
				values[i] = (uint32_t)(i / run * 7 + i % run / 90) &
					    ((1u << width) - 1);
			check_round_trip(values, 4000, width);
		}
}

static void width_zero_has_no_bits(void **state)
{
	uint32_t zeros[20] = {0}, back[20];
	struct nx_bytes out = {0};

	(void)state;
	nx_parquet_rle_encode(zeros, 0, 0, &out);
	assert_int_equal(out.len, 0);
	nx_parquet_rle_encode(zeros, 20, 0, &out);
	assert_int_equal(out.len, 1);
	memset(back, 1, sizeof(back));
	assert_true(nx_parquet_rle_decode(nx_slice_of(out.items, out.len), 0, back, 20));
	assert_memory_equal(back, zeros, sizeof(zeros));
	assert_true(nx_parquet_rle_decode(nx_slice_of("\x07", 1), 0, back, 20)); /* packed */
	nx_vec_release(&out);
}

static bool decodes(const char *bytes, size_t len, unsigned width, size_t count)
{
	uint32_t values[64];

	return nx_parquet_rle_decode(nx_slice_of(bytes, len), width, values, count);
}

static void damaged_bytes_are_refused(void **state)
{
	(void)state;
	assert_false(decodes("", 0, 1, 1));
	assert_true(decodes("", 0, 1, 0));
	assert_false(decodes("\x00\x01", 2, 1, 1)); /* a run of none would never end */
	assert_false(decodes("\x01\x01", 2, 1, 1));
	assert_false(decodes("\x04", 1, 8, 2));		/* a run without its value */
	assert_false(decodes("\x03\x01\x02", 3, 8, 8)); /* eight values in two bytes */
	assert_false(decodes("\x04\x01", 2, 33, 2));
	assert_false(decodes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, 8, 8));
	assert_true(decodes("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x07", 11, 8, 64));
	assert_false(decodes("\x02\x05\x02", 3, 8, 2)); /* the second run is cut */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_bits_are_laid_out_as_the_format_says),
		cmocka_unit_test(a_long_run_is_a_count_and_a_value),
		cmocka_unit_test(every_width_and_odd_length_reads_back),
		cmocka_unit_test(runs_of_every_length_between_others_read_back),
		cmocka_unit_test(width_zero_has_no_bits),
		cmocka_unit_test(damaged_bytes_are_refused),
	};

	return cmocka_run_group_tests_name("format/parquet_rle", tests, NULL, NULL);
}
