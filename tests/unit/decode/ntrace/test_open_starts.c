/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/ntrace/open_starts.h"

static bool put(struct nx_open_starts *open, uint64_t type, uint64_t id, uint64_t at)
{
	struct nx_open_start start = {.event_type = type, .tracking_id = id, .at = at};

	return nx_open_starts_put(open, &start);
}

static void check_take(struct nx_open_starts *open, uint64_t type, uint64_t id, uint64_t at)
{
	struct nx_open_start start;

	assert_true(nx_open_starts_take(open, type, id, &start));
	assert_int_equal(start.event_type, type);
	assert_int_equal(start.tracking_id, id);
	assert_int_equal(start.at, at);
}

static void test_keys(void **state)
{
	struct nx_open_starts open = {0};
	struct nx_open_start start;

	(void)state;
	assert_false(nx_open_starts_take(&open, 1, 2, &start));
	assert_false(put(&open, 0, 0, 10));
	assert_false(put(&open, 1, 2, 11));
	assert_false(put(&open, 2, 1, 12));
	assert_false(put(&open, 2, 2, 13));
	assert_false(nx_open_starts_take(&open, 1, 1, &start));
	check_take(&open, 2, 2, 13);
	check_take(&open, 0, 0, 10);
	assert_false(nx_open_starts_take(&open, 0, 0, &start));
	assert_int_equal(open.open_count, 2);
	nx_open_starts_release(&open);
}

/* Of equal keys the newest goes first. */
static void test_piles(void **state)
{
	struct nx_open_starts open = {0};
	struct nx_open_start start;

	(void)state;
	assert_false(put(&open, 5, 5, 1));
	assert_true(put(&open, 5, 5, 2));
	assert_true(put(&open, 5, 5, 3));
	check_take(&open, 5, 5, 3);
	assert_true(put(&open, 5, 5, 4));
	check_take(&open, 5, 5, 4);
	check_take(&open, 5, 5, 2);
	check_take(&open, 5, 5, 1);
	assert_false(nx_open_starts_take(&open, 5, 5, &start));
	assert_false(put(&open, 5, 5, 6));
	nx_open_starts_release(&open);
}

/* A million starts of one key: piles must not make it slow. */
static void test_many_of_one_key(void **state)
{
	struct nx_open_starts open = {0};

	(void)state;
	for (uint64_t i = 0; i < 1000000; i++)
		(void)put(&open, 3, 3, i);
	for (uint64_t i = 1000000; i-- > 0;)
		check_take(&open, 3, 3, i);
	assert_int_equal(open.open_count, 0);
	nx_open_starts_release(&open);
}

/* A small random walk against a plain array. */
static void test_against_array(void **state)
{
	enum { KEYS = 500 };
	static uint64_t places[KEYS];
	struct nx_open_starts open = {0};
	struct nx_open_start start;
	uint64_t random = 1;

	(void)state;
	for (uint64_t step = 1; step <= 200000; step++) {
		uint64_t key;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		key = (random >> 33) % KEYS;
		if (!places[key]) {
			assert_false(put(&open, key % 7, key / 7, step));
			places[key] = step;
		} else {
			check_take(&open, key % 7, key / 7, places[key]);
			places[key] = 0;
		}
	}
	for (uint64_t key = 0; key < KEYS; key++)
		assert_int_equal(nx_open_starts_take(&open, key % 7, key / 7, &start),
				 places[key] != 0);
	nx_open_starts_release(&open);
}

/* Memory follows what is open, not what has passed. */
static void test_reuse(void **state)
{
	struct nx_open_starts open = {0};

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		(void)put(&open, 1, i, i);
		if (i >= 10)
			check_take(&open, 1, i - 10, i - 10);
	}
	assert_true(open.starts.len <= 11);
	assert_int_equal(open.slot_count, 64);
	nx_open_starts_release(&open);
}

/* A file of nothing but STARTs, at least ten bytes each: memory stays in proportion. */
static void test_all_open(void **state)
{
	enum { COUNT = 300000 };
	struct nx_open_starts open = {0};
	size_t bytes;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++)
		assert_false(put(&open, i % 3, i, i));
	bytes = open.starts.cap * sizeof(*open.starts.items) +
		open.slot_count * sizeof(*open.slots);
	assert_true(bytes < (size_t)COUNT * 10 * 20);
	for (uint64_t i = 0; i < COUNT; i++)
		check_take(&open, i % 3, i, i);
	nx_open_starts_release(&open);
}

static void test_sort(void **state)
{
	struct nx_open_starts open = {0};

	(void)state;
	assert_int_equal(nx_open_starts_sort(&open), 0);
	(void)put(&open, 1, 1, 30);
	(void)put(&open, 1, 2, 10);
	(void)put(&open, 1, 3, 20);
	(void)put(&open, 1, 3, 5);
	check_take(&open, 1, 2, 10);
	assert_int_equal(nx_open_starts_sort(&open), 3);
	assert_int_equal(open.starts.items[0].at, 5);
	assert_int_equal(open.starts.items[1].at, 20);
	assert_int_equal(open.starts.items[2].at, 30);
	nx_open_starts_release(&open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_piles),
		cmocka_unit_test(test_many_of_one_key),
		cmocka_unit_test(test_against_array),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_all_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
