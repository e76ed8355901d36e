/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/memory_holders.h"
#include "derived.h"
#include "tests/unit/made_profile.h"

static int setup(void **state)
{
	struct nx_made_profile *made = nx_heap_alloc(sizeof(*made));

	nx_made_profile_init(made);
	nx_memory_holders_find(&made->p); /* which the memory tracker needs */
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	nx_made_profile_release(*state);
	nx_heap_free(*state);
	return 0;
}

static enum nx_status run(const struct nx_made_profile *made, enum nx_analysis_id id,
			  struct row_list *out, struct nx_error *err)
{
	out->row_size = nx_analyses[id]->row_size;
	return nx_analysis_run(id, &made->p, &made->p.source, row_list_add, out, err);
}

static void every_table_has_one_analysis_at_most(void **state)
{
	unsigned makers[NX_TABLE_COUNT + 1] = {0};

	(void)state;
	for (unsigned i = 0; i < NX_ANALYSIS_COUNT; i++)
		makers[nx_analyses[i]->makes]++;
	for (unsigned table = 0; table < NX_TABLE_COUNT; table++)
		assert_true(makers[table] <= 1);
	assert_int_equal(nx_analysis_of_table(NX_TABLE_PENDING), NX_ANALYSIS_PENDING_DMA);
	assert_int_equal(nx_analysis_of_table(NX_TABLE_PACKET), NX_ANALYSIS_COUNT);
}

static void every_analysis_bears_a_profile_without_rows(void **state)
{
	struct nx_error err = {0};

	for (unsigned i = 0; i < NX_ANALYSIS_COUNT; i++) {
		struct row_list out = {0};

		assert_int_equal(run(*state, (enum nx_analysis_id)i, &out, &err), NX_OK);
		assert_int_equal(out.bytes.len, 0);
	}
}

static void a_failing_source_is_reported(void **state)
{
	struct nx_made_profile *made = *state;
	struct nx_error err = {0};
	struct row_list out = {0};

	nx_made_profile_run(made, NX_ENGINE_VECTOR, 0, 1, 2);
	assert_int_equal(run(made, NX_ANALYSIS_ACTIVE_TIME, &out, &err), NX_OK);
	assert_int_equal(row_list_count(&out), 1);
	made->failing = NX_TABLE_INSTRUCTION;
	assert_int_equal(run(made, NX_ANALYSIS_ACTIVE_TIME, &out, &err), NX_NO_SPACE);
	assert_int_equal(row_list_count(&out), 1);
	nx_vec_release(&out.bytes);
}

static void hbm_counts_packets_of_transfers_from_or_to_it(void **state)
{
	struct nx_made_profile *made = *state;
	struct nx_error err = {0};
	struct row_list out = {0};
	const struct nx_throughput *last;

	for (uint32_t i = 0; i < 3; i++) {
		struct nx_packet packet = {.start_ps = i * 1000000,
					   .end_ps = i * 1000000 + 500000,
					   .size_bytes = 100,
					   .packet_idx = i};

		nx_made_profile_add_row(made, NX_TABLE_PACKET, &packet);
	}
	made->slots[0][NX_ENGINE_SYNC][1].flags = NX_SLOT_HBM_READ;
	nx_vec_push(&made->p.transfers,
		    ((struct nx_transfer){.engine = NX_ENGINE_SYNC, .slot = 0}));
	nx_vec_push(&made->p.transfers,
		    ((struct nx_transfer){.engine = NX_ENGINE_SYNC, .slot = 1}));
	made->transfer_of[0] = 0;
	made->transfer_of[2] = 1;
	assert_int_equal(run(made, NX_ANALYSIS_HBM_THROUGHPUT, &out, &err), NX_OK);
	assert_int_equal(row_list_count(&out), 2);
	last = row_list_at(&out, 1);
	assert_int_equal(last->total_bytes, 100);
	assert_int_equal(last->time_ps, 2500000);
	nx_vec_release(&out.bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_table_has_one_analysis_at_most),
		TEST(every_analysis_bears_a_profile_without_rows),
		TEST(a_failing_source_is_reported),
		TEST(hbm_counts_packets_of_transfers_from_or_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
