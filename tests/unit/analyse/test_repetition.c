/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/repetition.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_median_of_odd_and_even_counts(void **state)
{
	static const double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2};
	struct nx_repetition r = nx_repetition_of(odd, 3);

	(void)state;
	assert_true(r.median == 5 && r.mean == 5 && r.min == 1 && r.max == 9 && r.count == 3);
	assert_true(nx_repetition_of(even, 4).median == 2.5);
	assert_true(nx_repetition_of(odd, 1).median == 9);
}

/* Ranks of the tables of the sign test: 6 runs (1, 6), 10 runs (2, 9), 20 runs (6, 15). */
static void an_interval_from_six_runs_on(void **state)
{
	static const struct {
		size_t count, low, high;
	} cases[] = {{6, 1, 6}, {10, 2, 9}, {20, 6, 15}, {100, 40, 61}, {10000, 4902, 5099}};
	static double values[10000];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double)(i + 1);
	assert_false(nx_repetition_of(values, 1).has_interval);
	assert_false(nx_repetition_of(values, 5).has_interval);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct nx_repetition r = nx_repetition_of(values, cases[i].count);

		assert_true(r.has_interval);
		assert_int_equal((size_t)r.low, cases[i].low);
		assert_int_equal((size_t)r.high, cases[i].high);
	}
}

/* The MAD is 1 (1.4826 scaled), so 5.2 from the median is the limit. */
static void an_outlier_is_far_in_deviations_and_in_share(void **state)
{
	static const double values[] = {99, 100, 101, 98, 102, 100, 101, 99, 110};
	static const double steady[] = {1000, 1000, 1000, 1000, 1005, 1011};
	struct nx_repetition r = nx_repetition_of(values, COUNT(values));

	(void)state;
	assert_true(r.median == 100);
	assert_true(nx_repetition_is_outlier(&r, 110));
	assert_true(nx_repetition_is_outlier(&r, 90));
	assert_false(nx_repetition_is_outlier(&r, 105));
	r = nx_repetition_of(steady, COUNT(steady));
	assert_false(nx_repetition_is_outlier(&r, 1005)); /* not a hundredth */
	assert_true(nx_repetition_is_outlier(&r, 1011));
}

static void a_change_beyond_the_noise_excludes_zero(void **state)
{
	static const double before[] = {100, 101, 99, 100, 102, 98, 100, 101};
	static const double after[] = {110, 111, 109, 110, 112, 108, 110, 111};
	struct nx_change slower = nx_repetition_change(before, 8, after, 8);
	struct nx_change same = nx_repetition_change(before, 8, before, 8);
	struct nx_change again = nx_repetition_change(before, 8, after, 8);

	(void)state;
	assert_true(slower.difference == 10 && slower.relative == 0.1 && slower.has_interval);
	assert_true(slower.low > 7 && slower.low <= 10 && slower.high >= 10 && slower.high < 13);
	assert_true(same.difference == 0 && same.low < 0 && same.high > 0);
	assert_true(slower.low == again.low && slower.high == again.high);
}

static void one_run_has_no_interval(void **state)
{
	static const double before[] = {100}, after[] = {90, 91}, none[] = {0};
	struct nx_change change = nx_repetition_change(before, 1, after, 2);

	(void)state;
	assert_true(change.is_known && !change.has_interval && change.difference == -9.5);
	assert_false(nx_repetition_change(none, 1, after, 2).has_share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_median_of_odd_and_even_counts),
		cmocka_unit_test(an_interval_from_six_runs_on),
		cmocka_unit_test(an_outlier_is_far_in_deviations_and_in_share),
		cmocka_unit_test(a_change_beyond_the_noise_excludes_zero),
		cmocka_unit_test(one_run_has_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
