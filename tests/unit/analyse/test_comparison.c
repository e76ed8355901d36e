/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/comparison.h"

/* Captures that measured one number each. */
static size_t make(struct nx_measures *captures, enum nx_measure_section section,
		   const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		captures[i] = (struct nx_measures){0};
		nx_vec_push(&captures[i].items,
			    ((struct nx_measure){section, "x", NX_MEASURE_NS, values[i]}));
	}
	return count;
}

static void release(struct nx_measures *captures, size_t count)
{
	for (size_t i = 0; i < count; i++)
		nx_measures_release(&captures[i]);
}

/* The quantiles that every table of Student's distribution has. */
static void intervals_are_those_of_the_tables(void **state)
{
	static const struct {
		double degrees, half;
	} table[] = {{1, 12.706205}, {2, 4.302653},  {4, 2.776445},
		     {9, 2.262157},  {30, 2.042272}, {1e7, 1.959964}};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_true(fabs(nx_student_95(table[i].degrees) - table[i].half) < 1e-5);
}

/* Worked by hand: means 3 and 7, variances 2 of three values each, 4 degrees of freedom. */
static void a_change_has_an_interval(void **state)
{
	static const double before[] = {1 + 0.5857864376269049, 3, 3 + 1.4142135623730951};
	static const double after[] = {5.585786437626905, 7, 8.414213562373096};
	struct nx_measures a[3], b[3];
	struct nx_captures sides[] = {{"a", a, make(a, NX_MEASURE_METRIC, before, 3)},
				      {"b", b, make(b, NX_MEASURE_METRIC, after, 3)}};
	struct nx_comparison c;
	const struct nx_change *change;
	double half = 2.776445 * sqrt(2.0 / 3 + 2.0 / 3);

	(void)state;
	nx_compare(&c, sides, 2);
	assert_int_equal(c.rows.len, 1);
	change = &c.rows.items[0].changes[1];
	assert_true(change->is_known && change->has_interval);
	assert_true(fabs(change->difference - 4) < 1e-9);
	assert_true(fabs(change->relative - 4.0 / 3) < 1e-9);
	assert_true(fabs(change->low - (4 - half)) < 1e-4);
	assert_true(fabs(change->high - (4 + half)) < 1e-4);
	nx_comparison_release(&c);
	release(a, 3);
	release(b, 3);
}

static void one_capture_has_no_interval(void **state)
{
	static const double before[] = {10}, after[] = {12, 14};
	struct nx_measures a[1], b[2];
	struct nx_captures sides[] = {{"a", a, make(a, NX_MEASURE_METRIC, before, 1)},
				      {"b", b, make(b, NX_MEASURE_METRIC, after, 2)}};
	struct nx_comparison c;

	(void)state;
	nx_compare(&c, sides, 2);
	assert_true(c.rows.items[0].changes[1].is_known);
	assert_false(c.rows.items[0].changes[1].has_interval);
	assert_true(c.rows.items[0].changes[1].difference == 3);
	nx_comparison_release(&c);
	release(a, 1);
	release(b, 2);
}

static void equal_captures_do_not_differ(void **state)
{
	static const double same[] = {5, 5};
	struct nx_measures a[2], b[2];
	struct nx_captures sides[] = {{"a", a, make(a, NX_MEASURE_METRIC, same, 2)},
				      {"b", b, make(b, NX_MEASURE_METRIC, same, 2)}};
	struct nx_comparison c;
	const struct nx_change *change;

	(void)state;
	nx_compare(&c, sides, 2);
	change = &c.rows.items[0].changes[1];
	assert_true(change->has_interval && change->low == 0 && change->high == 0);
	nx_comparison_release(&c);
	release(a, 2);
	release(b, 2);
}

/* A cause that one of two captures lacks took no time there; a metric is unknown there. */
static void what_a_capture_lacks(void **state)
{
	static const double before[] = {8, 8}, after[] = {6};
	const enum nx_measure_section sections[] = {NX_MEASURE_PATH, NX_MEASURE_METRIC};
	const double means[] = {3, 6}, differences[] = {-5, -2};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct nx_measures a[2], b[2] = {0};
		struct nx_captures sides[] = {{"a", a, make(a, sections[i], before, 2)},
					      {"b", b, 2}};
		struct nx_comparison c;

		make(b, sections[i], after, 1);
		nx_compare(&c, sides, 2);
		assert_int_equal(c.rows.len, 1);
		assert_true(c.rows.items[0].samples[1].mean == means[i]);
		assert_int_equal(c.rows.items[0].samples[1].count, 2 - i);
		assert_true(c.rows.items[0].changes[1].difference == differences[i]);
		nx_comparison_release(&c);
		release(a, 2);
		release(b, 2);
	}
}

static void a_name_on_one_side_alone(void **state)
{
	static const double after[] = {6};
	struct nx_measures a[1] = {0}, b[1];
	struct nx_captures sides[] = {{"a", a, 1}, {"b", b, make(b, NX_MEASURE_METRIC, after, 1)}};
	struct nx_comparison c;

	(void)state;
	nx_compare(&c, sides, 2);
	assert_false(c.rows.items[0].changes[1].is_known);
	nx_comparison_release(&c);
	release(b, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_those_of_the_tables),
		cmocka_unit_test(a_change_has_an_interval),
		cmocka_unit_test(one_capture_has_no_interval),
		cmocka_unit_test(equal_captures_do_not_differ),
		cmocka_unit_test(what_a_capture_lacks),
		cmocka_unit_test(a_name_on_one_side_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
