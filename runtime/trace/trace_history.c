/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_history.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/trace/trace_ring.h"

#define SOURCE_SHIFT 56
#define PAGE_BYTES ((size_t)4096)
/* A segment covers no more than this part of the horizon, so that a history is hardly longer. */
#define HORIZON_PARTS 32

static_assert(NX_TRACE_HISTORY_MIN_BYTES / NX_TRACE_HISTORY_SEGMENTS >=
		      (NX_TRACE_MAX_RECORD_WORDS + 1) * sizeof(uint64_t),
	      "a segment has room for any record");

enum nx_status nx_trace_history_begin(struct nx_trace_history *history, size_t bytes,
				      uint64_t horizon_ns)
{
	size_t segment_bytes;
	void *memory;

	memset(history, 0, sizeof(*history));
	if (bytes < NX_TRACE_HISTORY_MIN_BYTES)
		bytes = NX_TRACE_HISTORY_MIN_BYTES;
	segment_bytes = bytes / NX_TRACE_HISTORY_SEGMENTS / PAGE_BYTES * PAGE_BYTES;
	if (segment_bytes / sizeof(uint64_t) > UINT32_MAX)
		return NX_LIMIT;
	history->mapped_bytes = segment_bytes * NX_TRACE_HISTORY_SEGMENTS;
	memory = mmap(NULL, history->mapped_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NX_LIMIT;
	history->words = memory;
	history->segment_words = (uint32_t)(segment_bytes / sizeof(uint64_t));
	history->horizon_ns = horizon_ns;
	return NX_OK;
}

void nx_trace_history_end(struct nx_trace_history *history)
{
	if (history->words)
		munmap(history->words, history->mapped_bytes);
	history->words = NULL;
}

static struct nx_trace_segment *segment_of(struct nx_trace_history *history, uint64_t number)
{
	return &history->segments[number % NX_TRACE_HISTORY_SEGMENTS];
}

static uint64_t *words_of(const struct nx_trace_history *history, uint64_t number)
{
	return history->words +
	       (size_t)(number % NX_TRACE_HISTORY_SEGMENTS) * history->segment_words;
}

static struct nx_trace_segment *open_segment(struct nx_trace_history *history,
					     const struct nx_trace_clock *clock)
{
	struct nx_trace_segment *segment;
	unsigned last = clock->tie_count - 1;

	if (history->next - history->oldest == NX_TRACE_HISTORY_SEGMENTS)
		history->overwritten_count += segment_of(history, history->oldest++)->record_count;
	segment = segment_of(history, history->next++);
	*segment = (struct nx_trace_segment){.first_sequence = history->sequence,
					     .begin_ns = clock->ties[last].epoch_ns,
					     .from = clock->ties[last ? last - 1 : 0]};
	return segment;
}

void nx_trace_history_push(struct nx_trace_history *history, const struct nx_trace_clock *clock,
			   unsigned source, uint64_t position, const uint64_t *words,
			   unsigned count)
{
	const struct nx_trace_tie *now = &clock->ties[clock->tie_count - 1];
	struct nx_trace_segment *segment =
		history->next > history->oldest ? segment_of(history, history->next - 1) : NULL;
	uint64_t *to;

	assert(source < 256 && position >> SOURCE_SHIFT == 0);
	assert(count && count <= NX_TRACE_MAX_RECORD_WORDS);
	if (!segment || segment->used_words + count + 1 > history->segment_words ||
	    now->epoch_ns - segment->begin_ns > history->horizon_ns / HORIZON_PARTS)
		segment = open_segment(history, clock);
	segment->to = *now;
	to = words_of(history, history->next - 1) + segment->used_words;
	to[0] = position | (uint64_t)source << SOURCE_SHIFT;
	memcpy(to + 1, words, count * sizeof(*words));
	segment->used_words += count + 1;
	segment->record_count++;
	history->sequence++;
}

void nx_trace_history_expire(struct nx_trace_history *history, uint64_t now_ns)
{
	while (history->oldest < history->next) {
		const struct nx_trace_segment *segment = segment_of(history, history->oldest);

		if (segment->to.epoch_ns + history->horizon_ns >= now_ns)
			return;
		history->expired_count += segment->record_count;
		history->oldest++;
	}
}

/* --- reading ---------------------------------------------------------------------------------- */

uint64_t nx_trace_history_copy(const struct nx_trace_history *history, uint64_t number,
			       struct nx_trace_excerpt *out)
{
	if (number < history->oldest)
		number = history->oldest;
	out->at = out->record = 0;
	out->segment = (struct nx_trace_segment){.first_sequence = history->sequence};
	if (number >= history->next)
		return number;
	out->segment = history->segments[number % NX_TRACE_HISTORY_SEGMENTS];
	memcpy(out->words, words_of(history, number), out->segment.used_words * sizeof(uint64_t));
	return number;
}

bool nx_trace_excerpt_next(struct nx_trace_excerpt *excerpt, struct nx_trace_kept *out)
{
	uint64_t word;

	if (excerpt->record == excerpt->segment.record_count)
		return false;
	word = excerpt->words[excerpt->at];
	*out = (struct nx_trace_kept){
		.sequence = excerpt->segment.first_sequence + excerpt->record++,
		.position = word & ((UINT64_C(1) << SOURCE_SHIFT) - 1),
		.source = (unsigned)(word >> SOURCE_SHIFT),
		.words = excerpt->words + excerpt->at + 1,
	};
	out->count = nx_trace_head_words(out->words[0]);
	excerpt->at += out->count + 1;
	return true;
}
