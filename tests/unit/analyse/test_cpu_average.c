/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/cpu_average.h"

static bool add(struct nx_cpu_average *a, uint32_t process, uint64_t time_ns, float percent,
		struct nx_cpu_sample *mean)
{
	struct nx_cpu_sample sample = {
		.process = process, .time_ns = time_ns, .util_percent = percent};

	return nx_cpu_average_add(a, &sample, mean);
}

static void a_tick_is_averaged_over_its_processors(void **state)
{
	struct nx_cpu_average a = {0};
	struct nx_cpu_sample mean;

	(void)state;
	assert_false(add(&a, 0, 10, 10, &mean));
	assert_false(add(&a, 0, 10, 20, &mean));
	assert_false(add(&a, 0, 10, 60, &mean));
	assert_true(add(&a, 0, 20, 4, &mean));
	assert_int_equal(mean.time_ns, 10);
	assert_true(mean.util_percent == 30);
	assert_true(nx_cpu_average_finish(&a, &mean));
	assert_int_equal(mean.time_ns, 20);
	assert_true(mean.util_percent == 4);
	assert_false(nx_cpu_average_finish(&a, &mean));
}

static void processes_are_not_mixed(void **state)
{
	struct nx_cpu_average a = {0};
	struct nx_cpu_sample mean;

	(void)state;
	assert_false(add(&a, 0, 10, 10, &mean));
	assert_true(add(&a, 1, 10, 50, &mean));
	assert_int_equal(mean.process, 0);
	assert_true(mean.util_percent == 10);
	assert_true(nx_cpu_average_finish(&a, &mean));
	assert_int_equal(mean.process, 1);
	assert_true(mean.util_percent == 50);
}

static void no_samples_have_no_mean(void **state)
{
	struct nx_cpu_average a = {0};
	struct nx_cpu_sample mean;

	(void)state;
	assert_false(nx_cpu_average_finish(&a, &mean));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tick_is_averaged_over_its_processors),
		cmocka_unit_test(processes_are_not_mixed),
		cmocka_unit_test(no_samples_have_no_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
