/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

#define SUM(name) NX_COL_ThrottleSummary_##name

static void throttle(struct nx_fill_fixture *f, struct nx_throttle row)
{
	nx_made_profile_add_row(&f->made, NX_TABLE_THROTTLE, &row);
}

static const struct nx_row *summary_at(const struct nx_fill_fixture *f, size_t at)
{
	return nx_table_memory_row(&f->memory, NX_SCHEMA_ThrottleSummary, at);
}

static void limits_are_shown_and_summed(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	f->made.p.last_end_ps = 1000000;
	throttle(f, (struct nx_throttle){200000, 1000000, 4, 4, 0, 1});
	throttle(f, (struct nx_throttle){0, 200000, 1, 2, NX_THROTTLE_UNKNOWN, 1});
	nx_fill_fixture_run(f, nx_fill_throttles);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_Throttle, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_Throttle_timestamp), 0);
	assert_int_equal(nx_i64_at(row, NX_COL_Throttle_duration), 200);
	assert_int_equal(nx_i64_at(row, NX_COL_Throttle_k), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_Throttle_n), 2);
	assert_string_equal(nx_table_memory_text(row, NX_COL_Throttle_type), "unknown");
	assert_int_equal(nx_i64_at(row, NX_COL_Throttle_pcore_idx), 1);
	/* the other core was never throttled */
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_ThrottleSummary), 3);
	assert_int_equal(nx_i64_at(summary_at(f, 0), SUM(nc_idx)), 1);
	assert_string_equal(nx_table_memory_text(summary_at(f, 0), SUM(throttle_type)),
			    "activity_0");
	assert_int_equal(nx_i64_at(summary_at(f, 0), SUM(throttle_active_time_ns)), 800);
	assert_string_equal(nx_table_memory_text(summary_at(f, 1), SUM(throttle_type)), "unknown");
	row = summary_at(f, 2);
	assert_string_equal(nx_table_memory_text(row, SUM(throttle_type)), "all");
	assert_int_equal(nx_i64_at(row, SUM(throttle_active_time_ns)), 200);
	assert_true(nx_f64_at(row, SUM(throttle_active_time_percent)) == 0.2);
	assert_true(nx_f64_at(row, SUM(max_achievable_util_with_throttling_percent)) == 0.9);
}

static void a_limit_above_full_rate_is_none(void **state)
{
	struct nx_fill_fixture *f = *state;

	f->made.p.last_end_ps = 1000000;
	throttle(f, (struct nx_throttle){0, 1000000, 127, 1, 0, 0});
	nx_fill_fixture_run(f, nx_fill_throttles);
	assert_true(nx_f64_at(summary_at(f, 0), SUM(max_achievable_util_with_throttling_percent)) ==
		    1);
}

static void failures_of_reading_are_returned(void **state)
{
	assert_int_equal(nx_fill_fixture_fail(*state, nx_fill_throttles, NX_TABLE_THROTTLE),
			 NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(limits_are_shown_and_summed),
		TEST(a_limit_above_full_rate_is_none),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
