/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/timeline/name_tally.h"

/* The list a tally gives, in numbers[64], with slack behind it. */
static uint64_t make_list(uint64_t *numbers, const struct nx_name_tally *tally, unsigned level)
{
	struct nx_bytes bytes = {0};
	uint64_t count;

	memset(numbers, 0xff, 128 * sizeof(*numbers));
	nx_name_list_append(&bytes, tally, level);
	assert_true(bytes.len % 8 == 0 && bytes.len <= 127 * 8);
	memcpy(numbers, bytes.items, bytes.len);
	count = bytes.len / 8;
	nx_vec_release(&bytes);
	return count;
}

static void few_names_are_all_listed(void **state)
{
	struct nx_name_tally tally = {0};
	struct nx_name_list list;
	uint64_t numbers[128];

	(void)state;
	nx_name_tally_add(&tally, 1000, 50, 0);
	nx_name_tally_add(&tally, 70000, 400, 0);
	nx_name_list_read(&list, numbers, make_list(numbers, &tally, 0));
	assert_int_equal(list.count, 2);
	assert_int_equal(list.rest_ns, 0);
	assert_int_equal(list.name_base + nx_packed_at(list.names, 0), 70000);
	assert_int_equal(nx_packed_at(list.busy_ns, 0), 400);
	assert_int_equal(list.name_base + nx_packed_at(list.names, 1), 1000);
	assert_int_equal(nx_packed_at(list.busy_ns, 1), 50);
	nx_name_tally_release(&tally);
}

static void a_node_without_time_has_an_empty_list(void **state)
{
	struct nx_name_tally tally = {0};
	struct nx_name_list list;
	uint64_t numbers[128];

	(void)state;
	nx_name_list_read(&list, numbers, make_list(numbers, &tally, 0));
	assert_int_equal(list.count, 0);
	assert_int_equal(list.rest_ns, 0);
}

static void names_beside_a_large_one_are_the_rest(void **state)
{
	struct nx_name_tally tally = {0};
	struct nx_name_list list;
	uint64_t numbers[128];

	(void)state;
	nx_name_tally_add(&tally, 1, 1600, 0);
	nx_name_tally_add(&tally, 2, 100, 0);
	nx_name_tally_add(&tally, 3, 99, 0);
	nx_name_tally_add(&tally, 4, 98, 0);
	nx_name_list_read(&list, numbers, make_list(numbers, &tally, 0));
	assert_int_equal(list.count, 2);
	assert_int_equal(list.rest_ns, 99);
	nx_name_tally_release(&tally);
}

static void lists_are_longer_above(void **state)
{
	struct nx_name_tally tally = {0};
	struct nx_name_list list;
	uint64_t numbers[128];

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		nx_name_tally_add(&tally, i, i < 24 ? 1000 - 20 * i : 472 - 3 * i, 0);
	nx_name_list_read(&list, numbers, make_list(numbers, &tally, 0));
	assert_int_equal(list.count, 24);
	assert_int_equal(list.rest_ns, 400);
	nx_name_list_read(&list, numbers, make_list(numbers, &tally, 1));
	assert_int_equal(list.count, 64);
	assert_int_equal(list.rest_ns, 280);
	nx_name_tally_release(&tally);
}

static void where_none_stands_out_none_is_listed(void **state)
{
	struct nx_name_tally tally = {0};
	struct nx_name_list list;
	uint64_t numbers[128];

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		nx_name_tally_add(&tally, i, 1000 - i, 0);
	assert_int_equal(make_list(numbers, &tally, 0), 2);
	nx_name_list_read(&list, numbers, 2);
	assert_int_equal(list.count, 0);
	assert_int_equal(list.rest_ns, 1000);
	nx_name_tally_release(&tally);
}

static void a_list_that_is_not_all_there_is_empty(void **state)
{
	struct nx_name_tally tally = {0};
	struct nx_name_list list;
	uint64_t numbers[128], count;

	(void)state;
	nx_name_tally_add(&tally, 1000, 50, 0);
	nx_name_tally_add(&tally, 7, 60, 0);
	count = make_list(numbers, &tally, 0);
	for (uint64_t i = 0; i < count; i++) {
		nx_name_list_read(&list, numbers, i);
		assert_int_equal(list.count, 0);
	}
	((uint8_t *)numbers)[1] = 9; /* no width */
	nx_name_list_read(&list, numbers, count);
	assert_int_equal(list.count, 0);
	nx_name_tally_release(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_names_are_all_listed),
		cmocka_unit_test(a_node_without_time_has_an_empty_list),
		cmocka_unit_test(names_beside_a_large_one_are_the_rest),
		cmocka_unit_test(lists_are_longer_above),
		cmocka_unit_test(where_none_stands_out_none_is_listed),
		cmocka_unit_test(a_list_that_is_not_all_there_is_empty),
	};

	return cmocka_run_group_tests_name("store/name_list", tests, NULL, NULL);
}
