/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "runtime/trace/trace_ring.h"

#define WORDS 8
#define PER_CHUNK (NX_TRACE_CHUNK_WORDS / WORDS)
#define WRITERS 4
#define EVENTS_PER_WRITER 40000

struct seen {
	uint64_t count;
	uint64_t first, last, position; /* last word of the first and last record, last position */
	uint64_t words[NX_TRACE_MAX_RECORD_WORDS];
	unsigned word_count;
	uint64_t ticks[64]; /* of the first ones */
};

static void note(void *context, uint64_t position, const uint64_t *words, unsigned count)
{
	struct seen *seen = context;

	if (seen->count < 64)
		seen->ticks[seen->count] = words[1];
	if (!seen->count++)
		seen->first = words[count - 1];
	seen->last = words[count - 1];
	seen->position = position;
	seen->word_count = count;
	memcpy(seen->words, words, count * sizeof(*words));
}

static uint64_t put_at(struct nx_trace_ring *ring, struct nx_trace_lane *lane, uint64_t value,
		       uint64_t ticks, unsigned words)
{
	_Atomic uint64_t *at = nx_trace_lane_claim(lane, ring, 1, words);

	if (!at)
		return nx_trace_lane_drop(lane, ring);
	nx_trace_word(at, 0, nx_trace_head(7, 0, words));
	nx_trace_word(at, 1, ticks);
	for (unsigned i = 2; i < words; i++)
		nx_trace_word(at, i, value);
	return nx_trace_lane_publish(lane, words);
}

static uint64_t put(struct nx_trace_ring *ring, struct nx_trace_lane *lane, uint64_t value)
{
	return put_at(ring, lane, value, value * 10, WORDS);
}

static struct seen take(struct nx_trace_ring *ring, uint64_t max)
{
	struct seen seen = {0};
	uint64_t taken = nx_trace_ring_take(ring, max, note, &seen);

	assert_int_equal(taken, seen.count);
	return seen;
}

static void prepare(struct nx_trace_ring *ring, uint64_t limit)
{
	assert_int_equal(nx_trace_ring_prepare(ring, limit, WORDS), NX_OK);
}

static void an_empty_ring_gives_nothing(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};

	(void)state;
	prepare(&ring, 100);
	assert_int_equal(take(&ring, 4).count, 0);
	assert_int_equal(nx_trace_ring_count(&ring).total, 0);
	assert_int_equal(nx_trace_ring_count(&ring).dropped, 0);
}

static void all_of_a_record_comes_back(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lane = {0};
	struct seen seen;
	uint64_t first, second;

	(void)state;
	prepare(&ring, 100);
	first = put_at(&ring, &lane, 5, 123, 3);
	second = put_at(&ring, &lane, UINT64_MAX, 124, NX_TRACE_MAX_RECORD_WORDS);
	assert_int_equal(second, first + 3);
	seen = take(&ring, 1);
	assert_int_equal(seen.word_count, 3);
	assert_int_equal(seen.position, first);
	assert_int_equal(seen.words[0] & 0xffff, 7);
	assert_int_equal(seen.words[1], 123);
	assert_int_equal(seen.words[2], 5);
	assert_int_equal(nx_trace_ring_count(&ring).pending, 1);
	seen = take(&ring, 9);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.word_count, NX_TRACE_MAX_RECORD_WORDS);
	assert_int_equal(seen.last, UINT64_MAX);
	assert_int_equal(take(&ring, 9).count, 0);
}

/* limit records survive of put_count; the rest is counted to the last one. */
static void check_overflow(struct nx_trace_ring *ring, struct nx_trace_lane *lane, uint64_t limit,
			   uint64_t put_count)
{
	uint64_t kept = put_count < limit ? put_count : limit;
	uint64_t before;
	struct seen seen;

	prepare(ring, limit);
	before = put(ring, lane, 0);
	for (uint64_t i = 1; i < put_count; i++)
		assert_int_equal(put(ring, lane, i), before + i * WORDS);
	seen = take(ring, UINT64_MAX);
	assert_int_equal(seen.count, kept);
	assert_int_equal(seen.first, put_count - kept);
	assert_int_equal(seen.last, put_count - 1);
	assert_int_equal(nx_trace_ring_count(ring).total, put_count);
	assert_int_equal(nx_trace_ring_count(ring).dropped, put_count - kept);
	nx_trace_lane_leave(lane);
}

static void the_oldest_are_overwritten_and_counted(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lane = {0};

	(void)state;
	check_overflow(&ring, &lane, 16, 15);
	check_overflow(&ring, &lane, 16, 16);
	check_overflow(&ring, &lane, 16, 17);
	check_overflow(&ring, &lane, 16, 100000);
	check_overflow(&ring, &lane, 20, 50);
	check_overflow(&ring, &lane, 1, 3);
	check_overflow(&ring, &lane, 100, 101);
	check_overflow(&ring, &lane, 20000, 50000);
	check_overflow(&ring, &lane, 20000, 20001);
	check_overflow(&ring, &lane, 16, 100000); /* a smaller ring again */
}

static void taking_goes_on_where_it_stopped(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lane = {0};
	struct seen seen;

	(void)state;
	prepare(&ring, 16);
	for (uint64_t i = 0; i < 10; i++)
		put(&ring, &lane, i);
	seen = take(&ring, 4);
	assert_int_equal(seen.count, 4);
	assert_int_equal(seen.last, 3);
	for (uint64_t i = 10; i < 25; i++)
		put(&ring, &lane, i);
	/* 25 were put, 4 taken, 16 are left: 5 are lost. */
	assert_int_equal(nx_trace_ring_count(&ring).dropped, 5);
	seen = take(&ring, 100);
	assert_int_equal(seen.count, 16);
	assert_int_equal(seen.first, 9);
	assert_int_equal(nx_trace_ring_count(&ring).dropped, 5);
}

static void threads_are_merged_by_time(void **state)
{
	static const uint64_t times[][2] = {{10, 40}, {20, 30}, {25, 50}};
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lanes[3] = {{0}};
	struct seen seen;

	(void)state;
	prepare(&ring, 100);
	for (int turn = 0; turn < 2; turn++)
		for (int i = 2; i >= 0; i--)
			put_at(&ring, &lanes[i], 0, times[i][turn], WORDS);
	seen = take(&ring, 100);
	assert_int_equal(seen.count, 6);
	for (int i = 1; i < 6; i++)
		assert_true(seen.ticks[i - 1] < seen.ticks[i]);
}

static void a_record_without_ticks_follows_the_one_before(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lanes[2] = {{0}};
	_Atomic uint64_t *at;
	struct seen seen;

	(void)state;
	prepare(&ring, 100);
	put_at(&ring, &lanes[0], 0, 10, WORDS);
	put_at(&ring, &lanes[1], 0, 20, WORDS);
	at = nx_trace_lane_claim(&lanes[0], &ring, 1, 2);
	nx_trace_word(at, 0, nx_trace_head(0, NX_TRACE_IS_EPOCH, 2));
	nx_trace_word(at, 1, UINT64_MAX);
	nx_trace_lane_publish(&lanes[0], 2);
	seen = take(&ring, 100);
	assert_int_equal(seen.ticks[0], 10);
	assert_int_equal(seen.ticks[1], UINT64_MAX);
	assert_int_equal(seen.ticks[2], 20);
}

/* While the reader keeps up, the same few chunks are used. */
static void chunks_that_were_read_are_used_again(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lane = {0};

	(void)state;
	prepare(&ring, 100000);
	for (uint64_t i = 0; i < 1000 * PER_CHUNK; i++) {
		put(&ring, &lane, i);
		if (i % PER_CHUNK == 0)
			take(&ring, UINT64_MAX);
	}
	assert_in_range(atomic_load(&atomic_load(&ring.store)->used_count), 1, 4);
	take(&ring, UINT64_MAX);
	assert_int_equal(nx_trace_ring_count(&ring).dropped, 0);
	assert_int_equal(ring.taken_count, 1000 * PER_CHUNK);
}

/* More threads than chunks: who finds none counts what it drops, until another one leaves. */
static void threads_without_a_chunk_count_what_they_drop(void **state)
{
	enum { LANES = 200 };
	static struct nx_trace_lane lanes[LANES];
	struct nx_trace_ring ring = {.limit = 0};
	uint32_t chunks;
	uint64_t lost;

	(void)state;
	prepare(&ring, 16);
	chunks = atomic_load(&ring.store)->chunk_count;
	assert_in_range(chunks, 2, LANES - 1);
	ring.limit = UINT64_MAX;
	for (int i = 0; i < LANES; i++)
		put(&ring, &lanes[i], (uint64_t)i);
	assert_int_equal(nx_trace_ring_count(&ring).total, LANES);
	lost = nx_trace_ring_count(&ring).dropped;
	assert_int_equal(lost, LANES - chunks);
	nx_trace_lane_leave(&lanes[0]);
	put(&ring, &lanes[LANES - 1], 1); /* in the chunk of lane 0, whose record is lost */
	assert_int_equal(nx_trace_ring_count(&ring).dropped, lost + 1);
	assert_int_equal(take(&ring, UINT64_MAX).count, chunks);
	assert_int_equal(nx_trace_ring_count(&ring).dropped, lost + 1);
}

static void restarting_counts_anew(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lane = {0}, idle = {0};
	uint64_t last = 0;

	(void)state;
	prepare(&ring, 16);
	put(&ring, &idle, 1);
	for (uint64_t i = 0; i < 40; i++)
		last = put(&ring, &lane, i);
	take(&ring, 1);
	nx_trace_ring_restart(&ring);
	nx_trace_ring_forget(&ring);
	assert_int_equal(nx_trace_ring_count(&ring).total, 0);
	assert_int_equal(take(&ring, 1).count, 0);
	/* A thread of the session before is about to write: its record is in no session. */
	assert_int_equal(put(&ring, &idle, 2) / NX_TRACE_CHUNK_WORDS, ring.first_ticket - 2);
	assert_int_equal(take(&ring, 1).count, 0);
	lane.session = 0; /* as if it noticed the new session */
	assert_true(put(&ring, &lane, 7) > last);
	assert_int_equal(take(&ring, 9).count, 1);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};

	(void)state;
	assert_int_equal(nx_trace_ring_prepare(&ring, 0, WORDS), NX_LIMIT);
	assert_int_equal(nx_trace_ring_prepare(&ring, UINT64_MAX, WORDS), NX_LIMIT);
	assert_int_equal(nx_trace_ring_prepare(&ring, (UINT64_C(1) << 32) + 1, WORDS), NX_LIMIT);
}

static void a_record_that_fits_in_no_chunk_is_dropped(void **state)
{
	struct nx_trace_ring ring = {.limit = 0};
	struct nx_trace_lane lane = {0};

	(void)state;
	prepare(&ring, 16);
	put(&ring, &lane, 1);
	assert_null(nx_trace_lane_claim(&lane, &ring, 1, NX_TRACE_CHUNK_WORDS + 1));
}

/* --- many writers and a reader -------------------------------------------------- */

struct stress {
	struct nx_trace_ring ring;
	_Atomic unsigned running;
	uint64_t taken;
	uint64_t newest[WRITERS];
};

struct stress_writer {
	struct stress *stress;
	struct nx_trace_lane lane;
	unsigned number;
};

/* Every word of a record can be worked out from the others: a torn one shows. */
static void *write_many(void *argument)
{
	struct stress_writer *writer = argument;
	struct stress *stress = writer->stress;

	for (uint64_t i = 1; i <= EVENTS_PER_WRITER; i++) {
		unsigned words = 4 + (unsigned)(i % 13);
		_Atomic uint64_t *at = nx_trace_lane_claim(&writer->lane, &stress->ring, 1, words);

		if (!at) {
			nx_trace_lane_drop(&writer->lane, &stress->ring);
			continue;
		}
		nx_trace_word(at, 0, nx_trace_head(writer->number, 0, words));
		nx_trace_word(at, 1, i);
		for (unsigned w = 2; w < words; w++)
			nx_trace_word(at, w, i * 7 + w + writer->number);
		nx_trace_lane_publish(&writer->lane, words);
	}
	nx_trace_lane_leave(&writer->lane);
	atomic_fetch_sub(&stress->running, 1);
	return NULL;
}

static void check_record(void *context, uint64_t position, const uint64_t *words, unsigned count)
{
	struct stress *stress = context;
	unsigned number = (unsigned)(words[0] & 0xffffffff);
	uint64_t i = words[1];

	(void)position;
	assert_in_range(number, 0, WRITERS - 1);
	assert_int_equal(count, 4 + i % 13);
	for (unsigned w = 2; w < count; w++)
		assert_int_equal(words[w], i * 7 + w + number);
	assert_true(i > stress->newest[number]);
	stress->newest[number] = i;
	stress->taken++;
}

static void check_stress(uint64_t limit)
{
	static struct stress stress;
	static struct stress_writer writers[WRITERS];
	pthread_t threads[WRITERS];

	memset(&stress, 0, sizeof(stress));
	memset(writers, 0, sizeof(writers));
	prepare(&stress.ring, limit);
	atomic_store(&stress.running, WRITERS);
	for (unsigned i = 0; i < WRITERS; i++) {
		writers[i].stress = &stress;
		writers[i].number = i;
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
	}
	while (atomic_load(&stress.running))
		nx_trace_ring_take(&stress.ring, UINT64_MAX, check_record, &stress);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	nx_trace_ring_take(&stress.ring, UINT64_MAX, check_record, &stress);
	assert_int_equal(nx_trace_ring_count(&stress.ring).total, WRITERS * EVENTS_PER_WRITER);
	assert_int_equal(nx_trace_ring_count(&stress.ring).pending, 0);
	assert_int_equal(stress.taken + nx_trace_ring_count(&stress.ring).dropped,
			 WRITERS * EVENTS_PER_WRITER);
	assert_true(stress.taken > 0);
	if (limit > 2 * WRITERS * EVENTS_PER_WRITER) /* records are up to twice as long */
		assert_int_equal(stress.taken, WRITERS * EVENTS_PER_WRITER);
}

static void many_writers_and_a_reader_lose_nothing_uncounted(void **state)
{
	(void)state;
	check_stress(16);
	check_stress(1000);
	check_stress(3 * WRITERS * EVENTS_PER_WRITER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_gives_nothing),
		cmocka_unit_test(all_of_a_record_comes_back),
		cmocka_unit_test(the_oldest_are_overwritten_and_counted),
		cmocka_unit_test(taking_goes_on_where_it_stopped),
		cmocka_unit_test(threads_are_merged_by_time),
		cmocka_unit_test(a_record_without_ticks_follows_the_one_before),
		cmocka_unit_test(chunks_that_were_read_are_used_again),
		cmocka_unit_test(threads_without_a_chunk_count_what_they_drop),
		cmocka_unit_test(restarting_counts_anew),
		cmocka_unit_test(sizes_that_cannot_be_are_refused),
		cmocka_unit_test(a_record_that_fits_in_no_chunk_is_dropped),
		cmocka_unit_test(many_writers_and_a_reader_lose_nothing_uncounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
