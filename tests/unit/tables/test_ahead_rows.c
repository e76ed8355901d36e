/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tables/ahead_rows.h"
#include "tests/unit/tables/fill_fixture.h"

#define POINTS 1000

struct seen {
	uint64_t last_ps, count;
};

static void see_point(void *context, const void *opaque)
{
	const struct nx_throughput *point = opaque;
	struct seen *seen = context;

	assert_true(point->time_ps >= seen->last_ps);
	seen->last_ps = point->time_ps;
	seen->count++;
}

/* From the last to the first. */
static void add_points(struct nx_fill_fixture *f)
{
	for (uint64_t i = POINTS; i > 0; i--)
		nx_made_profile_add_row(&f->made, NX_TABLE_THROUGHPUT,
					&(struct nx_throughput){.time_ps = i});
}

static void check_points(struct nx_device_fill *fill)
{
	struct seen seen = {0};

	assert_int_equal(nx_ahead_rows_finish(fill, NX_ANALYSIS_THROUGHPUT, see_point, &seen),
			 NX_OK);
	assert_int_equal(seen.count, POINTS);
	assert_int_equal(seen.last_ps, POINTS);
}

static void rows_are_the_same_ahead_or_not(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_device_fill fill = {.profile = &f->made.p};
	struct seen seen = {0};

	add_points(f);
	check_points(&fill);
	fill.ahead = nx_ahead_rows_begin(&f->made.p);
	check_points(&fill);
	assert_int_equal(nx_ahead_rows_finish(&fill, NX_ANALYSIS_HBM_THROUGHPUT, see_point, &seen),
			 NX_OK);
	assert_int_equal(seen.count, 0);
	nx_ahead_rows_end(fill.ahead);
}

static void what_nobody_asks_for_is_freed(void **state)
{
	struct nx_fill_fixture *f = *state;

	add_points(f);
	for (unsigned round = 0; round < 20; round++)
		nx_ahead_rows_end(nx_ahead_rows_begin(&f->made.p));
}

static void a_failure_waits_for_who_asks(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_error err = {0};
	struct nx_device_fill fill = {.profile = &f->made.p, .err = &err};
	struct seen seen = {0};

	add_points(f);
	f->made.failing = NX_TABLE_BUFFER_USAGE;
	fill.ahead = nx_ahead_rows_begin(&f->made.p);
	assert_int_equal(nx_ahead_rows_finish(&fill, NX_ANALYSIS_BUFFER_USAGE, see_point, &seen),
			 NX_NO_SPACE);
	assert_true(err.message[0]);
	check_points(&fill); /* the others are whole */
	nx_ahead_rows_end(fill.ahead);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_the_same_ahead_or_not),
		TEST(what_nobody_asks_for_is_freed),
		TEST(a_failure_waits_for_who_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
