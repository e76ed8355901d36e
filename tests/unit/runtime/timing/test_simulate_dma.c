/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers in time, worked out by hand from the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/timing/timing_fixture.h"

static const struct nx_timed_packet *packet_of(const struct timing_fixture *f, unsigned dma_engine,
					       unsigned index)
{
	for (size_t i = 0; i < f->run.packets.len; i++)
		if (f->run.packets.items[i].dma_engine == dma_engine && index-- == 0)
			return &f->run.packets.items[i];
	fail_msg("DMA engine %u has no such packet", dma_engine);
	return NULL;
}

/* 8 KiB for each ring: two packets; the ring that ends last counts last. */
static void test_static_transfer(void **state)
{
	const struct nx_dma_timing *dma = &TRN2->dma;
	const struct nx_timed_instruction *trigger, *waiter;
	const struct nx_timed_packet *first, *second;
	uint64_t last_end_ps = 0;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 128, 1024, 8);
	timing_fixture_add_trigger(&f, 0);
	word_wait(timing_fixture_add(&f, 0, NX_ENGINE_SYNC, NX_OP_NOP), 8, 16);
	timing_fixture_must_run(&f);
	trigger = timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0);
	waiter = timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 1);
	first = packet_of(&f, 0, 0);
	second = packet_of(&f, 0, 1);
	assert_int_equal(f.run.packets.len, 32);
	assert_int_equal(first->start_ps, trigger->start_ps + dma->static_start_ps[NX_ENGINE_SYNC]);
	assert_int_equal(packet_of(&f, 15, 0)->start_ps - first->start_ps,
			 dma->static_spread_ps[NX_ENGINE_SYNC]);
	assert_int_equal(second->start_ps, first->end_ps - (dma->packet_ps - dma->packet_step_ps));
	assert_int_equal(first->bytes, 4096);
	assert_int_equal(second->bytes, 4100);
	for (size_t i = 0; i < f.run.packets.len; i++)
		if (f.run.packets.items[i].end_ps > last_end_ps)
			last_end_ps = f.run.packets.items[i].end_ps;
	assert_int_equal(timing_fixture_counted_ps(&f, 8, 16), last_end_ps + dma->static_notify_ps);
	assert_int_equal(waiter->start_ps, timing_fixture_counted_ps(&f, 8, 16) +
						   TRN2->engines[NX_ENGINE_SYNC].wake_control_ps);
	timing_fixture_close(&f);
}

/* The first load of a burst takes 2.2 times as long; the semaphore's packet comes 98 ns later. */
static void test_static_transfer_of_trn1(void **state)
{
	const struct nx_timed_packet *first, *second, *semaphore;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN1, 1);
	timing_fixture_add_block(&f, 32, 4000, 8);
	timing_fixture_add_trigger(&f, 0);
	timing_fixture_must_run(&f);
	first = packet_of(&f, 1, 0); /* ring 0 finds memory idle */
	second = packet_of(&f, 1, 1);
	semaphore = packet_of(&f, 1, 2);
	assert_int_equal(packet_of(&f, 0, 0)->start_ps,
			 timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0)->start_ps + 280000);
	assert_int_equal(packet_of(&f, 15, 0)->start_ps - packet_of(&f, 0, 0)->start_ps, 40000);
	assert_int_equal(second->end_ps - second->start_ps, 217391); /* 4000 / 18.4 */
	assert_int_equal(first->end_ps - first->start_ps, 478260);
	assert_int_equal(semaphore->start_ps - second->end_ps, 98000);
	assert_int_equal(semaphore->bytes, 4);
	timing_fixture_close(&f);
}

/* Within a queue order is kept, although the second trigger finds the engines busy. */
static void test_transfers_of_a_queue(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 128, 8192, 8);
	timing_fixture_add_block(&f, 1, 64, 9);
	timing_fixture_add_trigger(&f, 0);
	timing_fixture_add_trigger(&f, 1);
	timing_fixture_must_run(&f);
	assert_true(timing_fixture_counted_ps(&f, 9, 16) > timing_fixture_counted_ps(&f, 8, 16));
	assert_int_equal(packet_of(&f, 0, 8)->bytes, 68);
	assert_true(packet_of(&f, 0, 8)->start_ps < packet_of(&f, 0, 7)->end_ps);
	timing_fixture_close(&f);
}

static void test_hardware_transfer(void **state)
{
	const struct nx_timed_instruction *row;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_SCALAR, 128, 512, 24);
	timing_fixture_must_run(&f);
	row = timing_fixture_row(&f, 0, NX_ENGINE_SCALAR, 0);
	assert_int_equal(packet_of(&f, 0, 0)->start_ps,
			 row->start_ps + TRN2->dma.hardware_start_ps[NX_ENGINE_SCALAR]);
	assert_int_equal(f.run.packets.len, 16 * 9);
	assert_int_equal(timing_fixture_counted_ps(&f, 24, 16),
			 packet_of(&f, 15, 8)->end_ps + TRN2->dma.hardware_notify_ps);
	assert_int_equal(f.run.descriptors.len, 1);
	assert_int_equal(f.run.descriptors.items[0].packets_per_engine, 9);
	assert_int_equal(f.run.descriptors.items[0].dma_engine_mask, 0xffff);
	timing_fixture_close(&f);
}

/* GpSimd's records come a step apart; the next control word comes before the record. */
static void test_software_transfers(void **state)
{
	const struct nx_dma_timing *dma = &TRN2->dma;
	const struct nx_timed_instruction *first, *second, *nop;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 1024, 8);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 1024, 9);
	timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_NOP);
	timing_fixture_must_run(&f);
	first = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 0);
	second = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 1);
	nop = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 2);
	assert_int_equal(first->start_ps, TRN2->engines[NX_ENGINE_GPSIMD].first_instruction_ps +
						  dma->software_record_ps);
	assert_int_equal(second->start_ps - first->start_ps, dma->software_step_ps);
	/* It did not wait for a semaphore. */
	assert_int_equal(first->wait_ps, 0);
	assert_int_equal(nop->start_ps, second->start_ps - dma->software_release_ps);
	assert_int_equal(packet_of(&f, 0, 0)->start_ps, first->start_ps + dma->software_start_ps);
	timing_fixture_close(&f);
}

/* GpSimd works on the elements of one before its record: 384 more are 123,648 ps. */
static void test_software_step_grows_with_elements(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 64, 8);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 512, 64, 9);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 1, 64, 10);
	timing_fixture_must_run(&f);
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 1)->start_ps -
				 timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 0)->start_ps,
			 582000 + 123648);
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 2)->start_ps -
				 timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 1)->start_ps,
			 582000 - 40894);
	timing_fixture_close(&f);
}

/* Records are 582 ns apart and grow by 24 until they have the longest's length; then 606 apart. */
static void test_software_records_grow(void **state)
{
	const struct nx_timed_instruction *rows[80];
	uint64_t shortest_ps, longest_ps;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < 80; i++)
		timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 64, 8);
	timing_fixture_must_run(&f);
	for (uint32_t i = 0; i < 80; i++)
		rows[i] = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, i);
	shortest_ps = rows[0]->end_ps - rows[0]->start_ps;
	assert_int_equal(rows[1]->end_ps - rows[0]->end_ps, 606000);
	assert_int_equal(rows[20]->end_ps - rows[20]->start_ps, shortest_ps + 20 * 24000);
	longest_ps = rows[79]->end_ps - rows[79]->start_ps;
	assert_int_equal(longest_ps, 1222000);
	assert_int_equal(rows[79]->start_ps - rows[78]->start_ps, 606000);
	/* What the DMA engines do follows the end of a record. */
	assert_int_equal(packet_of(&f, 0, 2 * 79)->start_ps,
			 rows[79]->end_ps - shortest_ps + TRN2->dma.software_start_ps);
	timing_fixture_close(&f);
}

/* 128 numbers of 2 bytes settle one by one, each for 110 ns, before the last ring has counted. */
static void test_short_stores_count_late(void **state)
{
	uint64_t first_ps, last_ps;
	struct timing_fixture f;
	uint8_t *word, place[22];

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	word = timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 2, 8);
	memcpy(place, word + 16, sizeof(place));
	memcpy(word + 16, word + 40, sizeof(place));
	memcpy(word + 40, place, sizeof(place));
	timing_fixture_must_run(&f);
	first_ps = timing_fixture_counted_ps(&f, 8, 1);
	last_ps = timing_fixture_counted_ps(&f, 8, 16);
	assert_int_equal(first_ps,
			 packet_of(&f, 0, 1)->end_ps + 8 * 110000 + TRN2->dma.software_notify_ps);
	assert_int_equal(last_ps, packet_of(&f, 15, 1)->end_ps + 128 * 110000 +
					  TRN2->dma.software_notify_ps);
	timing_fixture_close(&f);
}

static uint64_t first_apart_ps(unsigned engine, unsigned element_bytes)
{
	struct timing_fixture f;
	uint64_t ps;

	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, engine, 128, element_bytes, 8);
	timing_fixture_must_run(&f);
	ps = packet_of(&f, 15, 0)->start_ps - packet_of(&f, 0, 0)->start_ps;
	timing_fixture_close(&f);
	return ps;
}

/* The first and the last ring of a transfer, by the length of its elements. */
static void test_short_elements_start_further_apart(void **state)
{
	const struct nx_dma_timing *dma = &TRN2->dma;

	(void)state;
	assert_int_equal(first_apart_ps(NX_ENGINE_GPSIMD, 64), dma->software_spread_ps);
	assert_int_equal(first_apart_ps(NX_ENGINE_GPSIMD, 2), dma->short_load_spread_ps);
	assert_int_equal(first_apart_ps(NX_ENGINE_SYNC, 64), dma->hardware_spread_ps);
	assert_int_equal(first_apart_ps(NX_ENGINE_SYNC, 8), dma->short_load_spread_ps);
}

static void test_software_transfer_that_waits(void **state)
{
	const struct nx_timed_instruction *writer, *row;
	uint64_t changed_ps;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 6);
	word_wait(timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 1024, 8), 6, 1);
	timing_fixture_must_run(&f);
	writer = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	row = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 0);
	changed_ps = writer->end_ps + (uint64_t)TRN2->engines[NX_ENGINE_VECTOR].update_ps;
	assert_int_equal(row->start_ps, changed_ps + TRN2->dma.software_wake_ps);
	assert_int_equal(row->wait_ps,
			 changed_ps - TRN2->engines[NX_ENGINE_GPSIMD].first_instruction_ps);
	timing_fixture_close(&f);
}

static void test_first_execution_of_inf2(void **state)
{
	const struct nx_hardware_timing *inf2 = nx_device_hardware_of(NX_DEVICE_INF2);
	uint64_t usual_ps;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_INF2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 1024, 8);
	timing_fixture_must_run(&f);
	usual_ps = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 0)->start_ps;
	f.options.is_first_execution = true;
	timing_fixture_must_run(&f);
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 0)->start_ps - usual_ps,
			 inf2->frame.gpsimd_library_ps - inf2->dma.software_record_ps);
	timing_fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static_transfer),
		cmocka_unit_test(test_static_transfer_of_trn1),
		cmocka_unit_test(test_transfers_of_a_queue),
		cmocka_unit_test(test_hardware_transfer),
		cmocka_unit_test(test_software_transfers),
		cmocka_unit_test(test_software_step_grows_with_elements),
		cmocka_unit_test(test_software_records_grow),
		cmocka_unit_test(test_short_stores_count_late),
		cmocka_unit_test(test_short_elements_start_further_apart),
		cmocka_unit_test(test_software_transfer_that_waits),
		cmocka_unit_test(test_first_execution_of_inf2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
