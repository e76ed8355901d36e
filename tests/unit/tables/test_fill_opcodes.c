/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

#define COL(name) NX_COL_OpcodeSummary_##name

static void each_engine_and_opcode_has_a_row(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	f->made.p.capture.total_time_ps = 1000000;
	f->made.slots[0][NX_ENGINE_TENSOR][1].opcode = 0x0f;
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, 100, 200);
	nx_made_profile_add_row(&f->made, NX_TABLE_INSTRUCTION, /* on another core */
				&(struct nx_instruction){.start_ps = 150000,
							 .end_ps = 300000,
							 .graph = 1,
							 .engine = NX_ENGINE_TENSOR});
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 400, 450);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 0, 500, 501);
	nx_fill_fixture_run(f, nx_fill_opcodes);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_OpcodeSummary), 3);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_OpcodeSummary, 0);
	assert_string_equal(nx_table_memory_text(row, COL(opcode)), "OP_0F");
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_OpcodeSummary, 1);
	assert_string_equal(nx_table_memory_text(row, COL(engine)), "Tensor");
	assert_string_equal(nx_table_memory_text(row, COL(opcode)), "NOP");
	assert_int_equal(nx_i64_at(row, COL(instruction_count)), 2);
	assert_int_equal(nx_i64_at(row, COL(instruction_time_ns)), 250);
	assert_int_equal(nx_i64_at(row, COL(active_time_ns)), 200);
	assert_true(nx_f64_at(row, COL(active_time_percent)) == 0.2);
}

static void a_profile_without_time_has_no_shares(void **state)
{
	struct nx_fill_fixture *f = *state;

	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 0, 0, 0);
	nx_fill_fixture_run(f, nx_fill_opcodes);
	assert_true(nx_f64_at(nx_table_memory_row(&f->memory, NX_SCHEMA_OpcodeSummary, 0),
			      COL(active_time_percent)) == 0);
}

static void failures_of_reading_are_returned(void **state)
{
	assert_int_equal(nx_fill_fixture_fail(*state, nx_fill_opcodes, NX_TABLE_INSTRUCTION),
			 NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_engine_and_opcode_has_a_row),
		TEST(a_profile_without_time_has_no_shares),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
