/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/event_roles.h"

struct change {
	bool is_release;
	uint64_t size_bytes, total_bytes, category_total_bytes;
	uint32_t category;
	int32_t nc_idx;
	unsigned core_count;
};

static struct nx_hbm_sample add(struct nx_hbm_analysis *a, struct change c)
{
	struct nx_hbm_change change = {.size_bytes = c.size_bytes,
				       .is_release = c.is_release,
				       .total_bytes = c.total_bytes,
				       .category_total_bytes = c.category_total_bytes,
				       .core_count = c.core_count};
	struct nx_hbm_sample row = {.category = c.category, .nc_idx = c.nc_idx};

	nx_hbm_add(a, &change, &row);
	return row;
}

static void assert_sums(struct nx_hbm_sample row, uint64_t total_bytes, uint64_t category_bytes)
{
	assert_int_equal(row.total_bytes, total_bytes);
	assert_int_equal(row.category_bytes, category_bytes);
}

/* Two physical cores A and B take turns; category 1 on both, 2 on A only. */
static void two_cores_are_told_apart_by_their_totals(void **state)
{
	struct nx_hbm_analysis a = {0};

	(void)state;
	assert_sums(add(&a, (struct change){0, 100, 100, 100, .category = 1}), 100, 100); /* A */
	assert_sums(add(&a, (struct change){0, 30, 30, 30, .category = 1}), 130, 130);	  /* B */
	assert_sums(add(&a, (struct change){0, 7, 107, 7, .category = 2}), 137, 7);	  /* A */
	assert_sums(add(&a, (struct change){0, 20, 50, 50, .category = 1}), 157, 150);	  /* B */
	assert_sums(add(&a, (struct change){1, 100, 7, 0, .category = 1}), 57, 50);	  /* A */
	assert_sums(add(&a, (struct change){1, 50, 0, 0, .category = 1}), 7, 0);	  /* B */
	nx_hbm_release(&a);
}

static void cores_and_processes_do_not_mix(void **state)
{
	struct nx_hbm_analysis a = {0};
	struct nx_hbm_change change = {.size_bytes = 5, .total_bytes = 5};
	struct nx_hbm_sample other = {.process = 1};

	(void)state;
	assert_sums(add(&a, (struct change){0, 5, 5, 5, .nc_idx = 0}), 5, 5);
	assert_sums(add(&a, (struct change){0, 5, 5, 5, .nc_idx = 1}), 5, 5);
	nx_hbm_add(&a, &change, &other);
	assert_int_equal(other.total_bytes, 5);
	nx_hbm_release(&a);
}

/* Ring buffers lose changes; what follows must not be counted twice for ever. */
static void a_gap_moves_the_nearest_chain(void **state)
{
	struct nx_hbm_analysis a = {0};

	(void)state;
	assert_sums(add(&a, (struct change){0, 1000, 1000, 1000, .core_count = 2}), 1000, 1000);
	assert_sums(add(&a, (struct change){0, 10, 10, 10, .core_count = 2}), 1010, 1010);
	/* 90 bytes were allocated unseen on the first */
	assert_sums(add(&a, (struct change){0, 1, 1091, 1091, .core_count = 2}), 1101, 1101);
	assert_sums(add(&a, (struct change){1, 10, 0, 0, .core_count = 2}), 1091, 1091);
	nx_hbm_release(&a);
}

static void one_core_has_one_chain(void **state)
{
	struct nx_hbm_analysis a = {0};

	(void)state;
	assert_sums(add(&a, (struct change){0, 5, 5, 5, .core_count = 1}), 5, 5);
	assert_sums(add(&a, (struct change){0, 3, 50, 50, .core_count = 1}), 50, 50);
	nx_hbm_release(&a);
}

static void lies_do_not_grow_memory(void **state)
{
	struct nx_hbm_analysis a = {0};

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		add(&a, (struct change){i & 1, UINT64_MAX - i, i * i, UINT64_MAX - i,
					.core_count = UINT32_MAX});
	assert_int_equal(a.chains.len, 2);
	assert_in_range(a.chains.items[0].totals.len, 1, 2);
	nx_hbm_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_cores_are_told_apart_by_their_totals),
		cmocka_unit_test(cores_and_processes_do_not_mix),
		cmocka_unit_test(a_gap_moves_the_nearest_chain),
		cmocka_unit_test(one_core_has_one_chain),
		cmocka_unit_test(lies_do_not_grow_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
