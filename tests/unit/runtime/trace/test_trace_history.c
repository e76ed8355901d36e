/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "runtime/trace/trace_history.h"
#include "runtime/trace/trace_ring.h"

#define SECOND UINT64_C(1000000000)

static struct nx_trace_clock clock_at; /* one tick is a nanosecond */
static struct nx_trace_history history;

static void set_clock(uint64_t ns)
{
	clock_at.ties[0] = (struct nx_trace_tie){ns - SECOND, ns - SECOND};
	clock_at.ties[1] = (struct nx_trace_tie){ns, ns};
	clock_at.tie_count = 2;
}

static int begin(void **state)
{
	(void)state;
	set_clock(100 * SECOND);
	return nx_trace_history_begin(&history, NX_TRACE_HISTORY_MIN_BYTES, 32 * SECOND);
}

static int end(void **state)
{
	(void)state;
	nx_trace_history_end(&history);
	return 0;
}

/* A record whose words all have the given value, but for the first one. */
static void push(unsigned source, uint64_t value, unsigned count)
{
	uint64_t words[NX_TRACE_MAX_RECORD_WORDS];

	words[0] = nx_trace_head(value & 0xffff, 0, count);
	for (unsigned i = 1; i < count; i++)
		words[i] = value;
	nx_trace_history_push(&history, &clock_at, source, value, words, count);
}

/* Checks that the records from first to end are there, as push made them. */
static void expect_records(uint64_t first, uint64_t last)
{
	struct nx_trace_excerpt excerpt = {
		.words = nx_heap_alloc(history.segment_words * sizeof(uint64_t))};
	uint64_t next = first;

	for (uint64_t number = 0;; number++) {
		struct nx_trace_kept kept;

		number = nx_trace_history_copy(&history, number, &excerpt);
		if (number >= history.next)
			break;
		while (nx_trace_excerpt_next(&excerpt, &kept)) {
			assert_int_equal(kept.sequence, next);
			assert_int_equal(kept.position, next);
			assert_int_equal(kept.source, next % 129);
			assert_int_equal(kept.count, 2 + next % 7);
			assert_int_equal(kept.words[kept.count - 1], next);
			next++;
		}
	}
	assert_int_equal(next, last);
	nx_heap_free(excerpt.words);
}

static void records_come_back_in_order(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		push((unsigned)(i % 129), i, (unsigned)(2 + i % 7));
	assert_int_equal(history.sequence, 1000);
	expect_records(0, 1000);
}

/* 2048 words to a segment: 227 records of 8 words and one more for the position. */
static void a_full_history_drops_whole_segments_and_counts_them(void **state)
{
	uint64_t per_segment = NX_TRACE_HISTORY_MIN_BYTES / NX_TRACE_HISTORY_SEGMENTS / 8 / 9;
	uint64_t total = per_segment * NX_TRACE_HISTORY_SEGMENTS;

	(void)state;
	assert_int_equal(history.mapped_bytes, NX_TRACE_HISTORY_MIN_BYTES);
	for (uint64_t i = 0; i < total; i++)
		push(0, i, 8);
	assert_int_equal(history.overwritten_count, 0);
	push(0, total, 8);
	assert_int_equal(history.overwritten_count, per_segment);
	for (uint64_t i = 0; i < 10 * total; i++)
		push(0, i, 8);
	assert_int_equal(history.next - history.oldest, NX_TRACE_HISTORY_SEGMENTS);
	assert_int_equal(
		history.segments[history.oldest % NX_TRACE_HISTORY_SEGMENTS].first_sequence,
		history.overwritten_count);
	assert_int_equal(history.sequence, 11 * total + 1);
}

/* A segment covers a 32nd of the horizon at most: here one second. */
static void what_is_older_than_the_horizon_expires(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		set_clock((100 + 2 * i) * SECOND);
		push((unsigned)(i % 129), i, (unsigned)(2 + i % 7));
		nx_trace_history_expire(&history, (100 + 2 * i) * SECOND);
	}
	/* The latest record is of second 218; 32 seconds before are 16 records more. */
	assert_int_equal(history.expired_count, 60 - 17);
	assert_int_equal(history.overwritten_count, 0);
	expect_records(60 - 17, 60);
	nx_trace_history_expire(&history, 1000 * SECOND);
	assert_int_equal(history.expired_count, 60);
	assert_int_equal(history.oldest, history.next);
	expect_records(0, 0);
}

/* A busy machine: the reader comes late, and the clock's ties are far apart. */
static void a_late_reader_does_not_use_up_segments(void **state)
{
	(void)state;
	for (uint64_t round = 1; round <= 4; round++) {
		clock_at.ties[0] = clock_at.ties[1];
		clock_at.ties[1].ticks += 5 * SECOND;
		clock_at.ties[1].epoch_ns += 5 * SECOND;
		for (uint64_t i = 0; i < 100; i++)
			push(0, i, 8);
		assert_int_equal(history.next, round);
	}
}

static void the_longest_record_fits(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		push(1, i, NX_TRACE_MAX_RECORD_WORDS);
	assert_true(history.overwritten_count > 0);
	assert_true(history.overwritten_count < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_come_back_in_order, begin, end),
		cmocka_unit_test_setup_teardown(a_full_history_drops_whole_segments_and_counts_them,
						begin, end),
		cmocka_unit_test_setup_teardown(what_is_older_than_the_horizon_expires, begin, end),
		cmocka_unit_test_setup_teardown(a_late_reader_does_not_use_up_segments, begin, end),
		cmocka_unit_test_setup_teardown(the_longest_record_fits, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
