/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracer: the rings of the process, and the test whether an event is traced.
 *
 *	uint64_t span = nx_trace_start(core, NX_TRACE_NRT_EXECUTE, model_id, 0, 0, 0);
 *	...
 *	nx_trace_stop(core, NX_TRACE_NRT_EXECUTE, span, 0, 0, 0, 0);
 *
 * An event that is not traced costs a load and a test of one bit: each core has a
 * word with a bit per event type, which is 0 if the core or the tracer is off. Its
 * upper bits number the session, so that a thread notices a new one.
 * Only enabled cores have rings. There is one tracer per process and one session
 * at a time, and beside it at most one keeper, which gets a copy of every record, also while there
 * is no session. All functions may be called from any thread; begin, end and take lock.
 */
#ifndef NX_RUNTIME_TRACE_TRACER_H
#define NX_RUNTIME_TRACE_TRACER_H

#include "runtime/trace/trace_clock.h"
#include "runtime/trace/trace_event.h"
#include "runtime/trace/trace_filter.h"
#include "runtime/trace/trace_ring.h"
#include "runtime/trace/trace_writer.h"

extern _Atomic uint64_t nx_trace_enabled[NX_TRACE_MAX_CORES];

static inline bool nx_trace_wants(uint32_t core, unsigned type)
{
	uint64_t bits = atomic_load_explicit(&nx_trace_enabled[core % NX_TRACE_MAX_CORES],
					     memory_order_acquire);

	return bits >> (type & 63) & 1;
}

#define NX_TRACE_SESSION_SHIFT 40

extern struct nx_trace_ring nx_trace_rings[NX_TRACE_MAX_CORES];

uint32_t nx_trace_thread_id(void);

struct nx_trace_moment {
	uint64_t ticks;
	unsigned flags; /* NX_TRACE_IS_EPOCH */
};

/* Writes without checking the filter; see nx_trace_wants. Returns position plus 1, even if the
 * event had to be dropped; 0 if the session has ended. */
static inline uint64_t nx_trace_put(uint32_t core, unsigned type, unsigned phase,
				    struct nx_trace_moment moment, uint64_t tracking, uint64_t a,
				    uint64_t b, uint64_t c, uint64_t d)
{
	struct nx_trace_writer *writer = nx_trace_writer_get();
	struct nx_trace_lane *lane;
	_Atomic uint64_t *words;
	uint64_t session;

	core %= NX_TRACE_MAX_CORES;
	session = atomic_load_explicit(&nx_trace_enabled[core], memory_order_acquire) >>
		  NX_TRACE_SESSION_SHIFT;
	if (__builtin_expect(!writer || !session, 0))
		return 0;
	lane = &writer->lanes[core];
	words = nx_trace_lane_claim(lane, &nx_trace_rings[core], session, NX_TRACE_RECORD_WORDS);
	if (__builtin_expect(!words, 0))
		return nx_trace_lane_drop(lane, &nx_trace_rings[core]) / NX_TRACE_RECORD_WORDS + 1;
	nx_trace_word(words, 0, nx_trace_pack(writer->thread_id, type, phase, moment.flags));
	nx_trace_word(words, 1, moment.ticks);
	nx_trace_word(words, 2, tracking);
	nx_trace_word(words, 3, a);
	nx_trace_word(words, 4, b);
	nx_trace_word(words, 5, c);
	nx_trace_word(words, 6, d);
	return nx_trace_lane_publish(lane, NX_TRACE_RECORD_WORDS) / NX_TRACE_RECORD_WORDS + 1;
}

/* Returns 0 if the event is not traced. */
static inline uint64_t nx_trace_start(uint32_t core, unsigned type, uint64_t a, uint64_t b,
				      uint64_t c, uint64_t d)
{
	if (__builtin_expect(!nx_trace_wants(core, type), 1))
		return 0;
	return nx_trace_put(core, type, NX_PHASE_START,
			    (struct nx_trace_moment){nx_trace_clock_ticks(), 0}, 0, a, b, c, d);
}

/* span is what nx_trace_start returned; 0 writes nothing. */
static inline void nx_trace_stop(uint32_t core, unsigned type, uint64_t span, uint64_t a,
				 uint64_t b, uint64_t c, uint64_t d)
{
	if (__builtin_expect(!span || !nx_trace_wants(core, type), 1))
		return;
	nx_trace_put(core, type, NX_PHASE_STOP, (struct nx_trace_moment){nx_trace_clock_ticks(), 0},
		     span, a, b, c, d);
}

/* An event that the device reported, with its own time. */
static inline uint64_t nx_trace_hardware(uint32_t core, unsigned type, unsigned phase,
					 uint64_t epoch_ns, uint64_t span,
					 const uint64_t args[NX_TRACE_ARGS])
{
	if (__builtin_expect(!nx_trace_wants(core, type), 1))
		return 0;
	if (phase == NX_PHASE_STOP && !span)
		return 0;
	return nx_trace_put(core, type, phase,
			    (struct nx_trace_moment){epoch_ns, NX_TRACE_IS_EPOCH}, span, args[0],
			    args[1], args[2], args[3]);
}

struct nx_tracer_options {
	struct nx_trace_filter filter;
	uint64_t max_events; /* kept per core */
	uint32_t core_count; /* cores of this process; the filter may name more */
	/* The number of each core across the job, core_count of them; NULL: the core's own. */
	const uint8_t *workers;
	uint64_t epoch_offset_ns; /* for its clock; 0: that of now */
	/* Only the caller takes events, when it likes, also after the end: a keeper waits for it.
	 */
	bool is_fetched;
};

/* MISMATCH if a session is running, LIMIT if the rings do not fit into memory. */
NX_MUST_CHECK enum nx_status nx_tracer_begin(const struct nx_tracer_options *options,
					     struct nx_error *err);
/* Stops recording; events in the rings can be taken until the next begin. */
void nx_tracer_end(void);
bool nx_tracer_is_on(void);
/* The number of the latest session, from 1; a caller can check that it is still its own. */
uint64_t nx_tracer_session(void);
/* Frees the memory of the rings; events that were not taken are lost. */
void nx_tracer_forget(void);
/* In the child after a fork: stops tracing. */
void nx_tracer_abandon(void);

/* Called once per event, in order; place is valid during the call. */
typedef void (*nx_tracer_fn)(void *context, const struct nx_trace_place *place,
			     const struct nx_trace_record *record);

#define NX_TRACER_ALL_CORES UINT32_MAX

/* Takes up to max events per core, of one core or all, merged by time. */
uint64_t nx_tracer_take(uint32_t core, uint64_t max, nx_tracer_fn fn, void *context);

struct nx_tracer_counts {
	uint64_t total; /* recorded since begin: taken, dropped, or still in a ring */
	uint64_t dropped;
	uint32_t ring_count;
};
struct nx_tracer_counts nx_tracer_count(void);

/* --- the keeper ----------------------------------------------------------------------------- */

struct nx_trace_keeper {
	/* Called around the records of one take, with the tracer locked. */
	void (*begin)(void *context);
	void (*end)(void *context);
	/* Words of NX_TRACE_RECORD_WORDS, valid during the call. */
	void (*put)(void *context, uint32_t core, uint64_t position, const uint64_t *words);
	void *context;
};

/*
 * Records from now on, all types of the given cores, whether a session runs or not. Rings that a
 * session has are used as they are, and a session that begins later uses those of the keeper.
 */
NX_MUST_CHECK enum nx_status nx_tracer_keep(const struct nx_tracer_options *options,
					    const struct nx_trace_keeper *keeper,
					    struct nx_error *err);
/* The keeper gets the rest, then no more. */
void nx_tracer_keep_end(void);
/* Gives the keeper what is in the rings, unless a session takes it; false then. */
bool nx_tracer_keep_take(void);
/* Since nx_tracer_keep: recorded, and of these dropped. */
struct nx_tracer_counts nx_tracer_keep_count(void);
/* Worker and first position of a core; the caller sets a clock. */
struct nx_trace_place nx_tracer_keep_place(uint32_t core);

#endif
