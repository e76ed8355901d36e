/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/instruction.h"
#include "tests/unit/tables/made_rows.h"

static const struct nx_hardware hardware = {.sbuf_partition_bytes = 1000};

static double share(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_F64);
	return row->cells[column].f64;
}

static void usage_goes_to_the_table_of_its_memory(void **state)
{
	static const struct nx_buffer_usage usages[] = {
		{.time_ps = 1999, .live_bytes = 250, .buffer = NX_BUFFER_SBUF, .graph = 1},
		{.time_ps = 3000, .buffer = NX_BUFFER_PSUM, .banks = 0x81, .banks_ever = 0x83},
		{.time_ps = 4000, .live_bytes = 5000, .buffer = NX_BUFFER_SBUF},
	};
	struct nx_made_rows made = {.usages = usages, .usage_count = 3};
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	made.profile.capture.hardware = &hardware;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_buffer_usage, &m, &err), NX_OK);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_SbufUsage), 2);
	row = nx_table_memory_row(&m, NX_SCHEMA_SbufUsage, 0);
	assert_int_equal(row->cells[NX_COL_SbufUsage_timestamp].i64, 1);
	assert_int_equal(row->cells[NX_COL_SbufUsage_pcore_idx].i64, 1);
	for (unsigned c = NX_COL_SbufUsage_avg_util_percent;
	     c <= NX_COL_SbufUsage_partition_96_util_percent; c++)
		assert_float_equal(share(row, c), 0.25, 1e-7);
	/* more than there is is a lie of the file */
	row = nx_table_memory_row(&m, NX_SCHEMA_SbufUsage, 1);
	assert_float_equal(share(row, NX_COL_SbufUsage_avg_util_percent), 1, 0);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_PsumUsage), 1);
	row = nx_table_memory_row(&m, NX_SCHEMA_PsumUsage, 0);
	assert_int_equal(row->cells[NX_COL_PsumUsage_timestamp].i64, 3);
	assert_float_equal(share(row, NX_COL_PsumUsage_avg_util_percent), 0.25, 0);
	assert_float_equal(share(row, NX_COL_PsumUsage_bank_0_util_percent), 1, 0);
	assert_float_equal(share(row, NX_COL_PsumUsage_bank_1_util_percent), 0, 0);
	assert_int_equal(row->kinds[NX_COL_PsumUsage_bank_2_util_percent], NX_CELL_NULL);
	assert_float_equal(share(row, NX_COL_PsumUsage_bank_7_util_percent), 1, 0);
	nx_table_memory_release(&m);
}

struct allocations { /* a MEMSET of slot 1 and a DMA that slot 0 triggered */
	struct nx_made_rows made;
	uint8_t code[2 * NX_SLOT_BYTES];
	struct nx_slot slots[2];
	struct nx_operand operands[2];
	struct nx_graph graph;
	struct nx_queue queue;
	uint32_t from[1];
	struct nx_dma_descriptor descriptor;
	struct nx_dma_block block;
	struct nx_variable variables[2];
	struct nx_bir bir;
	struct nx_origin origin;
	struct nx_binary_graph binary_graph;
	struct nx_instruction rows[2];
};

static void make_program(struct allocations *a)
{
	struct nx_operand write = {.is_write = true,
				   .element_bytes = 4,
				   .dims = 1,
				   .partition_count = 1,
				   .steps = {1},
				   .counts = {8}};

	a->operands[0] = a->operands[1] = write;
	a->operands[1].address = 64;
	a->slots[0] = (struct nx_slot){
		.flags = NX_SLOT_TRIGGER, .bir = 0, .operand = 0, .operand_count = 1};
	a->slots[1] = (struct nx_slot){.bir = NX_NONE, .operand = 1, .operand_count = 1};
	a->code[0] = NX_OP_WRITE;
	a->code[NX_SLOT_BYTES] = NX_OP_MEMSET;
	a->rows[0] = (struct nx_instruction){.start_ps = 1000, .end_ps = 2000};
	a->rows[1] = (struct nx_instruction){.start_ps = 5000, .end_ps = 7500, .slot = 1};
	a->made.instructions = a->rows;
	a->made.instruction_count = 2;
}

static void make_profile(struct allocations *a)
{
	struct nx_profile *p = &a->made.profile;

	a->graph.queues = &a->queue;
	a->graph.queue_count = 1;
	a->queue.display_name = "qSyncIO";
	a->graph.engines[0].code = nx_slice_of(a->code, sizeof(a->code));
	p->capture.graphs = &a->graph;
	p->capture.graph_count = 1;
	p->capture.arch = NX_ARCH_V3;
	p->program.slots[0][0] = a->slots;
	p->program.operands = a->operands;
	a->variables[0] = (struct nx_variable){.name = "sb", .type = "state-buffer"};
	a->variables[1] = (struct nx_variable){.name = "x", .type = "input"};
	a->from[0] = 1;
	a->descriptor = (struct nx_dma_descriptor){.from = a->from, .from_count = 1};
	a->block = (struct nx_dma_block){.descriptors = &a->descriptor, .descriptor_count = 1};
	a->origin = (struct nx_origin){.has_hlo = true, .hlo_name = "%dot"};
	a->binary_graph = (struct nx_binary_graph){
		.variables = a->variables, .variable_count = 2, .birs = &a->bir, .bir_count = 1};
	a->binary_graph.engines[0].blocks = &a->block;
	a->binary_graph.engines[0].block_count = 1;
	p->program.binary_graphs[0] = &a->binary_graph;
	p->binary.origins = &a->origin;
	p->binary.origin_count = 1;
	nx_vec_push(&p->transfers,
		    ((struct nx_transfer){.start_ps = 3000, .end_ps = 4000, .block_id = 42}));
}

static void allocations_tell_who_wrote_them(void **state)
{
	struct allocations a = {0};
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	make_program(&a);
	make_profile(&a);
	assert_int_equal(nx_made_rows_fill(&a.made, nx_fill_sbuf_allocations, &m, &err), NX_OK);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_SbufAllocation), 2);
	row = nx_table_memory_row(&m, NX_SCHEMA_SbufAllocation, 0);
	assert_string_equal(nx_table_memory_text(row, NX_COL_SbufAllocation_op_source_type), "dma");
	assert_null(nx_table_memory_text(row, NX_COL_SbufAllocation_opcode));
	assert_string_equal(nx_table_memory_text(row, NX_COL_SbufAllocation_queue_name), "qSyncIO");
	assert_string_equal(nx_table_memory_text(row, NX_COL_SbufAllocation_tensor_name), "x");
	assert_string_equal(nx_table_memory_text(row, NX_COL_SbufAllocation_hlo_name), "%dot");
	assert_int_equal(row->cells[NX_COL_SbufAllocation_block_id].i64, 42);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_start_ts].i64, 3);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_end_ts].i64, 4);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_start_address].i64, 0);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_end_address].i64, 32);
	row = nx_table_memory_row(&m, NX_SCHEMA_SbufAllocation, 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_SbufAllocation_op_source_type),
			    "instruction");
	assert_string_equal(nx_table_memory_text(row, NX_COL_SbufAllocation_opcode), "MEMSET");
	assert_non_null(nx_table_memory_text(row, NX_COL_SbufAllocation_operands));
	assert_null(nx_table_memory_text(row, NX_COL_SbufAllocation_hlo_name));
	assert_null(nx_table_memory_text(row, NX_COL_SbufAllocation_queue_name));
	assert_int_equal(row->cells[NX_COL_SbufAllocation_start_ts].i64, 5);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_end_ts].i64, 7);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_start_address].i64, 64);
	assert_int_equal(row->cells[NX_COL_SbufAllocation_partition].i64, 0);
	nx_table_memory_release(&m);
	nx_vec_release(&a.made.profile.transfers);
}

static void a_scan_that_fails_is_told(void **state)
{
	static const nx_device_filler fillers[] = {nx_fill_buffer_usage, nx_fill_sbuf_allocations};
	struct nx_made_rows made = {.scan_status = NX_IO};
	struct nx_table_memory m;
	struct nx_error err;

	(void)state;
	made.profile.capture.hardware = &hardware;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(nx_made_rows_fill(&made, fillers[i], &m, &err), NX_IO);
		nx_table_memory_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usage_goes_to_the_table_of_its_memory),
		cmocka_unit_test(allocations_tell_who_wrote_them),
		cmocka_unit_test(a_scan_that_fails_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
