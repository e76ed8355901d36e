/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/transfer.h"
#include "tests/unit/tables/fill_fixture.h"

#define COL(name) NX_COL_Flow_##name

static const struct nx_row *flow_at(const struct nx_fill_fixture *f, size_t at)
{
	return nx_table_memory_row(&f->memory, NX_SCHEMA_Flow, at);
}

static void assert_flow(const struct nx_row *row, int64_t in_id, int64_t out_id, const char *type,
			int64_t gap_ns)
{
	const char *said = nx_table_memory_text(row, COL(dependency_type));

	assert_int_equal(nx_i64_at(row, COL(in_id)), in_id);
	assert_int_equal(nx_i64_at(row, COL(out_id)), out_id);
	assert_int_equal(nx_i64_at(row, COL(gap_time)), gap_ns);
	if (type)
		assert_string_equal(said, type);
	else
		assert_null(said);
}

static void assert_tables(const struct nx_row *row, const char *in_table, const char *out_table)
{
	assert_string_equal(nx_table_memory_text(row, COL(in_table)), in_table);
	assert_string_equal(nx_table_memory_text(row, COL(out_table)), out_table);
}

/* Slot 1 came from a BIR instruction that depends on that of slot 0. */
static void make_birs(struct nx_fill_fixture *f, struct nx_predecessor *predecessors, size_t count)
{
	nx_made_profile_add_neff(&f->made);
	for (uint32_t i = 0; i < 2; i++) {
		f->made.birs[i].id = 100 + i;
		f->made.slots[0][NX_ENGINE_TENSOR][i].bir = i;
	}
	f->made.birs[1].predecessors = predecessors;
	f->made.birs[1].predecessor_count = count;
}

static void dependencies_lead_from_what_came_before(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_predecessor predecessors[] = {{100, 4}, {100, 1}, {100, 0}};

	make_birs(f, predecessors, 3);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, 10, 60);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 50, 70); /* overlaps */
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, 80, 90); /* the next round */
	nx_fill_fixture_run(f, nx_fill_dma);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Flow), 3);
	assert_flow(flow_at(f, 0), 1, 2, "FLOW_DEPENDENCE", -10);
	assert_tables(flow_at(f, 0), "Instruction", "Instruction");
	assert_flow(flow_at(f, 1), 1, 2, "ORDERED", -10);
	assert_flow(flow_at(f, 2), 1, 2, NULL, -10);
}

static void loops_depend_on_their_latest_round(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_predecessor predecessor = {100, 2};

	make_birs(f, &predecessor, 1);
	for (uint64_t i = 0; i < 20; i++) {
		nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, i * 100, i * 100 + 10);
		nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, i * 100 + 30, i * 100 + 40);
	}
	nx_fill_fixture_run(f, nx_fill_dma);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Flow), 20);
	assert_flow(flow_at(f, 0), 1, 2, "ANTI_DEPENDENCE", 20);
	assert_flow(flow_at(f, 19), 39, 40, "ANTI_DEPENDENCE", 20);
}

static void transfers_hang_between_trigger_and_waiter(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_dma_block block = {.semaphore = 8};
	struct nx_transfer t = {.trigger_ps = 10000,
				.start_ps = 25000,
				.end_ps = 90000,
				.block_id = 7,
				.engine = NX_ENGINE_SYNC};
	struct nx_instruction waiter = {.start_ps = 95000,
					.end_ps = 96000,
					.slot = 3,
					.wait_cycles = 60,
					.engine = NX_ENGINE_SYNC};
	struct nx_packet packet = {.start_ps = 30000, .end_ps = 90000, .packet_idx = 5};

	nx_made_profile_add_neff(&f->made);
	f->made.neff.engines[NX_ENGINE_SYNC].blocks = &block;
	f->made.neff.engines[NX_ENGINE_SYNC].block_count = 1;
	f->made.slots[0][NX_ENGINE_SYNC][2].flags = NX_SLOT_TRIGGER;
	f->made.slots[0][NX_ENGINE_SYNC][3].flags = NX_SLOT_WAITS_SEMAPHORE;
	f->made.slots[0][NX_ENGINE_SYNC][3].wait_semaphore = 8;
	nx_vec_push(&f->made.p.transfers, t);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 2, 10, 12);
	nx_made_profile_add_row(&f->made, NX_TABLE_INSTRUCTION, &waiter);
	nx_made_profile_add_row(&f->made, NX_TABLE_PACKET, &packet);
	f->made.transfer_of[5] = 0;
	packet.packet_idx = 6; /* of no transfer */
	nx_made_profile_add_row(&f->made, NX_TABLE_PACKET, &packet);
	nx_fill_fixture_run(f, nx_fill_dma);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Flow), 3);
	assert_flow(flow_at(f, 0), 7152494958553043773, 2, NULL, 5);
	assert_tables(flow_at(f, 0), "DmaPacketAggregated", "Instruction");
	assert_flow(flow_at(f, 1), 1, 7152494958553043773, "ORDERED", 13);
	assert_tables(flow_at(f, 1), "Instruction", "DmaPacketAggregated");
	packet.packet_idx = 5;
	assert_flow(flow_at(f, 2), 1, (int64_t)nx_packet_id(&f->made.p, &packet, 7), "ORDERED", 18);
	assert_tables(flow_at(f, 2), "Instruction", "DmaPacket");
}

static void without_a_neff_nothing_is_known(void **state)
{
	struct nx_fill_fixture *f = *state;

	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, 10, 20);
	nx_fill_fixture_run(f, nx_fill_dma);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Flow), 0);
	assert_int_equal(f->memory.end_counts[NX_SCHEMA_Flow], 1);
}

static void failures_of_reading_are_returned(void **state)
{
	struct nx_fill_fixture *f = *state;

	make_birs(f, NULL, 0);
	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_dma, NX_TABLE_INSTRUCTION), NX_NO_SPACE);
	nx_vec_push(&f->made.p.transfers, ((struct nx_transfer){.block = NX_NONE}));
	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_dma, NX_TABLE_PACKET), NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dependencies_lead_from_what_came_before),
		TEST(loops_depend_on_their_latest_round),
		TEST(transfers_hang_between_trigger_and_waiter),
		TEST(without_a_neff_nothing_is_known),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
