/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "base/arena.h"
#include "store/timeline/strip_internal.h"

#define TILE_BUCKETS (NX_EDGES_MAX - 1)
/* Work goes tile by tile, so that memory does not grow with depths times buckets. */
#define TILE_EDGES ((size_t)8192)

/* Buckets are measured this many ahead of being named, while memory is prefetched. */
#define FETCH_AHEAD 4

/* If fewer than one bucket in this many has a span, finding those buckets first is faster. */
#define SPARSE 4

static const struct nx_span_bucket no_spans = {
	.longest_idx = NX_SPAN_NONE,
	.first_idx = NX_SPAN_NONE,
	.name = NX_NAME_NONE,
};

/* The longest and the first span of a bucket. */
struct found {
	struct nx_longest longest;
	const struct nx_strip *longest_strip, *first_strip;
};

/* Neighbouring buckets, of which only those that may hold spans are looked at. */
struct tile {
	size_t count;
	uint64_t times[NX_EDGES_MAX]; /* of all edges */
	uint64_t busy;		      /* a bit for each bucket that is looked at */
	size_t place_count;
	struct place {
		size_t bucket;
		size_t at; /* its left edge, among those that were found */
	} places[TILE_BUCKETS];
};

struct scan {
	const struct nx_timeline_window *window;
	struct nx_strip_edges *all;	      /* strips of the window that have spans in it */
	const struct nx_strip_edges **active; /* those with spans in the tile */
	size_t strip_count, active_count;
	struct nx_edge *edges;
	size_t tile_buckets;
	bool is_sparse; /* most buckets have no spans */
	struct nx_name_search names;
};

static_assert(TILE_BUCKETS < 64, "tile.busy has a bit for each bucket");

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

static uint64_t spans_between(const struct nx_strip *strip, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t times[2] = {from_ns, to_ns};
	struct nx_edge ends[2];

	if (strip->end_ns < from_ns || strip->first_ns >= to_ns)
		return 0;
	nx_edges_find(strip, times, 2, ends);
	return ends[1].idx - nx_edge_first(&ends[0]);
}

static void scan_open(struct scan *scan, const struct nx_timeline *t,
		      const struct nx_timeline_window *window)
{
	uint32_t depth_count = t->tracks[window->track].depth_count;
	bool is_all = window->depth == NX_ALL_DEPTHS;
	size_t room = is_all ? depth_count : 1;

	*scan = (struct scan){.window = window, .is_sparse = true};
	scan->all = nx_heap_alloc(room * sizeof(*scan->all));
	scan->active = nx_heap_alloc(room * sizeof(*scan->active));
	for (uint32_t depth = is_all ? 0 : window->depth;
	     is_all ? depth < depth_count : depth == window->depth; depth++) {
		struct nx_strip_edges *one = &scan->all[scan->strip_count];
		uint64_t spans;

		one->depth = depth;
		if (!nx_strip_open(&one->strip, t, NX_TRACK_SPANS, window->track, depth))
			continue;
		spans = spans_between(&one->strip, window->from_ns, window->to_ns);
		scan->is_sparse &= spans < window->bucket_count / SPARSE;
		scan->strip_count += spans != 0;
	}
	scan->tile_buckets = TILE_EDGES / (scan->strip_count + 1);
	if (scan->tile_buckets > TILE_BUCKETS)
		scan->tile_buckets = TILE_BUCKETS;
	scan->edges = nx_heap_alloc((scan->strip_count + 1) * (scan->tile_buckets + 1) *
				    sizeof(*scan->edges));
}

/* The buckets of a tile that a strip has spans in. */
static uint64_t find_busy(const struct nx_strip *strip, const struct tile *tile)
{
	uint64_t times[2] = {tile->times[0], tile->times[tile->count]};
	struct nx_edge ends[2];
	struct nx_span_chunk *spans = &ends[0].spans;
	uint64_t busy = 0;
	size_t at = 0;

	nx_edges_find(strip, times, 2, ends);
	for (uint64_t idx = nx_edge_first(&ends[0]); idx < ends[1].idx; idx++) {
		size_t row = idx % NX_CHUNK_ROWS;
		uint64_t start_ns, end_ns;

		if (idx / NX_CHUNK_ROWS != ends[0].chunk)
			nx_strip_spans(strip, ends[0].chunk = idx / NX_CHUNK_ROWS, spans);
		start_ns = nx_span_chunk_start(spans, row);
		while (at + 1 < tile->count && tile->times[at + 1] <= start_ns)
			at++;
		end_ns = start_ns + nx_packed_at(spans->lengths, row);
		busy |= UINT64_C(1) << at;
		for (size_t i = at + 1; i < tile->count && tile->times[i] < end_ns; i++)
			busy |= UINT64_C(1) << i;
	}
	return busy;
}

static void find_active(struct scan *scan, struct tile *tile)
{
	uint64_t all = (UINT64_C(1) << tile->count) - 1;

	scan->active_count = 0;
	tile->busy = 0;
	for (size_t i = 0; i < scan->strip_count; i++) {
		struct nx_strip_edges *one = &scan->all[i];
		uint64_t busy = all;

		if (one->strip.end_ns < tile->times[0] ||
		    one->strip.first_ns >= tile->times[tile->count])
			continue;
		if (scan->is_sparse)
			busy = find_busy(&one->strip, tile);
		if (busy)
			scan->active[scan->active_count++] = one;
		tile->busy |= busy;
	}
}

/* The edges of busy buckets, of all active strips. */
static void find_edges(struct scan *scan, struct tile *tile)
{
	uint64_t times[NX_EDGES_MAX];
	size_t count = 0;

	tile->place_count = 0;
	for (size_t i = 0; i <= tile->count; i++) {
		bool is_left = tile->busy >> i & 1, is_right = i && tile->busy >> (i - 1) & 1;

		if (is_left)
			tile->places[tile->place_count++] = (struct place){i, count};
		if (is_left || is_right)
			times[count++] = tile->times[i];
	}
	for (size_t i = 0; i < scan->active_count; i++) {
		struct nx_strip_edges *one = &scan->all[scan->active[i] - scan->all];

		one->edges = scan->edges + i * (scan->tile_buckets + 1);
		nx_edges_find(&one->strip, times, count, one->edges);
	}
}

/* Adds a strip to a bucket, except its names. */
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

/* Most are in the index; the others are in the chunk of an edge. */
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
		if (bucket->count == 1)
			bucket->start_ns = nx_span_chunk_start(&spans, i);
	} else {
		bucket->longest_row = found->longest_strip->caller[longest->chunk];
	}
	bucket->longest_ns = longest->ns;
	bucket->longest_idx = longest->chunk * NX_CHUNK_ROWS + i;
}

/* Reads the memory that add_strip prefetched. */
static void name_bucket(struct scan *scan, size_t at, struct nx_span_bucket *bucket,
			const struct found *found)
{
	struct nx_span_chunk spans;

	if (!bucket->count)
		return;
	find_longest(found, bucket);
	if (bucket->count == 1)
		return;
	if (bucket->busy_ns) {
		bucket->name = nx_dominant_name(&scan->names, scan->active, scan->active_count, at);
		return;
	}
	nx_strip_spans(found->first_strip, bucket->first_idx / NX_CHUNK_ROWS, &spans);
	bucket->name = nx_span_chunk_name(&spans, bucket->first_idx % NX_CHUNK_ROWS);
}

static void fill_tile(struct scan *scan, const struct tile *tile, struct nx_span_bucket *buckets)
{
	struct found found[TILE_BUCKETS];

	for (size_t i = 0; i < tile->place_count + FETCH_AHEAD; i++) {
		const struct place *place = tile->places;

		if (i < tile->place_count) {
			struct nx_span_bucket *bucket = &buckets[place[i].bucket];
			const struct nx_strip *strip;

			*bucket = no_spans;
			found[i] = (struct found){0};
			for (size_t k = 0; k < scan->active_count; k++)
				add_strip(scan, bucket, scan->active[k], place[i].at, &found[i]);
			strip = found[i].longest_strip;
			if (strip)
				__builtin_prefetch(&strip->caller[found[i].longest.chunk]);
		}
		if (i < FETCH_AHEAD)
			continue;
		place += i - FETCH_AHEAD;
		name_bucket(scan, place->at, &buckets[place->bucket], &found[i - FETCH_AHEAD]);
	}
}

/* busy receives the buckets that have spans; returns how many. */
static size_t fill_buckets(struct scan *scan, struct nx_span_bucket *buckets, uint32_t *busy)
{
	uint32_t bucket_count = scan->window->bucket_count;
	size_t busy_count = 0;
	struct tile tile;

	for (size_t done = 0; scan->strip_count && done < bucket_count; done += tile.count) {
		tile.count = bucket_count - done;
		if (tile.count > scan->tile_buckets)
			tile.count = scan->tile_buckets;
		nx_window_edges(scan->window, done, tile.count + 1, tile.times);
		find_active(scan, &tile);
		if (!tile.busy)
			continue;
		find_edges(scan, &tile);
		fill_tile(scan, &tile, buckets + done);
		for (size_t i = 0; i < tile.place_count; i++) {
			size_t bucket = done + tile.places[i].bucket;

			if (buckets[bucket].count)
				busy[busy_count++] = (uint32_t)bucket;
		}
	}
	return busy_count;
}

/* From one bucket for each nanosecond to the window's; returns how many of these are busy. */
static size_t spread_buckets(const struct nx_timeline_window *window, uint32_t bucket_count,
			     struct nx_span_bucket *buckets, uint32_t *busy, size_t busy_count)
{
	size_t next = 0;

	for (uint32_t i = 0; i < bucket_count; i++) {
		if (next < busy_count && busy[next] == i)
			next++;
		else
			buckets[i] = no_spans;
	}
	/* From the end, so that nothing is overwritten before it is copied. */
	for (uint32_t i = window->bucket_count; i--;)
		buckets[i] = buckets[nx_window_edge(window, i) - window->from_ns];
	busy_count = 0;
	for (uint32_t i = 0; i < window->bucket_count; i++) {
		if (buckets[i].count)
			busy[busy_count++] = i;
	}
	return busy_count;
}

enum nx_status nx_timeline_busy(const struct nx_timeline *t,
				const struct nx_timeline_window *window,
				struct nx_span_bucket *buckets, uint32_t *busy, size_t *busy_count,
				struct nx_error *err)
{
	struct nx_timeline_window coarse = *window;
	enum nx_status status = nx_window_check(t, window, NX_TRACK_SPANS, err);
	struct scan scan;

	if (status)
		return status;
	assert(buckets && busy && busy_count);
	coarse.bucket_count = nx_window_distinct(window);
	scan_open(&scan, t, &coarse);
	*busy_count = fill_buckets(&scan, buckets, busy);
	nx_name_tally_release(&scan.names.tally);
	nx_heap_free(scan.edges);
	nx_heap_free(scan.active);
	nx_heap_free(scan.all);
	if (coarse.bucket_count < window->bucket_count)
		*busy_count =
			spread_buckets(window, coarse.bucket_count, buckets, busy, *busy_count);
	return NX_OK;
}
