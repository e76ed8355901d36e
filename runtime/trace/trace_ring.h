/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_ring: the events of one NeuronCore; any number of writers, one reader.
 *
 * A writer never waits: it takes the next position, claims its slot and fills it.
 * If the ring is full, the oldest event is overwritten. The reader may run
 * concurrently. Every position is either taken or counted as dropped, so
 *
 *	taken + dropped_count == nx_trace_ring_total()
 *
 * holds once the reader has caught up. An event is also dropped if its slot is still
 * claimed by a thread that stopped a whole round earlier, or if its writer died.
 *
 * A ring is never unmapped, as a thread may be about to write to it;
 * nx_trace_ring_forget frees its memory but keeps the addresses.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_RING_H
#define NX_RUNTIME_TRACE_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bare/status.h"

#define NX_TRACE_ARGS 4

struct nx_trace_record {
	uint64_t position; /* since the ring was made */
	uint64_t ticks;	   /* of trace_clock, or epoch nanoseconds with NX_TRACE_IS_EPOCH */
	uint64_t tracking; /* of a STOP: position of its START plus 1; else 0 */
	uint32_t thread_id;
	uint8_t type;  /* as ntrace files number events */
	uint8_t phase; /* enum nx_ntrace_phase */
	uint8_t flags;
	uint64_t args[NX_TRACE_ARGS]; /* packed as trace_event says */
};

enum { NX_TRACE_IS_EPOCH = 1 };

/* One cache line. The stamp says whose the words are: 2 * (position + 1), plus 1 while written. */
struct nx_trace_slot {
	_Atomic uint64_t stamp;
	_Atomic uint64_t words[7];
};

struct nx_trace_ring {
	_Alignas(64) _Atomic uint64_t head; /* next position */
	_Alignas(64) struct nx_trace_slot *slots;
	uint64_t mask;
	uint64_t limit; /* number of latest events that are kept */
	/* The reader's own: */
	_Alignas(64) uint64_t base; /* where counting began */
	uint64_t tail;		    /* next position to take */
	uint64_t dropped_count;
	uint64_t stuck_at; /* position the reader waits for, and how often it did */
	unsigned stuck_count;
};

/* Reserves addresses for limit events, rounded up to a power of two. LIMIT if that fails. */
NX_MUST_CHECK enum nx_status nx_trace_ring_init(struct nx_trace_ring *ring, uint64_t limit);

/* Restarts counting: events in the ring are neither taken nor dropped. */
void nx_trace_ring_restart(struct nx_trace_ring *ring, uint64_t limit);
/* Frees the memory. */
void nx_trace_ring_forget(struct nx_trace_ring *ring);

/*
 * Takes up to cap of the oldest events, in order. Stops at an event that is still being
 * written, unless is_final, which means that no writer will finish it.
 */
size_t nx_trace_ring_take(struct nx_trace_ring *ring, struct nx_trace_record *out, size_t cap,
			  bool is_final);

/* The number of events since the last restart. */
static inline uint64_t nx_trace_ring_total(const struct nx_trace_ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_relaxed) - ring->base;
}

/* The first word of a slot. */
static inline uint64_t nx_trace_pack(uint32_t thread_id, unsigned type, unsigned phase,
				     unsigned flags)
{
	return thread_id | (uint64_t)(type & 0xff) << 32 | (uint64_t)(phase & 0xff) << 40 |
	       (uint64_t)(flags & 0xff) << 48;
}

/* Returns the event's position plus 1, even if the event had to be dropped. */
static inline uint64_t nx_trace_ring_put(struct nx_trace_ring *ring, uint64_t packed,
					 uint64_t ticks, uint64_t tracking,
					 const uint64_t args[NX_TRACE_ARGS])
{
	uint64_t position = atomic_fetch_add_explicit(&ring->head, 1, memory_order_relaxed);
	struct nx_trace_slot *slot = &ring->slots[position & ring->mask];
	uint64_t stamp = (position + 1) << 1;
	uint64_t seen = atomic_load_explicit(&slot->stamp, memory_order_relaxed);

	if ((seen & 1) || seen > stamp ||
	    !atomic_compare_exchange_strong_explicit(&slot->stamp, &seen, stamp | 1,
						     memory_order_acq_rel, memory_order_relaxed))
		return position + 1;
	/* Release stores: a reader that sees a new word also sees the odd stamp. */
	atomic_store_explicit(&slot->words[0], packed, memory_order_release);
	atomic_store_explicit(&slot->words[1], ticks, memory_order_release);
	atomic_store_explicit(&slot->words[2], tracking, memory_order_release);
	for (unsigned i = 0; i < NX_TRACE_ARGS; i++)
		atomic_store_explicit(&slot->words[3 + i], args[i], memory_order_release);
	atomic_store_explicit(&slot->stamp, stamp, memory_order_release);
	return position + 1;
}

#endif
