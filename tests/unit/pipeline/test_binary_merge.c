/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/binary_merge.h"
#include "pipeline/neff_match.h"

/* A NEFF with two rows of everything, the second of which refers to the first. */
struct made {
	struct nx_bir birs[2];
	struct nx_binary_graph graphs[1];
	struct nx_tensor tensors[1];
	struct nx_origin origins[2];
	const char *texts[2];
	struct nx_source_location locations[2];
	struct nx_stack_frame frames[2];
	struct nx_kernel_frame kernel_frames[2];
	struct nx_kernel_iteration iterations[2];
	struct nx_kernel_instruction kernel_instructions[2];
	struct nx_property missing[1];
};

static struct nx_binary make(struct made *m, uint8_t id, uint64_t mac_count)
{
	*m = (struct made){
		.birs = {{.origin = 1, .kernel_instruction = 1}, {.origin = NX_NONE}},
		.graphs = {{.name = "sg00", .birs = m->birs, .bir_count = 2}},
		.tensors = {{.name = "a"}},
		.origins = {{.stack_frame = 0}, {.stack_frame = 2}},
		.texts = {"x", "y"},
		.locations = {{0, 0, 1}, {2, 1, 5}},
		.frames = {{0, 0}, {2, 1}},
		.kernel_frames = {{.parent = NX_NONE}, {.parent = 0}},
		.iterations = {{.parent = NX_NONE}, {.parent = 0}},
		.kernel_instructions = {{.frame = NX_NONE, .iteration = NX_NONE}, {.frame = 1}},
		.missing = {{"hlo", "no layers"}},
	};
	m->birs[1].kernel_instruction = NX_NONE;
	return (struct nx_binary){.uuid = {id},
				  .network_name = id == 1 ? "one" : "two",
				  .graphs = m->graphs,
				  .graph_count = 1,
				  .tensors = m->tensors,
				  .tensor_count = 1,
				  .origins = m->origins,
				  .origin_count = 2,
				  .stack = {m->texts, m->texts, 2, 2, m->locations, 2, m->frames,
					    2},
				  .kernel_frames = m->kernel_frames,
				  .kernel_frame_count = 2,
				  .kernel_iterations = m->iterations,
				  .kernel_iteration_count = 2,
				  .kernel_instructions = m->kernel_instructions,
				  .kernel_instruction_count = 2,
				  .has_hlo_statistics = id == 1,
				  .hlo_mac_count = mac_count,
				  .missing = m->missing,
				  .missing_count = 1};
}

static void indices_lead_to_the_rows_of_their_own_part(void **state)
{
	struct nx_execution_span runs[] = {{.model_idx = 4}, {.model_idx = 7}, {.model_idx = 4}};
	struct nx_capture capture = {.executions = runs, .shown_execution_count = 3};
	struct made made[2];
	struct nx_binary parts[] = {make(&made[0], 1, 10), make(&made[1], 2, 100)}, whole;
	struct nx_arena arena = {0};

	(void)state;
	parts[0].model_idx = 4;
	parts[1].model_idx = 7;
	nx_binary_merge(&whole, parts, 2, &capture, &arena);
	assert_int_equal(whole.graph_count, 2);
	assert_string_equal(whole.graphs[0].name, "model4/sg00");
	assert_string_equal(whole.graphs[1].name, "model7/sg00");
	assert_int_equal(whole.graphs[1].part, 1);
	assert_int_equal(whole.tensors[1].graph, 1);
	for (uint32_t p = 0; p < 2; p++) {
		const struct nx_bir *birs = whole.graphs[p].birs;

		assert_int_equal(birs[0].origin, 2 * p + 1);
		assert_int_equal(birs[0].kernel_instruction, 2 * p + 1);
		assert_int_equal(birs[1].origin, NX_NONE);
		assert_int_equal(birs[1].kernel_instruction, NX_NONE);
		assert_int_equal(whole.origins[2 * p].stack_frame, 0);
		assert_int_equal(whole.origins[2 * p + 1].stack_frame, 2 * p + 2);
		assert_int_equal(whole.stack.frames[2 * p].parent, 0);
		assert_int_equal(whole.stack.frames[2 * p + 1].parent, 2 * p + 1);
		assert_int_equal(whole.stack.frames[2 * p + 1].location, 2 * p + 2);
		assert_int_equal(whole.stack.locations[2 * p + 1].file_name, 2 * p + 2);
		assert_int_equal(whole.stack.locations[2 * p + 1].function_name, 2 * p + 1);
		assert_int_equal(whole.stack.locations[2 * p].file_name, 0);
		assert_int_equal(whole.kernel_frames[2 * p + 1].parent, 2 * p);
		assert_int_equal(whole.kernel_frames[2 * p].parent, NX_NONE);
		assert_int_equal(whole.kernel_iterations[2 * p + 1].parent, 2 * p);
		assert_int_equal(whole.kernel_instructions[2 * p + 1].frame, 2 * p + 1);
		assert_int_equal(whole.kernel_instructions[2 * p + 1].iteration, 2 * p);
		assert_int_equal(whole.kernel_instructions[2 * p].frame, NX_NONE);
	}
	assert_int_equal(whole.hlo_mac_count, 2 * 10 + 100); /* each execution counts */
	assert_false(whole.has_hlo_statistics);
	assert_string_equal(whole.missing[1].name, "model 7, hlo");
	assert_int_equal(whole.part_count, 2);
	assert_string_equal(whole.parts[1].network_name, "two");
	nx_arena_release(&arena);
}

static void each_model_takes_the_neff_with_its_id(void **state)
{
	const uint8_t ids[2][16] = {{1}, {2}};
	struct nx_graph graphs[] = {
		{.model_idx = 0, .uid = nx_slice_of(ids[1], 16)},
		{.model_idx = 1, .uid = nx_slice_of(ids[0], 16)},
		{.model_idx = 2, .uid = nx_slice_of("sixteen bytes..", 16)},
	};
	struct nx_capture capture = {.graphs = graphs, .graph_count = 3, .model_count = 3};
	struct nx_binary binaries[] = {{.uuid = {9}}, {.uuid = {1}}, {.uuid = {1}}, {.uuid = {2}}};

	(void)state;
	assert_int_equal(nx_neff_join(&capture, binaries, 4), 2);
	assert_int_equal(binaries[0].uuid[0], 1);
	assert_int_equal(binaries[0].model_idx, 1);
	assert_int_equal(binaries[1].uuid[0], 2);
	assert_int_equal(binaries[1].model_idx, 0);
	assert_false(graphs[0].is_of_other_neff);
	assert_false(graphs[1].is_of_other_neff);
	assert_true(graphs[2].is_of_other_neff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_lead_to_the_rows_of_their_own_part),
		cmocka_unit_test(each_model_takes_the_neff_with_its_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
