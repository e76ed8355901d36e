/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/instruction.h"
#include "tests/unit/tables/fill_fixture.h"

#define COL(name) NX_COL_Instruction_##name

static const struct nx_row *row_at(const struct nx_fill_fixture *f, size_t at)
{
	return nx_table_memory_row(&f->memory, NX_SCHEMA_Instruction, at);
}

static bool is_null(const struct nx_row *row, unsigned column)
{
	return row->kinds[column] == NX_CELL_NULL;
}

static void a_bare_instruction_has_its_times_and_no_origin(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_instruction ran = {.start_ps = 1999,
				     .end_ps = 4001,
				     .slot = 3,
				     .crc_in = 7,
				     .crc_out = 9,
				     .wait_cycles = 12,
				     .graph = 1,
				     .engine = NX_ENGINE_VECTOR};
	const struct nx_row *row;

	nx_made_profile_add_row(&f->made, NX_TABLE_INSTRUCTION, &ran);
	nx_fill_fixture_run(f, nx_fill_instructions);
	row = row_at(f, 0);
	assert_int_equal(nx_i64_at(row, COL(id)), 1);
	assert_int_equal(nx_i64_at(row, COL(start_ts)), 1);
	assert_int_equal(nx_i64_at(row, COL(end_ts)), 4);
	assert_int_equal(nx_i64_at(row, COL(duration_ns)), 2); /* of 2002 ps */
	assert_int_equal(nx_i64_at(row, COL(evt_wait_time_ns)), 10);
	assert_int_equal(nx_i64_at(row, COL(pc)), 3);
	assert_int_equal(nx_i64_at(row, COL(pcore_idx)), 1);
	assert_int_equal(nx_i64_at(row, COL(crc_in)), 7);
	assert_int_equal(nx_i64_at(row, COL(crc_out)), 9);
	assert_string_equal(nx_table_memory_text(row, COL(engine)), "Vector");
	assert_string_equal(nx_table_memory_text(row, COL(timeline_track)), "Vector");
	assert_string_equal(nx_table_memory_text(row, COL(opcode)), "NOP");
	assert_string_equal(nx_table_memory_text(row, COL(operands)), " cycle=0 ");
	assert_string_equal(nx_table_memory_text(row, COL(bir_id)), "");
	assert_true(is_null(row, COL(compiler_pc)));
	assert_true(is_null(row, COL(layer)));
	assert_true(is_null(row, COL(raw_flops)));
	assert_true(is_null(row, COL(dma_trigger_start_ts)));
	assert_true(is_null(row, COL(sbuf_read_bytes)));
}

static void make_matmul(struct nx_fill_fixture *f, uint8_t dtype, uint8_t type)
{
	uint8_t *word = f->made.code[NX_ENGINE_TENSOR] + NX_SLOT_BYTES;
	struct nx_slot *slot = &f->made.slots[0][NX_ENGINE_TENSOR][1];

	word[0] = NX_OP_MATMUL;
	word[32] = dtype;
	slot->opcode = NX_OP_MATMUL;
	slot->flags = NX_SLOT_MATMUL | NX_SLOT_HAS_ELEMENTS;
	slot->elements = 128 * 128 * 512;
	slot->instruction_type = type;
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 10, 20);
	nx_fill_fixture_run(f, nx_fill_instructions);
}

static void passes_of_fp32_count_half_and_cost_four(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	make_matmul(f, 10, NX_TYPE_REGULAR);
	row = row_at(f, 0);
	assert_string_equal(nx_table_memory_text(row, COL(timeline_track)), "TensorMatrix");
	assert_string_equal(nx_table_memory_text(row, COL(tensor_instruction_type)), "REGULAR");
	assert_int_equal(nx_i64_at(row, COL(tensor_elements)), 8388608);
	assert_int_equal(nx_i64_at(row, COL(raw_flops)), 8388608);
	assert_int_equal(nx_i64_at(row, COL(adjusted_flops)), 33554432);
	assert_int_equal(nx_i64_at(row, COL(flops_transpose)), 0);
}

static void transposes_are_counted_apart(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	make_matmul(f, 6, NX_TYPE_TRANSPOSE);
	row = row_at(f, 0);
	assert_int_equal(nx_i64_at(row, COL(raw_flops)), 16777216);
	assert_int_equal(nx_i64_at(row, COL(flops_transpose)), 16777216);
	assert_int_equal(nx_i64_at(row, COL(adjusted_flops_transpose)), 16777216);
	assert_int_equal(nx_i64_at(row, COL(tensor_elements_transpose)), 8388608);
}

static void costs_nobody_published_are_null(void **state)
{
	struct nx_fill_fixture *f = *state;

	make_matmul(f, 8, NX_TYPE_NONE);
	assert_int_equal(nx_i64_at(row_at(f, 0), COL(raw_flops)), 16777216);
	assert_true(is_null(row_at(f, 0), COL(adjusted_flops)));
	assert_true(is_null(row_at(f, 0), COL(tensor_instruction_type)));
}

static void a_trigger_knows_when_its_transfer_ran(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_transfer t = {
		.trigger_ps = 10000, .start_ps = 25500, .end_ps = 99000, .engine = NX_ENGINE_SYNC};
	const struct nx_row *row;

	f->made.slots[0][NX_ENGINE_SYNC][2].flags = NX_SLOT_TRIGGER;
	nx_vec_push(&f->made.p.transfers, t);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 2, 10, 20);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 2, 30, 40); /* its packets are not shown */
	nx_fill_fixture_run(f, nx_fill_instructions);
	row = row_at(f, 0);
	assert_int_equal(nx_i64_at(row, COL(dma_trigger_start_ts)), 25);
	assert_int_equal(nx_i64_at(row, COL(dma_trigger_end_ts)), 99);
	assert_int_equal(nx_i64_at(row, COL(dma_wait_time_ns)), 5);
	assert_true(is_null(row_at(f, 1), COL(dma_trigger_start_ts)));
}

static void bytes_beyond_the_column_are_its_largest_value(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot *slot = &f->made.slots[0][NX_ENGINE_SYNC][0];
	const struct nx_row *row;

	slot->flags = NX_SLOT_SBUF_WRITE | NX_SLOT_EVICTION | NX_SLOT_HBM_READ |
		      NX_SLOT_SPILL_RELOAD | NX_SLOT_INPUT_QUEUE;
	slot->sbuf_write_bytes = UINT64_MAX;
	slot->hbm_read_bytes = 640;
	slot->queue_bytes = 320;
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 0, 10, 20);
	nx_fill_fixture_run(f, nx_fill_instructions);
	row = row_at(f, 0);
	assert_true(nx_i64_at(row, COL(sbuf_write_bytes)) == INT64_MAX);
	assert_true(nx_i64_at(row, COL(psum_read_sbuf_write_bytes)) == INT64_MAX);
	assert_int_equal(nx_i64_at(row, COL(spill_reload_bytes)), 640);
	assert_int_equal(nx_i64_at(row, COL(input_queue_bytes)), 320);
	assert_true(is_null(row, COL(output_queue_bytes)));
	assert_true(is_null(row, COL(weight_queue_bytes)));
}

static void origins_are_told(void **state)
{
	struct nx_fill_fixture *f = *state;
	uint64_t framework_ids[] = {41, 42};
	struct nx_stack_frame frames[] = {{1, 0}, {2, 1}, {3, 2}};
	struct nx_origin origin = {.has_hlo = true,
				   .hlo_id = 28,
				   .hlo_name = "%dot",
				   .hlo_attributes = "[{}]",
				   .framework_ids = framework_ids,
				   .framework_id_count = 2,
				   .layer = "Net",
				   .source_file = "model.py",
				   .stack_frame = 3};
	const struct nx_row *row;

	nx_made_profile_add_neff(&f->made);
	f->made.p.binary.origins = &origin;
	f->made.p.binary.origin_count = 1;
	f->made.p.binary.stack.frames = frames;
	f->made.p.binary.stack.frame_count = 3;
	f->made.birs[2] = (struct nx_bir){.id = 17,
					  .name = "I-17",
					  .has_penguin = true,
					  .penguin_id = 8,
					  .kernel_file = "kernel.py",
					  .kernel_line = 139,
					  .kernel_name = "k"};
	f->made.slots[0][NX_ENGINE_SCALAR][0].bir = 2;
	f->made.slots[0][NX_ENGINE_SCALAR][0].layer = 1;
	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 0, 10, 20);
	nx_fill_fixture_run(f, nx_fill_instructions);
	row = row_at(f, 0);
	assert_string_equal(nx_table_memory_text(row, COL(bir_id)), "sg0000:17");
	assert_int_equal(nx_i64_at(row, COL(raw_bir_id)), 17);
	assert_string_equal(nx_table_memory_text(row, COL(bir_instruction_name)), "I-17");
	assert_string_equal(nx_table_memory_text(row, COL(penguin_id)), "sg0000:8");
	assert_int_equal(nx_i64_at(row, COL(raw_penguin_id)), 8);
	assert_string_equal(nx_table_memory_text(row, COL(hlo_name)), "%dot");
	assert_string_equal(nx_table_memory_text(row, COL(hlo_attrs)), "[{}]");
	assert_int_equal(nx_i64_at(row, COL(raw_hlo_id)), 28);
	assert_int_equal(nx_i64_at(row, COL(raw_framework_id)), 41);
	assert_string_equal(nx_table_memory_text(row, COL(layer)), "Net/Linear[1]");
	assert_string_equal(nx_table_memory_text(row, COL(stack_frame_ids)), "[3,2,1]");
	assert_string_equal(nx_table_memory_text(row, COL(nki_source_location)), "kernel.py:139");
	assert_int_equal(nx_i64_at(row, COL(compiler_pc)), 0);
	assert_true(is_null(row, COL(compiler_opcode))); /* the runtime did not change it */
}

static void failures_of_reading_are_returned(void **state)
{
	assert_int_equal(nx_fill_fixture_fail(*state, nx_fill_instructions, NX_TABLE_INSTRUCTION),
			 NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_bare_instruction_has_its_times_and_no_origin),
		TEST(passes_of_fp32_count_half_and_cost_four),
		TEST(transposes_are_counted_apart),
		TEST(costs_nobody_published_are_null),
		TEST(a_trigger_knows_when_its_transfer_ran),
		TEST(bytes_beyond_the_column_are_its_largest_value),
		TEST(origins_are_told),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
