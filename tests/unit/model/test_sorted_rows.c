/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/sorted_rows.h"

struct seen {
	uint64_t last_ps, count, sum;
};

static void see(void *context, const void *opaque)
{
	const struct nx_pending *row = opaque;
	struct seen *seen = context;

	assert_true(row->time_ps >= seen->last_ps);
	if (row->time_ps == seen->last_ps && seen->count)
		assert_int_equal(row->value, 2); /* equal ones in the order they came */
	seen->last_ps = row->time_ps;
	seen->count++;
	seen->sum += row->time_ps;
}

/* Twice as many as the buffer holds, from the last to the first, each moment twice. */
static void more_rows_than_the_buffer_holds_are_sorted(void **state)
{
	const uint64_t count = 400000;
	struct nx_sorted_rows rows;
	struct nx_error err = {0};
	struct seen seen = {0};

	(void)state;
	nx_sorted_rows_init(&rows, sizeof(struct nx_pending));
	for (uint64_t i = count; i-- > 0;)
		for (int64_t value = 1; value <= 2; value++)
			nx_sorted_rows_add(&rows, &(struct nx_pending){i, value, 0});
	assert_int_equal(nx_sorted_rows_finish(&rows, see, &seen, &err), NX_OK);
	assert_int_equal(seen.count, 2 * count);
	assert_int_equal(seen.sum, count * (count - 1));
}

static void a_failure_told_is_reported_instead_of_rows(void **state)
{
	struct nx_error told = {NX_NO_SPACE, "the first"}, later = {NX_IO, "the second"};
	struct nx_sorted_rows rows;
	struct nx_error err = {0};
	struct seen seen = {0};

	(void)state;
	nx_sorted_rows_init(&rows, sizeof(struct nx_pending));
	nx_sorted_rows_add(&rows, &(struct nx_pending){7, 1, 0});
	nx_sorted_rows_fail(&rows, &told);
	nx_sorted_rows_fail(&rows, &later);
	nx_sorted_rows_sort(&rows);
	assert_int_equal(nx_sorted_rows_finish(&rows, see, &seen, &err), NX_NO_SPACE);
	assert_string_equal(err.message, "the first");
	assert_int_equal(seen.count, 0);
}

static void sorting_early_changes_nothing(void **state)
{
	struct nx_sorted_rows rows;
	struct seen seen = {0};

	(void)state;
	nx_sorted_rows_init(&rows, sizeof(struct nx_pending));
	nx_sorted_rows_add(&rows, &(struct nx_pending){9, 1, 0});
	nx_sorted_rows_add(&rows, &(struct nx_pending){7, 1, 0});
	nx_sorted_rows_sort(&rows);
	assert_int_equal(nx_sorted_rows_finish(&rows, see, &seen, NULL), NX_OK);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.last_ps, 9);
}

static enum nx_status scan_nothing(void *context, enum nx_table table, nx_row_fn fn,
				   void *fn_context, struct nx_error *err)
{
	(void)context, (void)table, (void)fn, (void)fn_context, (void)err;
	return NX_OK;
}

static void no_rows_are_fine(void **state)
{
	struct nx_profile profile = {.source = {.scan = scan_nothing}};
	struct seen seen = {0};

	(void)state;
	assert_int_equal(nx_sorted_rows_scan(&profile, NX_TABLE_PENDING, sizeof(struct nx_pending),
					     see, &seen, NULL),
			 NX_OK);
	assert_int_equal(seen.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_rows_than_the_buffer_holds_are_sorted),
		cmocka_unit_test(a_failure_told_is_reported_instead_of_rows),
		cmocka_unit_test(sorting_early_changes_nothing),
		cmocka_unit_test(no_rows_are_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
