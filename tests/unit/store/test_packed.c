/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/timeline/packed.h"

/* A column in a buffer with its slack, which holds ones so that reading too much shows. */
static struct nx_packed pack(struct nx_bytes *bytes, const uint64_t *numbers, size_t count,
			     unsigned width)
{
	uint8_t slack[NX_PACKED_SLACK];

	memset(slack, 0xff, sizeof(slack));
	nx_packed_append(bytes, numbers, count, width);
	nx_bytes_append(bytes, slack, sizeof(slack));
	return (struct nx_packed){bytes->items, width};
}

static void a_width_holds_the_largest_number(void **state)
{
	(void)state;
	assert_int_equal(nx_packed_width(0), 0);
	assert_int_equal(nx_packed_width(1), 1);
	assert_int_equal(nx_packed_width(255), 1);
	assert_int_equal(nx_packed_width(256), 2);
	assert_int_equal(nx_packed_width(0xffffff), 3);
	assert_int_equal(nx_packed_width(0x1000000), 4);
	assert_int_equal(nx_packed_width(UINT64_MAX >> 8), 7);
	assert_int_equal(nx_packed_width(UINT64_MAX), 8);
}

static void bytes_are_little_endian_and_padded(void **state)
{
	const uint64_t numbers[3] = {1, 0x010203, 0xffffff};
	const uint8_t want[16] = {1, 0, 0, 3, 2, 1, 0xff, 0xff, 0xff};
	struct nx_bytes bytes = {0};

	(void)state;
	nx_packed_append(&bytes, numbers, 3, 3);
	assert_int_equal(bytes.len, 16);
	assert_int_equal(nx_packed_bytes(3, 3), 16);
	assert_memory_equal(bytes.items, want, 16);
	nx_packed_append(&bytes, numbers, 3, 0);
	assert_int_equal(bytes.len, 16);
	nx_vec_release(&bytes);
}

/* Five numbers of every width: the largest in the middle, twice. */
static void every_width_reads_back(void **state)
{
	(void)state;
	for (unsigned width = 0; width <= 8; width++) {
		uint64_t top = width ? UINT64_MAX >> (64 - 8 * width) : 0;
		uint64_t numbers[5] = {0, top / 3, top, top, top / 2};
		struct nx_bytes bytes = {0};
		struct nx_packed column = pack(&bytes, numbers, 5, width);

		for (size_t i = 0; i < 5; i++)
			assert_int_equal(nx_packed_at(column, i), numbers[i]);
		assert_int_equal(nx_packed_sum(column, 1, 3), top / 3 + top);
		assert_int_equal(nx_packed_sum(column, 4, 4), 0);
		assert_int_equal(nx_packed_largest(column, 0, 5), top);
		assert_int_equal(nx_packed_largest(column, 0, 2), top / 3);
		assert_int_equal(nx_packed_largest(column, 2, 2), 0);
		assert_int_equal(nx_packed_find(column, 0, 5, top), width ? 2 : 0);
		assert_int_equal(nx_packed_find(column, 3, 5, top), 3);
		nx_vec_release(&bytes);
	}
}

static void what_is_not_there_is_found_at_the_beginning(void **state)
{
	const uint64_t numbers[3] = {4, 5, 6};
	struct nx_bytes bytes = {0};
	struct nx_packed column = pack(&bytes, numbers, 3, 1);

	(void)state;
	assert_int_equal(nx_packed_find(column, 1, 3, 99), 1);
	nx_vec_release(&bytes);
}

static void sorted_numbers_are_counted_up_to_a_limit(void **state)
{
	const uint64_t numbers[7] = {0, 0, 300, 300, 300, 70000, 70001};
	const uint64_t limits[8] = {0, 1, 300, 301, 70000, 70001, 70002, UINT64_MAX};
	const size_t want[8] = {0, 2, 2, 5, 5, 6, 7, 7};
	struct nx_bytes bytes = {0};
	struct nx_packed column = pack(&bytes, numbers, 7, 3);

	(void)state;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(nx_packed_below(column, 7, limits[i]), want[i]);
	assert_int_equal(nx_packed_below(column, 0, 5), 0);
	nx_vec_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_width_holds_the_largest_number),
		cmocka_unit_test(bytes_are_little_endian_and_padded),
		cmocka_unit_test(every_width_reads_back),
		cmocka_unit_test(what_is_not_there_is_found_at_the_beginning),
		cmocka_unit_test(sorted_numbers_are_counted_up_to_a_limit),
	};

	return cmocka_run_group_tests_name("store/packed", tests, NULL, NULL);
}
