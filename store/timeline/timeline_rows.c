/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/strip_internal.h"

#include <assert.h>

uint64_t nx_timeline_span_count(const struct nx_timeline *t, uint32_t track, uint32_t depth)
{
	struct nx_strip strip;

	return nx_strip_open(&strip, t, NX_TRACK_SPANS, track, depth) ? strip.row_count : 0;
}

bool nx_timeline_span(const struct nx_timeline *t, uint32_t track, uint32_t depth, uint64_t idx,
		      struct nx_span *span)
{
	struct nx_span_chunk spans;
	struct nx_strip strip;

	if (!nx_strip_open(&strip, t, NX_TRACK_SPANS, track, depth) || idx >= strip.row_count)
		return false;
	nx_strip_spans(&strip, idx / NX_CHUNK_ROWS, &spans);
	*span = nx_span_chunk_span(&spans, idx % NX_CHUNK_ROWS);
	return true;
}

uint64_t nx_timeline_next(const struct nx_timeline *t, uint32_t track, uint32_t depth,
			  uint64_t time_ns)
{
	struct nx_strip strip;
	struct nx_edge edge;

	if (!nx_strip_open(&strip, t, NX_TRACK_SPANS, track, depth))
		return 0;
	nx_edges_find(&strip, &time_ns, 1, &edge);
	return edge.idx;
}

/* Spans that start at or before a moment; all of them when no later moment exists. */
static uint64_t count_until(const struct nx_strip *strip, uint64_t time_ns)
{
	uint64_t after_ns = time_ns + 1;
	struct nx_edge edge;

	if (time_ns == UINT64_MAX)
		return strip->row_count;
	nx_edges_find(strip, &after_ns, 1, &edge);
	return edge.idx;
}

uint64_t nx_timeline_find(const struct nx_timeline *t, uint32_t track, uint32_t depth,
			  uint64_t time_ns)
{
	struct nx_strip strip;
	struct nx_span span;
	uint64_t count;

	if (!nx_strip_open(&strip, t, NX_TRACK_SPANS, track, depth))
		return NX_SPAN_NONE;
	count = count_until(&strip, time_ns);
	if (!count || !nx_timeline_span(t, track, depth, count - 1, &span))
		return NX_SPAN_NONE;
	if (span.end_ns > time_ns || (span.start_ns == span.end_ns && span.start_ns == time_ns))
		return count - 1;
	return NX_SPAN_NONE;
}

uint64_t nx_timeline_rows(const struct nx_timeline *t, const struct nx_timeline_window *window,
			  struct nx_span *spans, size_t cap, uint64_t *idx)
{
	const uint64_t times[2] = {window->from_ns, window->to_ns};
	struct nx_span_chunk chunk;
	struct nx_edge edges[2];
	struct nx_strip strip;
	uint64_t from;

	assert(spans || !cap);
	if (window->from_ns >= window->to_ns ||
	    !nx_strip_open(&strip, t, NX_TRACK_SPANS, window->track, window->depth))
		return 0;
	nx_edges_find(&strip, times, 2, edges);
	from = nx_edge_first(&edges[0]);
	if (idx)
		*idx = from;
	for (uint64_t i = from; i < edges[1].idx && i - from < cap; i++) {
		if (i == from || i % NX_CHUNK_ROWS == 0)
			nx_strip_spans(&strip, i / NX_CHUNK_ROWS, &chunk);
		spans[i - from] = nx_span_chunk_span(&chunk, i % NX_CHUNK_ROWS);
	}
	return edges[1].idx - from;
}

size_t nx_timeline_list(const struct nx_timeline *t, uint32_t track, uint32_t depth, uint64_t first,
			struct nx_span *spans, size_t cap)
{
	struct nx_span_chunk chunk;
	struct nx_strip strip;
	size_t count;

	if (!nx_strip_open(&strip, t, NX_TRACK_SPANS, track, depth) || first >= strip.row_count)
		return 0;
	count = strip.row_count - first < cap ? (size_t)(strip.row_count - first) : cap;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || (first + i) % NX_CHUNK_ROWS == 0)
			nx_strip_spans(&strip, (first + i) / NX_CHUNK_ROWS, &chunk);
		spans[i] = nx_span_chunk_span(&chunk, (first + i) % NX_CHUNK_ROWS);
	}
	return count;
}
