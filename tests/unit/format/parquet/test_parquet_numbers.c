/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/arena.h"
#include "format/parquet/parquet_chunk.h"

static void values_are_numbered_by_first_appearance(void **state)
{
	static const int64_t values[] = {7, -1, 7, 0, INT64_MIN, -1};
	static const uint32_t want[] = {0, 1, 0, 2, 3, 1};
	struct nx_parquet_numbers numbers = {0};
	uint32_t ids[6];

	(void)state;
	assert_true(nx_parquet_numbers_index(&numbers, values, 6, 4, ids));
	assert_memory_equal(ids, want, sizeof(want));
	assert_int_equal(numbers.values.len, 4);
	assert_true((int64_t)numbers.values.items[3] == INT64_MIN);
	assert_false(nx_parquet_numbers_index(&numbers, values, 6, 3, ids));
	nx_parquet_numbers_release(&numbers);
}

static void doubles_are_compared_by_their_bits(void **state)
{
	const double values[] = {0.0, -0.0, NAN, NAN, 0.0};
	static const uint32_t want[] = {0, 1, 2, 2, 0};
	struct nx_parquet_numbers numbers = {0};
	uint32_t ids[5];

	(void)state;
	assert_true(nx_parquet_numbers_index(&numbers, values, 5, 5, ids));
	assert_memory_equal(ids, want, sizeof(want));
	nx_parquet_numbers_release(&numbers);
}

static void near_values_are_numbered_alike(void **state)
{
	static const int64_t values[] = {INT64_MAX, INT64_MAX - 65535, INT64_MAX, INT64_MAX - 1};
	static const uint32_t want[] = {0, 1, 0, 2};
	struct nx_parquet_numbers numbers = {0};
	uint32_t ids[4];

	(void)state;
	assert_true(nx_parquet_numbers_index_near(&numbers, values, 4, 3, INT64_MAX - 65535, ids));
	assert_memory_equal(ids, want, sizeof(want));
	assert_false(nx_parquet_numbers_index_near(&numbers, values, 4, 2, INT64_MAX - 65535, ids));
	nx_parquet_numbers_release(&numbers);
}

static void many_values_are_found_again_or_given_up(void **state)
{
	size_t count = 200000;
	int64_t *values = nx_heap_alloc(count * sizeof(*values));
	uint32_t *ids = nx_heap_alloc(count * sizeof(*ids));
	struct nx_parquet_numbers numbers = {0};

	(void)state;
	for (size_t i = 0; i < count; i++)
		values[i] = (int64_t)(i * 7919 % 8000) << 32;
	assert_true(nx_parquet_numbers_index(&numbers, values, count, NX_PARQUET_NUMBERS_MAX, ids));
	assert_int_equal(numbers.values.len, 8000);
	for (size_t i = 0; i < count; i++)
		assert_true(numbers.values.items[ids[i]] == (uint64_t)values[i]);
	for (size_t i = 0; i < count; i++)
		values[i] = (int64_t)(i * 0x9e3779b97f4a7c15u);
	assert_false(
		nx_parquet_numbers_index(&numbers, values, count, NX_PARQUET_NUMBERS_MAX, ids));
	nx_parquet_numbers_release(&numbers);
	nx_heap_free(values);
	nx_heap_free(ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_numbered_by_first_appearance),
		cmocka_unit_test(doubles_are_compared_by_their_bits),
		cmocka_unit_test(near_values_are_numbered_alike),
		cmocka_unit_test(many_values_are_found_again_or_given_up),
	};

	return cmocka_run_group_tests_name("format/parquet_numbers", tests, NULL, NULL);
}
