/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/transfer.h"
#include "tests/unit/tables/fill_fixture.h"

#define COL(name) NX_COL_DmaPacket_##name
#define SUM(name) NX_COL_DmaPacketAggregated_##name

static void packet(struct nx_fill_fixture *f, uint32_t idx, uint16_t engine, uint8_t queue_class)
{
	struct nx_packet row = {.start_ps = 1000 * idx,
				.end_ps = 1000 * idx + 512,
				.size_bytes = 512,
				.packet_idx = idx,
				.crc = 77,
				.dma_engine = engine,
				.dma_queue = 1,
				.queue_class = queue_class};

	nx_made_profile_add_row(&f->made, NX_TABLE_PACKET, &row);
}

static const struct nx_row *packet_at(const struct nx_fill_fixture *f, size_t at)
{
	return nx_table_memory_row(&f->memory, NX_SCHEMA_DmaPacket, at);
}

static void packets_say_where_they_ran(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	packet(f, 1, 0, NX_QUEUE_DATA);
	packet(f, 2, 64, NX_QUEUE_INSTRUCTION);
	packet(f, UINT32_MAX, 1, NX_QUEUE_HARDWARE_DYNAMIC);
	nx_fill_fixture_run(f, nx_fill_dma);
	row = packet_at(f, 0);
	assert_int_equal(nx_i64_at(row, COL(start_ts)), 1);
	assert_int_equal(nx_i64_at(row, COL(end_ts)), 1);
	assert_int_equal(nx_i64_at(row, COL(duration_ns)), 0);
	assert_int_equal(nx_i64_at(row, COL(transfer_bytes)), 512);
	assert_true(nx_f64_at(row, COL(throughput)) > 0.999e12);
	assert_int_equal(nx_i64_at(row, COL(engine_idx)), 0);
	assert_int_equal(nx_i64_at(row, COL(queue_idx)), 1);
	assert_int_equal(nx_i64_at(row, COL(crc)), 77);
	assert_string_equal(nx_table_memory_text(row, COL(queue_name)), "qSyncIO0");
	assert_string_equal(nx_table_memory_text(row, COL(queue_type)), "data");
	assert_string_equal(nx_table_memory_text(row, COL(variable)), "unknown");
	row = packet_at(f, 1);
	assert_null(nx_table_memory_text(row, COL(queue_name)));
	assert_string_equal(nx_table_memory_text(row, COL(queue_type)), "instruction");
	/* packets of one queue number are tied together */
	assert_int_equal(nx_i64_at(row, COL(packet_aggregation_id)), 4767622535416772230);
	row = packet_at(f, 2);
	assert_true(nx_i64_at(row, COL(packet_idx)) == INT32_MAX);
	assert_string_equal(nx_table_memory_text(row, COL(queue_type)), "hardware_dynamic");
}

static void add_transfer(struct nx_fill_fixture *f, uint64_t trigger_ns, uint64_t start_ns)
{
	struct nx_transfer t = {.trigger_ps = trigger_ns * 1000,
				.start_ps = start_ns * 1000,
				.end_ps = start_ns * 1000 + 256000,
				.size_bytes = 1024,
				.packet_count = 2,
				.block_id = 7,
				.block = NX_NONE,
				.engine = NX_ENGINE_SYNC};

	nx_vec_push(&f->made.p.transfers, t);
}

static void packets_carry_the_id_of_their_transfer(void **state)
{
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row, *later;

	f->made.slots[0][NX_ENGINE_SYNC][0].flags = NX_SLOT_TRIGGER;
	add_transfer(f, 10, 500);
	add_transfer(f, 20, 400); /* the same block again, and it starts first */
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 0, 10, 12);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 0, 20, 22);
	f->made.transfer_of[3] = 0;
	f->made.transfer_of[4] = 1;
	packet(f, 3, 0, NX_QUEUE_DATA);
	packet(f, 4, 0, NX_QUEUE_DATA);
	nx_fill_fixture_run(f, nx_fill_dma);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_DmaPacketAggregated, 0);
	later = nx_table_memory_row(&f->memory, NX_SCHEMA_DmaPacketAggregated, 1);
	assert_int_equal(nx_i64_at(row, SUM(start_ts)), 400);
	assert_int_equal(nx_i64_at(row, SUM(trigger)), 2);
	assert_int_equal(nx_i64_at(later, SUM(trigger)), 1);
	assert_int_equal(later->kinds[SUM(completion)], NX_CELL_NULL);
	assert_int_equal(nx_i64_at(later, SUM(id)), 7152494958553043773);
	assert_int_equal(nx_i64_at(row, SUM(id)), 5551811079718347132);
	assert_int_equal(nx_i64_at(packet_at(f, 0), COL(packet_aggregation_id)),
			 7152494958553043773);
	assert_int_equal(nx_i64_at(packet_at(f, 1), COL(packet_aggregation_id)),
			 5551811079718347132);
	assert_true(nx_i64_at(packet_at(f, 0), COL(id)) != nx_i64_at(packet_at(f, 1), COL(id)));
	assert_int_equal(nx_i64_at(row, SUM(duration_ns)), 256);
	assert_int_equal(nx_i64_at(row, SUM(block_id)), 7);
	assert_int_equal(nx_i64_at(row, SUM(read_bytes)), 1024);
	assert_true(nx_f64_at(row, SUM(throughput)) == 4e9);
	assert_string_equal(nx_table_memory_text(row, SUM(queue_name)), "qSyncIO0");
	assert_string_equal(nx_table_memory_text(row, SUM(read_shape)), "");
	assert_int_equal(row->kinds[SUM(is_transpose_mode)], NX_CELL_NULL);
}

static void failures_of_reading_are_returned(void **state)
{
	struct nx_fill_fixture *f = *state;

	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_dma, NX_TABLE_PACKET), NX_NO_SPACE);
	add_transfer(f, 1, 2);
	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_dma, NX_TABLE_INSTRUCTION), NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(packets_say_where_they_ran),
		TEST(packets_carry_the_id_of_their_transfer),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
