/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derived.h"

struct fixture {
	struct derived d;
	struct nx_profile profile;
	struct nx_slot slots[2]; /* plain, dynamic DMA */
};

static int setup(void **state)
{
	struct fixture *f = derived_fixture_new(sizeof(*f), NX_ANALYSIS_PENDING_DMA);

	f->d.profile = &f->profile;
	f->slots[1].flags = NX_SLOT_DYNAMIC_DMA;
	f->profile.program.slots[0][0] = f->slots;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_vec_release(&f->profile.transfers);
	return row_list_fixture_end(state);
}

static void transfer(struct fixture *f, uint8_t graph, uint64_t trigger_ps, uint64_t end_ps)
{
	struct nx_transfer t = {.trigger_ps = trigger_ps,
				.start_ps = trigger_ps + 1,
				.end_ps = end_ps,
				.graph = graph};

	nx_vec_push(&f->profile.transfers, t);
}

static void instruction(struct fixture *f, uint8_t graph, uint64_t start_ps, uint32_t slot)
{
	struct nx_instruction row = {
		.start_ps = start_ps, .end_ps = start_ps, .graph = graph, .slot = slot};

	derived_add(&f->d, &row);
}

static void assert_row(const struct fixture *f, size_t index, uint8_t graph, uint64_t time_ps,
		       int64_t value)
{
	const struct nx_pending *row = row_list_at(&f->d.out, index);

	assert_int_equal(row->graph, graph);
	assert_int_equal(row->time_ps, time_ps);
	assert_int_equal(row->value, value);
}

static void dynamic_dmas_only_add(void **state)
{
	struct fixture *f = *state;

	instruction(f, 0, 10, 1);
	instruction(f, 0, 20, 0);
	instruction(f, 0, 30, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 2);
	assert_row(f, 0, 0, 10, 1);
	assert_row(f, 1, 0, 30, 2);
}

static void a_dynamic_transfer_counts_once_and_ends(void **state)
{
	struct fixture *f = *state;

	transfer(f, 0, 10, 60);
	f->profile.transfers.items[0].is_dynamic = true;
	instruction(f, 0, 10, 1);
	instruction(f, 0, 30, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 3);
	assert_row(f, 0, 0, 10, 1);
	assert_row(f, 1, 0, 30, 2);
	assert_row(f, 2, 0, 60, 1);
}

static void transfers_count_from_trigger_to_end(void **state)
{
	struct fixture *f = *state;

	transfer(f, 0, 40, 100);
	transfer(f, 0, 10, 60);
	instruction(f, 0, 50, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 5);
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
	instruction(f, 0, 50, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 5);
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
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 4);
	assert_row(f, 0, 0, 10, 1);
	assert_row(f, 1, 1, 10, 1);
	assert_row(f, 2, 0, 20, 0);
	assert_row(f, 3, 1, 20, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(dynamic_dmas_only_add, setup, teardown),
		cmocka_unit_test_setup_teardown(a_dynamic_transfer_counts_once_and_ends, setup,
						teardown),
		cmocka_unit_test_setup_teardown(transfers_count_from_trigger_to_end, setup,
						teardown),
		cmocka_unit_test_setup_teardown(at_one_moment_ends_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(graphs_count_apart_and_in_order, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
