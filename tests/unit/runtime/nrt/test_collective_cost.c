/* SPDX-License-Identifier: Apache-2.0 */
/* Ways and times of collectives, worked out by hand from the constants' table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/timing/collective_cost.h"

#define MB (UINT64_C(1) << 20)

static struct nx_collective_plan plan_of(int64_t kind, uint32_t ranks, uint32_t nodes,
					 uint64_t bytes)
{
	const struct nx_collective_shape shape = {kind, ranks, nodes, bytes};

	return nx_collective_plan_make(&shape);
}

static uint64_t cost_of(enum nx_device_arch arch, int64_t kind, uint32_t ranks, uint32_t nodes,
			uint64_t bytes)
{
	const struct nx_collective_shape shape = {kind, ranks, nodes, bytes};
	struct nx_collective_plan plan = nx_collective_plan_make(&shape);

	return nx_collective_cost_ps(arch, &shape, &plan);
}

static void ways_go_by_size(void **state)
{
	const int64_t kind = NX_COLLECTIVE_ALL_REDUCE;

	(void)state;
	assert_int_equal(plan_of(kind, 16, 1, MB - 1).algorithm, NX_ALGORITHM_MESH);
	assert_int_equal(plan_of(kind, 16, 1, MB).algorithm, NX_ALGORITHM_RDH);
	assert_int_equal(plan_of(kind, 16, 1, 56 * MB).algorithm, NX_ALGORITHM_RDH);
	assert_int_equal(plan_of(kind, 16, 1, 56 * MB + 1).algorithm, NX_ALGORITHM_KANGARING);
	assert_int_equal(plan_of(kind, 12, 1, 2 * MB).algorithm, NX_ALGORITHM_RING);
	assert_int_equal(plan_of(kind, 7, 1, 100 * MB).algorithm, NX_ALGORITHM_RING);
	assert_int_equal(plan_of(kind, 16, 2, 2 * MB).algorithm, NX_ALGORITHM_RDH_NODES);
	assert_int_equal(plan_of(kind, 16, 2, 100 * MB).algorithm, NX_ALGORITHM_RING);
	assert_int_equal(plan_of(NX_COLLECTIVE_ALL_TO_ALL, 16, 1, 100 * MB).algorithm,
			 NX_ALGORITHM_MESH);
}

static void ranks_are_dealt_out_to_machines(void **state)
{
	const struct nx_collective_place place = {.rank_count = 8, .node_count = 4};
	uint32_t near[] = {2, 3}, far[] = {6, 0, 1, 7}, strange[] = {8, UINT32_MAX};

	(void)state;
	assert_int_equal(nx_collective_node_count(&place, NULL), 4);
	assert_int_equal(nx_collective_node_count(&place, &(struct nx_rank_list){near, 2}), 1);
	assert_int_equal(nx_collective_node_count(&place, &(struct nx_rank_list){far, 4}), 2);
	assert_int_equal(nx_collective_node_count(&place, &(struct nx_rank_list){strange, 2}), 1);
	assert_int_equal(nx_collective_node_count(&(struct nx_collective_place){0}, NULL), 1);
}

/* A rank on each machine is as far from the others as ranks can be. */
static void one_rank_a_machine_is_far(void **state)
{
	const struct nx_collective_word word = {.kind = NX_COLLECTIVE_ALL_REDUCE,
						.element_count = 1};

	(void)state;
	assert_int_equal(nx_collective_shape_of(&word, &(struct nx_rank_list){0}, 2, 2).node_count,
			 2);
	assert_int_equal(nx_collective_shape_of(&word, &(struct nx_rank_list){0}, 2, 4).node_count,
			 2);
	assert_int_equal(nx_collective_shape_of(&word, &(struct nx_rank_list){0}, 2, 0).node_count,
			 1);
}

static void steps_and_bytes(void **state)
{
	struct nx_collective_plan plan = plan_of(NX_COLLECTIVE_ALL_REDUCE, 16, 1, 16 * MB);

	(void)state;
	assert_int_equal(plan.step_count, 8);
	assert_int_equal(plan.wire_bytes, 2 * 15 * MB);
	plan = plan_of(NX_COLLECTIVE_ALL_GATHER, 32, 1, 64 * MB);
	assert_int_equal(plan.step_count, 16);
	assert_int_equal(plan.wire_bytes, 31 * 2 * MB);
	plan = plan_of(NX_COLLECTIVE_REDUCE_SCATTER, 7, 1, 7 * MB);
	assert_int_equal(plan.step_count, 6);
	assert_int_equal(plan.wire_bytes, 6 * MB);
	plan = plan_of(NX_COLLECTIVE_PERMUTE, 8, 1, MB);
	assert_int_equal(plan.step_count, 1);
	assert_int_equal(plan.wire_bytes, MB);
}

/* start 2000 ns + 1 step of 1500 ns + 31/32 of 512 KiB = 507904 B at 64 B/ns = 7936 ns */
static void times_by_hand(void **state)
{
	(void)state;
	assert_int_equal(cost_of(NX_DEVICE_TRN2, NX_COLLECTIVE_ALL_GATHER, 32, 1, 524288),
			 11436000);
	/* trn1: 48 B/ns */
	assert_int_equal(cost_of(NX_DEVICE_TRN1, NX_COLLECTIVE_ALL_GATHER, 4, 1, 192000),
			 2000000 + 1500000 + 3000000);
	/* two machines: 15 us a step, 6.25 B/ns */
	assert_int_equal(cost_of(NX_DEVICE_TRN2, NX_COLLECTIVE_ALL_REDUCE, 2, 2, 62500),
			 2000000 + 2 * 15000000 + 10000000);
	/* one rank only copies: 368 KB twice through 368 B/ns */
	assert_int_equal(cost_of(NX_DEVICE_TRN2, NX_COLLECTIVE_ALL_REDUCE, 1, 1, 368000), 4000000);
	assert_int_equal(NX_COLLECTIVE_TRIGGER_PS, 1491000);
	assert_int_equal(NX_COLLECTIVE_BARRIER_PS, 369000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_go_by_size),
		cmocka_unit_test(ranks_are_dealt_out_to_machines),
		cmocka_unit_test(one_rank_a_machine_is_far),
		cmocka_unit_test(steps_and_bytes),
		cmocka_unit_test(times_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
