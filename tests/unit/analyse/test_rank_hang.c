/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "analyse/rank_hang.h"

#define MS UINT64_C(1000000)

static struct nx_rank_hang hang;
static char text[1024];

static void meet(uint64_t rank, uint64_t number, uint64_t start_ms, uint64_t end_ms, bool is_open)
{
	const struct nx_rank_barrier barrier = {rank,	       number,	    10 + number,
						start_ms * MS, end_ms * MS, is_open};

	nx_rank_hang_add(&hang, &barrier);
}

static int release(void **state)
{
	(void)state;
	nx_rank_hang_release(&hang);
	memset(&hang, 0, sizeof(hang));
	return 0;
}

static void ranks_that_all_leave_do_not_hang(void **state)
{
	(void)state;
	assert_false(nx_rank_hang_describe(&hang, text, sizeof(text)));
	for (uint64_t number = 1; number < 5; number++)
		for (uint64_t rank = 0; rank < 4; rank++)
			meet(rank, number, 10 * number, 10 * number + 3, false);
	assert_false(nx_rank_hang_describe(&hang, text, sizeof(text)));
	assert_string_equal(text, "");
}

static void a_profile_that_ends_within_a_barrier_is_not_a_hang(void **state)
{
	(void)state;
	meet(0, 1, 0, 60, false);
	meet(1, 1, 0, 60, false);
	meet(0, 2, 100, 190, true);
	assert_false(nx_rank_hang_describe(&hang, text, sizeof(text)));
	meet(1, 2, 100, 650, true); /* less than ten times the longest */
	assert_false(nx_rank_hang_describe(&hang, text, sizeof(text)));
	hang.is_reported = true;
	assert_true(nx_rank_hang_describe(&hang, text, sizeof(text)));
}

static void the_rank_that_did_not_come_is_missing(void **state)
{
	(void)state;
	for (uint64_t rank = 0; rank < 4; rank++)
		meet(rank, 1, 0, 5, false);
	meet(0, 2, 10, 5010, true);
	meet(1, 2, 11, 5010, true);
	meet(3, 2, 12, 5010, true);
	assert_true(nx_rank_hang_describe(&hang, text, sizeof(text)));
	assert_string_equal(text,
			    "The ranks part at collective 2 (execution 12), in which rank 0, 1, 3 "
			    "have been waiting for 5000 ms. Missing: rank 2, which got as far as "
			    "collective 1.");
}

static void the_first_of_several_collectives_counts(void **state)
{
	(void)state;
	meet(0, 7, 0, 900, true); /* waits for rank 1, which is stuck in an earlier one */
	meet(1, 6, 0, 900, true);
	nx_rank_hang_mention(&hang, 9);
	assert_true(nx_rank_hang_describe(&hang, text, sizeof(text)));
	assert_non_null(strstr(text, "part at collective 6 (execution 16), in which rank 1 has"));
	assert_non_null(strstr(text, "Missing: rank 9, which has no profile here."));
}

static void a_later_profile_that_shows_the_end_wins(void **state)
{
	(void)state;
	meet(0, 3, 0, 900, true);
	meet(0, 3, 0, 1000, false);
	assert_false(nx_rank_hang_describe(&hang, text, sizeof(text)));
}

static void nobody_is_missing_if_all_entered(void **state)
{
	(void)state;
	meet(0, 3, 0, 900, true);
	meet(1, 3, 0, 900, true);
	assert_true(nx_rank_hang_describe(&hang, text, sizeof(text)));
	assert_non_null(strstr(text, "No rank is missing"));
}

static void many_missing_ranks_are_counted(void **state)
{
	(void)state;
	meet(0, 3, 0, 900, true);
	for (uint64_t rank = 1; rank < 40; rank++)
		nx_rank_hang_mention(&hang, rank);
	assert_true(nx_rank_hang_describe(&hang, text, sizeof(text)));
	assert_non_null(strstr(text, "; and 23 more."));
	assert_true(nx_rank_hang_describe(&hang, text, 20)); /* cut, and ends with NUL */
	assert_int_equal(strlen(text), 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(ranks_that_all_leave_do_not_hang, release),
		cmocka_unit_test_teardown(a_profile_that_ends_within_a_barrier_is_not_a_hang,
					  release),
		cmocka_unit_test_teardown(the_rank_that_did_not_come_is_missing, release),
		cmocka_unit_test_teardown(the_first_of_several_collectives_counts, release),
		cmocka_unit_test_teardown(a_later_profile_that_shows_the_end_wins, release),
		cmocka_unit_test_teardown(nobody_is_missing_if_all_entered, release),
		cmocka_unit_test_teardown(many_missing_ranks_are_counted, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
