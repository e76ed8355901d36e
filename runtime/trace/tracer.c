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
	struct nx_trace_filter filter; /* of the session, also after its end */
	bool is_fetched;	       /* its events are waiting for whoever began it */
	bool is_kept, was_kept;	       /* now, and at some time in this session */
	struct nx_trace_filter keep_filter;
	struct nx_trace_keeper keeper;
	/* If rings are shared, counts begin in the middle of their lives: */
	uint64_t delivered_count; /* to the session */
	struct nx_tracer_counts session_base, keep_base;
	uint64_t keep_dropped; /* the most that was seen: counts are exact only at rest */
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t nx_trace_thread_id(void)
{
	struct nx_trace_writer *writer = nx_trace_writer_get();

	return writer ? writer->thread_id : 0;
}

/* --- begin and end ------------------------------------------------------------- */

/* Rings in use stay as they are. */
static enum nx_status prepare_rings(const struct nx_tracer_options *options, struct nx_error *err)
{
	nx_trace_writer_reap();
	for (uint32_t core = 0; core < options->core_count && core < NX_TRACE_MAX_CORES; core++) {
		if (tracer.has_ring[core] || !nx_trace_filter_has_core(&options->filter, core))
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

static struct nx_tracer_counts count_rings(void)
{
	struct nx_tracer_counts counts = {0};

	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES; i++) {
		struct nx_trace_ring_counts ring;

		if (!tracer.has_ring[i])
			continue;
		ring = nx_trace_ring_count(&nx_trace_rings[i]);
		counts.total += ring.total;
		counts.dropped += ring.dropped;
		counts.ring_count++;
	}
	return counts;
}

/* Session and keeper each have a filter; a ring gets what one of them wants. */
static void enable(void)
{
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		uint64_t types = 0;

		if (tracer.is_on && nx_trace_filter_has_core(&tracer.filter, core))
			types |= tracer.filter.types;
		if (tracer.is_kept && nx_trace_filter_has_core(&tracer.keep_filter, core))
			types |= tracer.keep_filter.types;
		if (types && tracer.has_ring[core])
			types |= session_bits();
		else
			types = 0;
		atomic_store_explicit(&nx_trace_enabled[core], types, memory_order_release);
	}
}

static void begin_clock(const struct nx_tracer_options *options)
{
	nx_trace_clock_begin(&tracer.clock, options->epoch_offset_ns
						    ? options->epoch_offset_ns
						    : nx_trace_clock_epoch_offset_ns());
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
		tracer.workers[core] = worker_of(options, core);
}

static void take_for_keeper(void);

enum nx_status nx_tracer_begin(const struct nx_tracer_options *options, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(options->max_events > 0);
	pthread_mutex_lock(&tracer.lock);
	if (tracer.is_on)
		st = nx_fail(err, NX_MISMATCH, "a trace is already running; stop it first");
	else if (tracer.is_kept)
		take_for_keeper(); /* what came before is not of this session */
	else
		memset(tracer.has_ring, 0, sizeof(tracer.has_ring));
	if (!st)
		st = prepare_rings(options, err);
	if (!st) {
		if (!tracer.is_kept)
			begin_clock(options);
		tracer.filter = options->filter;
		tracer.is_fetched = options->is_fetched;
		tracer.is_on = true;
		tracer.was_kept = tracer.is_kept;
		tracer.delivered_count = 0;
		tracer.session_base = count_rings();
		tracer.session++;
		enable();
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
	tracer.is_on = false;
	enable();
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

/* Under the lock. */
static void forget_rings(void)
{
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		if (!tracer.has_ring[core])
			continue;
		nx_trace_ring_restart(&nx_trace_rings[core]);
		nx_trace_ring_forget(&nx_trace_rings[core]);
		tracer.has_ring[core] = false;
	}
}

void nx_tracer_forget(void)
{
	pthread_mutex_lock(&tracer.lock);
	if (!tracer.is_on) {
		tracer.is_fetched = false;
		if (!tracer.is_kept)
			forget_rings();
	}
	pthread_mutex_unlock(&tracer.lock);
}

void nx_tracer_abandon(void)
{
	/* The lock may be held by a thread of the parent. */
	pthread_mutex_init(&tracer.lock, NULL);
	disable_all();
	tracer.is_on = tracer.is_kept = tracer.is_fetched = false;
	memset(tracer.has_ring, 0, sizeof(tracer.has_ring));
	nx_trace_writer_abandon();
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
		nx_trace_ring_abandon(&nx_trace_rings[core]);
}

/* --- taking -------------------------------------------------------------------- */

struct taking {
	struct nx_trace_place place;
	nx_tracer_fn fn; /* NULL: only the keeper takes */
	void *context;
	bool is_wanted; /* the core, by the session */
};

static void take_record(void *context, uint64_t position, const uint64_t *words, unsigned count)
{
	struct taking *t = context;
	struct nx_trace_record record;

	if (count != NX_TRACE_RECORD_WORDS)
		return;
	if (tracer.is_kept)
		tracer.keeper.put(tracer.keeper.context, t->place.core_idx, position, words);
	if (!t->is_wanted)
		return;
	nx_trace_event_unpack(position, words, &record);
	if (tracer.was_kept && !(tracer.filter.types >> record.type & 1))
		return;
	tracer.delivered_count++;
	t->fn(t->context, &t->place, &record);
}

static struct nx_trace_place place_of(uint32_t core)
{
	uint64_t first =
		nx_trace_rings[core].first_ticket * (NX_TRACE_CHUNK_WORDS / NX_TRACE_RECORD_WORDS);

	return (struct nx_trace_place){core, tracer.workers[core], first, &tracer.clock};
}

static uint64_t take_core(uint32_t core, uint64_t max, nx_tracer_fn fn, void *context)
{
	struct nx_trace_ring *ring = &nx_trace_rings[core];
	struct taking t = {place_of(core), fn, context,
			   fn && nx_trace_filter_has_core(&tracer.filter, core)};

	if (fn && nx_trace_ring_count(ring).pending)
		nx_trace_clock_tie(&tracer.clock);
	return nx_trace_ring_take(ring, max, take_record, &t);
}

/* Under the lock. */
static uint64_t take_cores(uint32_t core, uint64_t max, nx_tracer_fn fn, void *context)
{
	uint64_t taken = 0;

	if (tracer.is_kept)
		tracer.keeper.begin(tracer.keeper.context);
	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES; i++)
		if (tracer.has_ring[i] && (core == NX_TRACER_ALL_CORES || core == i))
			taken += take_core(i, max, fn, context);
	if (tracer.is_kept)
		tracer.keeper.end(tracer.keeper.context);
	return taken;
}

uint64_t nx_tracer_take(uint32_t core, uint64_t max, nx_tracer_fn fn, void *context)
{
	uint64_t taken;

	assert(fn);
	pthread_mutex_lock(&tracer.lock);
	taken = take_cores(core, max, fn, context);
	if (!tracer.is_on && core == NX_TRACER_ALL_CORES && max == UINT64_MAX)
		tracer.is_fetched = false;
	pthread_mutex_unlock(&tracer.lock);
	return taken;
}

/* Under the lock. With shared rings, records that only the keeper wants do not count. */
static struct nx_tracer_counts session_counts(void)
{
	struct nx_tracer_counts counts = count_rings();
	uint64_t pending = 0;

	if (!tracer.was_kept)
		return counts;
	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES && tracer.is_on; i++)
		if (tracer.has_ring[i])
			pending += nx_trace_ring_count(&nx_trace_rings[i]).pending;
	counts.dropped = counts.dropped > tracer.session_base.dropped
				 ? counts.dropped - tracer.session_base.dropped
				 : 0;
	counts.total = tracer.delivered_count + counts.dropped + pending;
	return counts;
}

struct nx_tracer_counts nx_tracer_count(void)
{
	struct nx_tracer_counts counts;

	pthread_mutex_lock(&tracer.lock);
	counts = session_counts();
	pthread_mutex_unlock(&tracer.lock);
	return counts;
}

/* --- the keeper ------------------------------------------------------------------------------- */

static void take_for_keeper(void)
{
	take_cores(NX_TRACER_ALL_CORES, UINT64_MAX, NULL, NULL);
}

enum nx_status nx_tracer_keep(const struct nx_tracer_options *options,
			      const struct nx_trace_keeper *keeper, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(options->max_events > 0 && keeper->put);
	pthread_mutex_lock(&tracer.lock);
	if (tracer.is_kept)
		st = nx_fail(err, NX_MISMATCH, "continuous recording is already on; stop it first");
	else if (!tracer.is_on)
		memset(tracer.has_ring, 0, sizeof(tracer.has_ring));
	if (!st)
		st = prepare_rings(options, err);
	if (!st) {
		if (!tracer.is_on) {
			begin_clock(options);
			tracer.is_fetched = false;
			tracer.session++;
		}
		tracer.keep_filter = options->filter;
		tracer.keeper = *keeper;
		tracer.is_kept = tracer.was_kept = true;
		tracer.keep_base = count_rings();
		tracer.keep_dropped = 0;
		enable();
	}
	pthread_mutex_unlock(&tracer.lock);
	return st;
}

void nx_tracer_keep_end(void)
{
	pthread_mutex_lock(&tracer.lock);
	if (tracer.is_kept) {
		if (!tracer.is_on && !tracer.is_fetched)
			take_for_keeper();
		tracer.is_kept = false;
		enable();
		if (!tracer.is_on && !tracer.is_fetched)
			forget_rings();
	}
	pthread_mutex_unlock(&tracer.lock);
}

bool nx_tracer_keep_take(void)
{
	bool is_ours;

	pthread_mutex_lock(&tracer.lock);
	is_ours = !tracer.is_on && !tracer.is_fetched;
	if (is_ours && tracer.is_kept)
		take_for_keeper();
	pthread_mutex_unlock(&tracer.lock);
	return is_ours;
}

struct nx_tracer_counts nx_tracer_keep_count(void)
{
	struct nx_tracer_counts counts;

	pthread_mutex_lock(&tracer.lock);
	counts = count_rings();
	counts.total -= tracer.keep_base.total;
	if (counts.dropped > tracer.keep_base.dropped + tracer.keep_dropped)
		tracer.keep_dropped = counts.dropped - tracer.keep_base.dropped;
	counts.dropped = tracer.keep_dropped;
	pthread_mutex_unlock(&tracer.lock);
	return counts;
}

struct nx_trace_place nx_tracer_keep_place(uint32_t core)
{
	struct nx_trace_place place;

	pthread_mutex_lock(&tracer.lock);
	place = place_of(core % NX_TRACE_MAX_CORES);
	pthread_mutex_unlock(&tracer.lock);
	return place;
}
