/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/activity.h"

static const char *names[] = {"", "mlp", "attention"};
static const struct nx_program program = {.layers = names, .layer_count = 3};

static void add(struct nx_layer_analysis *a, uint8_t graph, enum nx_engine engine,
		uint64_t start_ps, uint64_t end_ps, struct nx_slot slot)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = end_ps, .graph = graph, .engine = (uint8_t)engine};

	nx_layers_add(a, &program, &row, &slot);
}

static void each_graph_comes_before_its_layers(void **state)
{
	struct nx_layer_analysis a = {0};
	struct nx_layers out = {0};

	(void)state;
	add(&a, 1, NX_ENGINE_SYNC, 5, 6, (struct nx_slot){.layer = 2});
	add(&a, 0, NX_ENGINE_SYNC, 7, 8, (struct nx_slot){.layer = 1});
	add(&a, 0, NX_ENGINE_SYNC, 9, 10, (struct nx_slot){.layer = 2});
	add(&a, 0, NX_ENGINE_SYNC, 11, 12, (struct nx_slot){.layer = 0});
	nx_layers_finish(&a, 2, &out);
	assert_int_equal(out.len, 5);
	assert_string_equal(out.items[0].name, "");
	assert_int_equal(out.items[0].graph, 0);
	assert_int_equal(out.items[0].engines[NX_ENGINE_SYNC].instruction_count, 3);
	assert_string_equal(out.items[1].name, "mlp");
	assert_string_equal(out.items[2].name, "attention");
	assert_int_equal(out.items[3].graph, 1);
	assert_string_equal(out.items[3].name, "");
	assert_string_equal(out.items[4].name, "attention");
	nx_vec_release(&out);
}

static void times_and_flops_are_summed(void **state)
{
	struct nx_layer_analysis a = {0};
	struct nx_layers out = {0};
	struct nx_slot matmul = {.flags = NX_SLOT_MATMUL, .elements = 50};
	const struct nx_layer *row;

	(void)state;
	add(&a, 0, NX_ENGINE_TENSOR, 100, 200, matmul);
	matmul.instruction_type = NX_TYPE_TRANSPOSE;
	add(&a, 0, NX_ENGINE_TENSOR, 150, 300, matmul);
	add(&a, 0, NX_ENGINE_VECTOR, 160, 400, (struct nx_slot){.flags = NX_SLOT_WAITS_ONLY});
	nx_layers_finish(&a, 1, &out);
	row = &out.items[0];
	assert_int_equal(row->start_ps, 100);
	assert_int_equal(row->end_ps, 400); /* a wait is part of the layer */
	assert_int_equal(row->engines[NX_ENGINE_TENSOR].instruction_ps, 250);
	assert_int_equal(row->engines[NX_ENGINE_TENSOR].active_ps, 200);
	assert_int_equal(row->engines[NX_ENGINE_VECTOR].instruction_count, 1);
	assert_int_equal(row->engines[NX_ENGINE_VECTOR].instruction_ps, 0);
	assert_int_equal(row->flop_count, 200);
	assert_int_equal(row->model_flop_count, 100);
	nx_vec_release(&out);
}

/* The span runs to the latest end of whatever started no later than the last Tensor start. */
static void the_tensor_span_is_a_running_maximum(void **state)
{
	struct nx_layer_analysis a = {0};
	struct nx_layers out = {0};

	(void)state;
	add(&a, 0, NX_ENGINE_SYNC, 50, 500, (struct nx_slot){0});
	add(&a, 0, NX_ENGINE_TENSOR, 100, 200, (struct nx_slot){0});
	add(&a, 0, NX_ENGINE_VECTOR, 100, 700, (struct nx_slot){0}); /* the same start counts */
	add(&a, 0, NX_ENGINE_VECTOR, 101, 900, (struct nx_slot){0}); /* later: does not */
	nx_layers_finish(&a, 1, &out);
	assert_int_equal(out.items[0].tensor_span_ps, 650);
	nx_vec_release(&out);
}

static void without_tensor_work_there_is_no_span(void **state)
{
	struct nx_layer_analysis a = {0};
	struct nx_layers out = {0};

	(void)state;
	add(&a, 0, NX_ENGINE_SYNC, 50, 500, (struct nx_slot){0});
	nx_layers_finish(&a, 1, &out);
	assert_int_equal(out.items[0].tensor_span_ps, 0);
	nx_layers_finish(&a, 1, &out); /* nothing left */
	assert_int_equal(out.len, 1);
	nx_vec_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_graph_comes_before_its_layers),
		cmocka_unit_test(times_and_flops_are_summed),
		cmocka_unit_test(the_tensor_span_is_a_running_maximum),
		cmocka_unit_test(without_tensor_work_there_is_no_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
