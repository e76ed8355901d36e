/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

#define COL(name) NX_COL_Error_##name

static void faults_say_what_and_where(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_fault rows[] = {
		{.time_ps = 9000, .id = 6, .kind = NX_FAULT_CUSTOM, .slot = 2, .w0 = 0x12},
		{.time_ps = 5000, .id = 4, .engine = NX_ENGINE_COUNT, .slot = NX_NONE, .w1 = 0xab},
		{.time_ps = 7000,
		 .kind = NX_FAULT_WARNING,
		 .engine = 3,
		 .slot = NX_NONE,
		 .graph = 1},
	};
	const struct nx_row *row;

	for (unsigned i = 0; i < 3; i++)
		nx_made_profile_add_row(&f->made, NX_TABLE_FAULT, &rows[i]);
	nx_fill_fixture_run(f, nx_fill_errors);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_Error, 0);
	assert_int_equal(nx_i64_at(row, COL(timestamp)), 5);
	assert_string_equal(nx_table_memory_text(row, COL(description)), "memory error");
	assert_int_equal(nx_i64_at(row, COL(error_type_id)), 4);
	assert_string_equal(nx_table_memory_text(row, COL(type)), "Errors");
	assert_string_equal(nx_table_memory_text(row, COL(metadata_hex)), "0x000000ab00000000");
	assert_null(nx_table_memory_text(row, COL(metadata)));
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_Error, 1);
	assert_string_equal(nx_table_memory_text(row, COL(type)), "Warnings");
	assert_string_equal(nx_table_memory_text(row, COL(metadata)), "engine=Vector");
	assert_int_equal(nx_i64_at(row, COL(pcore_idx)), 1);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_Error, 2);
	assert_string_equal(nx_table_memory_text(row, COL(type)), "Custom Notification");
	assert_string_equal(nx_table_memory_text(row, COL(metadata)),
			    "engine=Tensor pc=2 opcode=NOP");
}

static void failures_of_reading_are_returned(void **state)
{
	assert_int_equal(nx_fill_fixture_fail(*state, nx_fill_errors, NX_TABLE_FAULT), NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(faults_say_what_and_where),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
