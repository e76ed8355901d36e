/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/track_columns.h"

static void an_instruction_lies_on_a_core_and_engine(void **state)
{
	struct nx_track_columns track = nx_track_columns_of(NX_SCHEMA_Instruction);

	(void)state;
	assert_int_equal(track.time, NX_COL_Instruction_start_ts);
	assert_int_equal(track.count, 2);
	assert_int_equal(track.columns[0], NX_COL_Instruction_pcore_idx);
	assert_int_equal(track.columns[1], NX_COL_Instruction_engine);
}

static void a_machine_comes_before_its_processes(void **state)
{
	struct nx_track_columns track = nx_track_columns_of(NX_SCHEMA_SystemProfileEvents);

	(void)state;
	assert_int_equal(track.columns[0], NX_COL_SystemProfileEvents_instance_id);
	assert_int_equal(track.columns[1], NX_COL_SystemProfileEvents_process_id);
}

static void samples_have_a_timestamp(void **state)
{
	(void)state;
	assert_int_equal(nx_track_columns_of(NX_SCHEMA_CpuUsage).time, NX_COL_CpuUsage_timestamp);
}

static void a_warning_has_neither(void **state)
{
	struct nx_track_columns track = nx_track_columns_of(NX_SCHEMA_Warning);

	(void)state;
	assert_int_equal(track.time, -1);
	assert_int_equal(track.count, 0);
}

/* A key cannot be a list, and time has to be there in every row. */
static void every_table_can_be_sorted_by_them(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		struct nx_track_columns track = nx_track_columns_of(i);
		const struct nx_schema_column *columns = nx_schema_tables[i].columns;

		for (unsigned j = 0; j < track.count; j++) {
			uint8_t type = columns[track.columns[j]].type;

			assert_true(type == NX_SCHEMA_TEXT || type == NX_SCHEMA_INT64 ||
				    type == NX_SCHEMA_INT32 || type == NX_SCHEMA_ENUM);
		}
		if (track.time >= 0)
			assert_true(columns[track.time].is_required);
	}
}

/* A host that failed has no start. */
static void a_time_that_may_be_missing_sorts_nothing(void **state)
{
	(void)state;
	assert_int_equal(nx_track_columns_of(NX_SCHEMA_ProfileSession).time, -1);
}

static void answers_are_not_stored(void **state)
{
	(void)state;
	assert_false(nx_schema_is_stored(NX_SCHEMA_MemoryBandwidthPoint));
	assert_true(nx_schema_is_stored(NX_SCHEMA_Instruction));
	assert_true(nx_schema_is_stored(NX_SCHEMA_Warning));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_lies_on_a_core_and_engine),
		cmocka_unit_test(a_machine_comes_before_its_processes),
		cmocka_unit_test(samples_have_a_timestamp),
		cmocka_unit_test(a_warning_has_neither),
		cmocka_unit_test(every_table_can_be_sorted_by_them),
		cmocka_unit_test(a_time_that_may_be_missing_sorts_nothing),
		cmocka_unit_test(answers_are_not_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
