/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracer: the process's rings and the one test that guards them.
 *
 *	uint64_t span = nx_trace_start(core, NX_TRACE_NRT_EXECUTE, model_id, 0, 0, 0);
 *	...
 *	nx_trace_stop(core, NX_TRACE_NRT_EXECUTE, span, 0, 0, 0, 0);
 *
 * Off, or filtered out, an event costs a load and a test of one bit: each core
 * has a word with a bit per event type, zero when the core or the tracer is off.
 * Rings exist only for cores that are on. There is one tracer per process, and
 * one session at a time; begin, end and take are for one controlling thread at a
 * time (they lock), start, stop and instant for any.
 */
#ifndef NX_RUNTIME_TRACE_TRACER_H
#define NX_RUNTIME_TRACE_TRACER_H

#include "runtime/trace/trace_clock.h"
#include "runtime/trace/trace_event.h"
#include "runtime/trace/trace_filter.h"
#include "runtime/trace/trace_ring.h"

extern _Atomic uint64_t nx_trace_enabled[NX_TRACE_MAX_CORES];

static inline bool nx_trace_wants(uint32_t core, unsigned type)
{
	uint64_t bits = atomic_load_explicit(&nx_trace_enabled[core % NX_TRACE_MAX_CORES],
					     memory_order_acquire);

	return bits >> (type & 63) & 1;
}

/* Writes whatever the filter says: behind nx_trace_wants. Returns position plus 1. */
uint64_t nx_trace_put(uint32_t core, uint64_t packed, uint64_t ticks, uint64_t tracking,
		      const uint64_t args[NX_TRACE_ARGS]);
uint32_t nx_trace_thread_id(void);

/* 0 when the event is not traced. */
static inline uint64_t nx_trace_start(uint32_t core, unsigned type, uint64_t a, uint64_t b,
				      uint64_t c, uint64_t d)
{
	if (__builtin_expect(!nx_trace_wants(core, type), 1))
		return 0;
	return nx_trace_put(core, nx_trace_pack(nx_trace_thread_id(), type, NX_PHASE_START, 0),
			    nx_trace_clock_ticks(), 0, (const uint64_t[]){a, b, c, d});
}

/* span is what nx_trace_start returned; 0 writes nothing. */
static inline void nx_trace_stop(uint32_t core, unsigned type, uint64_t span, uint64_t a,
				 uint64_t b, uint64_t c, uint64_t d)
{
	if (__builtin_expect(!span || !nx_trace_wants(core, type), 1))
		return;
	nx_trace_put(core, nx_trace_pack(nx_trace_thread_id(), type, NX_PHASE_STOP, 0),
		     nx_trace_clock_ticks(), span, (const uint64_t[]){a, b, c, d});
}

/* What hardware reported, at a time of its own. */
static inline uint64_t nx_trace_hardware(uint32_t core, unsigned type, unsigned phase,
					 uint64_t epoch_ns, uint64_t span,
					 const uint64_t args[NX_TRACE_ARGS])
{
	if (__builtin_expect(!nx_trace_wants(core, type), 1))
		return 0;
	if (phase == NX_PHASE_STOP && !span)
		return 0;
	return nx_trace_put(core,
			    nx_trace_pack(nx_trace_thread_id(), type, phase, NX_TRACE_IS_EPOCH),
			    epoch_ns, span, args);
}

struct nx_tracer_options {
	struct nx_trace_filter filter;
	uint64_t max_events; /* kept per core */
	uint32_t core_count; /* cores of this process; the filter may name more */
	uint32_t worker;     /* number of core 0 across the job */
};

/* MISMATCH while a session is on, LIMIT when the rings do not fit. */
NX_MUST_CHECK enum nx_status nx_tracer_begin(const struct nx_tracer_options *options,
					     struct nx_error *err);
/* No event is recorded any more; those in the rings can still be taken until the next begin. */
void nx_tracer_end(void);
bool nx_tracer_is_on(void);
/* Which session was begun last, from 1: who began it may tell whether it is still his. */
uint64_t nx_tracer_session(void);
/* Gives the rings' memory back; what was not taken is gone. */
void nx_tracer_forget(void);
/* In the child of a fork: nothing is traced, whatever the parent did. */
void nx_tracer_abandon(void);

/* Called once per event, in order; place lives during the call. */
typedef void (*nx_tracer_fn)(void *context, const struct nx_trace_place *place,
			     const struct nx_trace_record *record);

#define NX_TRACER_ALL_CORES UINT32_MAX

/* Up to max events per core, of one core or all; is_final: do not wait for unfinished ones. */
uint64_t nx_tracer_take(uint32_t core, uint64_t max, bool is_final, nx_tracer_fn fn, void *context);

struct nx_tracer_counts {
	uint64_t total; /* recorded since begin: taken, dropped, or still in a ring */
	uint64_t dropped;
	uint32_t ring_count;
};
struct nx_tracer_counts nx_tracer_count(void);

#endif
