/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/transfer.h"
#include "tests/unit/made_profile.h"

static int setup(void **state)
{
	struct nx_made_profile *made = nx_heap_alloc(sizeof(*made));

	nx_made_profile_init(made);
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	nx_made_profile_release(*state);
	nx_heap_free(*state);
	return 0;
}

static void add_transfer(struct nx_made_profile *made, uint64_t trigger_ps, uint64_t start_ps,
			 uint8_t engine)
{
	struct nx_transfer t = {.trigger_ps = trigger_ps, .start_ps = start_ps, .engine = engine};

	nx_vec_push(&made->p.transfers, t);
}

/* Numbers from an independent FNV-1a. */
static void ids_are_hashes_of_where_they_belong(void **state)
{
	struct nx_made_profile *made = *state;
	struct nx_packet packet = {.packet_idx = 3, .dma_engine = 64, .dma_queue = 1};

	assert_int_equal(nx_packet_id(&made->p, &packet, 0), 2562234905962898553);
	assert_int_equal(nx_aggregation_id(&made->p, 0, 1, 7, 0), 7152494958553043773);
	assert_int_equal(nx_aggregation_id(&made->p, 0, 1, 7, 1), 5551811079718347132);
	assert_int_equal(nx_aggregation_id(&made->p, 0, 1, 0, 0), 4767622535416772230);
	assert_true(nx_aggregation_id(&made->p, 1, 1, 7, 0) !=
		    nx_aggregation_id(&made->p, 0, 1, 7, 0));
}

static void a_block_needs_a_neff_that_has_it(void **state)
{
	struct nx_made_profile *made = *state;
	struct nx_transfer t = {.block = 0, .engine = NX_ENGINE_SYNC};
	struct nx_dma_block block = {0};

	assert_null(nx_transfer_block(&made->p, &t));
	nx_made_profile_add_neff(made);
	assert_null(nx_transfer_block(&made->p, &t));
	made->neff.engines[NX_ENGINE_SYNC].blocks = &block;
	made->neff.engines[NX_ENGINE_SYNC].block_count = 1;
	assert_ptr_equal(nx_transfer_block(&made->p, &t), &block);
	t.block = NX_NONE;
	assert_null(nx_transfer_block(&made->p, &t));
}

static void people_name_what_is_not_the_state_buffer(void **state)
{
	struct nx_variable variables[] = {{.name = "sb", .type = "state-buffer"},
					  {.name = "w", .type = "file"},
					  {.name = "t", .type = "tmp-buf"}};
	struct nx_binary_graph graph = {.variables = variables, .variable_count = 3};
	uint32_t from = 1;
	struct nx_dma_descriptor d = {.from = &from, .from_count = 1, .to = 0};

	(void)state;
	assert_string_equal(nx_variable_kind(&graph, 0), "SB");
	assert_string_equal(nx_variable_kind(&graph, 1), "WEIGHT");
	assert_string_equal(nx_variable_kind(&graph, 2), "tmp-buf");
	assert_string_equal(nx_variable_kind(&graph, NX_NONE), "unknown");
	assert_string_equal(nx_descriptor_variable(&graph, &d), "w");
	from = 0;
	d.to = 2;
	assert_string_equal(nx_descriptor_variable(&graph, &d), "t");
	from = NX_NONE;
	d.to = NX_NONE;
	assert_string_equal(nx_descriptor_variable(&graph, &d), "unknown");
	d.from_count = 0;
	d.to = 1;
	assert_string_equal(nx_descriptor_variable(&graph, &d), "w");
}

static void starts_are_put_in_order(void **state)
{
	struct nx_made_profile *made = *state;
	uint32_t *order = nx_transfers_by_start(&made->p.transfers);

	nx_heap_free(order); /* of none */
	add_transfer(made, 1, 50, 0);
	add_transfer(made, 2, 20, 0);
	add_transfer(made, 3, 50, 0);
	order = nx_transfers_by_start(&made->p.transfers);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 0); /* equal ones by their triggers */
	assert_int_equal(order[2], 2);
	nx_heap_free(order);
}

static void triggers_are_found_in_any_order_within_a_nanosecond(void **state)
{
	struct nx_made_profile *made = *state;
	struct nx_trigger_walk walk = {.transfers = &made->p.transfers};
	struct nx_instruction row = {.start_ps = 2900, .engine = 4};

	add_transfer(made, 1000, 0, 4);
	add_transfer(made, 2100, 0, 4);
	add_transfer(made, 2900, 0, 2);
	add_transfer(made, 2900, 0, 4);
	assert_int_equal(nx_trigger_walk_find(&walk, &row), 3);
	row.start_ps = 2100;
	assert_int_equal(nx_trigger_walk_find(&walk, &row), 1);
	row.graph = 1;
	assert_int_equal(nx_trigger_walk_find(&walk, &row), NX_NONE);
	row.start_ps = 9000;
	assert_int_equal(nx_trigger_walk_find(&walk, &row), NX_NONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ids_are_hashes_of_where_they_belong),
		TEST(a_block_needs_a_neff_that_has_it),
		TEST(people_name_what_is_not_the_state_buffer),
		TEST(starts_are_put_in_order),
		TEST(triggers_are_found_in_any_order_within_a_nanosecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
