/* SPDX-License-Identifier: Apache-2.0 */
/* Recording: each call writes one record to the thread's lane. No lock, no call of the system. */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/profiler/profiler_internal.h"

#define WORD_BYTES sizeof(uint64_t)

NX_PROFILER_EXPORT uint32_t nx_profiler_switch;
struct nx_trace_ring *_Atomic nx_profiler_ring;

static_assert(NX_RECORD_WHAT_SHIFT + 4 <= 48, "a record's first word has 48 bits for us");

struct place { /* of a record being written */
	struct nx_trace_lane *lane;
	_Atomic uint64_t *words;
	unsigned at, end;
};

static unsigned words_for(size_t bytes)
{
	return (unsigned)((bytes + WORD_BYTES - 1) / WORD_BYTES);
}

static size_t cut(size_t len)
{
	return len < NX_PROFILER_MAX_TEXT ? len : NX_PROFILER_MAX_TEXT;
}

static unsigned words_of(const nx_attribute *attributes, size_t count)
{
	unsigned words = 0;

	for (size_t i = 0; i < count; i++)
		words += attributes[i].type == NX_ATTRIBUTE_TEXT
				 ? 1 + words_for(cut(attributes[i].text_len))
				 : 2;
	return words;
}

/* Attributes that would not fit into a record are left out. */
static size_t fit(const nx_attribute *attributes, size_t count, unsigned words)
{
	if (count > NX_PROFILER_MAX_ATTRIBUTES)
		count = NX_PROFILER_MAX_ATTRIBUTES;
	while (count && words + words_of(attributes, count) > NX_TRACE_MAX_RECORD_WORDS)
		count--;
	return count;
}

/*
 * False if nothing can be recorded; otherwise the first two words are there. A thread of 0 is the
 * caller's.
 */
static inline bool begin_on(struct place *p, uint32_t thread_id, enum nx_profiler_record what,
			    nx_name name, uint64_t ticks, unsigned words)
{
	struct nx_trace_writer *writer = nx_trace_writer_get();
	uint32_t session = __atomic_load_n(&nx_profiler_switch, __ATOMIC_ACQUIRE);
	struct nx_trace_ring *ring = atomic_load_explicit(&nx_profiler_ring, memory_order_relaxed);

	if (__builtin_expect(!writer || !session || !ring, 0))
		return false;
	p->lane = &writer->lanes[NX_TRACE_SPAN_LANE];
	p->words = nx_trace_lane_claim(p->lane, ring, session, words);
	if (__builtin_expect(!p->words, 0)) {
		nx_trace_lane_count(p->lane);
		return false;
	}
	p->at = 2;
	p->end = words;
	nx_trace_word(p->words, 0,
		      nx_trace_head(((thread_id ? thread_id : writer->thread_id) &
				     ((1u << NX_RECORD_THREAD_BITS) - 1)) |
					    (uint64_t)(name & (NX_PROFILER_MAX_NAMES - 1))
						    << NX_RECORD_NAME_SHIFT |
					    (uint64_t)what << NX_RECORD_WHAT_SHIFT,
				    0, words));
	nx_trace_word(p->words, 1, ticks);
	return true;
}

static inline bool begin(struct place *p, enum nx_profiler_record what, nx_name name,
			 uint64_t ticks, unsigned words)
{
	return begin_on(p, 0, what, name, ticks, words);
}

static inline void put(struct place *p, uint64_t value)
{
	nx_trace_word(p->words, p->at++, value);
}

static inline void put_text(struct place *p, const char *text, size_t len)
{
	uint64_t word;

	for (; len >= WORD_BYTES; len -= WORD_BYTES, text += WORD_BYTES) {
		memcpy(&word, text, WORD_BYTES);
		put(p, word);
	}
	if (!len)
		return;
	word = 0;
	memcpy(&word, text, len);
	put(p, word);
}

static inline void put_attributes(struct place *p, const nx_attribute *attributes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const nx_attribute *a = &attributes[i];
		size_t len = a->type == NX_ATTRIBUTE_TEXT ? cut(a->text_len) : 0;
		uint64_t value;

		put(p, (a->key & (NX_PROFILER_MAX_NAMES - 1)) | (uint64_t)(a->type & 15) << 20 |
			       (uint64_t)len << 32);
		if (a->type == NX_ATTRIBUTE_TEXT) {
			put_text(p, a->value.text, len);
			continue;
		}
		memcpy(&value, &a->value, sizeof(value));
		if (a->type == NX_ATTRIBUTE_BOOL)
			value = a->value.boolean;
		else if (a->type == NX_ATTRIBUTE_NAME)
			value = a->value.name;
		put(p, value);
	}
}

/* Never 0, and unique in the process: tickets count from 1. */
static inline uint64_t publish(struct place *p)
{
	return nx_trace_lane_publish(p->lane, p->end);
}

/* --- spans ------------------------------------------------------------------------------------ */

NX_PROFILER_EXPORT nx_span nx_profiler_put_begin(nx_name name, const nx_attribute *attributes,
						 size_t count)
{
	struct place p;

	count = fit(attributes, count, 2);
	if (!begin(&p, NX_RECORD_BEGIN, name, nx_trace_clock_ticks(),
		   2 + words_of(attributes, count)))
		return 0;
	put_attributes(&p, attributes, count);
	return publish(&p);
}

NX_PROFILER_EXPORT nx_span nx_profiler_put_text(nx_profiler_kind kind, const char *text, size_t len,
						const nx_attribute *attributes, size_t count)
{
	unsigned words;
	struct place p;

	len = text ? cut(len) : 0;
	words = 3 + words_for(len);
	count = fit(attributes, count, words);
	words += words_of(attributes, count);
	if (!begin(&p, NX_RECORD_TEXT, 0, nx_trace_clock_ticks(), words))
		return 0;
	put(&p, len | (uint64_t)kind << 32);
	put_text(&p, text, len);
	put_attributes(&p, attributes, count);
	return publish(&p);
}

NX_PROFILER_EXPORT void nx_profiler_put_end(nx_span span, const nx_attribute *attributes,
					    size_t count)
{
	struct place p;

	count = fit(attributes, count, 3);
	if (!span ||
	    !begin(&p, NX_RECORD_END, 0, nx_trace_clock_ticks(), 3 + words_of(attributes, count)))
		return;
	put(&p, span);
	put_attributes(&p, attributes, count);
	publish(&p);
}

NX_PROFILER_EXPORT void nx_profiler_put_complete(nx_name name, uint64_t start_ticks,
						 uint64_t end_ticks, const nx_attribute *attributes,
						 size_t count)
{
	nx_profiler_put_complete_on(0, name, start_ticks, end_ticks, attributes, count);
}

NX_PROFILER_EXPORT void nx_profiler_put_complete_on(uint32_t thread_id, nx_name name,
						    uint64_t start_ticks, uint64_t end_ticks,
						    const nx_attribute *attributes, size_t count)
{
	struct place p;

	count = fit(attributes, count, 3);
	if (!begin_on(&p, thread_id, NX_RECORD_COMPLETE, name, end_ticks,
		      3 + words_of(attributes, count)))
		return;
	put(&p, start_ticks);
	put_attributes(&p, attributes, count);
	publish(&p);
}

NX_PROFILER_EXPORT void nx_profiler_put_instant(nx_name name, const nx_attribute *attributes,
						size_t count)
{
	struct place p;

	count = fit(attributes, count, 2);
	if (!begin(&p, NX_RECORD_INSTANT, name, nx_trace_clock_ticks(),
		   2 + words_of(attributes, count)))
		return;
	put_attributes(&p, attributes, count);
	publish(&p);
}

NX_PROFILER_EXPORT void nx_profiler_put_counter(nx_name name, double value)
{
	struct place p;
	uint64_t word;

	memcpy(&word, &value, sizeof(word));
	if (!begin(&p, NX_RECORD_COUNTER, name, nx_trace_clock_ticks(), 3))
		return;
	put(&p, word);
	publish(&p);
}

NX_PROFILER_EXPORT nx_span nx_profiler_put_step(nx_name name, int64_t step_num,
						const nx_attribute *attributes, size_t count)
{
	struct place p;

	count = fit(attributes, count, 3);
	if (!begin(&p, NX_RECORD_STEP, name, nx_trace_clock_ticks(),
		   3 + words_of(attributes, count)))
		return 0;
	put(&p, (uint64_t)step_num);
	put_attributes(&p, attributes, count);
	return publish(&p);
}

/* --- flows and time --------------------------------------------------------------------------- */

NX_PROFILER_EXPORT void nx_profiler_put_flow(uint64_t flow, bool is_out)
{
	struct place p;

	if (!flow || !begin(&p, is_out ? NX_RECORD_FLOW_OUT : NX_RECORD_FLOW_IN, 0,
			    nx_trace_clock_ticks(), 3))
		return;
	put(&p, flow);
	publish(&p);
}

NX_PROFILER_EXPORT uint64_t nx_profiler_new_flow(void)
{
	static _Atomic uint64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

NX_PROFILER_EXPORT uint64_t nx_profiler_ticks(void)
{
	return nx_trace_clock_ticks();
}
