/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

static void event(struct nx_fill_fixture *f, struct nx_event row)
{
	nx_made_profile_add_row(&f->made, NX_TABLE_EVENT, &row);
}

static void semaphores_of_all_graphs_are_in_order(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	event(f, (struct nx_event){5000, 2, 8, 0, true, 3, NX_ENGINE_VECTOR});
	event(f, (struct nx_event){6000, 1, 9, 0, false, 7, NX_ENGINE_VECTOR}); /* an event */
	event(f, (struct nx_event){7999, UINT32_MAX, 10, 0, true, 9, NX_ENGINE_COUNT});
	event(f, (struct nx_event){1000, 1, 8, 1, true, 14, NX_ENGINE_SYNC});
	nx_fill_fixture_run(f, nx_fill_semaphores);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_SemaphoreUpdate), 3);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_SemaphoreUpdate, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_SemaphoreUpdate_timestamp), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_SemaphoreUpdate_pcore_idx), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_SemaphoreUpdate_update_mode), 14);
	assert_null(nx_table_memory_text(row, NX_COL_SemaphoreUpdate_update_operation_type));
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_SemaphoreUpdate, 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_SemaphoreUpdate_id), "8");
	assert_string_equal(nx_table_memory_text(row, NX_COL_SemaphoreUpdate_update_source),
			    "Vector");
	assert_string_equal(nx_table_memory_text(row, NX_COL_SemaphoreUpdate_update_operation_type),
			    "sem_inc");
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_SemaphoreUpdate, 2);
	assert_int_equal(nx_i64_at(row, NX_COL_SemaphoreUpdate_timestamp), 7);
	assert_true(nx_i64_at(row, NX_COL_SemaphoreUpdate_value) == INT32_MAX);
	assert_string_equal(nx_table_memory_text(row, NX_COL_SemaphoreUpdate_update_source), "AXI");
	assert_null(nx_table_memory_text(row, NX_COL_SemaphoreUpdate_update_trigger_timing));
}

static void pending_dmas_are_counted(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_pending rows[] = {{1500, 1, 0}, {2500, INT64_MAX, 1}};
	const struct nx_row *row;

	for (unsigned i = 0; i < 2; i++)
		nx_made_profile_add_row(&f->made, NX_TABLE_PENDING, &rows[i]);
	nx_fill_fixture_run(f, nx_fill_pending);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_PendingDma, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_PendingDma_timestamp), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_PendingDma_value), 1);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_PendingDma, 1);
	assert_true(nx_i64_at(row, NX_COL_PendingDma_value) == INT32_MAX);
	assert_int_equal(nx_i64_at(row, NX_COL_PendingDma_pcore_idx), 1);
}

static void active_spans_are_in_order_of_their_start(void **state)
{
	struct nx_fill_fixture *f = *state;
	/* as they close */
	struct nx_active rows[] = {{5000, 6000, 0, NX_ENGINE_SYNC},
				   {1999, 9001, 1, NX_ENGINE_TENSOR}};
	const struct nx_row *row;

	for (unsigned i = 0; i < 2; i++)
		nx_made_profile_add_row(&f->made, NX_TABLE_ACTIVE, &rows[i]);
	nx_fill_fixture_run(f, nx_fill_active_time);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_ActiveTime, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_ActiveTime_start_ts), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_ActiveTime_end_ts), 9);
	assert_int_equal(nx_i64_at(row, NX_COL_ActiveTime_duration_ns), 7); /* of 7002 ps */
	assert_string_equal(nx_table_memory_text(row, NX_COL_ActiveTime_engine), "tensor");
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_ActiveTime, 1);
	assert_int_equal(nx_i64_at(row, NX_COL_ActiveTime_start_ts), 5);
}

static void failures_of_reading_are_returned(void **state)
{
	struct nx_fill_fixture *f = *state;

	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_semaphores, NX_TABLE_EVENT), NX_NO_SPACE);
	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_pending, NX_TABLE_PENDING), NX_NO_SPACE);
	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_active_time, NX_TABLE_ACTIVE),
			 NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(semaphores_of_all_graphs_are_in_order),
		TEST(pending_dmas_are_counted),
		TEST(active_spans_are_in_order_of_their_start),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
