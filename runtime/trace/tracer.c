/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/tracer.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

_Atomic uint64_t nx_trace_enabled[NX_TRACE_MAX_CORES];
struct nx_trace_ring nx_trace_rings[NX_TRACE_MAX_CORES];

static_assert(NX_TRACE_TYPE_COUNT <= NX_TRACE_SESSION_SHIFT, "bits for types and for the session");

static struct {
	pthread_mutex_t lock;
	bool has_ring[NX_TRACE_MAX_CORES]; /* in this session */
	_Atomic bool is_on;		   /* these two change under the lock */
	_Atomic uint64_t session;
	uint32_t workers[NX_TRACE_MAX_CORES]; /* of each core */
	struct nx_trace_clock clock;
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t nx_trace_thread_id(void)
{
	struct nx_trace_writer *writer = nx_trace_writer_get();

	return writer ? writer->thread_id : 0;
}

/* --- begin and end ------------------------------------------------------------- */

static enum nx_status prepare_rings(const struct nx_tracer_options *options, struct nx_error *err)
{
	nx_trace_writer_reap();
	memset(tracer.has_ring, 0, sizeof(tracer.has_ring));
	for (uint32_t core = 0; core < options->core_count && core < NX_TRACE_MAX_CORES; core++) {
		if (!nx_trace_filter_has_core(&options->filter, core))
			continue;
		if (nx_trace_ring_prepare(&nx_trace_rings[core], options->max_events,
					  NX_TRACE_RECORD_WORDS))
			return nx_fail(
				err, NX_LIMIT,
				"out of memory for %llu trace events of core %u; choose fewer "
				"events per core, or fewer cores",
				(unsigned long long)options->max_events, core);
		tracer.has_ring[core] = true;
	}
	return NX_OK;
}

/* Never 0, in as many bits as the word has above those of the types. */
static uint64_t session_bits(void)
{
	uint64_t most = (UINT64_C(1) << (64 - NX_TRACE_SESSION_SHIFT)) - 1;

	return (tracer.session % most + 1) << NX_TRACE_SESSION_SHIFT;
}

/* Cores beyond the list, which have no events, are numbered on. */
static uint32_t worker_of(const struct nx_tracer_options *options, uint32_t core)
{
	return options->workers && core < options->core_count ? options->workers[core] : core;
}

enum nx_status nx_tracer_begin(const struct nx_tracer_options *options, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(options->max_events > 0);
	pthread_mutex_lock(&tracer.lock);
	if (tracer.is_on)
		st = nx_fail(err, NX_MISMATCH, "a trace is already running; stop it first");
	if (!st)
		st = prepare_rings(options, err);
	if (!st) {
		nx_trace_clock_begin(&tracer.clock, options->epoch_offset_ns
							    ? options->epoch_offset_ns
							    : nx_trace_clock_epoch_offset_ns());
		for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
			tracer.workers[core] = worker_of(options, core);
		tracer.is_on = true;
		tracer.session++;
		for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
			if (tracer.has_ring[core])
				atomic_store_explicit(&nx_trace_enabled[core],
						      options->filter.types | session_bits(),
						      memory_order_release);
	}
	pthread_mutex_unlock(&tracer.lock);
	return st;
}

static void disable_all(void)
{
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
		atomic_store_explicit(&nx_trace_enabled[core], 0, memory_order_release);
}

void nx_tracer_end(void)
{
	pthread_mutex_lock(&tracer.lock);
	disable_all();
	tracer.is_on = false;
	pthread_mutex_unlock(&tracer.lock);
}

bool nx_tracer_is_on(void)
{
	return tracer.is_on;
}

uint64_t nx_tracer_session(void)
{
	return tracer.session;
}

void nx_tracer_forget(void)
{
	pthread_mutex_lock(&tracer.lock);
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES && !tracer.is_on; core++) {
		if (!tracer.has_ring[core])
			continue;
		nx_trace_ring_restart(&nx_trace_rings[core]);
		nx_trace_ring_forget(&nx_trace_rings[core]);
		tracer.has_ring[core] = false;
	}
	pthread_mutex_unlock(&tracer.lock);
}

void nx_tracer_abandon(void)
{
	/* The lock may be held by a thread of the parent. */
	pthread_mutex_init(&tracer.lock, NULL);
	disable_all();
	tracer.is_on = false;
	memset(tracer.has_ring, 0, sizeof(tracer.has_ring));
	nx_trace_writer_abandon();
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
		nx_trace_ring_abandon(&nx_trace_rings[core]);
}

/* --- taking -------------------------------------------------------------------- */

struct taking {
	struct nx_trace_place place;
	nx_tracer_fn fn;
	void *context;
};

static void take_record(void *context, uint64_t position, const uint64_t *words, unsigned count)
{
	struct taking *t = context;
	struct nx_trace_record record;

	if (count != NX_TRACE_RECORD_WORDS)
		return;
	nx_trace_event_unpack(position, words, &record);
	t->fn(t->context, &t->place, &record);
}

static uint64_t take_core(uint32_t core, uint64_t max, nx_tracer_fn fn, void *context)
{
	struct nx_trace_ring *ring = &nx_trace_rings[core];
	uint64_t first = ring->first_ticket * (NX_TRACE_CHUNK_WORDS / NX_TRACE_RECORD_WORDS);
	struct taking t = {{core, tracer.workers[core], first, &tracer.clock}, fn, context};

	if (nx_trace_ring_count(ring).pending)
		nx_trace_clock_tie(&tracer.clock);
	return nx_trace_ring_take(ring, max, take_record, &t);
}

uint64_t nx_tracer_take(uint32_t core, uint64_t max, nx_tracer_fn fn, void *context)
{
	uint64_t taken = 0;

	assert(fn);
	pthread_mutex_lock(&tracer.lock);
	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES; i++)
		if (tracer.has_ring[i] && (core == NX_TRACER_ALL_CORES || core == i))
			taken += take_core(i, max, fn, context);
	pthread_mutex_unlock(&tracer.lock);
	return taken;
}

struct nx_tracer_counts nx_tracer_count(void)
{
	struct nx_tracer_counts counts = {0};

	pthread_mutex_lock(&tracer.lock);
	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES; i++) {
		struct nx_trace_ring_counts ring;

		if (!tracer.has_ring[i])
			continue;
		ring = nx_trace_ring_count(&nx_trace_rings[i]);
		counts.total += ring.total;
		counts.dropped += ring.dropped;
		counts.ring_count++;
	}
	pthread_mutex_unlock(&tracer.lock);
	return counts;
}
