/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "store/dominant_name.h"
#include "store/strip_internal.h"

#define TILE_BUCKETS (NX_EDGES_MAX - 1)
/* Buckets are worked on in tiles, so that memory does not grow with depths times buckets. */
#define TILE_EDGES ((size_t)8192)

/* Measuring a bucket runs so many ahead of naming it, while memory is on its way. */
#define FETCH_AHEAD 4

/* Where a bucket's longest and first span are. */
struct found {
	struct nx_longest longest;
	const struct nx_strip *longest_strip, *first_strip;
};

struct scan {
	const struct nx_timeline_window *window;
	struct nx_strip_edges *all;	      /* strips of the window */
	const struct nx_strip_edges **active; /* those with spans in the tile */
	size_t strip_count, active_count;
	struct nx_edge *edges;
	size_t tile_buckets;
	struct nx_name_search names;
};

enum nx_status nx_window_check(const struct nx_timeline *t, const struct nx_timeline_window *window,
			       enum nx_track_kind kind, struct nx_error *err)
{
	if (window->from_ns >= window->to_ns || !window->bucket_count)
		return nx_fail(err, NX_USAGE,
			       "a window needs an end after its start and at least one bucket");
	if (window->track >= t->footer.track_count)
		return nx_fail(err, NX_NOT_FOUND, "the timeline has no track %u", window->track);
	if (t->tracks[window->track].kind != (uint32_t)kind)
		return nx_fail(err, NX_USAGE, "track %u holds no %s", window->track,
			       kind == NX_TRACK_SPANS ? "spans" : "counter");
	if (window->depth != NX_ALL_DEPTHS && window->depth &&
	    window->depth >= t->tracks[window->track].depth_count)
		return nx_fail(err, NX_NOT_FOUND, "track %u has no depth %u", window->track,
			       window->depth);
	return NX_OK;
}

static void scan_open(struct scan *scan, const struct nx_timeline *t,
		      const struct nx_timeline_window *window)
{
	uint32_t depth_count = t->tracks[window->track].depth_count;
	bool is_all = window->depth == NX_ALL_DEPTHS;
	size_t room = is_all ? depth_count : 1;

	*scan = (struct scan){.window = window};
	scan->all = nx_heap_alloc(room * sizeof(*scan->all));
	scan->active = nx_heap_alloc(room * sizeof(*scan->active));
	for (uint32_t depth = is_all ? 0 : window->depth;
	     is_all ? depth < depth_count : depth == window->depth; depth++) {
		struct nx_strip_edges *one = &scan->all[scan->strip_count];

		one->depth = depth;
		scan->strip_count +=
			nx_strip_open(&one->strip, t, NX_TRACK_SPANS, window->track, depth);
	}
	scan->tile_buckets = TILE_EDGES / (scan->strip_count + 1);
	if (scan->tile_buckets > TILE_BUCKETS)
		scan->tile_buckets = TILE_BUCKETS;
	scan->edges = nx_heap_alloc((scan->strip_count + 1) * (scan->tile_buckets + 1) *
				    sizeof(*scan->edges));
}

static void scan_release(struct scan *scan)
{
	nx_name_search_release(&scan->names);
	nx_heap_free(scan->edges);
	nx_heap_free(scan->active);
	nx_heap_free(scan->all);
}

static void find_active(struct scan *scan, const uint64_t *times, size_t count)
{
	scan->active_count = 0;
	for (size_t i = 0; i < scan->strip_count; i++) {
		struct nx_strip_edges *one = &scan->all[i];

		if (one->strip.end_ns < times[0] || one->strip.first_ns >= times[count])
			continue;
		one->edges = scan->edges + scan->active_count * (scan->tile_buckets + 1);
		nx_edges_find(&one->strip, times, count + 1, one->edges);
		scan->active[scan->active_count++] = one;
	}
}

/* A strip's part in a bucket, all but names. */
static void add_strip(const struct scan *scan, struct nx_span_bucket *bucket,
		      const struct nx_strip_edges *one, size_t at, struct found *found)
{
	const struct nx_edge *a = &one->edges[at], *b = a + 1;
	uint64_t first = nx_edge_first(a);
	struct nx_longest longest;

	if (first >= b->idx)
		return;
	if (!bucket->count) {
		bucket->first_idx = first;
		bucket->first_depth = one->depth;
		found->first_strip = &one->strip;
	}
	longest = nx_strip_longest(&one->strip, a, b);
	if (!bucket->count || longest.ns > found->longest.ns) {
		found->longest = longest;
		found->longest_strip = &one->strip;
		bucket->longest_depth = one->depth;
	}
	bucket->busy_ns += b->busy_ns - a->busy_ns;
	bucket->count += b->idx - first;
	nx_dominant_name_fetch(&scan->names, &one->strip, a, b);
}

static void measure_bucket(struct scan *scan, size_t at, struct nx_span_bucket *bucket,
			   struct found *found)
{
	*bucket = (struct nx_span_bucket){
		.longest_idx = NX_SPAN_NONE,
		.first_idx = NX_SPAN_NONE,
		.name = NX_NAME_NONE,
	};
	*found = (struct found){0};
	for (size_t i = 0; i < scan->active_count; i++)
		add_strip(scan, bucket, scan->active[i], at, found);
	if (found->longest_strip)
		__builtin_prefetch(&found->longest_strip->caller[found->longest.chunk]);
}

static struct nx_span span_at(const struct nx_strip *strip, uint64_t idx)
{
	struct nx_span_chunk spans;

	nx_strip_spans(strip, idx / NX_CHUNK_ROWS, &spans);
	return nx_span_chunk_span(&spans, idx % NX_CHUNK_ROWS);
}

/* The index knows the longest of most buckets; the others have theirs in a chunk of an edge. */
static void find_longest(const struct found *found, struct nx_span_bucket *bucket)
{
	const struct nx_longest *longest = &found->longest;
	uint64_t i = longest->from;

	if (!longest->is_of_chunk || bucket->count == 1) {
		struct nx_span_chunk spans;

		nx_strip_spans(found->longest_strip, longest->chunk, &spans);
		if (longest->to - longest->from > 1)
			i = nx_packed_find(spans.lengths, i, longest->to, longest->ns);
		bucket->longest_row = nx_span_chunk_row(&spans, i);
		bucket->name = nx_span_chunk_name(&spans, i);
	} else {
		bucket->longest_row = found->longest_strip->caller[longest->chunk];
	}
	bucket->longest_ns = longest->ns;
	bucket->longest_idx = longest->chunk * NX_CHUNK_ROWS + i;
}

/* What needs memory that measuring began to fetch. */
static void name_bucket(struct scan *scan, size_t at, struct nx_span_bucket *bucket,
			const struct found *found)
{
	if (!bucket->count)
		return;
	find_longest(found, bucket);
	if (bucket->count == 1)
		return;
	if (bucket->busy_ns)
		bucket->name = nx_dominant_name(&scan->names, scan->active, scan->active_count, at);
	else
		bucket->name = span_at(found->first_strip, bucket->first_idx).name;
}

static void fill_buckets(struct scan *scan, struct nx_span_bucket *buckets)
{
	uint32_t bucket_count = scan->window->bucket_count;
	uint64_t times[NX_EDGES_MAX];
	struct found found[TILE_BUCKETS];

	for (size_t done = 0; done < bucket_count; done += scan->tile_buckets) {
		size_t count = bucket_count - done;

		if (count > scan->tile_buckets)
			count = scan->tile_buckets;
		for (size_t i = 0; i <= count; i++)
			times[i] = nx_window_edge(scan->window, done + i);
		find_active(scan, times, count);
		for (size_t i = 0; i < count + FETCH_AHEAD; i++) {
			if (i < count)
				measure_bucket(scan, i, &buckets[done + i], &found[i]);
			if (i >= FETCH_AHEAD)
				name_bucket(scan, i - FETCH_AHEAD, &buckets[done + i - FETCH_AHEAD],
					    &found[i - FETCH_AHEAD]);
		}
	}
}

enum nx_status nx_timeline_spans(const struct nx_timeline *t,
				 const struct nx_timeline_window *window,
				 struct nx_span_bucket *buckets, struct nx_error *err)
{
	struct nx_timeline_window coarse = *window;
	enum nx_status status = nx_window_check(t, window, NX_TRACK_SPANS, err);
	struct scan scan;

	if (status)
		return status;
	coarse.bucket_count = nx_window_distinct(window);
	scan_open(&scan, t, &coarse);
	fill_buckets(&scan, buckets);
	scan_release(&scan);
	/* From the end, so that nothing is overwritten before it is copied. */
	for (uint32_t i = window->bucket_count; coarse.bucket_count < window->bucket_count && i--;)
		buckets[i] = buckets[nx_window_edge(window, i) - window->from_ns];
	return NX_OK;
}
