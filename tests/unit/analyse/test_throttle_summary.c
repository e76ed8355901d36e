/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "analyse/summary.h"

static bool is_near(double a, double b)
{
	return a - b < 1e-12 && b - a < 1e-12;
}

static void costs_are_weighted_by_time(void **state)
{
	struct nx_throttle_sums sums;
	struct nx_throttle_cost cost;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	/* type 0: 100 ns at 1/2, 100 ns at full rate; type 1: 200 ns at 3/4 */
	nx_throttle_sums_add(&sums, &(struct nx_throttle){0, 100000, 1, 2, 0, 0});
	nx_throttle_sums_add(&sums, &(struct nx_throttle){100000, 200999, 4, 4, 0, 0});
	nx_throttle_sums_add(&sums, &(struct nx_throttle){200999, 401000, 3, 4, 1, 0});
	cost = nx_throttle_cost_of_type(&sums, 0, 1000);
	assert_int_equal(cost.active_ns, 200);
	assert_true(is_near(cost.active_frac, 0.2));
	assert_true(is_near(cost.limit_frac, 0.75));
	cost = nx_throttle_cost_of_type(&sums, 1, 1000);
	assert_int_equal(cost.active_ns, 200);
	assert_true(is_near(cost.limit_frac, 0.75));
	cost = nx_throttle_cost_of_all(&sums, 1000);
	assert_int_equal(cost.active_ns, 300); /* full rate is no limit */
	assert_true(is_near(cost.active_frac, 0.3));
	assert_true(is_near(cost.limit_frac, 0.3));
}

static void nothing_costs_nothing(void **state)
{
	struct nx_throttle_sums sums;
	struct nx_throttle_cost cost;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	cost = nx_throttle_cost_of_all(&sums, 0);
	assert_int_equal(cost.active_ns, 0);
	assert_true(cost.active_frac == 0 && cost.limit_frac == 0);
	cost = nx_throttle_cost_of_type(&sums, 255, 0);
	assert_true(cost.active_frac == 0 && cost.limit_frac == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_are_weighted_by_time),
		cmocka_unit_test(nothing_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
