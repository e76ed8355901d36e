/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_ring: records of many threads, without a locked instruction for a record; one reader.
 *
 * The memory of a ring is divided into chunks of 8 KiB. A thread has a lane in the ring: the chunk
 * that only it writes to, and how far it has come. When the chunk is full, the thread takes the
 * next one, lock-free: the chunks are used in turn, so if nobody reads, that is the oldest one, and
 * its records are overwritten. While the reader keeps up, few chunks are in use and stay in the
 * cache. The reader merges the chunks by time.
 *
 * Nobody waits for anybody. Each lane counts its records and the reader what it took, so
 *
 *	taken + dropped == total
 *
 * holds once the writers have stopped and the reader has caught up.
 *
 * A record is its first word (nx_trace_head), ticks, and further words. Its position is unique in
 * the ring: the turn of its chunk, then the word within the chunk.
 *
 * Memory is never unmapped, as a thread may be about to write to it; nx_trace_ring_forget frees it
 * but keeps the addresses. Lanes are never freed either.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_RING_H
#define NX_RUNTIME_TRACE_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bare/status.h"

#define NX_TRACE_CHUNK_WORDS 1024u
#define NX_TRACE_CHUNK_BYTES (NX_TRACE_CHUNK_WORDS * sizeof(uint64_t))
#define NX_TRACE_MAX_RECORD_WORDS (NX_TRACE_CHUNK_WORDS / 2)

/* The time of the record is not in ticks; it is merged with the record before it. */
#define NX_TRACE_IS_EPOCH 1u

/* The first word: 48 bits for the writer, 4 flags, the number of words of the record. */
static inline uint64_t nx_trace_head(uint64_t value, unsigned flags, unsigned word_count)
{
	return value | (uint64_t)flags << 48 | (uint64_t)word_count << 52;
}

static inline unsigned nx_trace_head_words(uint64_t head)
{
	return (unsigned)(head >> 52);
}

static inline unsigned nx_trace_head_flags(uint64_t head)
{
	return (unsigned)(head >> 48) & 15;
}

struct nx_trace_chunk {
	/* 2 * ticket, plus 1 while a thread writes to it; 0: never used. Tickets count from 1. */
	_Alignas(64) _Atomic uint64_t stamp;
	_Atomic uint64_t head; /* words written, and records in the upper half */
	_Atomic uint64_t begin_ticks;
	_Atomic uint64_t done; /* stamp of which the reader has taken everything */
	/* The reader's own: */
	_Alignas(64) uint64_t ticket;
	uint64_t next_ticks; /* by which it is merged */
	uint32_t read_words, read_records;
	uint32_t end_words, end_records; /* head when the merge began */
};

/* What writers use: replaced as a whole if a session needs another size. */
struct nx_trace_store {
	struct nx_trace_chunk *chunks;
	_Atomic uint64_t *words;
	uint32_t *heap; /* the reader's, of chunk_count */
	size_t mapped_bytes;
	uint32_t chunk_count;
	_Alignas(64) _Atomic uint64_t next_ticket;
	_Atomic uint32_t chunk_limit; /* chunks that this session may use */
	_Atomic uint64_t origin;      /* ticket at the last restart */
	_Atomic uint32_t used_count;  /* chunks used since; the first ones */
	uint32_t peak_count;	      /* chunks ever used before the last restart */
};

/* A thread's place in a ring. A zeroed lane has none yet. */
struct nx_trace_lane {
	_Atomic uint64_t count; /* of records, also those that found no room; never decreases */
	_Atomic uint64_t *words;
	uint64_t first; /* position of the chunk's first word */
	uint64_t session;
	uint32_t at, end; /* words of the chunk */
	struct nx_trace_chunk *chunk;
	struct nx_trace_lane *next; /* of the ring's */
	bool is_listed;
};

struct nx_trace_ring {
	struct nx_trace_store *_Atomic store;
	struct nx_trace_lane *_Atomic lanes;
	/* The reader's own: */
	uint64_t limit;	       /* number of latest records that are kept */
	uint64_t first_ticket; /* since the restart */
	uint64_t base_count;   /* records of all lanes before it */
	uint64_t taken_count;
};

/* Makes room for limit records of record_words each, and restarts. LIMIT if memory is short. */
NX_MUST_CHECK enum nx_status nx_trace_ring_prepare(struct nx_trace_ring *ring, uint64_t limit,
						   unsigned record_words);
/* The same for records of any length, of which as many are kept as fit. */
NX_MUST_CHECK enum nx_status nx_trace_ring_prepare_bytes(struct nx_trace_ring *ring,
							 uint64_t bytes);
/* Restarts counting: records in the ring are neither taken nor dropped. */
void nx_trace_ring_restart(struct nx_trace_ring *ring);
/* Frees the memory. */
void nx_trace_ring_forget(struct nx_trace_ring *ring);
/* In the child after a fork: no thread but the caller writes any more. */
void nx_trace_ring_abandon(struct nx_trace_ring *ring);

/* Words valid during the call, the position of the first one. */
typedef void (*nx_trace_ring_fn)(void *context, uint64_t position, const uint64_t *words,
				 unsigned count);
/* Takes up to max of the oldest records, merged by time. */
uint64_t nx_trace_ring_take(struct nx_trace_ring *ring, uint64_t max, nx_trace_ring_fn fn,
			    void *context);

/* While threads write, dropped is not more than was dropped; exact once they have stopped. */
struct nx_trace_ring_counts {
	uint64_t total; /* since the restart: taken, dropped or pending */
	uint64_t dropped;
	uint64_t pending;
};
struct nx_trace_ring_counts nx_trace_ring_count(const struct nx_trace_ring *ring);

/* The thread's next chunk, for a record of so many words; false if there is none. */
bool nx_trace_lane_turn(struct nx_trace_lane *lane, struct nx_trace_ring *ring, uint64_t session,
			unsigned words);
/* The thread writes no more: others may use its chunk. */
void nx_trace_lane_leave(struct nx_trace_lane *lane);

/* Space for a record, NULL if it has to be dropped; count it with _publish or _drop. */
static inline _Atomic uint64_t *nx_trace_lane_claim(struct nx_trace_lane *lane,
						    struct nx_trace_ring *ring, uint64_t session,
						    unsigned words)
{
	if (__builtin_expect(lane->at + words > lane->end || lane->session != session, 0) &&
	    !nx_trace_lane_turn(lane, ring, session, words))
		return NULL;
	return lane->words + lane->at;
}

/* Stores are releases: a reader that sees a new word also sees the chunk's new stamp. */
static inline void nx_trace_word(_Atomic uint64_t *words, unsigned i, uint64_t value)
{
	atomic_store_explicit(&words[i], value, memory_order_release);
}

static inline void nx_trace_lane_count(struct nx_trace_lane *lane)
{
	uint64_t count = atomic_load_explicit(&lane->count, memory_order_relaxed);

	atomic_store_explicit(&lane->count, count + 1, memory_order_release);
}

/* Returns the record's position. It is counted last: what is counted can also be seen. */
static inline uint64_t nx_trace_lane_publish(struct nx_trace_lane *lane, unsigned words)
{
	uint64_t position = lane->first + lane->at;
	uint64_t head = atomic_load_explicit(&lane->chunk->head, memory_order_relaxed);

	lane->at += words;
	atomic_store_explicit(&lane->chunk->head, head + words + (UINT64_C(1) << 32),
			      memory_order_release);
	nx_trace_lane_count(lane);
	return position;
}

/* Counts a record that found no room; returns a position that no other record has. */
uint64_t nx_trace_lane_drop(struct nx_trace_lane *lane, struct nx_trace_ring *ring);

#endif
