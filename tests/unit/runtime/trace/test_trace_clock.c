/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtime/trace/trace_clock.h"

static struct nx_trace_clock clock_of(const struct nx_trace_tie *ties, unsigned count)
{
	struct nx_trace_clock clock = {0};

	for (unsigned i = 0; i < count; i++)
		nx_trace_clock_add(&clock, ties[i]);
	return clock;
}

static void time_is_a_line_between_ties(void **state)
{
	/* 3 ticks are 1 ns, then 2 ticks are 1 ns */
	const struct nx_trace_tie ties[] = {{3000, 1000000}, {6000, 1001000}, {8000, 1002000}};
	struct nx_trace_clock clock = clock_of(ties, 3);

	(void)state;
	assert_int_equal(nx_trace_clock_convert(&clock, 3000), 1000000);
	assert_int_equal(nx_trace_clock_convert(&clock, 4500), 1000500);
	assert_int_equal(nx_trace_clock_convert(&clock, 6000), 1001000);
	assert_int_equal(nx_trace_clock_convert(&clock, 7000), 1001500);
	assert_int_equal(nx_trace_clock_convert(&clock, 9000),
			 1002500); /* goes on behind the last */
	assert_int_equal(nx_trace_clock_convert(&clock, 2700), 999900); /* and before the first */
}

static void old_ties_make_room(void **state)
{
	struct nx_trace_clock clock = {0};

	(void)state;
	for (uint64_t i = 1; i <= 3 * NX_TRACE_TIES; i++)
		nx_trace_clock_add(&clock, (struct nx_trace_tie){i * 100, i * 1000});
	assert_int_equal(clock.tie_count, NX_TRACE_TIES);
	assert_int_equal(nx_trace_clock_convert(&clock, 19050), 190500);
	assert_int_equal(nx_trace_clock_convert(&clock, 150), 1500);
}

static void a_clock_of_one_tie_knows_that_moment_alone(void **state)
{
	const struct nx_trace_tie tie = {3000, 1000000};
	struct nx_trace_clock clock = clock_of(&tie, 1);

	(void)state;
	assert_int_equal(nx_trace_clock_convert(&clock, 99999), 1000000);
}

static void converted_times_are_those_of_the_system(void **state)
{
	struct nx_trace_clock clock;
	uint64_t ticks[50], before, after, last = 0;

	(void)state;
	nx_trace_clock_begin(&clock, nx_trace_clock_epoch_offset_ns());
	before = nx_trace_clock_epoch_ns();
	for (size_t i = 0; i < 50; i++)
		ticks[i] = nx_trace_clock_ticks();
	after = nx_trace_clock_epoch_ns();
	nx_trace_clock_tie(&clock);
	assert_true(clock.tie_count >= 2);
	for (size_t i = 0; i < 50; i++) {
		uint64_t ns = nx_trace_clock_convert(&clock, ticks[i]);

		/* a hundredth of a second: a busy machine stops programs between two lines */
		assert_true(ns + 10000000 > before && ns < after + 10000000);
		assert_true(ns >= last);
		last = ns;
	}
}

static void without_a_counter_ticks_are_nanoseconds(void **state)
{
	bool had_counter = nx_trace_clock_has_counter;
	struct timespec now;
	uint64_t ticks;

	(void)state;
	nx_trace_clock_has_counter = false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ticks = nx_trace_clock_ticks();
	nx_trace_clock_has_counter = had_counter;
	assert_true(ticks >= (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	assert_true(ticks < ((uint64_t)now.tv_sec + 60) * 1000000000u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_a_line_between_ties),
		cmocka_unit_test(old_ties_make_room),
		cmocka_unit_test(a_clock_of_one_tie_knows_that_moment_alone),
		cmocka_unit_test(converted_times_are_those_of_the_system),
		cmocka_unit_test(without_a_counter_ticks_are_nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
