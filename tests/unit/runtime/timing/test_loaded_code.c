/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/timing/timing_fixture.h"

static const struct nx_loaded_stream *stream_of(const struct timing_fixture *f, unsigned engine)
{
	return &f->code.cores[0].streams[engine];
}

static void check_opcodes(const struct nx_loaded_stream *stream, size_t first,
			  const uint8_t *opcodes, size_t count)
{
	assert_true(first + count <= stream->slot_count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(stream->slots[first + i].word.bytes[0], opcodes[i]);
}

/* The words of an execution on SP, in the order of captures. */
static void test_frame(void **state)
{
	static const uint8_t before[] = {0xaa, 0xa2, 0xa9, 0xa6, 0xa2, 0xa0, 0xa2,
					 0xaa, 0xa2, 0xa0, 0xa2, 0xa2, 0xa0, 0xa2};
	static const uint8_t behind[] = {0xa2, 0xa0, 0xa2, 0xb0, 0xa2, 0xa0, 0xa2, 0xa6, 0xa9};
	const struct nx_loaded_stream *stream;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add(&f, 0, NX_ENGINE_SYNC, NX_OP_NOP);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	stream = stream_of(&f, NX_ENGINE_SYNC);
	assert_int_equal(stream->slot_count, sizeof(before) + 1 + sizeof(behind));
	check_opcodes(stream, 0, before, sizeof(before));
	check_opcodes(stream, sizeof(before) + 1, behind, sizeof(behind));
	assert_int_equal(stream->slots[14].compiler_pc, 0);
	assert_int_equal(stream->slots[14].kind, NX_LOADED_COMPILED);
	assert_int_equal(stream->slots[13].compiler_pc, NX_NO_INDEX);
	assert_int_equal(nx_load16(stream->slots[3].word.bytes + 36), NX_NOTIFY_HINT_START);
	assert_int_equal(nx_load16(stream->slots[22].word.bytes + 36), NX_NOTIFY_HINT_END);
	/* SP clears its fifth of the semaphores; the branch leads back to slot 0. */
	assert_int_equal(stream->slots[18].word.bytes[13], 207);
	assert_int_equal(stream->slots[18].word.bytes[14], 255);
	assert_int_equal(nx_load32(stream->slots[23].word.bytes + 48), 0u - 23 * 64);
	timing_fixture_close(&f);
}

/* Down the chain from PE to SP, and up again: each value has one engine that waits for it. */
static void test_barrier_chain(void **state)
{
	unsigned waiters[9] = {0};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_loaded_stream *stream = stream_of(&f, e);

		for (size_t i = 0; i < stream->slot_count; i++) {
			const uint8_t *word = stream->slots[i].word.bytes;

			if (word[0] == NX_OP_EVENT_SEMAPHORE && word[32])
				waiters[nx_load32(word + 36)]++;
		}
	}
	/* Three barriers before and two behind. */
	for (unsigned value = 1; value <= 8; value++)
		assert_int_equal(waiters[value], 5);
	timing_fixture_close(&f);
}

static void test_images_do_not_overlap(void **state)
{
	uint64_t last = 0;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 2);
	for (unsigned i = 0; i < 600; i++)
		timing_fixture_add(&f, 0, NX_ENGINE_TENSOR, NX_OP_NOP);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	assert_int_equal(f.code.core_count, 2);
	for (unsigned c = 0; c < 2; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_loaded_stream *s = &f.code.cores[c].streams[e];

			assert_int_equal(s->start_address % 64, 0);
			assert_true(s->start_address >= last);
			last = s->start_address + s->slot_count * 64;
		}
	timing_fixture_close(&f);
}

static void test_trigger(void **state)
{
	const struct nx_loaded_slot *slot;
	struct timing_fixture f;
	uint8_t *word;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 1, 256, 8);
	timing_fixture_add_block(&f, 1, 256, 9);
	timing_fixture_add_trigger(&f, 1);
	word = f.words[0][NX_ENGINE_SYNC].items;
	word_wait(word, 5, 3);
	word_update(word, 6);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	slot = timing_fixture_slot(&f, 0, NX_ENGINE_SYNC, 0);
	assert_int_equal(slot->word.bytes[0], NX_OP_WRITE);
	assert_int_equal(slot->kind, NX_LOADED_REPLACED);
	assert_int_equal(slot->queue, 0);
	assert_int_equal(slot->block, 1);
	assert_int_equal(slot->word.bytes[4], 0);
	assert_int_equal(slot->word.bytes[7], 6);
	/* The word before it waits, and counts nothing. */
	assert_int_equal(slot[-1].word.bytes[0], NX_OP_WRITE);
	assert_int_equal(slot[-1].kind, NX_LOADED_INSERTED);
	assert_int_equal(slot[-1].word.bytes[5], 5);
	assert_int_equal(nx_load32(slot[-1].word.bytes + 8), 3);
	assert_int_equal(slot[-1].word.bytes[6], 0);
	assert_int_equal(slot[-1].queue, NX_NO_INDEX);
	timing_fixture_close(&f);
}

static void test_trigger_of_nothing(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_trigger(&f, 0);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	assert_int_equal(timing_fixture_slot(&f, 0, NX_ENGINE_SYNC, 0)->queue, NX_NO_INDEX);
	timing_fixture_close(&f);
}

static void test_pseudo_words(void **state)
{
	const struct nx_loaded_slot *slot;
	struct timing_fixture f;
	uint8_t *word;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_PSEUDO_BRANCH_LABEL);
	word = timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_PSEUDO_TENSOR_LOAD);
	nx_store32(word + 20, 0x1234);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 1024, 8);
	word = timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_PSEUDO_EXTENSION);
	nx_store32(word + 12, 777);
	timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_PSEUDO_CORE_BARRIER);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	slot = timing_fixture_slot(&f, 0, NX_ENGINE_GPSIMD, 1);
	assert_int_equal(slot->word.bytes[0], NX_OP_TENSOR_LOAD);
	assert_int_equal(nx_load64(slot->word.bytes + 16), 0x802000001234);
	/* The label is gone, the bound became a MOVE. */
	assert_int_equal(slot[-1].kind, NX_LOADED_INSERTED);
	assert_int_equal(slot[1].word.bytes[0], 0xa7);
	assert_int_equal(slot[1].kind, NX_LOADED_INSERTED);
	assert_int_equal(nx_load32(slot[1].word.bytes + 32), 777);
	assert_int_equal(slot[2].word.bytes[0], NX_OP_DMA_DIRECT2D);
	assert_int_equal(slot[2].compiler_pc, 2);
	assert_int_equal(slot[2].block, NX_NO_INDEX);
	assert_int_equal(nx_load64(slot[2].word.bytes + 40), 0x802000000000);
	assert_int_equal(slot[3].word.bytes[0], NX_OP_EVENT_SEMAPHORE);
	assert_int_equal(slot[3].compiler_pc, 4);
	timing_fixture_close(&f);
}

/* --- packets ------------------------------------------------------------------------- */

static void check_ring(const struct nx_loaded_block *block, unsigned ring, const uint32_t *bytes,
		       uint32_t count)
{
	assert_int_equal(block->first[ring + 1] - block->first[ring], count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(block->packets[block->first[ring] + i].bytes, bytes[i]);
}

static const struct nx_loaded_block *only_block(const struct timing_fixture *f)
{
	assert_int_equal(f->code.cores[0].queue_count, 1);
	assert_int_equal(f->code.cores[0].queues[0].block_count, 1);
	return &f->code.cores[0].queues[0].blocks[0];
}

/* 128 elements of 512 bytes: 8 for each ring, a packet each, then the semaphore. */
static void test_hardware_packets(void **state)
{
	static const uint32_t bytes[] = {512, 512, 512, 512, 512, 512, 512, 512, 4};
	const struct nx_loaded_block *block;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_SYNC, 128, 512, 24);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	block = only_block(&f);
	for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++)
		check_ring(block, ring, bytes, 9);
	assert_int_equal(block->semaphore, 24);
	assert_true(block->packets[0].is_from_hbm);
	assert_false(block->packets[0].is_to_hbm);
	assert_false(block->packets[7].is_semaphore);
	assert_true(block->packets[8].is_semaphore);
	assert_int_equal(f.code.cores[0].queues[0].kind, NX_LOADED_HARDWARE_DGE);
	timing_fixture_close(&f);
}

/* 128 elements of 1 KiB: 8 KiB for each ring, in packets of 4 KiB. */
static void test_software_packets(void **state)
{
	static const uint32_t bytes[] = {4096, 4096, 4};
	const struct nx_loaded_block *block;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 1024, 8);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	block = only_block(&f);
	for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++)
		check_ring(block, ring, bytes, 3);
	assert_int_equal(block->packets[0].run_bytes, 1024);
	assert_int_equal(block->packets[0].elements, 4);
	timing_fixture_close(&f);
}

/* A cast never shares a packet; what does not divide by 16 goes to the first rings. */
static void test_uneven_casts(void **state)
{
	static const uint32_t two[] = {256, 256, 4}, one[] = {256, 4};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 17, 256, 8)[63] = NX_DTYPE_BF16;
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	check_ring(only_block(&f), 0, two, 3);
	check_ring(only_block(&f), 1, one, 2);
	check_ring(only_block(&f), 15, one, 2);
	timing_fixture_close(&f);
}

static void test_static_packets(void **state)
{
	static const uint32_t small[] = {260}, none[] = {4}, large[] = {4096, 4100};
	const struct nx_loaded_queue *queue;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 1, 256, 8);
	timing_fixture_add_block(&f, 128, 1024, 9);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	queue = &f.code.cores[0].queues[0];
	assert_int_equal(queue->block_count, 2);
	check_ring(&queue->blocks[0], 0, small, 1);
	check_ring(&queue->blocks[0], 1, none, 1);
	check_ring(&queue->blocks[1], 0, large, 2);
	check_ring(&queue->blocks[1], 15, large, 2);
	assert_int_equal(queue->blocks[1].id, 71);
	timing_fixture_close(&f);
}

/* Older devices have a packet for the semaphore. */
static void test_static_packets_of_trn1(void **state)
{
	static const uint32_t bytes[] = {4096, 4096, 4};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN1, 1);
	timing_fixture_add_block(&f, 128, 1024, 9);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	check_ring(only_block(&f), 3, bytes, 3);
	timing_fixture_close(&f);
}

struct law {
	unsigned rows, row_bytes;
	bool is_touching;
	unsigned packets;
	uint32_t bytes[4];
};

/* As captures of trn1 have them, on each of 16 rings; the semaphore's packet is the last. */
static void test_law_of_static_packets(void **state)
{
	static const struct law laws[] = {
		{128, 4000, true, 2, {16000, 16000}},
		{128, 8000, true, 2, {32000, 32000}},
		{128, 4608, true, 2, {18432, 18432}},
		{128, 840, true, 2, {3360, 3360}},
		{64, 4000, false, 4, {4000, 4000, 4000, 4000}},
		{128, 512, false, 1, {4096}},
		{320, 448, false, 3, {4032, 4032, 896}},
		{1024, 18, false, 1, {1152}},
		{128, 2, true, 1, {16}},
		{16, 131072, false, 2, {65536, 65536}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
		const struct law *law = &laws[i];
		const int64_t steps[2] = {1, law->row_bytes};
		uint32_t bytes[5] = {0};
		struct timing_fixture f;

		timing_fixture_open(&f, NX_DEVICE_TRN1, 1);
		timing_fixture_add_block(&f, law->rows, law->row_bytes, 8);
		if (law->is_touching)
			f.sources[0].steps = steps;
		assert_int_equal(timing_fixture_load(&f), NX_OK);
		memcpy(bytes, law->bytes, sizeof(law->bytes));
		bytes[law->packets] = 4;
		for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++)
			check_ring(only_block(&f), ring, bytes, law->packets + 1);
		timing_fixture_close(&f);
	}
}

/* 24 runs on a ring, three in a row of HBM: a new packet after four rows. */
static void test_groups_of_rows(void **state)
{
	static const uint64_t sizes[3] = {448, 3, 128};
	static const int64_t steps[3] = {1, 1000, 100000};
	static const uint32_t bytes[] = {4032, 1344, 4032, 1344 + 4};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 384, 448, 8);
	f.sources[0].dims = 3;
	f.sources[0].sizes = sizes;
	f.sources[0].steps = steps;
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	check_ring(only_block(&f), 7, bytes, 4);
	timing_fixture_close(&f);
}

/* One run in HBM for many in SBUF: all on ring 0. Casts: an element and the semaphore each. */
static void test_single_runs_and_casts(void **state)
{
	static const uint64_t one[2] = {1024, 1};
	static const uint32_t whole[] = {1024 + 4}, none[] = {4}, casts[] = {8, 8, 4};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 64, 16, 8);
	f.sources[0].sizes = one;
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	check_ring(only_block(&f), 0, whole, 1);
	check_ring(only_block(&f), 9, none, 1);
	timing_fixture_close(&f);
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 32, 8, 8);
	f.descriptors[0].op = NX_DMA_CAST;
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	check_ring(only_block(&f), 3, casts, 3);
	timing_fixture_close(&f);
}

static void test_queue_numbers(void **state)
{
	const struct nx_loaded_core *core;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 1, 256, 8);
	timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 16, 64, 9);
	timing_fixture_add_direct2d(&f, NX_ENGINE_SCALAR, 16, 64, 10);
	f.queue.name = nx_slice_text("qAIO0");
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	core = &f.code.cores[0];
	assert_int_equal(core->queue_count, 3);
	/* By name, but those for inputs and outputs last. */
	assert_true(nx_slice_is(core->queues[0].name, "qAIO0"));
	assert_int_equal(core->queues[0].queue_index, 2);
	assert_int_equal(core->queues[0].queue_type, 3);
	assert_true(nx_slice_is(core->queues[1].name, "qActDynamicHW"));
	assert_int_equal(core->queues[1].queue_index, 0);
	assert_true(nx_slice_is(core->queues[2].name, "qPoolDynamic"));
	assert_int_equal(core->queues[2].queue_index, 1);
	timing_fixture_close(&f);
}

/* --- programs that ask for too much ------------------------------------------------------- */

static void test_too_many_packets(void **state)
{
	struct timing_fixture f;
	uint8_t *word;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	word = timing_fixture_add_direct2d(&f, NX_ENGINE_SYNC, 65535, 1, 8);
	nx_store16(word + 40 + 18, 65535);
	assert_int_equal(timing_fixture_load(&f), NX_LIMIT);
	assert_non_null(strstr(f.err.message, "qSPDynamicHW"));
	timing_fixture_close(&f);
}

/* One block of 1,024 packets, started 4,096 times: 4 Mi packets. */
static void test_block_started_too_often(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 1024, 4096, 8);
	for (unsigned i = 0; i < 4096; i++)
		timing_fixture_add_trigger(&f, 0);
	assert_int_equal(timing_fixture_load(&f), NX_LIMIT);
	assert_non_null(strstr(f.err.message, "qSPIO0"));
	timing_fixture_close(&f);
}

static void test_block_sizes_that_overflow(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 1, 256, 8);
	f.sizes[0][0] = f.sizes[0][1] = UINT64_MAX / 2;
	assert_int_equal(timing_fixture_load(&f), NX_LIMIT);
	assert_non_null(strstr(f.err.message, "qSPIO0"));
	timing_fixture_close(&f);
}

static void test_empty_transfers(void **state)
{
	static const uint32_t none[] = {4};
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_block(&f, 0, 0, 8);
	timing_fixture_add_direct2d(&f, NX_ENGINE_SYNC, 0, 1, 9);
	assert_int_equal(timing_fixture_load(&f), NX_OK);
	check_ring(&f.code.cores[0].queues[0].blocks[0], 0, none, 1);
	check_ring(&f.code.cores[0].queues[1].blocks[0], 7, none, 1);
	timing_fixture_close(&f);
}

static void test_too_many_words(void **state)
{
	struct nx_bytes *words;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	words = &f.words[0][NX_ENGINE_VECTOR];
	nx_bytes_append_zeros(words, (size_t)64 << 20);
	assert_int_equal(timing_fixture_load(&f), NX_LIMIT);
	assert_non_null(strstr(f.err.message, "DVE has 1048576 words"));
	timing_fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_barrier_chain),
		cmocka_unit_test(test_images_do_not_overlap),
		cmocka_unit_test(test_trigger),
		cmocka_unit_test(test_trigger_of_nothing),
		cmocka_unit_test(test_pseudo_words),
		cmocka_unit_test(test_hardware_packets),
		cmocka_unit_test(test_software_packets),
		cmocka_unit_test(test_uneven_casts),
		cmocka_unit_test(test_static_packets),
		cmocka_unit_test(test_static_packets_of_trn1),
		cmocka_unit_test(test_law_of_static_packets),
		cmocka_unit_test(test_groups_of_rows),
		cmocka_unit_test(test_single_runs_and_casts),
		cmocka_unit_test(test_queue_numbers),
		cmocka_unit_test(test_too_many_packets),
		cmocka_unit_test(test_block_started_too_often),
		cmocka_unit_test(test_block_sizes_that_overflow),
		cmocka_unit_test(test_empty_transfers),
		cmocka_unit_test(test_too_many_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
