/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/ntff/ring_scan.h"

static void picosecond_blocks_pass_through(void **state)
{
	const struct nx_clock absent = {0, 0, 0};
	const struct nx_clock trn2 = {0, 1, 1};

	(void)state;
	assert_int_equal(nx_clock_ps(&absent, 123456789), 123456789);
	assert_int_equal(nx_clock_ps(&trn2, 123456789), 123456789);
}

static void init_is_the_zero(void **state)
{
	const struct nx_clock clock = {1000, 7, 7};

	(void)state;
	assert_int_equal(nx_clock_ps(&clock, 1000), 0);
	assert_int_equal(nx_clock_ps(&clock, 1001), 1);
	assert_int_equal(nx_clock_ps(&clock, 990), -10);
}

/* 5 * 3/4 = 3.75 -> 3; -1 * 3/4 = -0.75 -> -1; -4 * 3/4 = -3 exactly. */
static void rounds_down_on_both_sides_of_zero(void **state)
{
	const struct nx_clock clock = {1000, 4, 3};

	(void)state;
	assert_int_equal(nx_clock_ps(&clock, 1005), 3);
	assert_int_equal(nx_clock_ps(&clock, 1004), 3);
	assert_int_equal(nx_clock_ps(&clock, 999), -1);
	assert_int_equal(nx_clock_ps(&clock, 996), -3);
	assert_int_equal(nx_clock_ps(&clock, 995), -4);
}

/* A day of uptime on a V2 engine clock; doubles would be off in the last digits. */
static void stays_exact_after_a_day(void **state)
{
	const struct nx_clock clock = {0, 731408, 731428};

	(void)state;
	assert_int_equal(nx_clock_ps(&clock, UINT64_C(731408001)), INT64_C(731428001));
	assert_int_equal(nx_clock_ps(&clock, UINT64_C(86400000000000000)),
			 INT64_C(86402362566447181));
	assert_int_equal(nx_clock_ps(&clock, (UINT64_C(1) << 62) + 12345),
			 INT64_C(4611812122763651080));
}

static void hostile_values_are_clamped(void **state)
{
	const struct nx_clock fast = {0, 1, UINT64_MAX};
	const struct nx_clock late = {UINT64_MAX, 1, UINT64_MAX};
	const struct nx_clock absent = {0, 0, 1};
	const struct nx_clock slow = {0, UINT64_MAX, 1};

	(void)state;
	assert_int_equal(nx_clock_ps(&fast, UINT64_MAX), INT64_MAX);
	assert_int_equal(nx_clock_ps(&late, 0), INT64_MIN);
	assert_int_equal(nx_clock_ps(&absent, UINT64_MAX), INT64_MAX);
	assert_int_equal(nx_clock_ps(&slow, UINT64_MAX), 1);
	assert_int_equal(nx_clock_ps(&slow, UINT64_MAX - 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picosecond_blocks_pass_through),
		cmocka_unit_test(init_is_the_zero),
		cmocka_unit_test(rounds_down_on_both_sides_of_zero),
		cmocka_unit_test(stays_exact_after_a_day),
		cmocka_unit_test(hostile_values_are_clamped),
	};

	return cmocka_run_group_tests_name("decode/clock", tests, NULL, NULL);
}
