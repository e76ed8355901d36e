/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/tracer.h"

#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCH 256

_Atomic uint64_t nx_trace_enabled[NX_TRACE_MAX_CORES];

static _Thread_local uint32_t thread_id __attribute__((tls_model("initial-exec")));

static struct {
	pthread_mutex_t lock;
	/* Writers read these without the lock; a ring is never freed. */
	struct nx_trace_ring *_Atomic rings[NX_TRACE_MAX_CORES];
	bool has_ring[NX_TRACE_MAX_CORES]; /* in this session */
	_Atomic bool is_on;		   /* these two change under the lock */
	_Atomic uint64_t session;
	uint32_t workers[NX_TRACE_MAX_CORES]; /* of each core */
	struct nx_trace_clock clock;
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t nx_trace_thread_id(void)
{
	if (__builtin_expect(!thread_id, 0))
		thread_id = (uint32_t)syscall(SYS_gettid);
	return thread_id;
}

uint64_t nx_trace_put(uint32_t core, uint64_t packed, uint64_t ticks, uint64_t tracking,
		      const uint64_t args[NX_TRACE_ARGS])
{
	struct nx_trace_ring *ring = atomic_load_explicit(&tracer.rings[core % NX_TRACE_MAX_CORES],
							  memory_order_acquire);

	return ring ? nx_trace_ring_put(ring, packed, ticks, tracking, args) : 0;
}

/* --- begin and end ------------------------------------------------------------- */

/* Never freed, as a late thread may still use it. */
static struct nx_trace_ring *new_ring(uint64_t limit)
{
	struct nx_trace_ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (ring == MAP_FAILED)
		return NULL;
	if (nx_trace_ring_init(ring, limit) == NX_OK)
		return ring;
	munmap(ring, sizeof(*ring));
	return NULL;
}

/* A ring of another size replaces the old one, whose addresses stay mapped. */
static bool prepare_ring(uint32_t core, uint64_t limit)
{
	struct nx_trace_ring *ring = atomic_load(&tracer.rings[core]);

	if (!ring || limit > ring->mask + 1 || limit <= (ring->mask + 1) / 2) {
		if (ring)
			nx_trace_ring_forget(ring);
		ring = new_ring(limit);
		if (!ring)
			return false;
		atomic_store_explicit(&tracer.rings[core], ring, memory_order_release);
	}
	nx_trace_ring_restart(ring, limit);
	return true;
}

static enum nx_status prepare_rings(const struct nx_tracer_options *options, struct nx_error *err)
{
	memset(tracer.has_ring, 0, sizeof(tracer.has_ring));
	for (uint32_t core = 0; core < options->core_count && core < NX_TRACE_MAX_CORES; core++) {
		if (!nx_trace_filter_has_core(&options->filter, core))
			continue;
		if (!prepare_ring(core, options->max_events))
			return nx_fail(
				err, NX_LIMIT,
				"out of memory for %llu trace events of core %u; choose fewer "
				"events per core, or fewer cores",
				(unsigned long long)options->max_events, core);
		tracer.has_ring[core] = true;
	}
	return NX_OK;
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
		nx_trace_clock_begin(&tracer.clock);
		for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
			tracer.workers[core] = worker_of(options, core);
		tracer.is_on = true;
		tracer.session++;
		for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
			if (tracer.has_ring[core])
				atomic_store_explicit(&nx_trace_enabled[core],
						      options->filter.types, memory_order_release);
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
		struct nx_trace_ring *ring = atomic_load(&tracer.rings[core]);

		if (!tracer.has_ring[core])
			continue;
		nx_trace_ring_restart(ring, ring->limit);
		nx_trace_ring_forget(ring);
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
	thread_id = 0;
}

/* --- taking -------------------------------------------------------------------- */

static uint64_t take_core(uint32_t core, uint64_t max, bool is_final, nx_tracer_fn fn,
			  void *context)
{
	struct nx_trace_ring *ring = atomic_load(&tracer.rings[core]);
	struct nx_trace_record batch[BATCH];
	struct nx_trace_place place = {core, tracer.workers[core], ring->base, &tracer.clock};
	uint64_t taken = 0;
	size_t count;

	do {
		size_t room = max - taken < BATCH ? (size_t)(max - taken) : BATCH;

		count = nx_trace_ring_take(ring, batch, room, is_final);
		if (count)
			nx_trace_clock_tie(&tracer.clock);
		for (size_t i = 0; i < count; i++)
			fn(context, &place, &batch[i]);
		taken += count;
	} while (count == BATCH && taken < max);
	return taken;
}

uint64_t nx_tracer_take(uint32_t core, uint64_t max, bool is_final, nx_tracer_fn fn, void *context)
{
	uint64_t taken = 0;

	assert(fn);
	pthread_mutex_lock(&tracer.lock);
	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES; i++)
		if (tracer.has_ring[i] && (core == NX_TRACER_ALL_CORES || core == i))
			taken += take_core(i, max, is_final, fn, context);
	pthread_mutex_unlock(&tracer.lock);
	return taken;
}

struct nx_tracer_counts nx_tracer_count(void)
{
	struct nx_tracer_counts counts = {0};

	pthread_mutex_lock(&tracer.lock);
	for (uint32_t i = 0; i < NX_TRACE_MAX_CORES; i++) {
		struct nx_trace_ring *ring = atomic_load(&tracer.rings[i]);

		if (!tracer.has_ring[i])
			continue;
		counts.total += nx_trace_ring_total(ring);
		counts.dropped += ring->dropped_count;
		counts.ring_count++;
	}
	pthread_mutex_unlock(&tracer.lock);
	return counts;
}
