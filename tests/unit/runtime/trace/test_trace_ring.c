/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/trace/trace_ring.h"

#define WRITERS 4
#define EVENTS_PER_WRITER 40000

static void release_ring(struct nx_trace_ring *ring)
{
	munmap(ring->slots, (ring->mask + 1) * sizeof(*ring->slots));
}

static void put(struct nx_trace_ring *ring, uint64_t value)
{
	const uint64_t args[NX_TRACE_ARGS] = {value, value + 1, value + 2, value + 3};

	nx_trace_ring_put(ring, nx_trace_pack(77, 9, 1, 0), value * 10, value / 2, args);
}

static struct nx_trace_ring ring_of(uint64_t limit)
{
	struct nx_trace_ring ring;

	assert_int_equal(nx_trace_ring_init(&ring, limit), NX_OK);
	return ring;
}

static void an_empty_ring_gives_nothing(void **state)
{
	struct nx_trace_ring ring = ring_of(100);
	struct nx_trace_record records[4];

	(void)state;
	assert_int_equal(nx_trace_ring_take(&ring, records, 4, true), 0);
	assert_int_equal(ring.dropped_count, 0);
	assert_int_equal(nx_trace_ring_total(&ring), 0);
	release_ring(&ring);
}

static void all_of_a_record_comes_back(void **state)
{
	struct nx_trace_ring ring = ring_of(100);
	const uint64_t args[NX_TRACE_ARGS] = {1, UINT64_MAX, 3, 0};
	struct nx_trace_record got;

	(void)state;
	assert_int_equal(
		nx_trace_ring_put(&ring, nx_trace_pack(UINT32_MAX, 39, 3, 1), 123, 45, args), 1);
	assert_int_equal(nx_trace_ring_take(&ring, &got, 1, false), 1);
	assert_int_equal(got.position, 0);
	assert_int_equal(got.ticks, 123);
	assert_int_equal(got.tracking, 45);
	assert_int_equal(got.thread_id, UINT32_MAX);
	assert_int_equal(got.type, 39);
	assert_int_equal(got.phase, 3);
	assert_int_equal(got.flags, 1);
	assert_memory_equal(got.args, args, sizeof(args));
	assert_int_equal(nx_trace_ring_take(&ring, &got, 1, true), 0);
	release_ring(&ring);
}

/* limit events survive of put_count; the rest is counted to the last one. */
static void check_overflow(uint64_t limit, uint64_t put_count)
{
	uint64_t kept = put_count < limit ? put_count : limit;
	struct nx_trace_ring ring = ring_of(limit);
	static struct nx_trace_record records[200];

	for (uint64_t i = 0; i < put_count; i++)
		put(&ring, i);
	assert_int_equal(nx_trace_ring_take(&ring, records, 200, false), kept);
	for (uint64_t i = 0; i < kept; i++) {
		assert_int_equal(records[i].position, put_count - kept + i);
		assert_int_equal(records[i].args[3], put_count - kept + i + 3);
	}
	assert_int_equal(ring.dropped_count, put_count - kept);
	assert_int_equal(nx_trace_ring_total(&ring), put_count);
	release_ring(&ring);
}

static void the_oldest_are_overwritten_and_counted(void **state)
{
	(void)state;
	check_overflow(16, 15);
	check_overflow(16, 16);
	check_overflow(16, 17);
	check_overflow(16, 1000);
	check_overflow(20, 50); /* 32 slots, of which 20 count */
	check_overflow(1, 3);
	check_overflow(100, 101);
}

static void taking_goes_on_where_it_stopped(void **state)
{
	struct nx_trace_ring ring = ring_of(16);
	struct nx_trace_record records[16];

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		put(&ring, i);
	assert_int_equal(nx_trace_ring_take(&ring, records, 4, false), 4);
	assert_int_equal(records[3].args[0], 3);
	for (uint64_t i = 10; i < 25; i++)
		put(&ring, i);
	/* 25 were put, 4 taken, 16 are left: 5 are lost. */
	assert_int_equal(nx_trace_ring_take(&ring, records, 16, false), 16);
	assert_int_equal(records[0].args[0], 9);
	assert_int_equal(ring.dropped_count, 5);
	release_ring(&ring);
}

static void an_unfinished_event_holds_the_reader_until_it_is_written(void **state)
{
	struct nx_trace_ring ring = ring_of(16);
	struct nx_trace_record records[16];

	(void)state;
	put(&ring, 0);
	put(&ring, 1);
	put(&ring, 2);
	atomic_store(&ring.slots[1].stamp, (2 << 1) | 1); /* its writer has been stopped */
	assert_int_equal(nx_trace_ring_take(&ring, records, 16, false), 1);
	assert_int_equal(nx_trace_ring_take(&ring, records, 16, false), 0);
	atomic_store(&ring.slots[1].stamp, 2 << 1);
	assert_int_equal(nx_trace_ring_take(&ring, records, 16, false), 2);
	assert_int_equal(ring.dropped_count, 0);
	release_ring(&ring);
}

static void a_writer_that_died_is_given_up(void **state)
{
	struct nx_trace_ring ring = ring_of(16);
	struct nx_trace_record records[16];
	size_t taken = 0, rounds = 0;

	(void)state;
	put(&ring, 0);
	put(&ring, 1);
	atomic_store(&ring.slots[0].stamp, (1 << 1) | 1);
	while (!taken && rounds++ < 1000)
		taken = nx_trace_ring_take(&ring, records, 16, false);
	assert_int_equal(taken, 1);
	assert_in_range(rounds, 2, 500);
	assert_int_equal(ring.dropped_count, 1);
	release_ring(&ring);
}

static void at_the_end_nobody_is_waited_for(void **state)
{
	struct nx_trace_ring ring = ring_of(16);
	struct nx_trace_record records[16];

	(void)state;
	put(&ring, 0);
	put(&ring, 1);
	atomic_store(&ring.slots[0].stamp, (1 << 1) | 1);
	assert_int_equal(nx_trace_ring_take(&ring, records, 16, true), 1);
	assert_int_equal(ring.dropped_count, 1);
	release_ring(&ring);
}

static void a_slot_that_is_held_for_a_round_is_left_alone(void **state)
{
	struct nx_trace_ring ring = ring_of(16);
	struct nx_trace_record records[32];

	(void)state;
	put(&ring, 0);
	atomic_store(&ring.slots[0].stamp, (1 << 1) | 1);
	for (uint64_t i = 1; i <= 16; i++)
		put(&ring, i);
	/* 16 wanted the slot of 0 and was dropped; 0 itself is too old by then. */
	assert_int_equal(atomic_load(&ring.slots[0].stamp), (1 << 1) | 1);
	assert_int_equal(nx_trace_ring_take(&ring, records, 32, true), 15);
	assert_int_equal(records[14].args[0], 15);
	assert_int_equal(ring.dropped_count, 2);
	assert_int_equal(nx_trace_ring_total(&ring), 17);
	release_ring(&ring);
}

static void restarting_counts_anew(void **state)
{
	struct nx_trace_ring ring = ring_of(16);
	struct nx_trace_record record;

	(void)state;
	for (uint64_t i = 0; i < 40; i++)
		put(&ring, i);
	nx_trace_ring_take(&ring, &record, 1, false);
	nx_trace_ring_restart(&ring, 16);
	nx_trace_ring_forget(&ring);
	assert_int_equal(nx_trace_ring_total(&ring), 0);
	assert_int_equal(nx_trace_ring_take(&ring, &record, 1, true), 0);
	put(&ring, 7);
	assert_int_equal(nx_trace_ring_total(&ring), 1);
	assert_int_equal(nx_trace_ring_take(&ring, &record, 1, true), 1);
	assert_int_equal(record.position, 40);
	assert_int_equal(record.args[0], 7);
	assert_int_equal(ring.dropped_count, 0);
	release_ring(&ring);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
	struct nx_trace_ring ring;

	(void)state;
	assert_int_equal(nx_trace_ring_init(&ring, 0), NX_LIMIT);
	assert_int_equal(nx_trace_ring_init(&ring, UINT64_MAX), NX_LIMIT);
	assert_int_equal(nx_trace_ring_init(&ring, (UINT64_C(1) << 32) + 1), NX_LIMIT);
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
	unsigned number;
};

/* Every word of a record can be worked out from the others: a torn one shows. */
static void *write_many(void *argument)
{
	struct stress_writer *writer = argument;

	for (uint64_t i = 1; i <= EVENTS_PER_WRITER; i++) {
		const uint64_t args[NX_TRACE_ARGS] = {i * 3, i ^ 0x5555, ~i, i + writer->number};

		nx_trace_ring_put(&writer->stress->ring, nx_trace_pack(writer->number, 1, 1, 0), i,
				  i * 7, args);
	}
	atomic_fetch_sub(&writer->stress->running, 1);
	return NULL;
}

static void check_record(struct stress *stress, const struct nx_trace_record *record)
{
	uint64_t i = record->ticks;

	assert_in_range(record->thread_id, 0, WRITERS - 1);
	assert_int_equal(record->tracking, i * 7);
	assert_int_equal(record->args[0], i * 3);
	assert_int_equal(record->args[1], i ^ 0x5555);
	assert_int_equal(record->args[2], ~i);
	assert_int_equal(record->args[3], i + record->thread_id);
	assert_true(i > stress->newest[record->thread_id]);
	stress->newest[record->thread_id] = i;
}

static void take_some(struct stress *stress, bool is_final)
{
	struct nx_trace_record records[64];
	size_t count;

	do {
		count = nx_trace_ring_take(&stress->ring, records, 64, is_final);
		for (size_t i = 0; i < count; i++)
			check_record(stress, &records[i]);
		stress->taken += count;
	} while (count);
}

static void check_stress(uint64_t limit)
{
	struct stress stress = {.ring = ring_of(limit)};
	struct stress_writer writers[WRITERS];
	pthread_t threads[WRITERS];

	atomic_store(&stress.running, WRITERS);
	for (unsigned i = 0; i < WRITERS; i++) {
		writers[i] = (struct stress_writer){&stress, i};
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
	}
	while (atomic_load(&stress.running))
		take_some(&stress, false);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	take_some(&stress, true);
	assert_int_equal(nx_trace_ring_total(&stress.ring), WRITERS * EVENTS_PER_WRITER);
	assert_int_equal(stress.taken + stress.ring.dropped_count, WRITERS * EVENTS_PER_WRITER);
	assert_true(stress.taken > 0);
	release_ring(&stress.ring);
}

static void many_writers_and_a_reader_lose_nothing_uncounted(void **state)
{
	(void)state;
	check_stress(16);
	check_stress(1000);
	check_stress(WRITERS * EVENTS_PER_WRITER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_gives_nothing),
		cmocka_unit_test(all_of_a_record_comes_back),
		cmocka_unit_test(the_oldest_are_overwritten_and_counted),
		cmocka_unit_test(taking_goes_on_where_it_stopped),
		cmocka_unit_test(an_unfinished_event_holds_the_reader_until_it_is_written),
		cmocka_unit_test(a_writer_that_died_is_given_up),
		cmocka_unit_test(at_the_end_nobody_is_waited_for),
		cmocka_unit_test(a_slot_that_is_held_for_a_round_is_left_alone),
		cmocka_unit_test(restarting_counts_anew),
		cmocka_unit_test(sizes_that_cannot_be_are_refused),
		cmocka_unit_test(many_writers_and_a_reader_lose_nothing_uncounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
