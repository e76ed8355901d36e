/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

#define SEMAPHORE 40

static struct nx_slot_signals signals[3];

/* Slot 1 of Scalar counts a semaphore, slot 2 of Tensor waits for it. */
static void make(struct nx_fill_fixture *f)
{
	struct nx_event event = {.time_ps = 5011000,
				 .value = 1,
				 .id = SEMAPHORE,
				 .is_semaphore = true,
				 .source = NX_ENGINE_SCALAR};

	for (unsigned i = 0; i < 3; i++)
		signals[i] = (struct nx_slot_signals){.barrier = NX_NONE, .dma_semaphore = -1};
	signals[1].changes[0] = (struct nx_signal){NX_STEP_INCREMENT, SEMAPHORE, 1};
	signals[2].before = (struct nx_signal){NX_TEST_AT_LEAST, SEMAPHORE, 1};
	nx_made_profile_add_neff(&f->made);
	f->made.p.program.signals = signals;
	f->made.p.program.signal_count = 3;
	f->made.slots[0][NX_ENGINE_SCALAR][1].signals = 1;
	f->made.slots[0][NX_ENGINE_TENSOR][2].signals = 2;
	f->made.slots[0][NX_ENGINE_TENSOR][2].layer = 1;
	f->made.slots[0][NX_ENGINE_TENSOR][2].flags = NX_SLOT_HAS_LAYER;
	f->made.slots[0][NX_ENGINE_TENSOR][2].bir = 0;
	f->made.birs[0].kernel_file = "kernel.py";
	f->made.birs[0].kernel_line = 139;
	f->made.p.capture.has_window_end = true;
	f->made.p.capture.total_time_ps = 7000000;
	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000, 5000);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 5053, 7000);
	nx_made_profile_add_row(&f->made, NX_TABLE_EVENT, &event);
	f->made.p.graphs[0].instruction_count[NX_ENGINE_SCALAR] = 1;
	f->made.p.graphs[0].instruction_count[NX_ENGINE_TENSOR] = 1;
}

static int64_t sum_of(const struct nx_fill_fixture *f, enum nx_schema_table_id table,
		      unsigned column)
{
	int64_t sum = 0;

	for (size_t i = 0; i < nx_table_memory_count(&f->memory, table); i++)
		sum += nx_i64_at(nx_table_memory_row(&f->memory, table, i), column);
	return sum;
}

static void a_release_names_its_cause(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	make(f);
	nx_fill_fixture_run(f, nx_fill_why);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Release), 2);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_Release, 1);
	assert_int_equal(nx_i64_at(row, NX_COL_Release_id), 2);
	assert_int_equal(nx_i64_at(row, NX_COL_Release_cause), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_Release_event_ps), 5011000);
	assert_int_equal(nx_i64_at(row, NX_COL_Release_semaphore), SEMAPHORE);
	assert_int_equal(nx_i64_at(row, NX_COL_Release_value), 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_Release_kind), "SEMAPHORE");
	assert_string_equal(nx_table_memory_text(row, NX_COL_Release_how), "recorded");
	assert_string_equal(nx_table_memory_text(row, NX_COL_Release_engine), "Tensor");
}

static void partitions_add_up(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;
	size_t count;

	make(f);
	nx_fill_fixture_run(f, nx_fill_why);
	count = nx_table_memory_count(&f->memory, NX_SCHEMA_CriticalPath);
	assert_int_equal(sum_of(f, NX_SCHEMA_CriticalPath, NX_COL_CriticalPath_duration_ps),
			 7000000);
	assert_int_equal(sum_of(f, NX_SCHEMA_EngineTime, NX_COL_EngineTime_time_ps), 2 * 7000000);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_CriticalPath, count - 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_CriticalPath_cause), "useful");
	assert_string_equal(nx_table_memory_text(row, NX_COL_CriticalPath_layer), "Net/Linear[1]");
	assert_string_equal(nx_table_memory_text(row, NX_COL_CriticalPath_source_location),
			    "kernel.py:139");
	assert_int_equal(nx_i64_at(row, NX_COL_CriticalPath_start_ps), 5053000);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_WhySummary, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_WhySummary_waits_matched), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_WhySummary_replay_error_ps), 0);
	assert_int_equal(nx_i64_at(row, NX_COL_WhySummary_pinned), 0);
	/* Scalar's 4 us are on the path and would be won */
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_WhatIf, 0);
	assert_string_equal(nx_table_memory_text(row, NX_COL_WhatIf_scenario),
			    "Scalar infinitely fast");
	assert_int_equal(nx_i64_at(row, NX_COL_WhatIf_gain_ps), 4000000);
	assert_int_equal(nx_i64_at(row, NX_COL_WhatIf_path_ps), 4000000);
}

static void large_captures_are_explained_on_request(void **state)
{
	struct nx_fill_fixture *f = *state;

	make(f);
	f->made.p.graphs[0].instruction_count[NX_ENGINE_TENSOR] = 1000000;
	nx_fill_fixture_run(f, nx_fill_why);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Release), 0);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_WhySummary), 0);
}

static void failures_are_passed_on(void **state)
{
	struct nx_fill_fixture *f = *state;

	make(f);
	assert_int_not_equal(nx_fill_fixture_fail(f, nx_fill_why, NX_TABLE_EVENT), NX_OK);
}

int main(void)
{
#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_release_names_its_cause),
		TEST(partitions_add_up),
		TEST(large_captures_are_explained_on_request),
		TEST(failures_are_passed_on),
	};

	return cmocka_run_group_tests_name("fill_why", tests, NULL, NULL);
}
