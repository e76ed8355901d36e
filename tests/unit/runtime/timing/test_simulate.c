/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs whose times can be worked out by hand from the table: what is
 * expected here is written with its constants, not with what the simulator said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/timing/timing_fixture.h"

/* --- engines and semaphores --------------------------------------------------------------- */

static void test_frame(void **state)
{
	const struct nx_timed_instruction *row;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add(&f, 0, NX_ENGINE_SYNC, NX_OP_NOP);
	timing_fixture_must_run(&f);
	row = timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0);
	assert_int_equal(row->start_ps, TRN2->engines[NX_ENGINE_SYNC].first_instruction_ps);
	assert_int_equal(row->end_ps,
			 row->start_ps + timing_fixture_cost(&f, 0, NX_ENGINE_SYNC, 0).latency_ps);
	assert_true(f.run.end_ps >= row->end_ps + TRN2->frame.end_ps);
	for (size_t i = 0; i < f.run.instructions.len; i++)
		assert_true(f.run.instructions.items[i].end_ps <= f.run.end_ps);
	/* Each word happened once: 22 of SP's frame and the NOP, 4 x 28 of the others. */
	assert_int_equal(f.run.instructions.len, 24 + 4 * 28);
	timing_fixture_close(&f);
}

/* DVE counts S[6] up, Act waits for it and counts S[4], DVE waits for that. */
static void test_semaphore_chain(void **state)
{
	const struct nx_engine_timing *act = &TRN2->engines[NX_ENGINE_SCALAR];
	const struct nx_engine_timing *dve = &TRN2->engines[NX_ENGINE_VECTOR];
	const struct nx_timed_instruction *first, *second, *third;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 6);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_SCALAR, 6, 1, 4);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 4, 1, 0);
	timing_fixture_must_run(&f);
	first = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	second = timing_fixture_row(&f, 0, NX_ENGINE_SCALAR, 0);
	third = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 1);
	assert_int_equal(first->start_ps, dve->first_instruction_ps);
	assert_int_equal(first->end_ps - first->start_ps,
			 timing_fixture_cost(&f, 0, NX_ENGINE_VECTOR, 0).latency_ps);
	assert_int_equal(second->start_ps, first->end_ps + (uint64_t)dve->update_ps + act->wake_ps);
	assert_int_equal(second->wait_ps, second->start_ps - act->first_instruction_ps);
	assert_int_equal(third->start_ps, second->end_ps + (uint64_t)act->update_ps + dve->wake_ps);
	timing_fixture_close(&f);
}

/* Without waits completions are an occupancy apart. */
static void test_back_to_back(void **state)
{
	const struct nx_timed_instruction *rows[3];
	struct nx_cost cost;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < 3; i++)
		timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 6);
	timing_fixture_must_run(&f);
	cost = timing_fixture_cost(&f, 0, NX_ENGINE_VECTOR, 0);
	assert_true(cost.occupancy_ps < cost.latency_ps);
	for (uint32_t i = 0; i < 3; i++)
		rows[i] = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, i);
	for (unsigned i = 1; i < 3; i++) {
		assert_int_equal(rows[i]->end_ps - rows[i - 1]->end_ps, cost.occupancy_ps);
		assert_int_equal(rows[i]->end_ps - rows[i]->start_ps, cost.latency_ps);
	}
	timing_fixture_close(&f);
}

static void add_copy_at(struct timing_fixture *f, unsigned engine, uint8_t opcode,
			unsigned partition, unsigned lanes)
{
	uint8_t *word = timing_fixture_add(f, 0, engine, opcode);

	word_copy(word, opcode, PARTITION(partition), row_of(4, 512), NX_DTYPE_FP32, 4096,
		  row_of(4, 512), NX_DTYPE_FP32, lanes);
}

/* On all partitions, then twice on partition 32, on partition 64, and there with another opcode. */
static const struct {
	uint8_t opcode;
	unsigned partition, lanes;
	bool overlaps; /* its predecessor on Scalar */
} routes[] = {
	{NX_OP_COPY, 0, 128, true}, {NX_OP_COPY, 0, 128, true},	 {NX_OP_COPY, 32, 1, false},
	{NX_OP_COPY, 32, 1, true},  {NX_OP_COPY, 64, 1, false},	 {NX_OP_CAST, 64, 1, false},
	{NX_OP_CAST, 64, 1, true},  {NX_OP_COPY, 0, 128, false},
};
#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

static void run_routes(unsigned engine, enum nx_device_arch arch, bool *overlaps)
{
	struct timing_fixture f;

	timing_fixture_open(&f, arch, 1);
	for (uint32_t i = 0; i < ROUTE_COUNT; i++)
		add_copy_at(&f, engine, routes[i].opcode, routes[i].partition, routes[i].lanes);
	timing_fixture_must_run(&f);
	for (uint32_t i = 1; i < ROUTE_COUNT; i++) {
		uint64_t end_ps = timing_fixture_row(&f, 0, engine, i - 1)->end_ps;
		uint64_t start_ps = timing_fixture_row(&f, 0, engine, i)->start_ps;

		overlaps[i] = start_ps < end_ps;
		if (!overlaps[i])
			assert_int_equal(start_ps - end_ps, 25000);
	}
	timing_fixture_close(&f);
}

/* Scalar drains before instructions on some partitions, unless the last was like it. */
static void test_routes(void **state)
{
	bool overlaps[ROUTE_COUNT];

	(void)state;
	run_routes(NX_ENGINE_SCALAR, NX_DEVICE_TRN2, overlaps);
	for (size_t i = 1; i < ROUTE_COUNT; i++)
		assert_int_equal(overlaps[i], routes[i].overlaps);
	run_routes(NX_ENGINE_VECTOR, NX_DEVICE_TRN2, overlaps);
	for (size_t i = 1; i < ROUTE_COUNT; i++)
		assert_true(overlaps[i]);
	run_routes(NX_ENGINE_SCALAR, NX_DEVICE_TRN1, overlaps); /* nothing is known of trn1 */
	for (size_t i = 1; i < ROUTE_COUNT; i++)
		assert_true(overlaps[i]);
}

/* The sequencer is ahead: a control word behind a queued compute word happens first. */
static void test_front_runs_ahead(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 0);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 0);
	timing_fixture_add(&f, 0, NX_ENGINE_VECTOR, NX_OP_NOP);
	timing_fixture_must_run(&f);
	assert_true(timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 2)->start_ps <
		    timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 1)->start_ps);
	timing_fixture_close(&f);
}

/* But it does the waits of compute words itself, so that nothing passes one that waits. */
static void test_front_waits_for_compute(void **state)
{
	const struct nx_timed_instruction *writer, *copy, *nop;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_SCALAR, 0, 0, 6);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 6, 1, 0);
	timing_fixture_add(&f, 0, NX_ENGINE_VECTOR, NX_OP_NOP);
	timing_fixture_must_run(&f);
	writer = timing_fixture_row(&f, 0, NX_ENGINE_SCALAR, 0);
	copy = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	nop = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 1);
	assert_true(nop->start_ps > writer->end_ps && nop->start_ps < copy->end_ps);
	assert_true(copy->wait_ps > 100000);
	timing_fixture_close(&f);
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 6, 1, 0);
	word_update(timing_fixture_add(&f, 0, NX_ENGINE_VECTOR, NX_OP_EVENT_SEMAPHORE), 6);
	assert_int_equal(timing_fixture_run(&f), NX_FORMAT);
	timing_fixture_close(&f);
}

static void add_array_word(struct timing_fixture *f, uint8_t opcode, unsigned columns)
{
	uint8_t *word = timing_fixture_add(f, 0, NX_ENGINE_TENSOR, opcode);

	word_operand(word, 16, 20, 0, row_of(3, columns));
	if (opcode == NX_OP_MATMUL)
		word_operand(word, 48, 52, PSUM(0), row_of(3, columns));
	word[32] = NX_DTYPE_BF16;
	word[38] = word[39] = 128;
}

/* A full queue holds up the words behind it until one of it starts. */
static void test_queue_is_full(void **state)
{
	unsigned depth = TRN2->engines[NX_ENGINE_TENSOR].queue_depth;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < depth + 3; i++)
		add_array_word(&f, NX_OP_MATMUL, 512);
	timing_fixture_add(&f, 0, NX_ENGINE_TENSOR, NX_OP_NOP);
	timing_fixture_must_run(&f);
	assert_int_equal(depth, 33);
	/* When it starts, 33 have not. */
	assert_true(timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, depth + 3)->start_ps >=
		    timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 2)->start_ps);
	assert_true(timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, depth + 3)->start_ps <
		    timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 3)->start_ps);
	timing_fixture_close(&f);
}

static void test_body_wait(void **state)
{
	const struct nx_timed_instruction *row, *writer;
	struct timing_fixture f;
	uint8_t *word;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 6);
	word = timing_fixture_add(&f, 0, NX_ENGINE_SYNC, NX_OP_EVENT_SEMAPHORE);
	word[32] = 5;
	word[33] = 6;
	nx_store32(word + 36, 1);
	timing_fixture_must_run(&f);
	writer = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	row = timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0);
	/* It starts at once and waits inside. */
	assert_int_equal(row->start_ps, TRN2->engines[NX_ENGINE_SYNC].first_instruction_ps);
	assert_int_equal(row->end_ps, writer->end_ps +
					      (uint64_t)TRN2->engines[NX_ENGINE_VECTOR].update_ps +
					      TRN2->engines[NX_ENGINE_SYNC].body_wake_ps);
	timing_fixture_close(&f);
}

static void test_drain(void **state)
{
	const struct nx_timed_instruction *copy, *drain;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 0);
	timing_fixture_add(&f, 0, NX_ENGINE_VECTOR, NX_OP_DRAIN);
	timing_fixture_must_run(&f);
	copy = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	drain = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 1);
	assert_int_equal(drain->end_ps, copy->end_ps + TRN2->engines[NX_ENGINE_VECTOR].drain_ps);
	timing_fixture_close(&f);
}

/* --- the array -------------------------------------------------------------------------------- */

/* 512 columns at half of 2.4 GHz are 426.7 ns; weights come first, the rest is queued. */
static void test_matmuls(void **state)
{
	const struct nx_timed_instruction *load, *rows[3];
	struct nx_cost weights, product;
	struct timing_fixture f;
	uint64_t begin_ps;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	add_array_word(&f, NX_OP_LDWEIGHTS, 128);
	for (unsigned i = 0; i < 3; i++)
		add_array_word(&f, NX_OP_MATMUL, 512);
	timing_fixture_must_run(&f);
	weights = timing_fixture_cost(&f, 0, NX_ENGINE_TENSOR, 0);
	product = timing_fixture_cost(&f, 0, NX_ENGINE_TENSOR, 1);
	assert_int_equal(product.latency_ps, 213333);
	load = timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 0);
	assert_int_equal(load->end_ps - load->start_ps,
			 TRN2->array.weights_base_ps + 2 * weights.latency_ps);
	for (uint32_t i = 0; i < 3; i++)
		rows[i] = timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, i + 1);
	begin_ps = load->start_ps + 2 * weights.latency_ps;
	assert_int_equal(rows[0]->end_ps, begin_ps + 2 * 213333 + TRN2->array.base_ps);
	/* Weights on their way do not keep it in the queue. */
	assert_int_equal(rows[0]->start_ps, load->start_ps + TRN2->array.dispatch_ps);
	assert_int_equal(rows[1]->end_ps - rows[0]->end_ps, 2 * 213333);
	assert_int_equal(rows[2]->end_ps - rows[1]->end_ps, 2 * 213333);
	/* It leaves the queue a little before the array is free. */
	assert_int_equal(rows[2]->end_ps - rows[2]->start_ps,
			 2 * 213333 + TRN2->array.base_ps + 40500);
	assert_int_equal(rows[2]->wait_ps, 0);
	timing_fixture_close(&f);
}

/* Busy windows bring the full rate, idle ones take it back; always at the end of a window. */
static void test_throttle(void **state)
{
	const struct nx_timed_throttle *rows;
	uint64_t last_step;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < 60; i++)
		add_array_word(&f, NX_OP_MATMUL, 512);
	timing_fixture_must_run(&f);
	rows = f.run.throttles.items;
	/* Only changes have records: nothing tells of the half rate at the start. */
	assert_int_equal(f.run.throttles.len, 1);
	assert_int_equal(rows[0].k, 8);
	assert_int_equal(rows[0].n, 8);
	assert_true(rows[0].time_ps > 0);
	assert_int_equal(rows[0].time_ps % TRN2->throttle.window_ps, 0);
	assert_true(rows[0].activity > 200 * TRN2->throttle.rise_frac);
	last_step = timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 59)->end_ps -
		    timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 58)->end_ps;
	assert_int_equal(last_step, 213333 + TRN2->array.gap_ps);
	/* At full rate a queued one leaves the queue at its turn: 379 ns. */
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 59)->end_ps -
				 timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 59)->start_ps,
			 213333 + 165333);
	timing_fixture_close(&f);
}

static void test_throttle_falls(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	for (unsigned i = 0; i < 60; i++)
		add_array_word(&f, NX_OP_MATMUL, 512);
	word_update(f.words[0][NX_ENGINE_TENSOR].items + 59 * NX_SLOT_BYTES, 5);
	/* Act keeps PE waiting for more than a window. */
	timing_fixture_add_copy(&f, 0, NX_ENGINE_SCALAR, 5, 1, 0);
	for (unsigned i = 0; i < 20; i++)
		timing_fixture_add_copy(&f, 0, NX_ENGINE_SCALAR, 0, 0, 4);
	add_array_word(&f, NX_OP_MATMUL, 512);
	word_wait(f.words[0][NX_ENGINE_TENSOR].items + 60 * NX_SLOT_BYTES, 4, 20);
	timing_fixture_must_run(&f);
	assert_int_equal(f.run.throttles.len, 2);
	assert_int_equal(f.run.throttles.items[1].k, 4);
	timing_fixture_close(&f);
}

static void test_no_throttle_on_trn1(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN1, 1);
	add_array_word(&f, NX_OP_MATMUL, 512);
	add_array_word(&f, NX_OP_MATMUL, 512);
	timing_fixture_must_run(&f);
	assert_int_equal(f.run.throttles.len, 0);
	/* 512 columns at 2.8 GHz */
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 1)->end_ps -
				 timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 0)->end_ps,
			 182857 + nx_device_hardware_of(NX_DEVICE_TRN1)->array.gap_ps);
	timing_fixture_close(&f);
}

/* --- the frame of an older runtime ------------------------------------------------------ */

/* Times of the first or last word of that kind that the runtime added; NULL if there is none. */
static const struct nx_timed_instruction *added(const struct timing_fixture *f, unsigned engine,
						uint8_t opcode, bool is_last)
{
	const struct nx_loaded_stream *stream = &f->code.cores[0].streams[engine];
	const struct nx_timed_instruction *found = NULL;

	for (size_t i = 0; i < f->run.instructions.len; i++) {
		const struct nx_timed_instruction *row = &f->run.instructions.items[i];
		const struct nx_loaded_slot *slot = &stream->slots[row->slot];

		if (row->engine == engine && slot->kind == NX_LOADED_INSERTED &&
		    slot->word.header.opcode == opcode &&
		    (!found || (row->start_ps > found->start_ps) == is_last))
			found = row;
	}
	return found;
}

/* Captures: 4,590 to 4,596 ns from the last word, GpSimd's, to the end. */
static void test_frame_of_trn1(void **state)
{
	static const uint64_t first_ns[NX_ENGINE_COUNT] = {58, 311, 424, 671, 512};
	static const unsigned clears[NX_ENGINE_COUNT] = {51, 51, 51, 51, 49};
	struct timing_fixture f;
	uint64_t end_ps;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN1, 1);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		timing_fixture_add(&f, 0, e, NX_OP_NOP);
	for (unsigned i = 0; i < 20; i++)
		timing_fixture_add(&f, 0, NX_ENGINE_GPSIMD, NX_OP_NOP);
	timing_fixture_must_run(&f);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_loaded_stream *stream = &f.code.cores[0].streams[e];
		unsigned count = 0;

		assert_int_equal(added(&f, e, NX_OP_DRAIN, false)->start_ps, first_ns[e] * 1000);
		for (size_t i = 0; i < stream->slot_count; i++)
			count += stream->slots[i].word.header.opcode == NX_OP_EVENT_SEMAPHORE &&
				 stream->slots[i].word.event_semaphore.update.semaphore > 2;
		assert_int_equal(count, clears[e]);
		assert_null(added(&f, e, NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR, false));
	}
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0)->start_ps, 10335000);
	end_ps = timing_fixture_row(&f, 0, NX_ENGINE_GPSIMD, 20)->end_ps;
	/* TENSOR_STORE, TENSOR_LOAD, COMPARE_BRANCH and WRITE come before the barrier. */
	assert_true(added(&f, NX_ENGINE_GPSIMD, NX_OP_TENSOR_STORE, true)->start_ps > end_ps);
	assert_true(added(&f, NX_ENGINE_GPSIMD, NX_OP_TENSOR_LOAD, true)->start_ps > end_ps);
	assert_true(added(&f, NX_ENGINE_GPSIMD, NX_OP_WRITE, true)->start_ps > end_ps);
	assert_in_range(f.run.end_ps - end_ps, 4550000, 4640000);
	timing_fixture_close(&f);
}

/* Three barriers and a load fit into the 3.2 us before the first compiled word. */
static void test_frame_of_inf2(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_INF2, 1);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		timing_fixture_add(&f, 0, e, NX_OP_NOP);
	timing_fixture_must_run(&f);
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_SYNC, 0)->start_ps, 3239000);
	assert_int_equal(timing_fixture_row(&f, 0, NX_ENGINE_TENSOR, 0)->start_ps, 3411000);
	timing_fixture_close(&f);
}

/* --- two cores ----------------------------------------------------------------------- */

static void add_barrier(struct timing_fixture *f, unsigned core, uint32_t id)
{
	uint8_t *word = timing_fixture_add(f, core, NX_ENGINE_VECTOR, NX_OP_PSEUDO_CORE_BARRIER);

	nx_store32(word + 12, id);
	word_update(word, 8);
}

/* Core 1 comes later; both go on when it has. */
static void test_two_cores_meet(void **state)
{
	const struct nx_timed_instruction *early, *late;
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 2);
	add_barrier(&f, 0, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 8, 1, 0);
	for (unsigned i = 0; i < 50; i++)
		timing_fixture_add(&f, 1, NX_ENGINE_VECTOR, NX_OP_NOP);
	add_barrier(&f, 1, 1);
	timing_fixture_must_run(&f);
	early = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0);
	late = timing_fixture_row(&f, 1, NX_ENGINE_VECTOR, 50);
	assert_true(late->start_ps > early->start_ps + 50 * 1000);
	assert_int_equal(early->end_ps,
			 late->start_ps + TRN2->engines[NX_ENGINE_VECTOR].body_wake_ps);
	assert_true(timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 1)->start_ps > early->end_ps);
	timing_fixture_close(&f);
}

static void test_core_alone_at_barrier(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 2);
	add_barrier(&f, 0, 1);
	assert_int_equal(timing_fixture_run(&f), NX_FORMAT);
	assert_non_null(strstr(f.err.message, "core 0 DVE at slot 0"));
	assert_non_null(strstr(f.err.message, "waits for the other cores at a barrier"));
	timing_fixture_close(&f);
}

/* --- failures and luck --------------------------------------------------------------- */

static void test_deadlock(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 6);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_SCALAR, 6, 3, 4);
	assert_int_equal(timing_fixture_run(&f), NX_FORMAT);
	assert_non_null(strstr(f.err.message, "core 0 Act at slot 0 (COPY) waits for S[6] >= 3, "
					      "which is 1"));
	/* What happened before is there. */
	assert_true(timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 0)->end_ps <= f.run.end_ps);
	timing_fixture_close(&f);
}

/* Semaphores that the runtime keeps for itself do no harm when a program uses them. */
static void test_program_uses_runtime_semaphores(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_VECTOR, 0, 0, 2);
	timing_fixture_add_copy(&f, 0, NX_ENGINE_SCALAR, 2, 1, 2);
	timing_fixture_must_run(&f);
	timing_fixture_close(&f);
}

static void test_strict(void **state)
{
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	timing_fixture_add(&f, 0, NX_ENGINE_VECTOR, 0x7b);
	timing_fixture_must_run(&f);
	assert_int_equal(f.run.assumed_count, 1);
	f.options.is_strict = true;
	assert_int_equal(timing_fixture_run(&f), NX_UNSUPPORTED);
	assert_non_null(strstr(f.err.message, "opcode 0x7b on trn2"));
	timing_fixture_close(&f);
}

static void add_mixture(struct timing_fixture *f)
{
	timing_fixture_add_direct2d(f, NX_ENGINE_SYNC, 128, 2048, 24);
	timing_fixture_add_direct2d(f, NX_ENGINE_GPSIMD, 128, 2048, 25);
	for (unsigned i = 0; i < 40; i++) {
		add_array_word(f, NX_OP_LDWEIGHTS, 128);
		add_array_word(f, NX_OP_MATMUL, 512);
		timing_fixture_add_copy(f, 0, NX_ENGINE_VECTOR, i ? 6 : 24, i ? i : 16, 6);
	}
}

static void test_same_every_time(void **state)
{
	struct timing_fixture a, b;

	(void)state;
	timing_fixture_open(&a, NX_DEVICE_TRN2, 2);
	timing_fixture_open(&b, NX_DEVICE_TRN2, 2);
	add_mixture(&a);
	add_mixture(&b);
	for (uint64_t seed = 0; seed < 2; seed++) {
		a.options.seed = b.options.seed = seed;
		timing_fixture_must_run(&a);
		timing_fixture_must_run(&b);
		assert_int_equal(a.run.end_ps, b.run.end_ps);
		assert_int_equal(a.run.instructions.len, b.run.instructions.len);
		assert_int_equal(a.run.packets.len, b.run.packets.len);
		for (size_t i = 0; i < a.run.instructions.len; i++)
			assert_int_equal(a.run.instructions.items[i].start_ps,
					 b.run.instructions.items[i].start_ps);
		for (size_t i = 0; i < a.run.packets.len; i++)
			assert_int_equal(a.run.packets.items[i].end_ps,
					 b.run.packets.items[i].end_ps);
	}
	timing_fixture_close(&a);
	timing_fixture_close(&b);
}

static void test_seed_moves_times(void **state)
{
	uint64_t ends[3];
	struct timing_fixture f;

	(void)state;
	timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
	add_mixture(&f);
	for (uint64_t seed = 0; seed < 3; seed++) {
		f.options.seed = seed;
		timing_fixture_must_run(&f);
		ends[seed] = timing_fixture_counted_ps(&f, 24, 16);
	}
	assert_true(ends[0] != ends[1] && ends[1] != ends[2]);
	/* Stalls make it slower, by a fifth at most. */
	assert_true(ends[1] > ends[0] && ends[1] < ends[0] + ends[0] / 5);
	timing_fixture_close(&f);
}

static void test_zeroed_run_may_be_released(void **state)
{
	struct nx_timed_run nothing = {0};

	(void)state;
	nx_timed_run_release(&nothing);
	assert_int_equal(nothing.instructions.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_semaphore_chain),
		cmocka_unit_test(test_back_to_back),
		cmocka_unit_test(test_routes),
		cmocka_unit_test(test_front_runs_ahead),
		cmocka_unit_test(test_front_waits_for_compute),
		cmocka_unit_test(test_queue_is_full),
		cmocka_unit_test(test_body_wait),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_matmuls),
		cmocka_unit_test(test_throttle),
		cmocka_unit_test(test_throttle_falls),
		cmocka_unit_test(test_no_throttle_on_trn1),
		cmocka_unit_test(test_frame_of_trn1),
		cmocka_unit_test(test_frame_of_inf2),
		cmocka_unit_test(test_two_cores_meet),
		cmocka_unit_test(test_core_alone_at_barrier),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_program_uses_runtime_semaphores),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_same_every_time),
		cmocka_unit_test(test_seed_moves_times),
		cmocka_unit_test(test_zeroed_run_may_be_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
