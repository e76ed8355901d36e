/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ntff_fixture.h"

static size_t decode(struct nx_ntff_fixture *f)
{
	return nx_fixture_decode(f, nx_ntff_decode_packets, sizeof(struct nx_packet));
}

static const struct nx_packet *row(const struct nx_ntff_fixture *f, size_t index)
{
	return nx_fixture_row(f, index);
}

static void packet(struct nx_ntff_fixture *f, uint32_t engine, uint32_t queue, uint64_t start,
		   uint64_t end)
{
	nx_fixture_dma(f, 0, NX_DMA_START, engine, queue, 0, start);
	nx_fixture_dma(f, 0, NX_DMA_END, engine, queue, 64, end);
	nx_fixture_dma(f, 0, NX_DMA_COMPLETION, engine, queue, 0, end + 1);
}

static void make_version_5(struct nx_ntff_fixture *f)
{
	f->version = 5;
	f->info.executions.count = 0;
}

static void a_pair_becomes_a_row(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_notification end = {3u << 24 | 4096, 0xabcd0000 | 2 << 4 | NX_DMA_END, 1900};

	nx_fixture_queue(f, 0, 64, 2, "qSPIO0");
	nx_fixture_dma(f, 0, NX_DMA_START, 3, 2, 77, 1500); /* a start's size says nothing */
	nx_fixture_record(f, 0, NX_TRACE_DMA, NX_BLOCK_DMA, end);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->start_ps, 500);
	assert_int_equal(row(f, 0)->end_ps, 900);
	assert_int_equal(row(f, 0)->size_bytes, 4096);
	assert_int_equal(row(f, 0)->crc, 0xabcd);
	assert_int_equal(row(f, 0)->dma_engine, 67); /* the declared queues begin at 64 */
	assert_int_equal(row(f, 0)->dma_queue, 2);
	assert_int_equal(row(f, 0)->packet_idx, 0);
	/* (67, 2) is not declared, (64, 2) is */
	assert_int_equal(row(f, 0)->queue_class, NX_QUEUE_INSTRUCTION);
}

static void the_engine_base_is_a_multiple_of_32(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_queue(f, 0, 90, 0, "qA");
	nx_fixture_queue(f, 0, 85, 0, "qB");
	packet(f, 31, 0, 2000, 2001);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->dma_engine, 95);
}

static void without_queues_engines_count_from_zero(void **state)
{
	struct nx_ntff_fixture *f = *state;

	packet(f, 5, 15, 2000, 2001);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->dma_engine, 5);
	assert_int_equal(row(f, 0)->dma_queue, 15);
}

static void names_give_queues_their_class(void **state)
{
	static const struct {
		const char *name;
		enum nx_queue_class want;
	} cases[] = {
		{"qSyncDynamicHW", NX_QUEUE_HARDWARE_DYNAMIC},
		{"qPoolDynamic", NX_QUEUE_SOFTWARE_DYNAMIC},
		{"qDynamicHWx", NX_QUEUE_SOFTWARE_DYNAMIC},
		{"qDveTable", NX_QUEUE_INSTRUCTION},
		{"qTableX", NX_QUEUE_DATA},
		{"", NX_QUEUE_DATA},
	};
	struct nx_ntff_fixture *f = *state;

	for (uint32_t i = 0; i < 6; i++) {
		nx_fixture_queue(f, 0, i, i, cases[i].name);
		packet(f, i, i, 2000, 2001);
	}
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(row(f, i)->queue_class, cases[i].want);
		assert_int_equal(f->capture.graphs[0].queues[i].queue_class, cases[i].want);
	}
}

static void the_last_declaration_of_a_queue_counts(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_queue(f, 0, 1, 1, "qPoolDynamic");
	nx_fixture_queue(f, 0, 1, 1, "qData");
	packet(f, 1, 1, 2000, 2001);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->queue_class, NX_QUEUE_DATA);
}

static void queues_pair_in_order_and_apart(void **state)
{
	struct nx_ntff_fixture *f = *state;

	for (uint32_t i = 0; i < 40; i++) { /* more in flight than the first buffer holds */
		nx_fixture_dma(f, 0, NX_DMA_START, 1, 0, 0, 2000 + i);
		nx_fixture_dma(f, 0, NX_DMA_START, 1, 1, 0, 3000 + i);
	}
	for (uint32_t i = 0; i < 40; i++) {
		nx_fixture_dma(f, 0, NX_DMA_END, 1, 1, i, 5000 + i);
		nx_fixture_dma(f, 0, NX_DMA_END, 1, 0, i, 4000 + i);
	}
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 80);
	for (uint32_t i = 0; i < 40; i++) {
		assert_int_equal(row(f, 2 * i)->start_ps, 2000 + i);
		assert_int_equal(row(f, 2 * i)->packet_idx, i);
		assert_int_equal(row(f, 2 * i)->size_bytes, i);
		assert_int_equal(row(f, 2 * i + 1)->start_ps, 1000 + i);
		assert_int_equal(row(f, 2 * i + 1)->end_ps, 3000 + i);
	}
}

static void a_ring_of_starts_may_wrap(void **state)
{
	struct nx_ntff_fixture *f = *state;

	/* ten in flight while forty pass: the head runs around before the buffer grows */
	for (uint32_t i = 0; i < 40; i++) {
		nx_fixture_dma(f, 0, NX_DMA_START, 0, 0, 0, 2000 + i);
		if (i >= 10)
			nx_fixture_dma(f, 0, NX_DMA_END, 0, 0, 0, 3000 + i - 10);
	}
	for (uint32_t i = 0; i < 20; i++)
		nx_fixture_dma(f, 0, NX_DMA_START, 0, 0, 0, 2040 + i);
	for (uint32_t i = 30; i < 60; i++)
		nx_fixture_dma(f, 0, NX_DMA_END, 0, 0, 0, 3000 + i);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 60);
	for (uint32_t i = 0; i < 60; i++) {
		assert_int_equal(row(f, i)->start_ps, 1000 + i);
		assert_int_equal(row(f, i)->end_ps, 2000 + i);
	}
}

static void a_queue_that_straddles_the_window_is_dropped_whole(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_decode_loss *loss = &f->decoder.loss;

	packet(f, 0, 0, 900, 1100);
	packet(f, 0, 0, 1200, 1300);
	packet(f, 0, 1, 800, 900); /* wholly outside: no harm */
	packet(f, 0, 1, 1200, 1300);
	nx_fixture_must_open(f);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(decode(f), 1);
		assert_int_equal(row(f, 0)->dma_queue, 1);
		assert_int_equal(row(f, 0)->packet_idx, 0);
		assert_int_equal(loss->dropped_queue_count, 1);
		assert_int_equal(loss->dropped_packet_count, 2);
		assert_int_equal(loss->unpaired_packet_count, 0);
	}
}

static void a_cut_ring_keeps_its_pairs(void **state)
{
	struct nx_ntff_fixture *f = *state;

	packet(f, 0, 0, 2000, 2100);
	nx_fixture_dma(f, 0, NX_DMA_START, 0, 0, 0, 2200);
	nx_fixture_dma(f, 0, NX_DMA_END, 0, 0, 0, 2300);
	f->cut_bytes = 10;
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(f->decoder.loss.dropped_queue_count, 0);
	assert_int_equal(f->decoder.loss.unpaired_packet_count, 1);
	assert_int_equal(f->decoder.loss.missing_bytes, 10);
	assert_int_equal(f->decoder.loss.odd_tail_bytes, 6);
}

static void version_5_pairs_first_and_drops_packets_after(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_decode_loss *loss = &f->decoder.loss;

	make_version_5(f);
	nx_fixture_start(f, 0, NX_ENGINE_TENSOR, 0, 1000); /* where time begins */
	packet(f, 0, 0, 900, 1100);
	packet(f, 0, 0, 1000, 1300);
	nx_fixture_dma(f, 0, NX_DMA_START, 0, 0, 0, 1400);
	nx_fixture_dma(f, 0, NX_DMA_END, 0, 7, 0, 1400);
	nx_fixture_must_open(f);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(decode(f), 1);
		assert_int_equal(row(f, 0)->start_ps, 0);
		assert_int_equal(row(f, 0)->packet_idx, 1); /* the early one was counted */
		assert_int_equal(loss->dropped_queue_count, 0);
		assert_int_equal(loss->unpaired_packet_count, 2);
	}
}

static void a_packet_that_ends_before_it_starts_keeps_its_number(void **state)
{
	struct nx_ntff_fixture *f = *state;

	packet(f, 0, 0, 2000, 1999);
	packet(f, 0, 0, 2100, 2200);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 1);
	assert_int_equal(row(f, 0)->packet_idx, 1);
}

static void dma_clocks_repeat_every_sixteen_engines(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_ntff_clock clocks[16] = {[13] = {0, 1, 2}};

	f->graphs[0].has_clocks = true;
	f->graphs[0].clocks.dma.items = clocks;
	f->graphs[0].clocks.dma.count = 16;
	packet(f, 29, 0, 2000, 2100);
	packet(f, 5, 0, 2000, 2100);
	nx_fixture_must_open(f);
	assert_int_equal(decode(f), 2);
	assert_int_equal(row(f, 0)->start_ps, 3000);
	assert_int_equal(row(f, 0)->end_ps, 3200);
	assert_int_equal(row(f, 1)->start_ps, 1000);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_ntff_fixture_setup, nx_ntff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pair_becomes_a_row),
		TEST(the_engine_base_is_a_multiple_of_32),
		TEST(without_queues_engines_count_from_zero),
		TEST(names_give_queues_their_class),
		TEST(the_last_declaration_of_a_queue_counts),
		TEST(queues_pair_in_order_and_apart),
		TEST(a_ring_of_starts_may_wrap),
		TEST(a_queue_that_straddles_the_window_is_dropped_whole),
		TEST(a_cut_ring_keeps_its_pairs),
		TEST(version_5_pairs_first_and_drops_packets_after),
		TEST(a_packet_that_ends_before_it_starts_keeps_its_number),
		TEST(dma_clocks_repeat_every_sixteen_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
