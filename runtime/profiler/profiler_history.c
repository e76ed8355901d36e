/* SPDX-License-Identifier: Apache-2.0 */
/* The history of this process: spans, and the runtime's events if libnrt.so.1 is ours. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "runtime/profiler/profiler_internal.h"

static struct {
	pthread_mutex_t lock; /* held for the records of a round, or to copy a segment */
	bool is_on;
	bool is_held; /* a snapshot reads it: what is too old stays until it is done */
	struct nx_trace_clock clock;
	struct nx_trace_history history;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum nx_status nx_profiler_history_begin(size_t bytes, uint64_t horizon_ns,
					 uint64_t epoch_offset_ns, struct nx_error *err)
{
	enum nx_status st;

	pthread_mutex_lock(&kept.lock);
	st = nx_trace_history_begin(&kept.history, bytes, horizon_ns);
	if (!st) {
		nx_trace_clock_begin(&kept.clock, epoch_offset_ns);
		nx_trace_clock_tie(&kept.clock); /* waits, once, as two ties are needed */
		kept.is_on = true;
	}
	pthread_mutex_unlock(&kept.lock);
	return st ? nx_fail(err, st, "out of memory for a history of %zu bytes; choose less", bytes)
		  : NX_OK;
}

void nx_profiler_history_end(void)
{
	pthread_mutex_lock(&kept.lock);
	kept.is_on = false;
	nx_trace_history_end(&kept.history);
	pthread_mutex_unlock(&kept.lock);
}

bool nx_profiler_history_enter(void)
{
	pthread_mutex_lock(&kept.lock);
	if (kept.is_on) {
		nx_trace_clock_tie(&kept.clock);
		return true;
	}
	pthread_mutex_unlock(&kept.lock);
	return false;
}

void nx_profiler_history_put(uint64_t position, const uint64_t *words, unsigned count)
{
	nx_trace_history_push(&kept.history, &kept.clock, NX_PROFILER_SPANS, position, words,
			      count);
	nx_profiler_triggers_see(NX_PROFILER_SPANS, position, words);
}

void nx_profiler_history_leave(void)
{
	pthread_mutex_unlock(&kept.lock);
}

/* --- records of the runtime ------------------------------------------------------------------- */

static void begin_events(void *context)
{
	(void)context;
	pthread_mutex_lock(&kept.lock);
	if (kept.is_on)
		nx_trace_clock_tie(&kept.clock);
}

static void end_events(void *context)
{
	(void)context;
	pthread_mutex_unlock(&kept.lock);
}

static void put_event(void *context, uint32_t core, uint64_t position, const uint64_t *words)
{
	(void)context;
	if (!kept.is_on)
		return;
	nx_trace_history_push(&kept.history, &kept.clock, core, position, words,
			      NX_TRACE_RECORD_WORDS);
	nx_profiler_triggers_see(core, position, words);
}

struct nx_trace_keeper nx_profiler_history_keeper(void)
{
	return (struct nx_trace_keeper){begin_events, end_events, put_event, NULL};
}

bool nx_profiler_history_check(uint64_t now_ns, const struct nx_trace_share_state *state,
			       struct nx_profiler_alarm *alarm)
{
	bool is_due;

	if (!nx_profiler_history_enter())
		return false;
	if (!kept.is_held)
		nx_trace_history_expire(&kept.history, now_ns);
	is_due = nx_profiler_triggers_check(now_ns, state, &kept.clock, alarm);
	nx_profiler_history_leave();
	return is_due;
}

/* --- reading ---------------------------------------------------------------------------------- */

struct nx_trace_history nx_profiler_history_look(void)
{
	struct nx_trace_history copy;

	pthread_mutex_lock(&kept.lock);
	copy = kept.history;
	pthread_mutex_unlock(&kept.lock);
	return copy;
}

void nx_profiler_history_hold(bool is_held)
{
	pthread_mutex_lock(&kept.lock);
	kept.is_held = is_held;
	pthread_mutex_unlock(&kept.lock);
}

uint64_t nx_profiler_history_copy(uint64_t number, struct nx_trace_excerpt *out)
{
	pthread_mutex_lock(&kept.lock);
	number = nx_trace_history_copy(&kept.history, number, out);
	pthread_mutex_unlock(&kept.lock);
	return number;
}

/* The memory is a copy of the parent's, in which nothing is recorded. */
void nx_profiler_history_abandon(void)
{
	pthread_mutex_init(&kept.lock, NULL);
	kept.is_on = kept.is_held = false;
	nx_trace_history_end(&kept.history);
}
