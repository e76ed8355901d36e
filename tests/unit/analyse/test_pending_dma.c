/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/pending_dma.h"
#include "row_list.h"

struct fixture {
	struct row_list out;
	struct nx_pending_analysis a;
	struct nx_transfers transfers;
};

static int setup(void **state)
{
	struct fixture *f = row_list_fixture_new(sizeof(*f), sizeof(struct nx_pending));

	f->a.fn = row_list_add;
	f->a.context = &f->out;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->transfers);
	return row_list_fixture_end(state);
}

static void transfer(struct fixture *f, uint8_t graph, uint64_t trigger_ps, uint64_t end_ps)
{
	struct nx_transfer t = {.trigger_ps = trigger_ps,
				.start_ps = trigger_ps + 1,
				.end_ps = end_ps,
				.graph = graph};

	nx_vec_push(&f->transfers, t);
}

static void instruction(struct fixture *f, uint8_t graph, uint64_t start_ps, uint32_t flags)
{
	struct nx_instruction row = {.start_ps = start_ps, .end_ps = start_ps, .graph = graph};
	struct nx_slot slot = {.flags = flags};

	nx_pending_add(&f->a, &row, &slot);
}

static void assert_row(const struct fixture *f, size_t index, uint8_t graph, uint64_t time_ps,
		       int64_t value)
{
	const struct nx_pending *row = row_list_at(&f->out, index);

	assert_int_equal(row->graph, graph);
	assert_int_equal(row->time_ps, time_ps);
	assert_int_equal(row->value, value);
}

static void dynamic_dmas_only_add(void **state)
{
	struct fixture *f = *state;

	nx_pending_begin(&f->a, &f->transfers);
	instruction(f, 0, 10, NX_SLOT_DYNAMIC_DMA);
	instruction(f, 0, 20, 0);
	instruction(f, 0, 30, NX_SLOT_DYNAMIC_DMA);
	nx_pending_finish(&f->a);
	assert_int_equal(row_list_count(&f->out), 2);
	assert_row(f, 0, 0, 10, 1);
	assert_row(f, 1, 0, 30, 2);
}

static void transfers_count_from_trigger_to_end(void **state)
{
	struct fixture *f = *state;

	transfer(f, 0, 40, 100);
	transfer(f, 0, 10, 60);
	nx_pending_begin(&f->a, &f->transfers);
	instruction(f, 0, 50, NX_SLOT_DYNAMIC_DMA);
	nx_pending_finish(&f->a);
	assert_int_equal(row_list_count(&f->out), 5);
	assert_row(f, 0, 0, 10, 1);
	assert_row(f, 1, 0, 40, 2);
	assert_row(f, 2, 0, 50, 3);
	assert_row(f, 3, 0, 60, 2);
	assert_row(f, 4, 0, 100, 1);
}

static void at_one_moment_ends_come_first(void **state)
{
	struct fixture *f = *state;

	transfer(f, 0, 10, 50);
	transfer(f, 0, 50, 70);
	nx_pending_begin(&f->a, &f->transfers);
	instruction(f, 0, 50, NX_SLOT_DYNAMIC_DMA);
	nx_pending_finish(&f->a);
	assert_int_equal(row_list_count(&f->out), 5);
	assert_row(f, 1, 0, 50, 0);
	assert_row(f, 2, 0, 50, 1);
	assert_row(f, 3, 0, 50, 2);
	assert_row(f, 4, 0, 70, 1);
}

static void graphs_count_apart_and_in_order(void **state)
{
	struct fixture *f = *state;

	transfer(f, 1, 10, 20);
	transfer(f, 0, 10, 20);
	nx_pending_begin(&f->a, &f->transfers);
	nx_pending_finish(&f->a);
	assert_int_equal(row_list_count(&f->out), 4);
	assert_row(f, 0, 0, 10, 1);
	assert_row(f, 1, 1, 10, 1);
	assert_row(f, 2, 0, 20, 0);
	assert_row(f, 3, 1, 20, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(dynamic_dmas_only_add, setup, teardown),
		cmocka_unit_test_setup_teardown(transfers_count_from_trigger_to_end, setup,
						teardown),
		cmocka_unit_test_setup_teardown(at_one_moment_ends_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(graphs_count_apart_and_in_order, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
