/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "decode/program/program_decoder.h"
#include "format/instruction.h"
#include "model/rows.h"

#define SLOTS 4

struct fixture {
	struct nx_arena arena;
	struct nx_capture capture;
	struct nx_graph graph;
	struct nx_queue queues[2];
	struct nx_block_usage usage[2];
	uint8_t device[SLOTS * NX_SLOT_BYTES];
	uint32_t compiler_slot[SLOTS];

	struct nx_binary binary;
	struct nx_binary_graph neff;
	uint8_t compiled[SLOTS * NX_SLOT_BYTES];
	uint32_t slot_bir[SLOTS];
	struct nx_bir birs[SLOTS];
	struct nx_origin origins[1];
	struct nx_variable variables[6];
	struct nx_dma_block blocks[2];
	struct nx_dma_descriptor descriptors[3];
	struct nx_queue_declaration declared[2];
	struct nx_program program;
};

/* Variables of the NEFF, by index. */
enum { STATE_BUFFER, INPUT, OUTPUT, WEIGHT, VIRTUAL, REMOTE };
static uint32_t from_of[] = {STATE_BUFFER, INPUT, OUTPUT, WEIGHT, VIRTUAL, REMOTE, NX_NONE};

static void fill_neff(struct fixture *f)
{
	static const char *const types[] = {"state-buffer", "input",   "output",
					    "file",	    "virtual", "remote"};

	for (unsigned i = 0; i < 6; i++)
		f->variables[i].type = types[i];
	for (unsigned i = 0; i < SLOTS; i++)
		f->slot_bir[i] = NX_NONE;
	f->neff.name = "sg00";
	f->neff.variables = f->variables;
	f->neff.variable_count = 6;
	f->neff.birs = f->birs;
	f->neff.bir_count = SLOTS;
	f->neff.queues = f->declared;
	f->neff.engines[NX_ENGINE_SYNC] =
		(struct nx_engine_program){.code = nx_slice_of(f->compiled, sizeof(f->compiled)),
					   .slot_bir = f->slot_bir,
					   .slot_count = SLOTS,
					   .blocks = f->blocks,
					   .block_count = 2};
	f->blocks[0] = (struct nx_dma_block){.queue = "qOther", .id = 5};
	f->blocks[1] = (struct nx_dma_block){
		.queue = "qA", .id = 5, .descriptors = f->descriptors, .descriptor_count = 0};
	f->binary.graphs = &f->neff;
	f->binary.graph_count = 1;
	f->binary.origins = f->origins;
	f->binary.origin_count = 1;
}

static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->graph.name = "sg00";
	f->graph.queues = f->queues;
	f->graph.engines[NX_ENGINE_SYNC] =
		(struct nx_engine_image){.main_slot_count = SLOTS,
					 .slot_count = SLOTS,
					 .code = nx_slice_of(f->device, sizeof(f->device)),
					 .compiler_slot = f->compiler_slot};
	for (unsigned i = 0; i < SLOTS; i++) {
		f->compiler_slot[i] = i;
		f->device[i * NX_SLOT_BYTES] = NX_OP_NOP;
	}
	f->capture.arch = NX_ARCH_V3;
	f->capture.graphs = &f->graph;
	f->capture.graph_count = 1;
	fill_neff(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_arena_release(&f->arena);
	nx_heap_free(f);
	return 0;
}

static uint8_t *word(struct fixture *f, unsigned slot)
{
	return f->device + slot * NX_SLOT_BYTES;
}

static const struct nx_slot *slot_of(const struct fixture *f, unsigned slot)
{
	return &f->program.slots[0][NX_ENGINE_SYNC][slot];
}

static void decode(struct fixture *f)
{
	nx_program_decode(&f->capture, &f->binary, &f->arena, &f->program);
}

/* Slot 0 becomes a WRITE that the compiler wrote as a trigger of block 5 of qA. */
static void make_trigger(struct fixture *f, uint32_t from, uint32_t to)
{
	word(f, 0)[0] = NX_OP_WRITE;
	f->compiled[0] = NX_OP_PSEUDO_DMA_TRIGGER;
	memcpy(f->compiled + 12, "qA", 3);
	nx_store32(f->compiled + 48, 5);
	f->descriptors[0] = (struct nx_dma_descriptor){.from = &from_of[from],
						       .from_count = 1,
						       .to = to,
						       .from_bytes = 1000,
						       .to_bytes = 600};
	f->blocks[1].descriptor_count = 1;
}

/* --- names ----------------------------------------------------------------- */

static void semaphores_are_named_by_queues_and_engines(void **state)
{
	struct fixture *f = *state;
	uint32_t of_pool[] = {8, 5, 256, UINT32_MAX}, of_sp[] = {9};
	const char *const *names;

	f->declared[0] = (struct nx_queue_declaration){
		.name = "qPoolDynamic", .semaphores = of_pool, .semaphore_count = 4};
	f->declared[1] = (struct nx_queue_declaration){
		.name = "qSPIO", .semaphores = of_sp, .semaphore_count = 1};
	f->neff.queue_count = 2;
	f->neff.runtime_semaphore_count = 3;
	decode(f);
	names = f->program.semaphore_names[0];
	assert_null(names[2]);
	assert_string_equal(names[3], "GpSimd");
	assert_string_equal(names[4], "Scalar");
	assert_string_equal(names[5], "qGpSimdDynamic"); /* a queue's claim comes first */
	assert_string_equal(names[6], "Vector");
	assert_null(names[7]);
	assert_string_equal(names[8], "qGpSimdDynamic");
	assert_string_equal(names[9], "qSyncIO");
}

static void counters_beyond_the_last_semaphore_have_no_name(void **state)
{
	struct fixture *f = *state;

	f->neff.runtime_semaphore_count = 254;
	decode(f);
	assert_string_equal(f->program.semaphore_names[0][254], "GpSimd");
	assert_string_equal(f->program.semaphore_names[0][255], "Scalar");
	f->neff.runtime_semaphore_count = UINT32_MAX;
	decode(f);
	assert_null(f->program.semaphore_names[0][0]);
}

static void another_graphs_neff_says_nothing(void **state)
{
	struct fixture *f = *state;

	f->neff.name = "sg01";
	f->slot_bir[0] = 0;
	decode(f);
	assert_null(f->program.binary_graphs[0]);
	assert_null(f->program.semaphore_names[0]);
	assert_int_equal(slot_of(f, 0)->bir, NX_NONE);
	assert_int_equal(slot_of(f, 0)->layer, 0);
}

static void layers_come_from_the_origin(void **state)
{
	struct fixture *f = *state;

	f->origins[0].layer = "mlp";
	f->slot_bir[0] = 2;
	f->slot_bir[1] = 3;
	f->slot_bir[2] = 77; /* no such BIR */
	f->birs[2] = (struct nx_bir){.origin = 0, .instruction_type = NX_TYPE_TRANSPOSE};
	f->birs[3] = (struct nx_bir){.origin = NX_NONE};
	f->compiler_slot[3] = NX_NONE;
	decode(f);
	assert_int_equal(slot_of(f, 0)->bir, 2);
	assert_int_equal(slot_of(f, 0)->instruction_type, NX_TYPE_TRANSPOSE);
	assert_string_equal(f->program.layers[slot_of(f, 0)->layer], "mlp");
	assert_true(slot_of(f, 0)->flags & NX_SLOT_HAS_LAYER);
	assert_string_equal(f->program.layers[slot_of(f, 1)->layer], "Unknown");
	assert_true(slot_of(f, 1)->flags & NX_SLOT_HAS_LAYER);
	assert_int_equal(slot_of(f, 2)->bir, NX_NONE);
	assert_false(slot_of(f, 2)->flags & NX_SLOT_HAS_LAYER);
	assert_int_equal(slot_of(f, 3)->bir, NX_NONE);
	assert_int_equal(f->program.layer_count, 3); /* "", mlp, Unknown */
	assert_string_equal(f->program.layers[0], "");
}

/* --- words ----------------------------------------------------------------- */

/* The compiler's word names the variables, by number and by the table. */
static void a_dynamic_dma_is_described_like_a_block(void **state)
{
	struct fixture *f = *state;
	struct nx_dma_word *w = (struct nx_dma_word *)(f->compiled + 2 * NX_SLOT_BYTES);
	static uint32_t table[] = {NX_NONE, INPUT};
	const struct nx_dma_block *block;
	const struct nx_dma_descriptor *d;

	for (unsigned i = 0; i < 6; i++)
		f->variables[i].var_id = i;
	f->neff.address_table = table;
	f->neff.address_table_count = 2;
	f->queues[1] = (struct nx_queue){.name = "qSPDynamicHW",
					 .display_name = "qSyncDynamicHW",
					 .queue_class = NX_QUEUE_HARDWARE_DYNAMIC};
	f->queues[0] = (struct nx_queue){.name = "qActDynamicHW",
					 .display_name = "qScalarDynamicHW",
					 .queue_class = NX_QUEUE_HARDWARE_DYNAMIC};
	f->graph.queue_count = 2;
	word(f, 2)[0] = word(f, 3)[0] = NX_OP_DMA_DIRECT2D;
	f->compiled[2 * NX_SLOT_BYTES] = NX_OP_PSEUDO_DMA_DIRECT2D;
	w->semaphore = 9;
	w->source = (struct nx_word_dma_side){.offset = 31,
					      .index = {1},
					      .kind = NX_PLACE_TABLE_REGISTER,
					      .outer_step = 64,
					      .inner_step = 2,
					      .outer_count = 5,
					      .inner_count = 3,
					      .element_bytes = 2};
	w->target = (struct nx_word_dma_side){
		.offset = 8, .kind = NX_PLACE_VARIABLE, .outer_count = 15, .inner_count = 1};
	decode(f);
	assert_string_equal(f->program.queue_names[slot_of(f, 2)->trigger_queue], "qSPDynamicHW");
	assert_int_equal(f->program.dynamic_block_count, 1); /* slot 3 has no compiler's word */
	assert_int_equal(slot_of(f, 3)->trigger_block_index, NX_NONE);
	block = &f->program.dynamic_blocks[slot_of(f, 2)->trigger_block_index];
	assert_int_equal(block->semaphore, 9);
	assert_int_equal(block->descriptor_count, 1);
	d = block->descriptors;
	assert_int_equal(d->from[0], INPUT);
	assert_int_equal(d->from_offset, NX_OFFSET_UNKNOWN);
	assert_int_equal(d->from_bytes, 30);
	assert_int_equal(d->from_steps[2], 64);
	assert_int_equal(d->to, STATE_BUFFER);
	assert_int_equal(d->to_offset, 8);
	assert_int_equal(d->to_sizes[0], 65536); /* stored as 0 */
}

static void opcodes_give_flags(void **state)
{
	struct fixture *f = *state;

	word(f, 0)[0] = NX_OP_EVENT_SEMAPHORE;
	word(f, 1)[0] = NX_OP_ACTIVATE_QUANTIZE;
	word(f, 2)[0] = NX_OP_DMA_DIRECT2D;
	word(f, 3)[0] = 0x7b; /* a word nobody knows */
	decode(f);
	assert_int_equal(slot_of(f, 0)->flags, NX_SLOT_WAITS_ONLY | NX_SLOT_SETUP);
	assert_true(slot_of(f, 1)->flags & NX_SLOT_ACTIVATE);
	assert_false(slot_of(f, 1)->flags & NX_SLOT_SETUP);
	assert_true(slot_of(f, 2)->flags & NX_SLOT_DYNAMIC_DMA);
	assert_true(slot_of(f, 2)->flags & NX_SLOT_HBM_READ);
	assert_false(slot_of(f, 2)->flags & NX_SLOT_TEXT_UNKNOWN);
	assert_int_equal(slot_of(f, 3)->flags, NX_SLOT_TEXT_UNKNOWN);
	assert_int_equal(slot_of(f, 3)->opcode, 0x7b);
}

static void waits_for_semaphores_are_noted(void **state)
{
	struct fixture *f = *state;

	word(f, 1)[0] = NX_OP_COPY;
	word(f, 1)[4] = 5; /* at least */
	word(f, 1)[5] = 200;
	decode(f);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_WAITS_SEMAPHORE);
	assert_true(slot_of(f, 1)->flags & NX_SLOT_WAITS_SEMAPHORE);
	assert_int_equal(slot_of(f, 1)->wait_semaphore, 200);
}

static void operands_are_kept_with_their_buffer(void **state)
{
	struct fixture *f = *state;
	uint8_t *w = word(f, 1);
	const struct nx_operand *o;

	/* MATMUL 128 * 64 of [1,..][8,2,1] bfloat16 at 0x100 into PSUM 0x800 */
	w[0] = NX_OP_MATMUL;
	w[32] = 6;
	w[38] = 128;
	w[39] = 64;
	nx_store32(w + 16, 0x100);
	nx_store16(w + 20, 1);
	nx_store16(w + 22, (uint16_t)-3);
	nx_store16(w + 26, 8);
	nx_store16(w + 28, 2);
	nx_store16(w + 30, 1);
	nx_store32(w + 48, NX_PSUM_BASE + 0x800);
	nx_store16(w + 52, 1);
	nx_store16(w + 58, 16);
	nx_store16(w + 60, 1);
	nx_store16(w + 62, 1);
	decode(f);
	assert_true(slot_of(f, 1)->flags & NX_SLOT_MATMUL);
	assert_int_equal(slot_of(f, 1)->elements, 128 * 64 * 16);
	assert_int_equal(slot_of(f, 1)->sbuf_read_bytes, 32);
	assert_int_equal(slot_of(f, 1)->psum_write_bytes, 32);
	assert_int_equal(slot_of(f, 1)->operand_count, 2);
	assert_int_equal(f->program.operand_count, 2);
	o = &f->program.operands[slot_of(f, 1)->operand];
	assert_int_equal(o[0].buffer, NX_BUFFER_SBUF);
	assert_int_equal(o[0].address, 0x100);
	assert_false(o[0].is_write);
	assert_int_equal(o[0].element_bytes, 2);
	assert_int_equal(o[0].dims, 3);
	assert_int_equal(o[0].steps[1], -3);
	assert_int_equal(o[0].counts[0], 8);
	assert_int_equal(o[1].buffer, NX_BUFFER_PSUM);
	assert_int_equal(o[1].address, 0x800);
	assert_true(o[1].is_write);
	assert_int_equal(o[1].element_bytes, 4); /* sums are held as fp32 */
	assert_int_equal(o[1].counts[0], 16);
}

static void reading_psum_and_writing_sbuf_is_an_eviction(void **state)
{
	struct fixture *f = *state;
	uint8_t *w = word(f, 0);

	w[0] = NX_OP_COPY;
	w[32] = w[33] = 10;
	nx_store32(w + 12, NX_PSUM_BASE);
	for (unsigned d = 0; d < 4; d++) {
		nx_store16(w + 24 + 2 * d, 2);
		nx_store16(w + 56 + 2 * d, 2);
	}
	decode(f);
	assert_true(slot_of(f, 0)->flags & NX_SLOT_EVICTION);
	assert_int_equal(slot_of(f, 0)->psum_read_bytes, 64);
	assert_int_equal(slot_of(f, 0)->sbuf_write_bytes, 64);
}

/* --- triggers -------------------------------------------------------------- */

static void a_weight_load_is_a_trigger(void **state)
{
	struct fixture *f = *state;
	const struct nx_slot *slot;

	make_trigger(*state, WEIGHT, STATE_BUFFER);
	decode(f);
	slot = slot_of(f, 0);
	assert_true(slot->flags & NX_SLOT_TRIGGER);
	assert_string_equal(f->program.queue_names[slot->trigger_queue], "qA");
	assert_int_equal(slot->trigger_block, 5);
	assert_int_equal(slot->trigger_block_index, 1); /* not the other queue's block 5 */
	assert_true(slot->flags & NX_SLOT_WEIGHT_QUEUE);
	assert_true(slot->flags & NX_SLOT_HBM_READ);
	assert_true(slot->flags & NX_SLOT_SBUF_WRITE);
	assert_false(slot->flags & (NX_SLOT_SBUF_READ | NX_SLOT_HBM_WRITE));
	assert_int_equal(slot->hbm_read_bytes, 1000);
	assert_int_equal(slot->sbuf_write_bytes, 600);
	assert_int_equal(slot->queue_bytes, 600);
}

static void directions_give_queue_kinds(void **state)
{
	static const struct {
		uint32_t from, to;
		uint8_t type;
		uint32_t want;
	} cases[] = {
		{INPUT, STATE_BUFFER, NX_TYPE_REGULAR, NX_SLOT_INPUT_QUEUE},
		{STATE_BUFFER, OUTPUT, NX_TYPE_SPILL, NX_SLOT_OUTPUT_QUEUE},
		{STATE_BUFFER, VIRTUAL, NX_TYPE_SPILL, NX_SLOT_SPILL_SAVE},
		{VIRTUAL, STATE_BUFFER, NX_TYPE_SPILL, NX_SLOT_SPILL_RELOAD},
		{STATE_BUFFER, VIRTUAL, NX_TYPE_REGULAR, 0},
		{REMOTE, STATE_BUFFER, NX_TYPE_SPILL, 0},
		{6, STATE_BUFFER, NX_TYPE_REGULAR, 0}, /* from nowhere known */
	};
	const uint32_t kinds = NX_SLOT_WEIGHT_QUEUE | NX_SLOT_INPUT_QUEUE | NX_SLOT_OUTPUT_QUEUE |
			       NX_SLOT_SPILL_SAVE | NX_SLOT_SPILL_RELOAD;
	struct fixture *f = *state;

	f->slot_bir[0] = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_trigger(f, cases[i].from, cases[i].to);
		f->birs[1] = (struct nx_bir){.origin = NX_NONE, .instruction_type = cases[i].type};
		decode(f);
		assert_int_equal(slot_of(f, 0)->flags & kinds, cases[i].want);
	}
}

static void sums_share_their_bytes_between_sources(void **state)
{
	struct fixture *f = *state;
	uint32_t sources[] = {VIRTUAL, STATE_BUFFER, STATE_BUFFER, STATE_BUFFER};

	make_trigger(f, VIRTUAL, OUTPUT);
	f->descriptors[0].from = sources;
	f->descriptors[0].from_count = 4;
	f->descriptors[1] = f->descriptors[0];
	f->blocks[1].descriptor_count = 2;
	decode(f);
	assert_int_equal(slot_of(f, 0)->hbm_read_bytes, 500);
	assert_int_equal(slot_of(f, 0)->sbuf_read_bytes, 1500);
	assert_int_equal(slot_of(f, 0)->hbm_write_bytes, 1200);
	assert_int_equal(slot_of(f, 0)->queue_bytes, 1200);
}

/* Rows of 64 bytes, 3 of them 128 apart in each of 32 partitions. */
static void a_load_touches_its_rows_in_each_partition(void **state)
{
	struct fixture *f = *state;
	uint64_t to_sizes[] = {64, 3, 32};
	int64_t to_steps[] = {1, 128, 1 << 18};
	const struct nx_operand *o;

	make_trigger(f, INPUT, STATE_BUFFER);
	f->descriptors[0].to_offset = (5 << 18) + 256;
	f->descriptors[0].to_sizes = to_sizes;
	f->descriptors[0].to_steps = to_steps;
	f->descriptors[0].to_dims = 3;
	decode(f);
	assert_int_equal(slot_of(f, 0)->operand_count, 1);
	o = &f->program.operands[slot_of(f, 0)->operand];
	assert_true(o->is_write);
	assert_int_equal(o->buffer, NX_BUFFER_SBUF);
	assert_int_equal(o->address, (5 << 18) + 256);
	assert_int_equal(o->partition_count, 32);
	assert_int_equal(o->element_bytes, 4);
	assert_int_equal(o->dims, 2);
	assert_int_equal(o->counts[0], 16);
	assert_int_equal(o->counts[1], 3);
	assert_int_equal(o->steps[1], 32);
}

static void a_trigger_of_an_undescribed_block_stays_a_trigger(void **state)
{
	struct fixture *f = *state;

	make_trigger(f, WEIGHT, STATE_BUFFER);
	nx_store32(f->compiled + 48, 6);
	decode(f);
	assert_true(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
	assert_int_equal(slot_of(f, 0)->trigger_block, 6);
	assert_int_equal(slot_of(f, 0)->trigger_block_index, NX_NONE);
	assert_int_equal(slot_of(f, 0)->queue_bytes, 0);
}

static void only_a_write_made_from_a_trigger_is_one(void **state)
{
	struct fixture *f = *state;

	make_trigger(f, WEIGHT, STATE_BUFFER);
	word(f, 0)[0] = NX_OP_NOP;
	decode(f);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
	word(f, 0)[0] = NX_OP_WRITE;
	f->compiler_slot[0] = NX_NONE;
	decode(f);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
	f->compiler_slot[0] = SLOTS; /* behind the compiled stream */
	decode(f);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
	f->compiler_slot[0] = 0;
	f->compiled[0] = NX_OP_WRITE;
	decode(f);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
}

static void without_neff_a_single_block_is_what_writes_ring(void **state)
{
	struct fixture *f = *state;

	f->usage[0] = f->usage[1] = (struct nx_block_usage){7, 1};
	f->queues[0] = (struct nx_queue){.name = "qA", .blocks = &f->usage[0], .block_count = 1};
	f->queues[1] = (struct nx_queue){
		.name = "qA", .engine_idx = 1, .blocks = &f->usage[1], .block_count = 1};
	f->graph.queue_count = 2;
	word(f, 0)[0] = word(f, 1)[0] = NX_OP_WRITE;
	f->compiler_slot[1] = NX_NONE; /* the runtime's own */
	nx_program_decode(&f->capture, NULL, &f->arena, &f->program);
	assert_true(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
	assert_int_equal(slot_of(f, 0)->trigger_block, 7);
	assert_int_equal(slot_of(f, 0)->trigger_block_index, NX_NONE);
	assert_string_equal(f->program.queue_names[slot_of(f, 0)->trigger_queue], "qA");
	assert_false(slot_of(f, 1)->flags & NX_SLOT_TRIGGER);
	assert_false(slot_of(f, 2)->flags & NX_SLOT_TRIGGER);
}

static void without_neff_two_blocks_are_a_riddle(void **state)
{
	struct fixture *f = *state;

	f->usage[0] = (struct nx_block_usage){7, 1};
	f->usage[1] = (struct nx_block_usage){8, 1};
	f->queues[0] = (struct nx_queue){.name = "qA", .blocks = f->usage, .block_count = 2};
	f->graph.queue_count = 1;
	word(f, 0)[0] = NX_OP_WRITE;
	nx_program_decode(&f->capture, NULL, &f->arena, &f->program);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
	f->queues[0].block_count = 1;
	f->queues[1] = f->queues[0];
	f->queues[1].name = "qB";
	f->graph.queue_count = 2;
	nx_program_decode(&f->capture, NULL, &f->arena, &f->program);
	assert_false(slot_of(f, 0)->flags & NX_SLOT_TRIGGER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(semaphores_are_named_by_queues_and_engines),
		TEST(counters_beyond_the_last_semaphore_have_no_name),
		TEST(another_graphs_neff_says_nothing),
		TEST(layers_come_from_the_origin),
		TEST(opcodes_give_flags),
		TEST(a_dynamic_dma_is_described_like_a_block),
		TEST(waits_for_semaphores_are_noted),
		TEST(operands_are_kept_with_their_buffer),
		TEST(reading_psum_and_writing_sbuf_is_an_eviction),
		TEST(a_weight_load_is_a_trigger),
		TEST(directions_give_queue_kinds),
		TEST(sums_share_their_bytes_between_sources),
		TEST(a_load_touches_its_rows_in_each_partition),
		TEST(a_trigger_of_an_undescribed_block_stays_a_trigger),
		TEST(only_a_write_made_from_a_trigger_is_one),
		TEST(without_neff_a_single_block_is_what_writes_ring),
		TEST(without_neff_two_blocks_are_a_riddle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
