/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "format/instruction.h"
#include "runtime/nrt/ntff_encode.h"

#define N NX_NO_INDEX
#define SLOTS 9

/* Device slots, and the compiled slots that they came from: 1 and 5 to 7 were left out. */
static const struct {
	uint32_t compiler_pc;
	uint8_t kind;
} layout[SLOTS] = {
	{N, NX_LOADED_INSERTED}, {N, NX_LOADED_INSERTED}, {0, NX_LOADED_COMPILED},
	{2, NX_LOADED_REPLACED}, {3, NX_LOADED_REPLACED}, {4, NX_LOADED_COMPILED},
	{8, NX_LOADED_REPLACED}, {N, NX_LOADED_INSERTED}, {9, NX_LOADED_COMPILED},
};

struct fixture {
	struct nx_arena arena;
	struct nx_loaded_slot slots[SLOTS];
	struct nx_loaded_core core;
	struct nx_ntff_graph graph;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	for (unsigned i = 0; i < SLOTS; i++) {
		f.slots[i].compiler_pc = layout[i].compiler_pc;
		f.slots[i].kind = layout[i].kind;
		f.slots[i].word.bytes[0] = (uint8_t)(0x40 + i);
	}
	f.core.streams[NX_ENGINE_SCALAR] = (struct nx_loaded_stream){0x4000, f.slots, SLOTS};
	f.core.streams[NX_ENGINE_SYNC] = (struct nx_loaded_stream){0x8000, f.slots, 1};
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_arena_release(&f->arena);
	return 0;
}

static void patches_lead_back_to_the_compiler(void **state)
{
	static const struct nx_ntff_patch_location want[] = {
		{0, 2, NX_PATCH_INSERT, false},	     {3 * 64, 1, NX_PATCH_DELETE, false},
		{3 * 64, 2, NX_PATCH_MODIFY, false}, {6 * 64, 3, NX_PATCH_DELETE, false},
		{6 * 64, 1, NX_PATCH_MODIFY, false}, {7 * 64, 1, NX_PATCH_INSERT, false},
	};
	struct fixture *f = *state;
	const struct nx_ntff_patch *patch;
	uint64_t offset = 0;

	nx_ntff_fill_code(&f->core, 6, &offset, &f->arena, &f->graph);
	patch = &f->graph.patches.items[NX_ENGINE_SCALAR];
	assert_int_equal(patch->engine, NX_ENGINE_SCALAR);
	assert_int_equal(patch->locations.count, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < patch->locations.count; i++) {
		assert_int_equal(patch->locations.items[i].offset, want[i].offset);
		assert_int_equal(patch->locations.items[i].count, want[i].count);
		assert_int_equal(patch->locations.items[i].type, want[i].type);
	}
	assert_int_equal(f->graph.patches.items[NX_ENGINE_TENSOR].locations.count, 0);
}

static void images_lie_one_behind_the_other(void **state)
{
	struct fixture *f = *state;
	struct nx_bytes bytes = {0};
	uint64_t offset = 1000;

	nx_ntff_fill_code(&f->core, 6, &offset, &f->arena, &f->graph);
	assert_int_equal(f->graph.code.items[NX_ENGINE_SCALAR].offset, 1000);
	assert_int_equal(f->graph.code.items[NX_ENGINE_SCALAR].size, SLOTS * NX_SLOT_BYTES);
	assert_int_equal(f->graph.code.items[NX_ENGINE_SCALAR].start_address, 0x4000);
	assert_int_equal(f->graph.code.items[NX_ENGINE_SYNC].offset, 1000 + SLOTS * NX_SLOT_BYTES);
	assert_int_equal(offset, 1000 + (SLOTS + 1) * NX_SLOT_BYTES);
	nx_ntff_append_code(&f->core, &bytes);
	assert_int_equal(bytes.len, (SLOTS + 1) * NX_SLOT_BYTES);
	for (size_t i = 0; i < SLOTS; i++)
		assert_int_equal(bytes.items[i * NX_SLOT_BYTES], 0x40 + i);
	assert_int_equal(bytes.items[SLOTS * NX_SLOT_BYTES], 0x40);
	nx_vec_release(&bytes);
}

static void older_files_have_code_inside(void **state)
{
	struct fixture *f = *state;
	const struct nx_ntff_code *code;
	uint64_t offset = 0;

	nx_ntff_fill_code(&f->core, 5, &offset, &f->arena, &f->graph);
	code = &f->graph.code.items[NX_ENGINE_SCALAR];
	assert_int_equal(offset, 0);
	assert_int_equal(code->size, 0);
	assert_int_equal(code->inline_code.len, SLOTS * NX_SLOT_BYTES);
	assert_int_equal(code->inline_code.data[8 * NX_SLOT_BYTES], 0x48);
}

/* Two blocks: the first has 3 packets on ring 0 and 1 on ring 15, the second none on ring 0. */
static void queues_state_the_packets_of_each_ring(void **state)
{
	struct fixture *f = *state;
	struct nx_loaded_block blocks[2] = {{.id = 4}, {.id = 9}};
	struct nx_loaded_queue queues[2] = {
		{nx_slice_text("qSPIO0"), NX_LOADED_STATIC, NX_ENGINE_SYNC, 2, 3, 16, blocks, 2},
		{nx_slice_text("qPoolDynamic"), NX_LOADED_SOFTWARE_DGE, NX_ENGINE_GPSIMD, 0, 2, 16,
		 blocks, 2},
	};
	const struct nx_ntff_queue *to;

	for (unsigned r = 1; r <= NX_LOADED_RINGS; r++)
		blocks[0].first[r] = r == 16 ? 4 : 3;
	for (unsigned r = 2; r <= NX_LOADED_RINGS; r++)
		blocks[1].first[r] = r - 1;
	f->core.queues = queues;
	f->core.queue_count = 2;
	nx_ntff_fill_queues(&f->core, 4, &f->arena, &f->graph);
	assert_int_equal(f->graph.queues.count, 32);
	to = &f->graph.queues.items[0];
	assert_int_equal(to->engine_index, 80); /* of core 5: 64 to 79 are core 4's */
	assert_int_equal(to->queue_index, 2);
	assert_int_equal(to->queue_type, 3);
	assert_int_equal(to->tracing_event_id, -1);
	assert_true(nx_slice_is(to->name, "qSPIO0"));
	assert_int_equal(to->blocks.count, 2);
	assert_int_equal(to->blocks.items[0].block_id, 4);
	assert_int_equal(to->blocks.items[0].packet_count, 3);
	assert_int_equal(to->blocks.items[1].packet_count, 0);
	to = &f->graph.queues.items[15];
	assert_int_equal(to->engine_index, 95);
	assert_int_equal(to->blocks.items[0].packet_count, 1);
	assert_int_equal(to->blocks.items[1].packet_count, 1);
	assert_int_equal(f->graph.queues.items[16].blocks.count, 0);
}

static uint64_t memory_of(const struct nx_ntff_graph *graph, const char *type)
{
	for (size_t i = 0; i < graph->memory.count; i++)
		if (nx_slice_is(graph->memory.items[i].type, type))
			return graph->memory.items[i].amount_bytes;
	return UINT64_MAX;
}

static void memory_is_told_by_use(void **state)
{
	struct fixture *f = *state;
	struct nx_device_variable variables[] = {
		{.kind = NX_VARIABLE_FILE, .size_bytes = 100},
		{.kind = NX_VARIABLE_VIRTUAL, .size_bytes = 7},
		{.kind = NX_VARIABLE_FILE, .size_bytes = 11},
	};
	struct nx_core_program cores[2] = {
		{.variables = variables, .variable_count = 3, .scratch_bytes = 64},
		{.scratch_bytes = 0}};
	struct nx_device_tensor tensors[] = {{.size_bytes = 2048}, {.size_bytes = 1024}};
	struct nx_device_program program = {
		.cores = cores, .core_count = 2, .tensors = tensors, .tensor_count = 2};
	struct nx_loaded_core loaded[2] = {f->core, f->core};
	struct nx_loaded_code code = {.program = &program, .cores = loaded, .core_count = 2};

	nx_ntff_fill_memory(&code, 0, &f->arena, &f->graph);
	assert_int_equal(memory_of(&f->graph, "act"), SLOTS * NX_SLOT_BYTES);
	assert_int_equal(memory_of(&f->graph, "sp"), NX_SLOT_BYTES);
	assert_int_equal(memory_of(&f->graph, "pe"), 0);
	assert_int_equal(memory_of(&f->graph, "weight"), 111);
	assert_int_equal(memory_of(&f->graph, "scratchpad"), 64);
	assert_int_equal(memory_of(&f->graph, "tensor"), 3072);
	memset(&f->graph, 0, sizeof(f->graph));
	nx_ntff_fill_memory(&code, 1, &f->arena, &f->graph);
	assert_int_equal(memory_of(&f->graph, "tensor"), 0); /* counted once */
	assert_int_equal(memory_of(&f->graph, "weight"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(patches_lead_back_to_the_compiler),
		TEST(images_lie_one_behind_the_other),
		TEST(older_files_have_code_inside),
		TEST(queues_state_the_packets_of_each_ring),
		TEST(memory_is_told_by_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
