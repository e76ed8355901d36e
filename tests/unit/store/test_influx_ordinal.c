/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/influx/influx_line.h"

static void rows_of_other_times_need_none(void **state)
{
	struct nx_influx_ordinals ordinals = {0};

	(void)state;
	for (int64_t t = -3; t < 100; t++)
		assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, t), 0);
	nx_influx_ordinals_release(&ordinals);
}

static void rows_of_one_time_are_counted(void **state)
{
	struct nx_influx_ordinals ordinals = {0};

	(void)state;
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 5), 0);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 5), 1);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 2, 5), 0);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 5), 2);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 6), 0);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 6), 1);
	nx_influx_ordinals_release(&ordinals);
}

static void a_step_back_goes_on_above(void **state)
{
	struct nx_influx_ordinals ordinals = {0};

	(void)state;
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 10), 0);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 10), 1);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 5), 2);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 7), 2);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 10), 2);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 10), 3);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 11), 0);
	assert_int_equal(nx_influx_ordinals_next(&ordinals, 1, 5), 4);
	nx_influx_ordinals_release(&ordinals);
}

/* Whatever the order, no two rows of a series have the same time and ordinal. */
static void no_pair_comes_twice(void **state)
{
	struct nx_influx_ordinals ordinals = {0};
	struct nx_map seen = {0};
	uint64_t other;

	(void)state;
	srand(7);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t time = (uint64_t)rand() % 50;
		uint64_t ordinal = nx_influx_ordinals_next(&ordinals, 3, (int64_t)time);

		assert_false(nx_map_get(&seen, ordinal * 64 + time, &other));
		nx_map_put(&seen, ordinal * 64 + time, 1);
	}
	nx_map_release(&seen);
	nx_influx_ordinals_release(&ordinals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_other_times_need_none),
		cmocka_unit_test(rows_of_one_time_are_counted),
		cmocka_unit_test(a_step_back_goes_on_above),
		cmocka_unit_test(no_pair_comes_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
