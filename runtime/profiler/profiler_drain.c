/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that empties the ring, twenty times a second while there is a session, so that a
 * killed process loses little, and ten times for continuous recording alone. Records go to the file
 * of the session, to the history, or to both; threads that record never wait for it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "runtime/profiler/profiler_internal.h"

#define SESSION_PERIOD_NS UINT64_C(50000000)
#define HISTORY_PERIOD_NS UINT64_C(100000000)

static struct {
	pthread_mutex_t lock; /* of these: */
	pthread_cond_t wakes;
	bool is_on, is_ending;
	uint64_t flushes, flushed; /* asked for, done */
	struct nx_thread thread;
	struct nx_trace_tie first_tie, last_tie; /* of the clock */
	uint64_t total, dropped;		 /* of the session, for nx_profiler_counts */
	uint64_t ring_dropped;
	/* Of these: held for a round, by the thread or by whoever cannot wait for it. */
	pthread_mutex_t round;
	struct nx_trace_ring *ring;
	struct nx_trace_clock clock;
	bool has_file;
	struct nx_profiler_spans file;
	uint64_t file_count;   /* records taken for it */
	uint64_t base_dropped; /* of the ring, when the session began */
} drain = {.lock = PTHREAD_MUTEX_INITIALIZER,
	   .wakes = PTHREAD_COND_INITIALIZER,
	   .round = PTHREAD_MUTEX_INITIALIZER,
	   .file = {.stream = {.fd = -1}}};

/* --- a round ---------------------------------------------------------------------------------- */

static void take(void *context, uint64_t position, const uint64_t *words, unsigned count)
{
	const struct nx_trace_kept kept = {.position = position, .words = words, .count = count};
	const bool *is_kept = context;

	/* Chunks from before the session may still be in the ring. */
	if (drain.has_file && position >= drain.file.first_position) {
		(void)nx_profiler_spans_put(&drain.file, &kept);
		drain.file_count++;
	}
	if (*is_kept)
		nx_profiler_history_put(position, words, count);
}

static void publish_counts(void)
{
	struct nx_trace_ring_counts counts = nx_trace_ring_count(drain.ring);

	pthread_mutex_lock(&drain.lock);
	drain.ring_dropped = counts.dropped;
	if (drain.has_file) {
		drain.dropped = counts.dropped - drain.base_dropped + drain.file.unwritten_count;
		drain.total =
			drain.file_count + counts.pending + counts.dropped - drain.base_dropped;
	}
	drain.first_tie = drain.clock.ties[0];
	drain.last_tie = drain.clock.ties[drain.clock.tie_count - 1];
	pthread_mutex_unlock(&drain.lock);
}

/* In a round. */
static void take_all(void)
{
	bool is_kept = nx_profiler_history_enter();

	if (nx_trace_ring_count(drain.ring).pending)
		nx_trace_clock_tie(&drain.clock);
	if (drain.has_file)
		nx_profiler_spans_name_threads(&drain.file);
	nx_trace_ring_take(drain.ring, UINT64_MAX, take, &is_kept);
	if (is_kept)
		nx_profiler_history_leave();
	if (drain.has_file)
		nx_profiler_spans_flush(&drain.file);
	publish_counts();
}

void nx_profiler_drain_take(void)
{
	pthread_mutex_lock(&drain.round);
	take_all();
	pthread_mutex_unlock(&drain.round);
}

/* --- the thread ---------------------------------------------------------------------------------
 */

static void keep_draining(void *unused)
{
	bool is_over = false;

	(void)unused;
	while (!is_over) {
		uint64_t then_ns = nx_trace_clock_epoch_ns(), asked;
		struct timespec then;

		pthread_mutex_lock(&drain.lock);
		asked = drain.flushes;
		pthread_mutex_unlock(&drain.lock);
		pthread_mutex_lock(&drain.round);
		then_ns += drain.has_file ? SESSION_PERIOD_NS : HISTORY_PERIOD_NS;
		take_all();
		pthread_mutex_unlock(&drain.round);
		nx_profiler_look_for_runtime();
		nx_profiler_watch();
		then = (struct timespec){(time_t)(then_ns / 1000000000u),
					 (long)(then_ns % 1000000000u)};
		pthread_mutex_lock(&drain.lock);
		drain.flushed = asked;
		pthread_cond_broadcast(&drain.wakes);
		if (!drain.is_ending && drain.flushes == drain.flushed)
			pthread_cond_timedwait(&drain.wakes, &drain.lock, &then);
		is_over = drain.is_ending;
		pthread_mutex_unlock(&drain.lock);
	}
}

enum nx_status nx_profiler_drain_begin(struct nx_trace_ring *ring, uint64_t epoch_offset_ns,
				       struct nx_error *err)
{
	enum nx_status st;

	pthread_mutex_lock(&drain.round);
	drain.ring = ring;
	drain.has_file = false;
	drain.ring_dropped = 0;
	nx_trace_clock_begin(&drain.clock, epoch_offset_ns);
	drain.is_ending = false;
	drain.flushes = drain.flushed = 0;
	publish_counts();
	pthread_mutex_unlock(&drain.round);
	st = nx_thread_start(&drain.thread, "nx-profiler", keep_draining, NULL, err);
	if (st)
		return st;
	pthread_mutex_lock(&drain.lock);
	drain.is_on = true;
	pthread_mutex_unlock(&drain.lock);
	return NX_OK;
}

void nx_profiler_drain_end(void)
{
	pthread_mutex_lock(&drain.lock);
	drain.is_ending = true;
	drain.is_on = false;
	pthread_cond_broadcast(&drain.wakes);
	pthread_mutex_unlock(&drain.lock);
	nx_thread_join(&drain.thread);
}

void nx_profiler_drain_flush(void)
{
	uint64_t turn;

	pthread_mutex_lock(&drain.lock);
	turn = ++drain.flushes;
	pthread_cond_broadcast(&drain.wakes);
	while (drain.is_on && !drain.is_ending && drain.flushed < turn)
		pthread_cond_wait(&drain.wakes, &drain.lock);
	pthread_mutex_unlock(&drain.lock);
}

/* --- the session's file ----------------------------------------------------------------------- */

enum nx_status nx_profiler_drain_open(const char *folder, uint64_t first_ticket,
				      struct nx_error *err)
{
	enum nx_status st;

	pthread_mutex_lock(&drain.round);
	st = nx_profiler_spans_open(&drain.file, folder, &drain.clock,
				    first_ticket * NX_TRACE_CHUNK_WORDS, err);
	if (!st) {
		drain.has_file = true;
		drain.file_count = 0;
		drain.base_dropped = drain.ring_dropped;
		publish_counts();
	}
	pthread_mutex_unlock(&drain.round);
	return st;
}

bool nx_profiler_drain_close(struct nx_error *err)
{
	const struct timespec moment = {0, 1000000}; /* for threads inside a call */
	bool is_whole;

	nanosleep(&moment, NULL);
	pthread_mutex_lock(&drain.round);
	take_all();
	is_whole = nx_profiler_spans_close(&drain.file, drain.total, drain.dropped, err);
	drain.has_file = false;
	pthread_mutex_unlock(&drain.round);
	return is_whole;
}

void nx_profiler_drain_counts(uint64_t *recorded, uint64_t *lost)
{
	pthread_mutex_lock(&drain.lock);
	*recorded = drain.total;
	*lost = drain.dropped;
	pthread_mutex_unlock(&drain.lock);
}

uint64_t nx_profiler_drain_dropped(void)
{
	uint64_t dropped;

	pthread_mutex_lock(&drain.lock);
	dropped = drain.ring_dropped;
	pthread_mutex_unlock(&drain.lock);
	return dropped;
}

void nx_profiler_drain_abandon(void)
{
	pthread_mutex_init(&drain.lock, NULL);
	pthread_mutex_init(&drain.round, NULL);
	pthread_cond_init(&drain.wakes, NULL);
	drain.is_on = drain.thread.is_running = drain.has_file = false;
	nx_profiler_spans_abandon(&drain.file);
}

NX_PROFILER_EXPORT uint64_t nx_profiler_ticks_at(uint64_t epoch_ns)
{
	struct nx_trace_tie first, last;
	double ticks_per_ns;

	nx_profiler_drain_flush(); /* ties are made where events are taken */
	pthread_mutex_lock(&drain.lock);
	first = drain.first_tie;
	last = drain.last_tie;
	pthread_mutex_unlock(&drain.lock);
	if (last.epoch_ns <= first.epoch_ns)
		return nx_trace_clock_ticks();
	ticks_per_ns =
		(double)(last.ticks - first.ticks) / (double)(last.epoch_ns - first.epoch_ns);
	return last.ticks +
	       (uint64_t)(int64_t)(((double)epoch_ns - (double)last.epoch_ns) * ticks_per_ns);
}
