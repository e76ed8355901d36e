/* SPDX-License-Identifier: Apache-2.0 */
#include "query/hit_set.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

#define BATCH_SPANS 1024u

/* --- making -------------------------------------------------------------------- */

static enum nx_status mark_spans(struct nx_hit_strip *strip, const struct nx_timeline *timeline,
				 const struct nx_row_choice *rows, const struct nx_hit_wish *wish,
				 struct nx_error *err)
{
	struct nx_span spans[BATCH_SPANS];
	size_t count;

	for (uint64_t at = 0; at < strip->span_count; at += count) {
		count = nx_timeline_list(timeline, strip->track, strip->depth, at, spans,
					 BATCH_SPANS);
		if (!count)
			break;
		for (size_t i = 0; i < count; i++) {
			uint64_t is_hit = nx_row_choice_has(rows, spans[i].row);

			strip->bits[(at + i) / 64] |= is_hit << ((at + i) % 64);
			strip->hit_count += is_hit;
		}
		if (at % (BATCH_SPANS * 256) == 0 && wish->is_wanted &&
		    !wish->is_wanted(wish->context))
			return nx_fail(err, NX_CANCELLED, "the request was cancelled");
	}
	return NX_OK;
}

static enum nx_status add_strip(struct nx_hit_set *set, const struct nx_timeline *timeline,
				struct nx_hit_strip strip, const struct nx_row_choice *rows,
				const struct nx_hit_wish *wish, struct nx_error *err)
{
	enum nx_status st;
	size_t bytes;

	strip.span_count = nx_timeline_span_count(timeline, strip.track, strip.depth);
	bytes = (size_t)(strip.span_count / 64 + 1) * sizeof(uint64_t);
	strip.bits = memset(nx_heap_alloc(bytes), 0, bytes);
	st = mark_spans(&strip, timeline, rows, wish, err);
	if (st || !strip.hit_count) {
		nx_heap_free(strip.bits);
		return st;
	}
	set->size_bytes += strip.span_count / 8 + sizeof(strip);
	nx_vec_push(&set->strips, strip);
	return NX_OK;
}

enum nx_status nx_hit_set_add(struct nx_hit_set *set, const struct nx_timeline *timeline,
			      uint64_t table, const struct nx_row_choice *rows,
			      const struct nx_hit_wish *wish, struct nx_error *err)
{
	struct nx_track track;
	enum nx_status st = NX_OK;

	if (rows->first > rows->last)
		return NX_OK;
	for (uint32_t i = 0; !st && nx_timeline_track(timeline, i, &track); i++) {
		if (track.kind != NX_TRACK_SPANS || track.keys[0] != table)
			continue;
		for (uint32_t depth = 0; !st && depth < track.depth_count; depth++)
			st = add_strip(set, timeline,
				       (struct nx_hit_strip){.track = i, .depth = depth}, rows,
				       wish, err);
	}
	return st;
}

void nx_hit_set_release(struct nx_hit_set *set)
{
	for (size_t i = 0; i < set->strips.len; i++)
		nx_heap_free(set->strips.items[i].bits);
	nx_vec_release(&set->strips);
	set->size_bytes = 0;
}

/* --- bits ---------------------------------------------------------------------- */

/* Bits of word that lie in [from, to), which it overlaps. */
static uint64_t bits_of(const struct nx_hit_strip *strip, uint64_t word, uint64_t from, uint64_t to)
{
	uint64_t bits = strip->bits[word];

	assert(word <= strip->span_count / 64 && from <= to);
	if (word == from / 64)
		bits &= ~UINT64_C(0) << (from % 64);
	if (word == to / 64)
		bits &= (UINT64_C(1) << (to % 64)) - 1;
	return bits;
}

static uint64_t count_hits(const struct nx_hit_strip *strip, uint64_t from, uint64_t to)
{
	uint64_t count = 0;

	for (uint64_t w = from / 64; from < to && w <= to / 64; w++)
		count += (uint64_t)__builtin_popcountll(bits_of(strip, w, from, to));
	return count;
}

/* The first hit of [from, to); to when there is none. */
static uint64_t first_hit(const struct nx_hit_strip *strip, uint64_t from, uint64_t to)
{
	for (uint64_t w = from / 64; from < to && w <= to / 64; w++) {
		uint64_t bits = bits_of(strip, w, from, to);

		if (bits)
			return w * 64 + (uint64_t)__builtin_ctzll(bits);
	}
	return to;
}

/* The last one; there is one. */
static uint64_t last_hit(const struct nx_hit_strip *strip, uint64_t from, uint64_t to)
{
	for (uint64_t w = to / 64;; w--) {
		uint64_t bits = bits_of(strip, w, from, to);

		if (bits)
			return w * 64 + 63 - (uint64_t)__builtin_clzll(bits);
	}
}

/* --- marks --------------------------------------------------------------------- */

/* Where the bucket of a moment ends, as nx_timeline_window has it: the smallest that is later. */
static uint64_t bucket_end_ns(const struct nx_timeline_window *w, uint64_t time_ns)
{
	uint64_t length_ns = w->to_ns - w->from_ns;
	__uint128_t bucket, end_ns;

	if (time_ns < w->from_ns)
		time_ns = w->from_ns;
	/* the last i with from + floor(i * length / count) <= time */
	bucket = (((__uint128_t)(time_ns - w->from_ns) + 1) * w->bucket_count - 1) / length_ns;
	end_ns = (bucket + 1) * length_ns / w->bucket_count;
	return end_ns >= length_ns ? w->to_ns : w->from_ns + (uint64_t)end_ns;
}

/* The hits from the one numbered at on that begin before end_ns, of those before to. */
static uint64_t add_mark(const struct nx_timeline *timeline, const struct nx_hit_strip *strip,
			 uint64_t at, uint64_t to, uint64_t end_ns, struct nx_hit_marks *marks)
{
	uint64_t next = nx_timeline_next(timeline, strip->track, strip->depth, end_ns);
	struct nx_hit_mark mark = {0};
	struct nx_span span = {0};

	/* the hit began before the window, or the timeline is damaged */
	next = next <= at ? at + 1 : next > to ? to : next;
	nx_timeline_span(timeline, strip->track, strip->depth, at, &span);
	mark = (struct nx_hit_mark){.start_ns = span.start_ns,
				    .count = count_hits(strip, at, next),
				    .row = span.row,
				    .name = span.name};
	if (mark.count > 1)
		nx_timeline_span(timeline, strip->track, strip->depth, last_hit(strip, at, next),
				 &span);
	mark.end_ns = span.end_ns;
	nx_vec_push(marks, mark);
	return next;
}

void nx_hit_set_marks(const struct nx_timeline *timeline, const struct nx_hit_strip *strip,
		      const struct nx_timeline_window *window, struct nx_hit_marks *marks)
{
	struct nx_timeline_window own = *window;
	uint64_t at, to;
	struct nx_span span;

	assert(window->from_ns < window->to_ns && window->bucket_count);
	own.track = strip->track;
	own.depth = strip->depth;
	to = nx_timeline_rows(timeline, &own, NULL, 0, &at);
	if (!to)
		return;
	to = at + to < strip->span_count ? at + to : strip->span_count;
	while ((at = first_hit(strip, at, to)) < to) {
		if (!nx_timeline_span(timeline, strip->track, strip->depth, at, &span))
			return;
		at = add_mark(timeline, strip, at, to, bucket_end_ns(&own, span.start_ns), marks);
	}
}
