/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "tests/unit/tables/fill_fixture.h"

static void the_compilers_text_has_no_names(void **state)
{
	struct nx_fill_fixture *f = *state;
	const char *names[256] = {[8] = "qSyncIO0"};
	uint8_t *word = f->made.compiled[NX_ENGINE_VECTOR] + 3 * NX_SLOT_BYTES;
	const struct nx_row *row;

	nx_made_profile_add_neff(&f->made);
	f->made.p.program.semaphore_names[0] = names;
	f->made.slots[0][NX_ENGINE_VECTOR][1].compiler_slot = 3;
	f->made.slots[0][NX_ENGINE_VECTOR][2].compiler_slot = NX_NONE;
	word[4] = 5;
	word[5] = 8;
	nx_store32(word + 8, 16);
	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 2, 5, 6); /* the runtime's own */
	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 1, 10, 20);
	nx_fill_fixture_run(f, nx_fill_assembly);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_AssemblyInstruction), 1);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_AssemblyInstruction, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_AssemblyInstruction_instruction_id), 2);
	assert_int_equal(nx_i64_at(row, NX_COL_AssemblyInstruction_compiler_pc), 3);
	assert_string_equal(nx_table_memory_text(row, NX_COL_AssemblyInstruction_compiler_opcode),
			    "NOP");
	assert_string_equal(nx_table_memory_text(row, NX_COL_AssemblyInstruction_compiler_operands),
			    "$S[8]>=16 cycle=0 ");
}

static void barriers_are_found_by_what_the_compiler_wrote(void **state)
{
	struct nx_fill_fixture *f = *state;
	uint8_t *word = f->made.compiled[NX_ENGINE_GPSIMD] + NX_SLOT_BYTES;
	const struct nx_row *row;

	nx_made_profile_add_neff(&f->made);
	word[0] = NX_OP_PSEUDO_CORE_BARRIER;
	nx_store32(word + 12, 1);
	word[16] = 9;
	nx_made_profile_run(&f->made, NX_ENGINE_GPSIMD, 0, 5, 6);
	nx_made_profile_run(&f->made, NX_ENGINE_GPSIMD, 1, 10, 379);
	nx_fill_fixture_run(f, nx_fill_assembly);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_CoreBarriers), 1);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_CoreBarriers, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_CoreBarriers_start_ts), 10);
	assert_int_equal(nx_i64_at(row, NX_COL_CoreBarriers_end_ts), 379);
	assert_int_equal(nx_i64_at(row, NX_COL_CoreBarriers_duration_ns), 369);
	assert_int_equal(nx_i64_at(row, NX_COL_CoreBarriers_id), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_CoreBarriers_semaphore), 9);
	assert_int_equal(nx_i64_at(row, NX_COL_CoreBarriers_compiler_pc), 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_CoreBarriers_engine_name), "GpSimd");
	assert_string_equal(nx_table_memory_text(row, NX_COL_CoreBarriers_compiler_opcode),
			    "PSEUDO_CORE_BARRIER");
}

static void without_a_neff_there_is_nothing_to_tell(void **state)
{
	struct nx_fill_fixture *f = *state;

	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 1, 10, 20);
	nx_fill_fixture_run(f, nx_fill_assembly);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_AssemblyInstruction), 0);
	assert_int_equal(f->memory.end_counts[NX_SCHEMA_AssemblyInstruction], 1);
}

static void a_slot_beyond_the_stream_has_no_text(void **state)
{
	struct nx_fill_fixture *f = *state;

	nx_made_profile_add_neff(&f->made);
	f->made.neff.engines[NX_ENGINE_VECTOR].code.len = NX_SLOT_BYTES + 63;
	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 0, 1, 2);
	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 1, 10, 20);
	nx_fill_fixture_run(f, nx_fill_assembly);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_AssemblyInstruction), 1);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_compilers_text_has_no_names),
		TEST(barriers_are_found_by_what_the_compiler_wrote),
		TEST(without_a_neff_there_is_nothing_to_tell),
		TEST(a_slot_beyond_the_stream_has_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
