/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_history: the latest records of a process, as they were in its rings, in bounded memory.
 *
 * The memory is divided into segments, which are filled one after the other and used again in
 * turn. The oldest segment is dropped as a whole: when the memory is full, or when all of it is
 * older than the horizon. Every record has a sequence number, from 0 on without gaps, so what two
 * copies of the history have in common, and what neither has, can be computed exactly:
 *
 *	kept + overwritten + expired == sequence
 *
 * Pushing copies a few words; times stay in ticks until somebody reads. The caller locks.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_HISTORY_H
#define NX_RUNTIME_TRACE_TRACE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bare/status.h"
#include "runtime/trace/trace_clock.h"

#define NX_TRACE_HISTORY_MIN_BYTES ((size_t)1 << 20)
#define NX_TRACE_HISTORY_SEGMENTS 64u

struct nx_trace_segment {
	uint64_t first_sequence;
	uint32_t record_count;
	uint32_t used_words;
	uint64_t begin_ns;	      /* epoch, when it was begun: its records may be older */
	struct nx_trace_tie from, to; /* its ticks are interpolated between these */
};

struct nx_trace_history {
	uint64_t *words; /* NULL: there is no history */
	size_t mapped_bytes;
	uint32_t segment_words;
	struct nx_trace_segment segments[NX_TRACE_HISTORY_SEGMENTS];
	uint64_t oldest, next; /* numbers of segments, from 0 on; next - 1 is being filled */
	uint64_t sequence;     /* of the next record */
	uint64_t overwritten_count, expired_count;
	uint64_t horizon_ns;
};

/* Maps so many bytes, at least NX_TRACE_HISTORY_MIN_BYTES. LIMIT if memory is short. */
NX_MUST_CHECK enum nx_status nx_trace_history_begin(struct nx_trace_history *history, size_t bytes,
						    uint64_t horizon_ns);
void nx_trace_history_end(struct nx_trace_history *history);

/*
 * Adds a record. Position and source (below 256) are the caller's; clock has a tie that is not
 * older than the record.
 */
void nx_trace_history_push(struct nx_trace_history *history, const struct nx_trace_clock *clock,
			   unsigned source, uint64_t position, const uint64_t *words,
			   unsigned count);
/* Drops segments that ended before the horizon. */
void nx_trace_history_expire(struct nx_trace_history *history, uint64_t now_ns);

/* --- reading -------------------------------------------------------------------------------- */

/* A copy of one segment; words has room for segment_words of the history. */
struct nx_trace_excerpt {
	struct nx_trace_segment segment;
	uint64_t *words;
	uint32_t at, record; /* of the next record */
};

struct nx_trace_kept {
	uint64_t sequence;
	uint64_t position;
	unsigned source;
	const uint64_t *words;
	unsigned count;
};

/* Copies the segment, or the oldest one if that is gone; returns its number. */
uint64_t nx_trace_history_copy(const struct nx_trace_history *history, uint64_t number,
			       struct nx_trace_excerpt *out);
/* The next record; false at the end. */
bool nx_trace_excerpt_next(struct nx_trace_excerpt *excerpt, struct nx_trace_kept *out);

#endif
