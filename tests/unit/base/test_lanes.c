/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lanes.h"

/* What ended, as "lane:end " words. */
struct log {
	char text[512];
	size_t len;
};

static void note(void *context, size_t lane, uint64_t end)
{
	struct log *log = context;

	log->len += (size_t)snprintf(log->text + log->len, sizeof(log->text) - log->len,
				     "%zu:%llu ", lane, (unsigned long long)end);
}

static void one_after_the_other_share_a_lane(void **state)
{
	struct nx_lanes lanes = {0};
	struct log log = {0};

	(void)state;
	assert_int_equal(nx_lanes_put(&lanes, 0, 10, note, &log), 0);
	assert_string_equal(log.text, "");
	assert_int_equal(nx_lanes_put(&lanes, 10, 20, note, &log), 0);
	assert_string_equal(log.text, "0:10 ");
	nx_lanes_finish(&lanes, note, &log);
	assert_string_equal(log.text, "0:10 0:20 ");
	assert_int_equal(lanes.lanes.len, 0);
}

static void nested_share_and_crossing_do_not(void **state)
{
	struct nx_lanes lanes = {0};
	struct log log = {0};

	(void)state;
	assert_int_equal(nx_lanes_put(&lanes, 0, 100, note, &log), 0);
	assert_int_equal(nx_lanes_put(&lanes, 10, 50, note, &log), 0);
	assert_int_equal(nx_lanes_put(&lanes, 20, 60, note, &log), 1);
	assert_int_equal(nx_lanes_put(&lanes, 30, 50, note, &log), 0);
	assert_int_equal(nx_lanes_put(&lanes, 55, 120, note, &log), 2);
	assert_string_equal(log.text, "");
	/* only the chosen lane is notified, innermost first */
	assert_int_equal(nx_lanes_put(&lanes, 70, 100, note, &log), 0);
	assert_string_equal(log.text, "0:50 0:50 ");
	assert_int_equal(nx_lanes_put(&lanes, 100, 300, note, &log), 0);
	assert_string_equal(log.text, "0:50 0:50 0:100 0:100 ");
	nx_lanes_finish(&lanes, note, &log);
	assert_string_equal(log.text, "0:50 0:50 0:100 0:100 0:300 1:60 2:120 ");
}

static void equal_intervals_nest(void **state)
{
	struct nx_lanes lanes = {0};

	(void)state;
	assert_int_equal(nx_lanes_put(&lanes, 5, 9, NULL, NULL), 0);
	assert_int_equal(nx_lanes_put(&lanes, 5, 9, NULL, NULL), 0);
	assert_int_equal(lanes.lanes.items[0].open.len, 2);
	/* the same start with a later end cannot lie inside */
	assert_int_equal(nx_lanes_put(&lanes, 5, 10, NULL, NULL), 1);
	nx_lanes_finish(&lanes, NULL, NULL);
}

static void empty_intervals_end_at_once(void **state)
{
	struct nx_lanes lanes = {0};
	struct log log = {0};

	(void)state;
	assert_int_equal(nx_lanes_put(&lanes, 7, 7, note, &log), 0);
	assert_int_equal(nx_lanes_put(&lanes, 7, 9, note, &log), 0);
	assert_string_equal(log.text, "0:7 ");
	/* an end before its start counts as none */
	assert_int_equal(nx_lanes_put(&lanes, 8, 3, note, &log), 0);
	assert_int_equal(nx_lanes_put(&lanes, 8, 9, note, &log), 0);
	assert_string_equal(log.text, "0:7 0:8 ");
	nx_lanes_finish(&lanes, note, &log);
}

static void depth_is_bounded(void **state)
{
	struct nx_lanes lanes = {0};
	size_t lane = 0;

	(void)state;
	for (uint64_t i = 0; i < 600; i++)
		lane = nx_lanes_put(&lanes, i, 10000 - i, NULL, NULL);
	assert_int_equal(lane, 2);
	for (size_t i = 0; i < 3; i++)
		assert_true(lanes.lanes.items[i].open.len <= 256);
	nx_lanes_finish(&lanes, NULL, NULL);
}

struct replay {
	uint64_t open[64][64]; /* ends per lane */
	size_t depth[64];
	size_t ended;
};

static void pop(void *context, size_t lane, uint64_t end)
{
	struct replay *r = context;

	assert_true(r->depth[lane] > 0);
	assert_int_equal(r->open[lane][--r->depth[lane]], end);
	r->ended++;
}

/* Whatever comes: an end belongs to the innermost open interval, and that lies in its parent. */
static void random_intervals_nest_on_every_lane(void **state)
{
	struct nx_lanes lanes = {0};
	struct replay *r = calloc(1, sizeof(*r));
	uint64_t start = 0;

	(void)state;
	assert_non_null(r);
	srand(7);
	for (int i = 0; i < 20000; i++) {
		uint64_t end;
		size_t lane;

		start += (uint64_t)(rand() % 5);
		end = start + (uint64_t)(rand() % 40);
		lane = nx_lanes_put(&lanes, start, end, pop, r);
		assert_true(lane < 64 && r->depth[lane] < 64);
		for (size_t d = 0; d < r->depth[lane]; d++) {
			assert_true(r->open[lane][d] > start);
			assert_true(r->open[lane][d] >= end);
		}
		r->open[lane][r->depth[lane]++] = end;
	}
	nx_lanes_finish(&lanes, pop, r);
	assert_int_equal(r->ended, 20000);
	free(r);
}

/* Took quadratic time when lanes were tried one after another. */
static void a_staircase_of_thousands(void **state)
{
	const uint64_t count = 200000;
	struct nx_lanes lanes = {0};
	size_t wrong = 0;

	(void)state;
	for (uint64_t i = 0; i < count; i++)
		wrong += nx_lanes_put(&lanes, i, count + i, NULL, NULL) != i;
	assert_int_equal(wrong, 0);
	/* the first half has ended: lowest lanes first, again one each */
	for (uint64_t i = 0; i < 100; i++)
		wrong += nx_lanes_put(&lanes, count + count / 2, 3 * count + i, NULL, NULL) != i;
	assert_int_equal(wrong, 0);
	nx_lanes_finish(&lanes, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other_share_a_lane),
		cmocka_unit_test(nested_share_and_crossing_do_not),
		cmocka_unit_test(equal_intervals_nest),
		cmocka_unit_test(empty_intervals_end_at_once),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(random_intervals_nest_on_every_lane),
		cmocka_unit_test(a_staircase_of_thousands),
	};

	return cmocka_run_group_tests_name("base/lanes", tests, NULL, NULL);
}
