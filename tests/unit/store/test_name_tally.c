/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/timeline/name_tally.h"

/* A node that mentions two names, and bounds the others. */
static void add_node(struct nx_name_tally *tally, uint32_t a, uint64_t a_ns, uint32_t b,
		     uint64_t b_ns, uint64_t rest_ns)
{
	nx_name_tally_add(tally, a, a_ns, rest_ns);
	nx_name_tally_add(tally, b, b_ns, rest_ns);
	tally->rest_ns += rest_ns;
}

static void an_empty_tally_has_no_winner(void **state)
{
	struct nx_name_tally tally = {0};
	uint32_t name = 7;

	(void)state;
	nx_name_tally_clear(&tally);
	assert_false(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 7);
	nx_name_tally_release(&tally);
}

static void without_doubt_the_largest_wins_and_of_equals_the_smallest(void **state)
{
	struct nx_name_tally tally = {0};
	uint32_t name;

	(void)state;
	nx_name_tally_add(&tally, 9, 10, 0);
	nx_name_tally_add(&tally, 3, 4, 0);
	assert_true(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 9);
	nx_name_tally_add(&tally, 3, 6, 0);
	assert_true(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 3);
	nx_name_tally_release(&tally);
}

static void doubt_that_could_change_it_leaves_no_winner(void **state)
{
	struct nx_name_tally tally = {0};
	uint32_t name;

	(void)state;
	/* 1 has 100 + 0..5, 2 has 60 + 0, 3 has 30 + 0..20: sure */
	add_node(&tally, 1, 100, 2, 40, 20);
	add_node(&tally, 3, 30, 2, 20, 5);
	assert_true(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 1);
	/* 4 may have 90 + 25, more than 1 is known to have */
	nx_name_tally_add(&tally, 4, 90, 0);
	assert_false(nx_name_tally_winner(&tally, &name));
	nx_name_tally_release(&tally);
}

static void a_name_nobody_mentioned_may_win(void **state)
{
	struct nx_name_tally tally = {0};
	uint32_t name;

	(void)state;
	/* any other may have 10 in each of two nodes */
	add_node(&tally, 5, 10, 6, 10, 10);
	add_node(&tally, 5, 10, 7, 10, 10);
	assert_false(nx_name_tally_winner(&tally, &name));
	nx_name_tally_add(&tally, 5, 1, 0);
	/* 6 and 7 may have 20, one less than 5 */
	assert_true(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 5);
	nx_name_tally_release(&tally);
}

static void a_tie_in_doubt_goes_to_the_smaller_id(void **state)
{
	struct nx_name_tally tally = {0};
	uint32_t name;

	(void)state;
	/* 8 has 30; 2 has 20 + 0..10, which would be a tie that 2 wins */
	nx_name_tally_add(&tally, 8, 30, 10);
	nx_name_tally_add(&tally, 2, 20, 0);
	tally.rest_ns = 10;
	assert_false(nx_name_tally_winner(&tally, &name));
	nx_name_tally_clear(&tally);
	/* 9 could only tie, and 8 wins that */
	nx_name_tally_add(&tally, 8, 30, 10);
	nx_name_tally_add(&tally, 9, 20, 0);
	tally.rest_ns = 10;
	assert_true(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 8);
	nx_name_tally_release(&tally);
}

/* Ids that fall on the same place, and more than the first table holds. */
static void many_names_keep_their_sums(void **state)
{
	struct nx_name_tally tally = {0}, more = {0};
	struct nx_name_busy largest[3];
	uint32_t name;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++)
			nx_name_tally_add(&tally, i * 64 + 1, i, 0);
	}
	assert_int_equal(tally.used_count, 4999); /* nothing was added to the first */
	assert_true(nx_name_tally_winner(&tally, &name));
	assert_int_equal(name, 4999 * 64 + 1);
	nx_name_tally_add(&more, 1, 20000, 0);
	nx_name_tally_add(&more, 2, 9998, 0);
	nx_name_tally_merge(&tally, &more);
	assert_int_equal(nx_name_tally_largest(&tally, largest, 3), 3);
	assert_int_equal(largest[0].name, 1);
	assert_int_equal(largest[0].busy_ns, 20000);
	assert_int_equal(largest[1].name, 2); /* as much as the next, and smaller */
	assert_int_equal(largest[2].name, 4999 * 64 + 1);
	assert_int_equal(largest[2].busy_ns, 9998);
	nx_name_tally_clear(&tally);
	assert_int_equal(nx_name_tally_largest(&tally, largest, 3), 0);
	nx_name_tally_release(&tally);
	nx_name_tally_release(&more);
}

static struct nx_packed column(const uint64_t *numbers, unsigned width)
{
	return (struct nx_packed){(const void *)numbers, width};
}

/* Names that kept their places without a sum are in nobody's way. */
static void a_cleared_tally_begins_anew(void **state)
{
	const uint64_t names[9] = {1, 2, 3, 3000, 1, 2, 3, 3000, 0};
	const uint64_t busy_ns[9] = {9, 9, 9, 9, 9, 9, 9, 10, 0};
	const struct nx_name_columns columns = {0, column(names, 8), column(busy_ns, 8), 0, 8, 0};
	struct nx_name_tally tally = {0};
	struct nx_name_busy largest[5];
	uint32_t name;

	(void)state;
	for (int round = 0; round < 3; round++) {
		nx_name_tally_add_columns(&tally, &columns);
		assert_true(nx_name_tally_winner(&tally, &name));
		assert_int_equal(name, 3000);
		assert_int_equal(nx_name_tally_largest(&tally, largest, 5), 4);
		assert_int_equal(largest[0].busy_ns, 19);
		nx_name_tally_clear(&tally);
		assert_false(nx_name_tally_winner(&tally, &name));
		nx_name_tally_add(&tally, 7, 5, 2);
		tally.rest_ns = 4;
		/* 1, 2, 3 and 3000 may have 4 as anyone else may, 7 has 5 */
		assert_true(nx_name_tally_winner(&tally, &name));
		assert_int_equal(name, 7);
		assert_int_equal(nx_name_tally_largest(&tally, largest, 5), 1);
		nx_name_tally_clear(&tally);
	}
	nx_name_tally_release(&tally);
}

/* Numbers of a damaged file: the sum is 0 again after every second row. */
static void sums_that_wrap_stay_in_their_places(void **state)
{
	const uint64_t names[9] = {4, 4, 4, 4, 5000, 5000, 5000, 5000, 0};
	uint64_t busy_ns[9] = {0};
	const struct nx_name_columns columns = {0, column(names, 8), column(busy_ns, 8), 0, 8, 1};
	struct nx_name_tally tally = {0};
	uint32_t name;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		busy_ns[i] = UINT64_C(1) << 63;
	for (int round = 0; round < 5000; round++)
		nx_name_tally_add_columns(&tally, &columns);
	assert_int_equal(tally.used_count, 2);
	assert_false(nx_name_tally_winner(&tally, &name));
	nx_name_tally_clear(&tally);
	assert_int_equal(tally.sums[4].known_ns, 0);
	nx_name_tally_release(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_tally_has_no_winner),
		cmocka_unit_test(without_doubt_the_largest_wins_and_of_equals_the_smallest),
		cmocka_unit_test(doubt_that_could_change_it_leaves_no_winner),
		cmocka_unit_test(a_name_nobody_mentioned_may_win),
		cmocka_unit_test(a_tie_in_doubt_goes_to_the_smaller_id),
		cmocka_unit_test(many_names_keep_their_sums),
		cmocka_unit_test(a_cleared_tally_begins_anew),
		cmocka_unit_test(sums_that_wrap_stay_in_their_places),
	};

	return cmocka_run_group_tests_name("store/name_tally", tests, NULL, NULL);
}
