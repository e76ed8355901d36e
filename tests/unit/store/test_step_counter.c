/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "store/timeline/step_counter.h"
#include "tests/unit/store/timeline_case.h"
#include "tests/unit/store/timeline_whole.h"

struct steps_case {
	struct timeline_case c;
	struct nx_step_counter steps;
};

static void begin(struct steps_case *s)
{
	case_begin(&s->c, 0);
	s->steps = (struct nx_step_counter){.writer = s->c.writer,
					    .track = case_track(&s->c, NX_TRACK_COUNTER)};
}

static void add(struct steps_case *s, uint64_t start_ns, uint64_t end_ns, double value)
{
	assert_int_equal(nx_step_counter_add(&s->steps, start_ns, end_ns, value, &s->c.err), NX_OK);
}

static void finish(struct steps_case *s)
{
	assert_int_equal(nx_step_counter_finish(&s->steps, &s->c.err), NX_OK);
	nx_step_counter_release(&s->steps);
	case_open(&s->c);
}

static void check(const struct steps_case *s, const struct nx_sample *want, size_t count)
{
	struct nx_timeline_window all = {.to_ns = UINT64_MAX};
	struct nx_sample found[32];

	assert_int_equal(whole_samples(s->c.timeline, &all, found, 32), count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found[i].time_ns, want[i].time_ns);
		assert_true(found[i].value == want[i].value);
	}
}
#define CHECK(s, ...)                                                                              \
	do {                                                                                       \
		const struct nx_sample want[] = {__VA_ARGS__};                                     \
                                                                                                   \
		check((s), want, sizeof(want) / sizeof(want[0]));                                  \
	} while (0)

/* 10-40: 2, 20-30: 5, 25-50: 1 */
static void what_lasts_at_once_is_added_up(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	add(&s, 10, 40, 2);
	add(&s, 20, 30, 5);
	add(&s, 25, 50, 1);
	finish(&s);
	CHECK(&s, {10, 2}, {20, 7}, {25, 8}, {30, 3}, {40, 1}, {50, 0});
	case_end(&s.c);
}

/* One ends where the next begins: no 0 between them, and no sample where nothing changes. */
static void neighbours_make_one_step(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	add(&s, 10, 20, 4);
	add(&s, 20, 30, 4);
	add(&s, 30, 40, 6);
	add(&s, 50, 60, 6);
	finish(&s);
	CHECK(&s, {10, 4}, {30, 6}, {40, 0}, {50, 6}, {60, 0});
	case_end(&s.c);
}

static void starts_of_one_moment_are_one_sample(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	add(&s, 10, 20, 1);
	add(&s, 10, 20, 2);
	add(&s, 10, 15, 4);
	finish(&s);
	CHECK(&s, {10, 7}, {15, 3}, {20, 0});
	case_end(&s.c);
}

/* 0.1 + 0.2 - 0.1 - 0.2 is not 0. */
static void rounding_leaves_nothing_behind(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	add(&s, 10, 20, 0.1);
	add(&s, 11, 21, 0.2);
	add(&s, 12, 22, 0.3);
	finish(&s);
	CHECK(&s, {10, 0.1}, {11, 0.1 + 0.2}, {12, 0.1 + 0.2 + 0.3}, {20, 0.1 + 0.2 + 0.3 - 0.1},
	      {21, 0.1 + 0.2 + 0.3 - 0.1 - 0.2}, {22, 0});
	case_end(&s.c);
}

static void what_takes_no_time_adds_nothing(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	add(&s, 10, 10, 5);
	add(&s, 10, 20, 1);
	add(&s, 15, 15, 5);
	add(&s, 15, 3, 5);
	finish(&s);
	CHECK(&s, {10, 1}, {20, 0});
	case_end(&s.c);
}

static void a_sum_of_nothing_but_zeros_is_known_to_be_0(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	add(&s, 10, 20, 0);
	add(&s, 30, 40, 0);
	finish(&s);
	CHECK(&s, {10, 0});
	case_end(&s.c);
}

static void without_rows_there_are_no_samples(void **state)
{
	struct steps_case s;

	(void)state;
	begin(&s);
	finish(&s);
	check(&s, NULL, 0);
	case_end(&s.c);
}

static void too_many_at_once_are_counted(void **state)
{
	struct steps_case s;
	struct nx_track track;

	(void)state;
	begin(&s);
	for (uint64_t i = 0; i < NX_STEPS_AT_ONCE + 3; i++)
		add(&s, 10, 100, 1);
	add(&s, 10, 100, INFINITY);
	add(&s, 100, 110, 2);
	finish(&s);
	CHECK(&s, {10, (double)NX_STEPS_AT_ONCE}, {100, 2}, {110, 0});
	assert_true(nx_timeline_track(s.c.timeline, 0, &track));
	assert_int_equal(track.lost_count, 4);
	case_end(&s.c);
}

/* Against the sum taken anew at every moment, of stretches of any length. */
static void many_stretches_add_up_at_every_moment(void **state)
{
	struct steps_case s;
	uint64_t starts[300], ends[300], sums[1200] = {0}, seed = 7;
	struct nx_timeline_window all = {.to_ns = UINT64_MAX};
	struct nx_sample found[1200];
	uint64_t count;

	(void)state;
	begin(&s);
	for (uint64_t i = 0; i < 300; i++) {
		starts[i] = 3 * i + case_random(&seed) % 3;
		ends[i] = starts[i] + case_random(&seed) % 97;
		add(&s, starts[i], ends[i], (double)(i % 5));
		for (uint64_t t = starts[i]; t < ends[i]; t++)
			sums[t] += i % 5;
	}
	finish(&s);
	count = whole_samples(s.c.timeline, &all, found, 1200);
	for (uint64_t t = found[0].time_ns, at = 0; t < 1200; t++) {
		while (at + 1 < count && found[at + 1].time_ns <= t)
			at++;
		assert_true(found[at].value == (double)sums[t]);
	}
	case_end(&s.c);
}

static void stretches_out_of_order_are_refused(void **state)
{
	struct steps_case s;
	enum nx_status st = NX_OK;

	(void)state;
	begin(&s);
	add(&s, 100, 200, 1);
	add(&s, 150, 200, 1);
	add(&s, 90, 200, 1);
	st = nx_step_counter_finish(&s.steps, &s.c.err);
	assert_int_equal(st, NX_FORMAT);
	assert_non_null(strstr(s.c.err.message, "in order of their start"));
	nx_step_counter_release(&s.steps);
	case_end(&s.c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lasts_at_once_is_added_up),
		cmocka_unit_test(neighbours_make_one_step),
		cmocka_unit_test(starts_of_one_moment_are_one_sample),
		cmocka_unit_test(rounding_leaves_nothing_behind),
		cmocka_unit_test(what_takes_no_time_adds_nothing),
		cmocka_unit_test(a_sum_of_nothing_but_zeros_is_known_to_be_0),
		cmocka_unit_test(without_rows_there_are_no_samples),
		cmocka_unit_test(too_many_at_once_are_counted),
		cmocka_unit_test(many_stretches_add_up_at_every_moment),
		cmocka_unit_test(stretches_out_of_order_are_refused),
	};

	return cmocka_run_group_tests_name("store/step_counter", tests, NULL, NULL);
}
