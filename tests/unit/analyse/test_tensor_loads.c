/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/summary.h"

static struct nx_variable variables[] = {
	{.name = "sb", .type = "state-buffer"},
	{.name = "x", .type = "input"},
	{.name = "w", .type = "file"},
	{.name = "scratch", .type = "virtual"},
};
static struct nx_tensor tensors[] = {{.name = "x"}, {.name = "w"}};
static uint32_t from_sb[] = {0}, from_x[] = {1}, from_w[] = {2}, from_scratch[] = {3},
		from_nowhere[] = {NX_NONE};

static void loads_are_counted_per_tensor(void **state)
{
	struct nx_dma_descriptor mixed[] = {
		{.from = from_x, .from_count = 1, .to = 0, .to_bytes = 100},
		{.from = from_x, .from_count = 1, .to = 0, .to_bytes = 10},
		{.from = from_w, .from_count = 1, .to = 0, .to_bytes = 1},
		{.from = from_w, .from_count = 1, .to = 3, .to_bytes = 1000},  /* not into sb */
		{.from = from_sb, .from_count = 1, .to = 1, .to_bytes = 2000}, /* a store */
		{.from = from_scratch, .from_count = 1, .to = 0, .to_bytes = 4000},
		{.from = from_nowhere, .from_count = 1, .to = 0, .to_bytes = 8000},
		{.to = 0, .to_bytes = 16000},
		{.from = from_x, .from_count = 1, .to = NX_NONE, .to_bytes = 32000},
	};
	struct nx_dma_block blocks[] = {{.descriptors = mixed, .descriptor_count = 9},
					{.descriptors = mixed, .descriptor_count = 2}};
	struct nx_binary_graph graph = {.variables = variables, .variable_count = 4};
	struct nx_profile p = {0};

	(void)state;
	graph.engines[NX_ENGINE_SYNC].blocks = blocks;
	graph.engines[NX_ENGINE_SYNC].block_count = 2;
	p.binary.tensors = tensors;
	p.binary.tensor_count = 2;
	p.program.binary_graphs[0] = &graph;
	for (uint32_t block = 0; block < 3; block++) /* the third does not exist */
		nx_vec_push(&p.transfers,
			    ((struct nx_transfer){.block = block, .engine = NX_ENGINE_SYNC}));
	nx_vec_push(&p.transfers, ((struct nx_transfer){.block = NX_NONE, .graph = 1}));
	nx_tensor_loads_sum(&p);
	assert_int_equal(p.tensor_loads[0].total_bytes, 220);
	assert_int_equal(p.tensor_loads[0].dma_count, 2);
	assert_int_equal(p.tensor_loads[1].total_bytes, 1);
	assert_int_equal(p.tensor_loads[1].dma_count, 1);
	nx_vec_release(&p.transfers);
	nx_arena_release(&p.arena);
}

static void without_a_binary_there_is_nothing(void **state)
{
	struct nx_profile p = {0};

	(void)state;
	nx_vec_push(&p.transfers, ((struct nx_transfer){.block = 0}));
	nx_tensor_loads_sum(&p);
	nx_vec_release(&p.transfers);
	nx_arena_release(&p.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_are_counted_per_tensor),
		cmocka_unit_test(without_a_binary_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
