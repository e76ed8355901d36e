/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/opcode_summary.h"

static void run(struct nx_opcode_summary *s, uint8_t graph, uint8_t engine, uint8_t opcode,
		uint64_t start_ps, uint64_t end_ps)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = end_ps, .graph = graph, .engine = engine};
	struct nx_slot slot = {.opcode = opcode};

	nx_opcode_summary_add(s, &row, &slot);
}

static void overlaps_count_twice_in_the_sum_and_once_in_the_union(void **state)
{
	struct nx_opcode_summary *s = nx_heap_alloc(sizeof(*s));
	const struct nx_opcode_cost *cost = &s->costs[NX_ENGINE_TENSOR][2];

	(void)state;
	memset(s, 0, sizeof(*s));
	run(s, 0, NX_ENGINE_TENSOR, 2, 100, 200);
	run(s, 0, NX_ENGINE_VECTOR, 2, 100, 900);
	run(s, 1, NX_ENGINE_TENSOR, 2, 150, 300); /* on another core */
	run(s, 0, NX_ENGINE_TENSOR, 1, 150, 500);
	run(s, 0, NX_ENGINE_TENSOR, 2, 400, 450);
	assert_int_equal(cost->instruction_count, 3);
	assert_int_equal(cost->instruction_ps, 300);
	assert_int_equal(nx_span_union_length(&cost->busy), 250);
	assert_int_equal(s->costs[NX_ENGINE_VECTOR][2].instruction_ps, 800);
	assert_int_equal(s->costs[NX_ENGINE_TENSOR][1].instruction_count, 1);
	assert_int_equal(s->costs[NX_ENGINE_SYNC][2].instruction_count, 0);
	nx_heap_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlaps_count_twice_in_the_sum_and_once_in_the_union),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
