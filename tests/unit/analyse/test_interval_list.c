/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/hierarchy.h"

static void add(struct nx_intervals *list, uint64_t start_ps, uint64_t end_ps)
{
	struct nx_interval interval = {start_ps, end_ps, 1, 2, 3};

	nx_intervals_add(list, &interval);
}

static void assert_interval(const struct nx_intervals *list, size_t at, uint64_t start_ps,
			    uint64_t end_ps, uint64_t joined)
{
	assert_int_equal(list->items[at].start_ps, start_ps);
	assert_int_equal(list->items[at].end_ps, end_ps);
	assert_int_equal(list->items[at].element_count, joined);
	assert_int_equal(list->items[at].transpose_element_count, 2 * joined);
	assert_int_equal(list->items[at].hbm_bytes, 3 * joined);
}

static void the_shortest_pauses_are_joined(void **state)
{
	struct nx_intervals list = {0};

	(void)state;
	add(&list, 0, 10);
	add(&list, 15, 20); /* 5 */
	add(&list, 21, 30); /* 1 */
	add(&list, 40, 50); /* 10 */
	add(&list, 52, 60); /* 2 */
	nx_intervals_reduce(&list, 3);
	assert_int_equal(list.len, 3);
	assert_interval(&list, 0, 0, 10, 1);
	assert_interval(&list, 1, 15, 30, 2);
	assert_interval(&list, 2, 40, 60, 2);
	nx_intervals_reduce(&list, 3);
	assert_int_equal(list.len, 3);
	nx_intervals_reduce(&list, 1);
	assert_int_equal(list.len, 1);
	assert_interval(&list, 0, 0, 60, 5);
	nx_vec_release(&list);
}

static void of_equal_pauses_the_first_are_joined(void **state)
{
	struct nx_intervals list = {0};

	(void)state;
	for (uint64_t i = 0; i < 5; i++)
		add(&list, 10 * i, 10 * i + 5);
	nx_intervals_reduce(&list, 3);
	assert_int_equal(list.len, 3);
	assert_interval(&list, 0, 0, 25, 3);
	assert_interval(&list, 1, 30, 35, 1);
	assert_interval(&list, 2, 40, 45, 1);
	nx_vec_release(&list);
}

static void a_list_stays_bounded_and_its_sums_exact(void **state)
{
	struct nx_intervals list = {0};
	uint64_t sum = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		add(&list, 100 * i, 100 * i + 1 + i % 7);
		assert_true(list.len < 2 * (size_t)NX_INTERVALS_MAX);
	}
	nx_intervals_reduce(&list, NX_INTERVALS_MAX);
	assert_int_equal(list.len, NX_INTERVALS_MAX);
	for (size_t i = 0; i < list.len; i++) {
		sum += list.items[i].element_count;
		assert_true(!i || list.items[i - 1].end_ps < list.items[i].start_ps);
	}
	assert_int_equal(sum, 100000);
	nx_vec_release(&list);
}

static void sums_stop_at_what_a_column_holds(void **state)
{
	uint64_t sum = 5;

	(void)state;
	nx_interval_sum(&sum, INT64_MAX);
	assert_int_equal(sum, INT64_MAX);
	nx_interval_sum(&sum, UINT64_MAX);
	assert_int_equal(sum, INT64_MAX);
	sum = 0;
	nx_interval_sum(&sum, UINT64_MAX);
	assert_int_equal(sum, INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shortest_pauses_are_joined),
		cmocka_unit_test(of_equal_pauses_the_first_are_joined),
		cmocka_unit_test(a_list_stays_bounded_and_its_sums_exact),
		cmocka_unit_test(sums_stop_at_what_a_column_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
