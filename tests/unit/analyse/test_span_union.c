/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/span_union.h"

static void nothing_covers_nothing(void **state)
{
	struct nx_span_union u = {0};

	(void)state;
	assert_int_equal(nx_span_union_length(&u), 0);
}

static void overlap_counts_once(void **state)
{
	struct nx_span_union u = {0};

	(void)state;
	nx_span_union_cover(&u, 10, 30);
	nx_span_union_cover(&u, 15, 20); /* inside */
	nx_span_union_cover(&u, 20, 40); /* longer */
	nx_span_union_cover(&u, 50, 60); /* apart */
	assert_int_equal(nx_span_union_length(&u), 40);
}

static void touching_spans_are_one(void **state)
{
	struct nx_span_union u = {0};
	uint64_t start, end;

	(void)state;
	assert_false(nx_span_union_add(&u, 0, 10, &start, &end));
	assert_false(nx_span_union_add(&u, 10, 20, &start, &end));
	assert_true(nx_span_union_add(&u, 21, 22, &start, &end));
	assert_int_equal(start, 0);
	assert_int_equal(end, 20);
	assert_int_equal(nx_span_union_length(&u), 21);
}

static void a_moment_has_no_length_but_ends_a_span(void **state)
{
	struct nx_span_union u = {0};
	uint64_t start = 99, end = 99;

	(void)state;
	assert_false(nx_span_union_add(&u, 5, 5, &start, &end));
	assert_int_equal(start, 99); /* nothing closed, nothing told */
	assert_true(nx_span_union_add(&u, 6, 6, &start, &end));
	assert_int_equal(start, 5);
	assert_int_equal(end, 5);
	assert_int_equal(nx_span_union_length(&u), 0);
}

static void the_far_end_of_time_fits(void **state)
{
	struct nx_span_union u = {0};

	(void)state;
	nx_span_union_cover(&u, 0, 1);
	nx_span_union_cover(&u, 2, UINT64_MAX);
	assert_true(nx_span_union_length(&u) == UINT64_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_covers_nothing),
		cmocka_unit_test(overlap_counts_once),
		cmocka_unit_test(touching_spans_are_one),
		cmocka_unit_test(a_moment_has_no_length_but_ends_a_span),
		cmocka_unit_test(the_far_end_of_time_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
