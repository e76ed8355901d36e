/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/rank_times.h"

static void the_hosts_clock_comes_first(void **state)
{
	struct nx_rank_time ranks[] = {
		{5000, 100, "a", 60, 9}, {4000, 150, "a", 70, 9}, {4700, 100, "a", 10, 9}};
	struct nx_rank_totals totals;

	(void)state;
	assert_int_equal(nx_rank_times_align(ranks, 3), NX_RANK_CLOCK_HOST);
	assert_int_equal(ranks[0].offset_ns, 1000);
	assert_int_equal(ranks[1].offset_ns, 0);
	assert_int_equal(ranks[2].offset_ns, 700);
	nx_rank_times_sum(ranks, 3, &totals);
	assert_int_equal(totals.span_ns, 1100);
	assert_int_equal(totals.least_ns, 100);
	assert_int_equal(totals.most_ns, 150);
	assert_int_equal(totals.mean_ns, 117);
	assert_int_equal(totals.fastest, 0);
	assert_int_equal(totals.slowest, 1);
	assert_int_equal(totals.collective_skew_ns, 1060 - 70);
}

static void without_it_ranks_leave_their_first_collective_together(void **state)
{
	struct nx_rank_time ranks[] = {{0, 100, "a", 60, 9}, {4000, 150, "a", 70, 9}};
	struct nx_rank_totals totals;

	(void)state;
	assert_int_equal(nx_rank_times_align(ranks, 2), NX_RANK_CLOCK_COLLECTIVE);
	assert_int_equal(ranks[0].offset_ns, 10);
	assert_int_equal(ranks[1].offset_ns, 0);
	nx_rank_times_sum(ranks, 2, &totals);
	assert_int_equal(totals.span_ns, 150);
	assert_int_equal(totals.collective_skew_ns, 0);
}

static void ranks_without_anything_in_common_stay_apart(void **state)
{
	struct nx_rank_time groups[] = {{0, 100, "a", 60, 9}, {0, 150, "b", 70, 9}};
	struct nx_rank_time silent[] = {{0, 100, "", 0, 9}, {0, 150, "", 0, 9}};
	struct nx_rank_time wrong_clock[] = {{1, 100, "", 0, 9}, {UINT64_MAX, 150, "", 0, 9}};
	struct nx_rank_time one = {77, 100, "a", 5, 9};
	struct nx_rank_totals totals;

	(void)state;
	assert_int_equal(nx_rank_times_align(groups, 2), NX_RANK_CLOCK_NONE);
	assert_int_equal(nx_rank_times_align(silent, 2), NX_RANK_CLOCK_NONE);
	assert_int_equal(nx_rank_times_align(wrong_clock, 2), NX_RANK_CLOCK_NONE);
	assert_int_equal(nx_rank_times_align(&one, 1), NX_RANK_CLOCK_NONE);
	assert_int_equal(groups[0].offset_ns + groups[1].offset_ns + one.offset_ns, 0);
	nx_rank_times_sum(silent, 2, &totals);
	assert_true(totals.collective_skew_ns == UINT64_MAX);
	assert_int_equal(totals.span_ns, 150);
}

static void a_collective_is_known_by_operation_and_group(void **state)
{
	uint32_t members[] = {0, 1, 2}, others[] = {0, 1, 3};
	struct nx_collective_op ops[] = {{.type = 3, .element_count = 64, .comm_id = 7},
					 {.type = 3, .element_count = 32, .comm_id = 7}};
	struct nx_collective_group group = {7, 3, members};
	struct nx_collective_run runs[] = {{.op_idx = 1, .end_ps = 9000000},
					   {.op_idx = 0, .end_ps = 5000000},
					   {.op_idx = 9, .end_ps = 1000}};
	struct nx_graph graphs[2] = {{0},
				     {.collective_ops = ops,
				      .collective_op_count = 2,
				      .collective_runs = runs,
				      .collective_run_count = 3,
				      .collective_groups = &group,
				      .collective_group_count = 1}};
	struct nx_capture capture = {
		.graphs = graphs, .graph_count = 2, .window_start_ps = 1000000};
	char text[NX_RANK_COLLECTIVE_MAX], other[NX_RANK_COLLECTIVE_MAX];

	(void)state;
	assert_int_equal(nx_rank_collective(&capture, text), 4000);
	assert_true(strlen(text) > 0);
	group.ranks = others;
	nx_rank_collective(&capture, other);
	assert_string_not_equal(text, other);
	group.ranks = members;
	nx_rank_collective(&capture, other);
	assert_string_equal(text, other);
	capture.graph_count = 1;
	assert_int_equal(nx_rank_collective(&capture, text), 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hosts_clock_comes_first),
		cmocka_unit_test(without_it_ranks_leave_their_first_collective_together),
		cmocka_unit_test(ranks_without_anything_in_common_stay_apart),
		cmocka_unit_test(a_collective_is_known_by_operation_and_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
