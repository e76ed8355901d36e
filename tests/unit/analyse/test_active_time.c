/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derived.h"

static struct derived *derived;
static struct nx_profile profile;
static struct nx_slot slots[2] = {{.flags = 0}, {.flags = NX_SLOT_WAITS_ONLY}};

static int setup(void **state)
{
	derived = derived_fixture_new(sizeof(*derived), NX_ANALYSIS_ACTIVE_TIME);
	derived->profile = &profile;
	for (unsigned g = 0; g < 2; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			profile.program.slots[g][e] = slots;
	*state = derived;
	return 0;
}

static void add(uint8_t graph, enum nx_engine engine, uint64_t start_ps, uint64_t end_ps,
		uint32_t slot)
{
	struct nx_instruction row = {.start_ps = start_ps,
				     .end_ps = end_ps,
				     .graph = graph,
				     .engine = (uint8_t)engine,
				     .slot = slot};

	derived_add(derived, &row);
}

static void assert_row(size_t index, uint8_t graph, enum nx_engine engine, uint64_t start_ps,
		       uint64_t end_ps)
{
	const struct nx_active *row = row_list_at(&derived->out, index);

	assert_int_equal(row->graph, graph);
	assert_int_equal(row->engine, engine);
	assert_int_equal(row->start_ps, start_ps);
	assert_int_equal(row->end_ps, end_ps);
}

static void stretches_are_closed_by_gaps(void **state)
{
	(void)state;
	add(0, NX_ENGINE_TENSOR, 0, 10, 0);
	add(0, NX_ENGINE_TENSOR, 10, 20, 0);
	add(0, NX_ENGINE_TENSOR, 12, 15, 0);
	assert_int_equal(row_list_count(&derived->out), 0);
	add(0, NX_ENGINE_TENSOR, 21, 30, 0);
	assert_int_equal(row_list_count(&derived->out), 1);
	assert_row(0, 0, NX_ENGINE_TENSOR, 0, 20);
	derived_finish(derived);
	assert_int_equal(row_list_count(&derived->out), 2);
	assert_row(1, 0, NX_ENGINE_TENSOR, 21, 30);
}

static void engines_and_graphs_are_apart(void **state)
{
	(void)state;
	add(1, NX_ENGINE_SYNC, 0, 10, 0);
	add(0, NX_ENGINE_SYNC, 5, 15, 0);
	add(0, NX_ENGINE_VECTOR, 6, 7, 0);
	derived_finish(derived);
	assert_int_equal(row_list_count(&derived->out), 3);
	assert_row(0, 0, NX_ENGINE_VECTOR, 6, 7);
	assert_row(1, 0, NX_ENGINE_SYNC, 5, 15);
	assert_row(2, 1, NX_ENGINE_SYNC, 0, 10);
}

static void waiting_is_not_work(void **state)
{
	(void)state;
	add(0, NX_ENGINE_SYNC, 0, 100, 1);
	derived_finish(derived);
	assert_int_equal(row_list_count(&derived->out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stretches_are_closed_by_gaps, setup,
						row_list_fixture_end),
		cmocka_unit_test_setup_teardown(engines_and_graphs_are_apart, setup,
						row_list_fixture_end),
		cmocka_unit_test_setup_teardown(waiting_is_not_work, setup, row_list_fixture_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
