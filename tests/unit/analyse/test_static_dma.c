/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/static_dma.h"

static const char *queue_names[] = {"qA", "qB"};

struct fixture {
	struct nx_profile profile;
	struct nx_graph graphs[2];
	struct nx_queue queues[3];
	struct nx_static_dma dma;
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
	nx_static_dma_init(&f->dma, &f->profile);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_static_dma_release(&f->dma);
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

	nx_static_dma_add_trigger(&f->dma, &row, &slot);
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

	nx_static_dma_add_packet(&f->dma, &row);
}

static uint32_t find(const struct fixture *f, uint16_t engine, uint8_t queue, uint32_t packet_idx)
{
	struct nx_packet row = packet_of(engine, queue, packet_idx);

	return nx_static_dma_find(&f->dma, &row);
}

static void counting_attributes_packets(void **state)
{
	struct fixture *f = *state;
	const struct nx_transfer *t;

	trigger(f, 0, 100, 0, 0);
	trigger(f, 0, 200, 0, 1);
	trigger(f, 0, 300, 0, 0);
	nx_static_dma_prepare(&f->dma);
	for (uint32_t i = 0; i < 5; i++)
		packet(f, 0, 0, i);
	packet(f, 1, 0, 0);
	packet(f, 1, 0, 1);
	nx_static_dma_finish(&f->dma, &f->transfers);
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
	nx_static_dma_prepare(&f->dma);
	packet(f, 0, 0, 0);
	packet(f, 0, 0, 1);
	packet(f, 5, 0, 0); /* not declared */
	nx_static_dma_finish(&f->dma, &f->transfers);
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
	nx_static_dma_prepare(&f->dma);
	for (uint32_t i = 0; i < 38 + 2 * 900; i++)
		packet(f, 0, 0, i);
	nx_static_dma_finish(&f->dma, &f->transfers);
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
	nx_static_dma_prepare(&f->dma);
	packet(f, 0, 3, 0);
	packet(f, 0, 3, 1);
	nx_static_dma_finish(&f->dma, &f->transfers);
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
	nx_static_dma_prepare(&f->dma);
	for (uint32_t i = 5; i < 8; i++) /* 0..4 came before the window */
		packet(f, 0, 0, i);
	nx_static_dma_finish(&f->dma, &f->transfers);
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
	nx_static_dma_prepare(&f->dma);
	row.size_bytes = 4;
	nx_static_dma_add_packet(&f->dma, &row);
	row.packet_idx = 1;
	row.size_bytes = 5;
	nx_static_dma_add_packet(&f->dma, &row);
	nx_static_dma_finish(&f->dma, &f->transfers);
	assert_int_equal(f->transfers.items[0].size_bytes, 5);
	assert_int_equal(f->transfers.items[0].packet_count, 2);
}

static void of_equal_ends_the_first_declared_gives_the_crc(void **state)
{
	struct fixture *f = *state;
	struct nx_packet row = packet_of(1, 0, 0);

	trigger(f, 0, 100, 0, 0);
	nx_static_dma_prepare(&f->dma);
	row.crc = 111;
	nx_static_dma_add_packet(&f->dma, &row);
	row.dma_engine = 0;
	row.crc = 222;
	nx_static_dma_add_packet(&f->dma, &row);
	nx_static_dma_finish(&f->dma, &f->transfers);
	assert_int_equal(f->transfers.items[0].crc, 222);
	assert_int_equal(f->transfers.items[0].queue, 1);
}

static void graphs_do_not_share_triggers(void **state)
{
	struct fixture *f = *state;
	struct nx_packet row = packet_of(0, 0, 0);

	trigger(f, 1, 100, 0, 1);
	nx_static_dma_prepare(&f->dma);
	nx_static_dma_add_packet(&f->dma, &row);
	row.graph = 1;
	nx_static_dma_add_packet(&f->dma, &row);
	nx_static_dma_finish(&f->dma, &f->transfers);
	assert_int_equal(f->transfers.len, 1);
	assert_int_equal(f->transfers.items[0].graph, 1);
	assert_int_equal(find(f, 0, 0, 0), NX_NONE);
	assert_int_equal(nx_static_dma_find(&f->dma, &row), 0);
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
	nx_static_dma_prepare(&f->dma);
	packet(f, 0, 0, 0);
	packet(f, 0, 0, UINT32_MAX);
	assert_int_equal(f->dma.queues[0][0].runs.len, 1);
	assert_int_equal(f->dma.queues[0][1].runs.len, 0);
	nx_static_dma_finish(&f->dma, &f->transfers);
	assert_int_equal(f->transfers.len, 1);
	assert_int_equal(f->transfers.items[0].packet_count, 2);
	assert_int_equal(find(f, 0, 0, UINT32_MAX - 1), 0);
	assert_int_equal(find(f, 0, 0, UINT32_MAX), NX_NONE);
}

static void nothing_at_all_is_released_cleanly(void **state)
{
	struct fixture *f = *state;

	nx_static_dma_prepare(&f->dma);
	nx_static_dma_finish(&f->dma, &f->transfers);
	assert_int_equal(f->transfers.len, 0);
	nx_static_dma_release(&f->dma);
	nx_static_dma_release(&f->dma);
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
		TEST(nothing_at_all_is_released_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
