/* SPDX-License-Identifier: Apache-2.0 */
/* Also memory_holders.c and memory_peaks.c, which name and add up what the tracker finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/analyses.h"
#include "analyse/memory_holders.h"
#include "row_list.h"

enum { LOAD, EXP, SUM, PLAIN, TRIGGER, SLOTS };
enum { STATE_BUFFER, WEIGHT, LEFT, RIGHT, INPUT, VARIABLES };

struct fixture {
	struct row_list rows;
	struct row_list instructions;
	struct nx_profile p;
	struct nx_graph graph;
	struct nx_binary_graph neff;
	struct nx_variable variables[VARIABLES];
	struct nx_bir birs[SLOTS];
	struct nx_origin origins[1];
	struct nx_operand operands[SLOTS];
	struct nx_slot slots[SLOTS]; /* slot n has operand n and comes from BIR instruction n */
	struct nx_dma_block blocks[3];
	struct nx_dma_descriptor descriptors[3];
	uint32_t sources[3];
};

static enum nx_status scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			   struct nx_error *err)
{
	struct fixture *f = context;

	if (table == NX_TABLE_MEMORY_USE)
		return nx_analysis_run(NX_ANALYSIS_MEMORY_TRACKER, &f->p, &f->p.source, fn,
				       fn_context, err);
	for (size_t i = 0; i < row_list_count(&f->instructions); i++)
		fn(fn_context, row_list_at(&f->instructions, i));
	return NX_OK;
}

static struct nx_operand bytes_of(bool is_write, uint32_t first, uint16_t count)
{
	return (struct nx_operand){.address = first,
				   .buffer = NX_BUFFER_SBUF,
				   .is_write = is_write,
				   .element_bytes = 2,
				   .dims = 1,
				   .partition_count = 1,
				   .steps = {1},
				   .counts = {(uint16_t)(count / 2)}};
}

static void describe(struct fixture *f, unsigned block, uint32_t from, uint32_t to)
{
	f->sources[block] = from;
	f->descriptors[block] =
		(struct nx_dma_descriptor){.from = &f->sources[block], .from_count = 1, .to = to};
	f->blocks[block] =
		(struct nx_dma_block){.descriptors = &f->descriptors[block], .descriptor_count = 1};
}

static int setup(void **state)
{
	struct fixture *f = row_list_fixture_new(sizeof(*f), sizeof(struct nx_memory_use));

	f->instructions.row_size = sizeof(struct nx_instruction);
	f->variables[STATE_BUFFER] = (struct nx_variable){.name = "sb", .type = "state-buffer"};
	f->variables[WEIGHT] = (struct nx_variable){.name = "w0", .type = "file", .size_bytes = 64};
	f->variables[LEFT] =
		(struct nx_variable){.name = "left", .type = "virtual", .size_bytes = 1000};
	f->variables[RIGHT] = (struct nx_variable){
		.name = "right", .type = "virtual", .size_bytes = 800, .backing_offset = 600};
	f->variables[INPUT] = (struct nx_variable){.name = "x", .type = "input", .size_bytes = 512};
	f->origins[0] =
		(struct nx_origin){.has_hlo = true, .hlo_name = "%exp.7 = f32[8]{0} exp(%x)"};
	for (unsigned i = 0; i < SLOTS; i++) {
		f->slots[i] = (struct nx_slot){.operand = i, .operand_count = 1, .bir = i};
		f->birs[i] = (struct nx_bir){
			.name = "inst", .origin = NX_NONE, .kernel_file = "", .kernel_name = ""};
	}
	f->birs[EXP].origin = 0;
	f->birs[SUM].kernel_file = "/home/me/attention.py";
	f->birs[SUM].kernel_line = 12;
	f->birs[PLAIN].name = "I-3";
	f->slots[TRIGGER].flags = NX_SLOT_TRIGGER;
	f->neff = (struct nx_binary_graph){.variables = f->variables,
					   .variable_count = VARIABLES,
					   .birs = f->birs,
					   .bir_count = SLOTS};
	f->neff.engines[NX_ENGINE_VECTOR].blocks = f->blocks;
	f->neff.engines[NX_ENGINE_VECTOR].block_count = 3;
	describe(f, 0, WEIGHT, STATE_BUFFER);
	describe(f, 1, STATE_BUFFER, LEFT);
	describe(f, 2, LEFT, RIGHT);
	f->graph.engines[NX_ENGINE_VECTOR].slot_count = SLOTS;
	f->p.has_binary = true;
	f->p.binary.origins = f->origins;
	f->p.binary.origin_count = 1;
	f->p.capture.graphs = &f->graph;
	f->p.capture.graph_count = 1;
	f->p.capture.total_time_ps = 1000;
	f->p.program.binary_graphs[0] = &f->neff;
	f->p.program.operands = f->operands;
	f->p.program.slots[0][NX_ENGINE_VECTOR] = f->slots;
	f->p.source = (struct nx_row_source){scan, NULL, f};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->p.transfers);
	nx_vec_release(&f->instructions.bytes);
	nx_arena_release(&f->p.arena);
	return row_list_fixture_end(state);
}

static void run(struct fixture *f, uint32_t slot, uint64_t start_ps, uint64_t end_ps)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = end_ps, .slot = slot, .engine = NX_ENGINE_VECTOR};

	row_list_add(&f->instructions, &row);
}

static void move(struct fixture *f, uint32_t block, uint64_t start_ps, uint64_t end_ps)
{
	nx_vec_push(&f->p.transfers, ((struct nx_transfer){.start_ps = start_ps,
							   .end_ps = end_ps,
							   .block = block,
							   .slot = TRIGGER,
							   .engine = NX_ENGINE_VECTOR}));
}

static void track(struct fixture *f)
{
	struct nx_error err;

	nx_memory_holders_find(&f->p);
	assert_int_equal(nx_memory_peaks_find(&f->p, &err), NX_OK);
	assert_int_equal(nx_profile_scan(&f->p, NX_TABLE_MEMORY_USE, row_list_add, &f->rows, &err),
			 NX_OK);
}

struct want {
	uint64_t time_ps;
	enum nx_memory memory;
	const char *kind, *name;
	uint64_t live_bytes, total_bytes;
};

static void assert_rows(const struct fixture *f, const struct want *want, size_t count)
{
	assert_int_equal(row_list_count(&f->rows), count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_memory_use *row = row_list_at(&f->rows, i);
		const struct nx_memory_holder *holder = &f->p.memory->holders[row->holder];

		assert_int_equal(row->time_ps, want[i].time_ps);
		assert_int_equal(row->memory, want[i].memory);
		assert_string_equal(holder->kind, want[i].kind);
		assert_string_equal(holder->name, want[i].name);
		assert_int_equal(row->live_bytes, want[i].live_bytes);
		assert_int_equal(row->total_bytes, want[i].total_bytes);
	}
}

/* exp writes bytes 0 to 31, which sum reads at 50; sum writes 32 to 47, which nobody reads. */
static void bytes_belong_to_what_wrote_them(void **state)
{
	static const struct want want[] = {
		{10, NX_MEMORY_SBUF, "hlo", "exp.7", 32, 32},
		{30, NX_MEMORY_SBUF, "kernel", "attention.py:12", 16, 48},
		{40, NX_MEMORY_SBUF, "kernel", "attention.py:12", 0, 32},
		{60, NX_MEMORY_SBUF, "hlo", "exp.7", 0, 0},
	};
	struct fixture *f = *state;

	f->operands[EXP] = bytes_of(true, 0, 32);
	f->operands[SUM] = bytes_of(true, 32, 16);
	f->operands[PLAIN] = bytes_of(false, 0, 32);
	run(f, EXP, 10, 20);
	run(f, SUM, 30, 40);
	run(f, PLAIN, 50, 60);
	track(f);
	assert_rows(f, want, 4);
}

/* The weight's first half, still live, is overwritten: it changes hands, the total stays. */
static void bytes_change_hands_when_something_else_writes_them(void **state)
{
	static const struct want want[] = {
		{10, NX_MEMORY_SBUF, "weight", "w0", 64, 64},
		{30, NX_MEMORY_SBUF, "weight", "w0", 32, 64},
		{30, NX_MEMORY_SBUF, "instruction", "I-3", 32, 64},
		{60, NX_MEMORY_SBUF, "instruction", "I-3", 0, 0},
		{60, NX_MEMORY_SBUF, "weight", "w0", 0, 0},
	};
	struct fixture *f = *state;

	f->operands[TRIGGER] = bytes_of(true, 0, 64);
	f->operands[EXP] = bytes_of(false, 0, 64);
	f->operands[PLAIN] = bytes_of(true, 0, 32);
	move(f, 0, 10, 20);
	run(f, EXP, 15, 60);
	run(f, PLAIN, 30, 40);
	track(f);
	assert_rows(f, want, 5);
}

/* left is [0, 1000), right is [600, 1400): 1400 bytes while both are used, not 1800. */
static void tensors_of_the_scratchpad_share_addresses(void **state)
{
	static const struct want want[] = {
		{100, NX_MEMORY_SCRATCHPAD, "scratchpad", "left", 1000, 1000},
		{300, NX_MEMORY_SCRATCHPAD, "scratchpad", "right", 800, 1400},
		{400, NX_MEMORY_SCRATCHPAD, "scratchpad", "left", 0, 0},
		{400, NX_MEMORY_SCRATCHPAD, "scratchpad", "right", 0, 0},
	};
	struct fixture *f = *state;

	move(f, 2, 300, 400);
	move(f, 1, 100, 200); /* the order of transfers does not matter */
	f->slots[TRIGGER].operand_count = 0;
	track(f);
	assert_rows(f, want, 4);
	assert_int_equal(f->p.memory->peaks[0][NX_MEMORY_SCRATCHPAD].peak_bytes, 1400);
	assert_int_equal(f->p.memory->peaks[0][NX_MEMORY_SCRATCHPAD].time_ps, 300);
	assert_int_equal(f->p.memory->peaks[0][NX_MEMORY_SCRATCHPAD].capacity_bytes, 1400);
}

/* 600 bytes of tensors hold the input of 512; 50 bytes of weights cannot hold the weight of 64. */
static void tensors_are_taken_out_of_what_was_allocated(void **state)
{
	static const struct want want[] = {
		{0, NX_MEMORY_HBM, "input", "x", 512, 1350},
		{0, NX_MEMORY_HBM, "runtime", "Tensors", 88, 1350},
		{0, NX_MEMORY_HBM, "runtime", "Weights", 50, 1350},
		{0, NX_MEMORY_HBM, "runtime", "Generic", 700, 1350},
	};
	struct nx_memory_usage usage[] = {
		{"Tensors", 600}, {"Weights", 50}, {"IO", 0}, {"Generic", 700}};
	struct fixture *f = *state;

	f->graph.memory = usage;
	f->graph.memory_count = 4;
	track(f);
	assert_rows(f, want, 4);
}

/* 32 + 16 bytes at 30; exp has grown to 40 before the smaller peak of 40 at 70. */
static void a_peak_says_what_held_it(void **state)
{
	struct fixture *f = *state;
	struct nx_memory_order order = {0};
	const struct nx_memory_holder *holders;
	const struct nx_memory_peak *peak;

	f->operands[EXP] = bytes_of(true, 0, 32);
	f->operands[SUM] = bytes_of(true, 32, 16);
	f->operands[PLAIN] = bytes_of(false, 0, 32);
	f->operands[LOAD] = bytes_of(true, 100, 40);
	run(f, EXP, 10, 20);
	run(f, SUM, 30, 40);
	run(f, PLAIN, 50, 60);
	run(f, LOAD, 70, 80);
	track(f);
	holders = f->p.memory->holders;
	peak = &f->p.memory->peaks[0][NX_MEMORY_SBUF];
	assert_int_equal(peak->peak_bytes, 48);
	assert_int_equal(peak->time_ps, 30);
	nx_memory_order_find(&order, f->p.memory, 0, NX_MEMORY_SBUF);
	assert_int_equal(order.len, 3);
	assert_string_equal(holders[order.items[0]].name, "exp.7");
	assert_int_equal(holders[order.items[0]].shares[NX_MEMORY_SBUF].bytes_at_peak, 32);
	assert_int_equal(holders[order.items[0]].shares[NX_MEMORY_SBUF].first_ps, 10);
	assert_int_equal(holders[order.items[0]].shares[NX_MEMORY_SBUF].last_ps, 60);
	assert_string_equal(holders[order.items[1]].name, "attention.py:12");
	assert_int_equal(holders[order.items[1]].shares[NX_MEMORY_SBUF].bytes_at_peak, 16);
	assert_string_equal(holders[order.items[2]].name, "inst");
	assert_int_equal(holders[order.items[2]].shares[NX_MEMORY_SBUF].bytes_at_peak, 0);
	assert_int_equal(holders[order.items[2]].shares[NX_MEMORY_SBUF].max_bytes, 40);
	nx_vec_release(&order);
}

static void without_a_neff_bytes_belong_to_engines(void **state)
{
	static const struct want want[] = {
		{10, NX_MEMORY_SBUF, "engine", "Vector", 32, 32},
		{20, NX_MEMORY_SBUF, "engine", "Vector", 0, 0},
	};
	struct fixture *f = *state;

	f->p.has_binary = false;
	f->p.program.binary_graphs[0] = NULL;
	for (unsigned i = 0; i < SLOTS; i++)
		f->slots[i].bir = NX_NONE;
	f->operands[EXP] = bytes_of(true, 0, 32);
	run(f, EXP, 10, 20);
	track(f);
	assert_rows(f, want, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bytes_belong_to_what_wrote_them, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_change_hands_when_something_else_writes_them,
						setup, teardown),
		cmocka_unit_test_setup_teardown(tensors_of_the_scratchpad_share_addresses, setup,
						teardown),
		cmocka_unit_test_setup_teardown(tensors_are_taken_out_of_what_was_allocated, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_peak_says_what_held_it, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_neff_bytes_belong_to_engines, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
