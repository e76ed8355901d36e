/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/packet_transfers.h"

static const char *queue_names[] = {"qA", "qB"};

struct fixture {
	struct nx_profile profile;
	struct nx_graph graphs[2];
	struct nx_queue queues[3];
	struct nx_packet_transfers dma;
	struct nx_transfers transfers;
};

static struct nx_block_usage on_engine_0[] = {{0, 2}, {1, 1}};
static struct nx_block_usage on_engine_1[] = {{0, 1}};
static struct nx_block_usage sparse[] = {{900, 1}, {7, 2}};

/* qA runs on engines 0 and 1 (block 0: 2 + 1 packets, block 1: 1 + 0), qB on engine 0. */
static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->queues[0] = (struct nx_queue){.name = "qA", .blocks = on_engine_0, .block_count = 2};
	f->queues[1] = (struct nx_queue){
		.name = "qA", .engine_idx = 1, .blocks = on_engine_1, .block_count = 1};
	f->queues[2] =
		(struct nx_queue){.name = "qB", .queue_idx = 3, .blocks = sparse, .block_count = 2};
	f->graphs[0] = (struct nx_graph){.queues = f->queues, .queue_count = 3};
	f->graphs[1] = f->graphs[0];
	f->profile.capture.graphs = f->graphs;
	f->profile.capture.graph_count = 2;
	f->profile.program.queue_names = queue_names;
	f->profile.program.queue_name_count = 2;
	nx_packet_transfers_init(&f->dma, &f->profile);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_packet_transfers_release(&f->dma);
	nx_vec_release(&f->transfers);
	nx_heap_free(f);
	return 0;
}

static void trigger(struct fixture *f, uint8_t graph, uint64_t start_ps, uint32_t queue,
		    uint32_t block)
{
	struct nx_instruction row = {.start_ps = start_ps, .graph = graph, .engine = 4, .slot = 9};
	struct nx_slot slot = {.flags = NX_SLOT_TRIGGER,
			       .trigger_queue = queue,
			       .trigger_block = block,
			       .trigger_block_index = 55};

	nx_packet_transfers_add_trigger(&f->dma, &row, &slot);
}

static struct nx_packet packet_of(uint16_t engine, uint8_t queue, uint32_t packet_idx)
{
	return (struct nx_packet){.dma_engine = engine,
				  .dma_queue = queue,
				  .packet_idx = packet_idx,
				  .start_ps = 1000 + packet_idx,
				  .end_ps = 2000 + packet_idx,
				  .size_bytes = 100,
				  .crc = (uint16_t)(10 * engine + packet_idx)};
}

static void packet(struct fixture *f, uint16_t engine, uint8_t queue, uint32_t packet_idx)
{
	struct nx_packet row = packet_of(engine, queue, packet_idx);

	nx_packet_transfers_add_packet(&f->dma, &row);
}

static uint32_t find(const struct fixture *f, uint16_t engine, uint8_t queue, uint32_t packet_idx)
{
	struct nx_packet row = packet_of(engine, queue, packet_idx);

	return nx_packet_transfers_find(&f->dma, &row);
}

static void counting_attributes_packets(void **state)
{
	struct fixture *f = *state;
	const struct nx_transfer *t;

	trigger(f, 0, 100, 0, 0);
	trigger(f, 0, 200, 0, 1);
	trigger(f, 0, 300, 0, 0);
	nx_packet_transfers_prepare(&f->dma);
	for (uint32_t i = 0; i < 5; i++)
		packet(f, 0, 0, i);
	packet(f, 1, 0, 0);
	packet(f, 1, 0, 1);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 3);
	t = &f->transfers.items[0];
	assert_int_equal(t->trigger_ps, 100);
	assert_int_equal(t->start_ps, 1000);
	assert_int_equal(t->end_ps, 2001);
	assert_int_equal(t->crc, 1);
	assert_int_equal(t->packet_count, 3);
	assert_int_equal(t->size_bytes, 300);
	assert_int_equal(t->queue, 1); /* the declaration with the highest engine */
	assert_int_equal(t->block, 55);
	assert_int_equal(t->engine, 4);
	assert_int_equal(t->slot, 9);
	assert_int_equal(f->transfers.items[1].packet_count, 1);
	assert_int_equal(f->transfers.items[1].queue, 0);
	assert_int_equal(f->transfers.items[2].packet_count, 3);
	assert_int_equal(find(f, 0, 0, 1), 0);
	assert_int_equal(find(f, 0, 0, 2), 1);
	assert_int_equal(find(f, 0, 0, 4), 2);
	assert_int_equal(find(f, 1, 0, 1), 2);
}

static void packets_beyond_the_triggers_are_nobodys(void **state)
{
	struct fixture *f = *state;

	trigger(f, 0, 100, 0, 1);
	nx_packet_transfers_prepare(&f->dma);
	packet(f, 0, 0, 0);
	packet(f, 0, 0, 1);
	packet(f, 5, 0, 0); /* not declared */
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 1);
	assert_int_equal(f->transfers.items[0].packet_count, 1);
	assert_int_equal(find(f, 0, 0, 0), 0);
	assert_int_equal(find(f, 0, 0, 1), NX_NONE);
	assert_int_equal(find(f, 5, 0, 0), NX_NONE);
	assert_int_equal(find(f, 999, 200, 0), NX_NONE);
	assert_int_equal(find(f, 1, 0, 0), NX_NONE); /* declared, but nothing came */
}

static void long_and_short_runs_are_told_apart(void **state)
{
	struct fixture *f = *state;
	struct nx_block_usage blocks[] = {{0, 1}, {1, 900}};
	uint32_t first = 0;

	f->queues[0].blocks = blocks;
	for (uint64_t i = 0; i < 40; i++)
		trigger(f, 0, 100 + i, 0, i == 5 || i == 30);
	nx_packet_transfers_prepare(&f->dma);
	for (uint32_t i = 0; i < 38 + 2 * 900; i++)
		packet(f, 0, 0, i);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t count = i == 5 || i == 30 ? 900 : 1;

		assert_int_equal(find(f, 0, 0, first), i);
		assert_int_equal(find(f, 0, 0, first + count - 1), i);
		first += count;
	}
	assert_int_equal(find(f, 0, 0, first), NX_NONE);
	assert_int_equal(find(f, 0, 0, UINT32_MAX), NX_NONE);
}

static void transfers_without_packets_are_dropped(void **state)
{
	struct fixture *f = *state;

	trigger(f, 0, 100, 1, 12345); /* no such block */
	trigger(f, 0, 200, 1, 7);
	trigger(f, 0, 300, 1, 900);
	nx_packet_transfers_prepare(&f->dma);
	packet(f, 0, 3, 0);
	packet(f, 0, 3, 1);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 1); /* the last one's packets never came */
	assert_int_equal(f->transfers.items[0].trigger_ps, 200);
	assert_int_equal(find(f, 0, 3, 1), 0);
	assert_int_equal(find(f, 0, 3, 2), NX_NONE);
}

static void numbers_count_from_the_first_packet_shown(void **state)
{
	struct fixture *f = *state;

	trigger(f, 0, 100, 0, 0);
	trigger(f, 0, 200, 0, 1);
	nx_packet_transfers_prepare(&f->dma);
	for (uint32_t i = 5; i < 8; i++) /* 0..4 came before the window */
		packet(f, 0, 0, i);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 2);
	assert_int_equal(find(f, 0, 0, 4), NX_NONE);
	assert_int_equal(find(f, 0, 0, 5), 0);
	assert_int_equal(find(f, 0, 0, 6), 0);
	assert_int_equal(find(f, 0, 0, 7), 1);
}

static void semaphore_writes_are_no_payload(void **state)
{
	struct fixture *f = *state;
	struct nx_packet row = packet_of(0, 0, 0);

	trigger(f, 0, 100, 0, 0);
	nx_packet_transfers_prepare(&f->dma);
	row.size_bytes = 4;
	nx_packet_transfers_add_packet(&f->dma, &row);
	row.packet_idx = 1;
	row.size_bytes = 5;
	nx_packet_transfers_add_packet(&f->dma, &row);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.items[0].size_bytes, 5);
	assert_int_equal(f->transfers.items[0].packet_count, 2);
}

static void of_equal_ends_the_first_declared_gives_the_crc(void **state)
{
	struct fixture *f = *state;
	struct nx_packet row = packet_of(1, 0, 0);

	trigger(f, 0, 100, 0, 0);
	nx_packet_transfers_prepare(&f->dma);
	row.crc = 111;
	nx_packet_transfers_add_packet(&f->dma, &row);
	row.dma_engine = 0;
	row.crc = 222;
	nx_packet_transfers_add_packet(&f->dma, &row);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.items[0].crc, 222);
	assert_int_equal(f->transfers.items[0].queue, 1);
}

static void graphs_do_not_share_triggers(void **state)
{
	struct fixture *f = *state;
	struct nx_packet row = packet_of(0, 0, 0);

	trigger(f, 1, 100, 0, 1);
	nx_packet_transfers_prepare(&f->dma);
	nx_packet_transfers_add_packet(&f->dma, &row);
	row.graph = 1;
	nx_packet_transfers_add_packet(&f->dma, &row);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 1);
	assert_int_equal(f->transfers.items[0].graph, 1);
	assert_int_equal(find(f, 0, 0, 0), NX_NONE);
	assert_int_equal(nx_packet_transfers_find(&f->dma, &row), 0);
}

/* A block that declares billions of packets, rung often, costs what really came. */
static void memory_follows_the_packets(void **state)
{
	struct fixture *f = *state;
	struct nx_block_usage greedy = {0, UINT32_MAX};

	f->queues[0].blocks = &greedy;
	f->queues[0].block_count = 1;
	for (uint32_t i = 0; i < 100000; i++)
		trigger(f, 0, i, 0, 0);
	nx_packet_transfers_prepare(&f->dma);
	packet(f, 0, 0, 0);
	packet(f, 0, 0, UINT32_MAX);
	assert_int_equal(f->dma.queues[0][0].runs.len, 1);
	assert_int_equal(f->dma.queues[0][1].runs.len, 0);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 1);
	assert_int_equal(f->transfers.items[0].packet_count, 2);
	assert_int_equal(find(f, 0, 0, UINT32_MAX - 1), 0);
	assert_int_equal(find(f, 0, 0, UINT32_MAX), NX_NONE);
}

static void nothing_at_all_is_released_cleanly(void **state)
{
	struct fixture *f = *state;

	nx_packet_transfers_prepare(&f->dma);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 0);
	nx_packet_transfers_release(&f->dma);
	nx_packet_transfers_release(&f->dma);
}

/* --- dynamic DMAs ---------------------------------------------------------- */

/* qB becomes a dynamic queue on DMA engine 0 of 16. */
static void make_dynamic(struct fixture *f)
{
	f->queues[2].queue_class = NX_QUEUE_SOFTWARE_DYNAMIC;
	f->queues[2].display_name = "qB";
}

static void execute(struct fixture *f, uint64_t start_ps, uint32_t slot_idx)
{
	struct nx_instruction row = {.start_ps = start_ps, .engine = 2, .slot = slot_idx};
	struct nx_slot slot = {
		.flags = NX_SLOT_DYNAMIC_DMA, .trigger_queue = 1, .trigger_block_index = slot_idx};

	nx_packet_transfers_add_trigger(&f->dma, &row, &slot);
}

static void generate(struct fixture *f, uint64_t time_ps, uint32_t slot, uint16_t mask,
		     uint32_t packet_count)
{
	struct nx_generated row = {.time_ps = time_ps,
				   .slot = slot,
				   .engine = 2,
				   .dma_engine_mask = mask,
				   .packet_count = packet_count};

	nx_packet_transfers_add_generated(&f->dma, &row);
}

static void take_dynamic(struct fixture *f, uint32_t packet_count, bool is_cut)
{
	nx_packet_transfers_prepare(&f->dma);
	for (uint32_t i = 0; i < packet_count; i++)
		packet(f, 0, 3, i);
	nx_packet_transfers_finish(&f->dma, is_cut, &f->transfers);
}

/* Software runs ahead of the instructions, so order tells which one a notification means. */
static void a_loop_takes_its_notifications_in_order(void **state)
{
	struct fixture *f = *state;

	make_dynamic(f);
	generate(f, 60, 7, 1, 3); /* of the second round; the ring is not in order */
	generate(f, 50, 7, 1, 2);
	generate(f, 55, 8, 0xfffe, 9); /* other DMA engines, and one packet on ours */
	generate(f, 55, 8, 1, 1);
	execute(f, 100, 7);
	execute(f, 200, 8);
	execute(f, 300, 7);
	take_dynamic(f, 6, false);
	assert_int_equal(f->transfers.len, 3);
	assert_null(f->dma.unaccounted_queue);
	assert_int_equal(f->transfers.items[0].packet_count, 2);
	assert_int_equal(f->transfers.items[1].packet_count, 1);
	assert_int_equal(f->transfers.items[2].packet_count, 3);
	assert_int_equal(f->transfers.items[2].trigger_ps, 300);
	assert_int_equal(f->transfers.items[2].turn, 2);
	assert_int_equal(f->transfers.items[2].block, 7);
	assert_true(f->transfers.items[2].is_dynamic);
	assert_int_equal(find(f, 0, 3, 1), 0);
	assert_int_equal(find(f, 0, 3, 2), 1);
	assert_int_equal(find(f, 0, 3, 5), 2);
}

static void a_notification_without_pc_means_the_latest_dma(void **state)
{
	struct fixture *f = *state;

	make_dynamic(f);
	generate(f, 350, NX_NONE, 1, 2);
	generate(f, 150, NX_NONE, 1, 1);
	execute(f, 100, 7);
	execute(f, 300, 8);
	take_dynamic(f, 3, false);
	assert_int_equal(f->transfers.len, 2);
	assert_int_equal(f->transfers.items[0].packet_count, 1);
	assert_int_equal(f->transfers.items[1].packet_count, 2);
}

static void packets_that_nothing_accounts_for_leave_a_queue_unknown(void **state)
{
	struct fixture *f = *state;

	make_dynamic(f);
	trigger(f, 0, 50, 0, 1);
	generate(f, 150, 7, 1, 2);
	execute(f, 100, 7);
	execute(f, 300, 8); /* its notification was lost */
	nx_packet_transfers_prepare(&f->dma);
	packet(f, 0, 0, 0);
	for (uint32_t i = 0; i < 4; i++)
		packet(f, 0, 3, i);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 1); /* the static one */
	assert_int_equal(find(f, 0, 0, 0), 0);
	assert_int_equal(find(f, 0, 3, 0), NX_NONE);
	assert_ptr_equal(f->dma.unaccounted_queue, &f->queues[2]);
	assert_int_equal(f->dma.unaccounted_seen, 4);
	assert_int_equal(f->dma.unaccounted_told, 2);
}

static void a_cut_file_keeps_the_packets_it_has(void **state)
{
	struct fixture *f = *state;

	make_dynamic(f);
	generate(f, 150, 7, 1, 2);
	generate(f, 350, 8, 1, 2);
	execute(f, 100, 7);
	execute(f, 300, 8);
	take_dynamic(f, 3, true);
	assert_null(f->dma.unaccounted_queue);
	assert_int_equal(f->transfers.len, 2);
	assert_int_equal(f->transfers.items[1].packet_count, 1);
}

static void missing_packets_leave_a_queue_unknown(void **state)
{
	struct fixture *f = *state;

	make_dynamic(f);
	generate(f, 150, 7, 1, 2);
	execute(f, 100, 7);
	take_dynamic(f, 1, false);
	assert_int_equal(f->transfers.len, 0);
	assert_int_equal(f->dma.unaccounted_seen, 1);
}

static void without_notifications_dynamic_dmas_take_no_memory(void **state)
{
	struct fixture *f = *state;

	make_dynamic(f);
	execute(f, 100, 7);
	assert_int_equal(f->dma.triggers.len, 0);
	take_dynamic(f, 1, false);
	assert_null(f->dma.unaccounted_queue);
	assert_int_equal(find(f, 0, 3, 0), NX_NONE);
}

/* Blocks of two packets, of which the capture declares one; the last carries the semaphore. */
static void add_pairs(struct fixture *f, unsigned count, uint32_t last_bytes)
{
	for (uint32_t i = 0; i < 2 * count; i++) {
		struct nx_packet row = packet_of(0, 0, i);

		row.size_bytes = i % 2 ? last_bytes : 3360;
		nx_packet_transfers_add_packet(&f->dma, &row);
	}
}

static void blocks_end_with_their_semaphore(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 3; i++)
		trigger(f, 0, 100 * i, 0, 1);
	nx_packet_transfers_prepare(&f->dma);
	add_pairs(f, 3, 3364);
	assert_true(nx_packet_transfers_recut(&f->dma));
	add_pairs(f, 3, 3364);
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct nx_transfer *t = &f->transfers.items[i];

		assert_int_equal(t->packet_count, 2);
		assert_int_equal(t->size_bytes, 3360 + 3364);
		assert_int_equal(t->start_ps, 1000 + 2 * i);
		assert_int_equal(t->end_ps, 2001 + 2 * i);
		assert_int_equal(find(f, 0, 0, 2 * i), i);
		assert_int_equal(find(f, 0, 0, 2 * i + 1), i);
	}
}

/* Ends that do not fit the triggers, and no ends at all, tell nothing. */
static void declared_counts_stand_without_evidence(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 4; i++)
		trigger(f, 0, 100 * i, 0, 1);
	nx_packet_transfers_prepare(&f->dma);
	add_pairs(f, 3, 3364);
	assert_false(nx_packet_transfers_recut(&f->dma));
	add_pairs(f, 3, 3368);
	assert_false(nx_packet_transfers_recut(&f->dma));
	nx_packet_transfers_finish(&f->dma, false, &f->transfers);
	assert_int_equal(f->transfers.len, 4);
	assert_int_equal(f->transfers.items[0].packet_count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counting_attributes_packets),
		TEST(packets_beyond_the_triggers_are_nobodys),
		TEST(long_and_short_runs_are_told_apart),
		TEST(transfers_without_packets_are_dropped),
		TEST(numbers_count_from_the_first_packet_shown),
		TEST(semaphore_writes_are_no_payload),
		TEST(of_equal_ends_the_first_declared_gives_the_crc),
		TEST(graphs_do_not_share_triggers),
		TEST(memory_follows_the_packets),
		TEST(a_loop_takes_its_notifications_in_order),
		TEST(a_notification_without_pc_means_the_latest_dma),
		TEST(packets_that_nothing_accounts_for_leave_a_queue_unknown),
		TEST(a_cut_file_keeps_the_packets_it_has),
		TEST(missing_packets_leave_a_queue_unknown),
		TEST(without_notifications_dynamic_dmas_take_no_memory),
		TEST(blocks_end_with_their_semaphore),
		TEST(declared_counts_stand_without_evidence),
		TEST(nothing_at_all_is_released_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
