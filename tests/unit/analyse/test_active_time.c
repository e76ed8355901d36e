/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/active_time.h"
#include "row_list.h"

static struct row_list out = {.row_size = sizeof(struct nx_active)};
static struct nx_active_analysis analysis;

static int setup(void **state)
{
	(void)state;
	memset(&analysis, 0, sizeof(analysis));
	analysis.fn = row_list_add;
	analysis.context = &out;
	nx_vec_clear(&out.bytes);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nx_vec_release(&out.bytes);
	return 0;
}

static void add(uint8_t graph, enum nx_engine engine, uint64_t start_ps, uint64_t end_ps,
		uint32_t flags)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = end_ps, .graph = graph, .engine = (uint8_t)engine};
	struct nx_slot slot = {.flags = flags};

	nx_active_add(&analysis, &row, &slot);
}

static void assert_row(size_t index, uint8_t graph, enum nx_engine engine, uint64_t start_ps,
		       uint64_t end_ps)
{
	const struct nx_active *row = row_list_at(&out, index);

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
	assert_int_equal(row_list_count(&out), 0);
	add(0, NX_ENGINE_TENSOR, 21, 30, 0);
	assert_int_equal(row_list_count(&out), 1);
	assert_row(0, 0, NX_ENGINE_TENSOR, 0, 20);
	nx_active_finish(&analysis);
	assert_int_equal(row_list_count(&out), 2);
	assert_row(1, 0, NX_ENGINE_TENSOR, 21, 30);
	nx_active_finish(&analysis);
	assert_int_equal(row_list_count(&out), 2);
}

static void engines_and_graphs_are_apart(void **state)
{
	(void)state;
	add(1, NX_ENGINE_SYNC, 0, 10, 0);
	add(0, NX_ENGINE_SYNC, 5, 15, 0);
	add(0, NX_ENGINE_VECTOR, 6, 7, 0);
	nx_active_finish(&analysis);
	assert_int_equal(row_list_count(&out), 3);
	assert_row(0, 0, NX_ENGINE_VECTOR, 6, 7);
	assert_row(1, 0, NX_ENGINE_SYNC, 5, 15);
	assert_row(2, 1, NX_ENGINE_SYNC, 0, 10);
}

static void waiting_is_not_work(void **state)
{
	(void)state;
	add(0, NX_ENGINE_SYNC, 0, 100, NX_SLOT_WAITS_ONLY);
	nx_active_finish(&analysis);
	assert_int_equal(row_list_count(&out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stretches_are_closed_by_gaps, setup, teardown),
		cmocka_unit_test_setup_teardown(engines_and_graphs_are_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(waiting_is_not_work, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
