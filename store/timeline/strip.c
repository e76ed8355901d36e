/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "store/timeline/strip_internal.h"

/* Chunks are prefetched this many edges ahead; more would evict each other. */
#define EDGES_AHEAD ((size_t)4)
#define EDGE_LINES 8 /* cache lines: header, starts and lengths are usually in these */

/* The pointers of one column's levels; returns the position after it. */
static const uint64_t *place_levels(const uint64_t *at, const uint64_t **levels,
				    enum nx_track_kind kind, uint64_t row_count,
				    enum nx_timeline_column column)
{
	uint64_t values;

	for (unsigned level = 0; (values = nx_column_values(kind, row_count, column, level)) != 0;
	     level++) {
		levels[level] = at;
		at += values;
	}
	return at;
}

static void place_columns(struct nx_strip *strip, enum nx_track_kind kind, const uint64_t *at)
{
	uint64_t rows = strip->row_count;

	at = place_levels(at, strip->start, kind, rows, NX_COLUMN_START);
	while (strip->start_levels < NX_MAX_LEVELS && strip->start[strip->start_levels])
		strip->start_levels++;
	at = place_levels(at, &strip->busy, kind, rows, NX_COLUMN_BUSY);
	at = place_levels(at, &strip->at, kind, rows, NX_COLUMN_AT);
	at = place_levels(at, &strip->caller, kind, rows, NX_COLUMN_CALLER);
	at = place_levels(at, strip->longest, kind, rows, NX_COLUMN_LONGEST);
	at = place_levels(at, strip->name_at, kind, rows, NX_COLUMN_NAME_AT);
	strip->name_lists = at;
	at += strip->name_values;
	at = place_levels(at, strip->lowest, kind, rows, NX_COLUMN_LOWEST);
	at = place_levels(at, strip->highest, kind, rows, NX_COLUMN_HIGHEST);
	place_levels(at, strip->mean, kind, rows, NX_COLUMN_MEAN);
}

bool nx_strip_open(struct nx_strip *strip, const struct nx_timeline *t, enum nx_track_kind kind,
		   uint32_t track, uint32_t depth)
{
	const struct nx_strip_record *record;

	if (track >= t->footer.track_count || t->tracks[track].kind != (uint32_t)kind ||
	    depth >= t->tracks[track].depth_count)
		return false;
	record = &t->strips[t->tracks[track].first_strip + depth];
	*strip = (struct nx_strip){
		.file = t->bytes,
		.row_count = record->row_count,
		.first_ns = record->first_ns,
		.end_ns = record->end_ns,
		.name_values = record->name_values,
	};
	place_columns(strip, kind, (const void *)(t->bytes.data + record->index_at));
	return true;
}

static size_t rows_of(const struct nx_strip *strip, uint64_t chunk)
{
	uint64_t left = strip->row_count - chunk * NX_CHUNK_ROWS;

	return left < NX_CHUNK_ROWS ? (size_t)left : NX_CHUNK_ROWS;
}

static struct nx_slice chunk_bytes(const struct nx_strip *strip, uint64_t chunk)
{
	return nx_slice_part(strip->file, strip->at[chunk] & NX_AT_MASK, strip->file.len);
}

void nx_strip_spans(const struct nx_strip *strip, uint64_t chunk, struct nx_span_chunk *found)
{
	nx_span_chunk_read(found, chunk_bytes(strip, chunk), strip->start[0][chunk],
			   rows_of(strip, chunk));
}

void nx_strip_samples(const struct nx_strip *strip, uint64_t chunk, struct nx_sample_chunk *found)
{
	nx_sample_chunk_read(found, chunk_bytes(strip, chunk), strip->start[0][chunk],
			     rows_of(strip, chunk));
}

uint64_t nx_strip_search(const struct nx_strip *strip, uint64_t time_ns)
{
	uint64_t last_chunk = nx_strip_chunks(strip) - 1;
	uint64_t node = 0;

	assert(strip->row_count && strip->start_levels);
	for (unsigned level = strip->start_levels; level-- > 0;) {
		uint64_t from = level + 1 == strip->start_levels ? 0 : node * NX_FANOUT;
		uint64_t count = (last_chunk >> level * NX_FANOUT_BITS) + 1 - from;
		const uint64_t *starts = strip->start[level] + from;

		if (count > NX_FANOUT)
			count = NX_FANOUT;
		/* The last that starts before time_ns: a binary search without branches. */
		while (count > 1) {
			uint64_t half = count / 2;

			starts += starts[half] < time_ns ? half : 0;
			count -= half;
		}
		node = (uint64_t)(starts - strip->start[level]);
	}
	return node;
}

bool nx_node_walk_next(struct nx_node_walk *walk, struct nx_node_run *run)
{
	uint64_t rest = ((uint64_t)1 << walk->fanout_bits) - 1;

	while (walk->lo < walk->hi) {
		uint64_t lo = (walk->lo + rest) & ~rest;
		uint64_t hi = walk->hi & ~rest;

		*run = (struct nx_node_run){walk->level, walk->lo, walk->hi};
		if (lo >= hi || walk->level + 1 == NX_MAX_LEVELS) {
			walk->lo = walk->hi;
			return true;
		}
		if (walk->lo < lo) {
			run->to = walk->lo = lo;
			return true;
		}
		if (walk->hi > hi) {
			run->from = walk->hi = hi;
			return true;
		}
		walk->lo >>= walk->fanout_bits;
		walk->hi >>= walk->fanout_bits;
		walk->level++;
	}
	return false;
}

/* How many rows of a chunk start before time_ns; the first known ones do. */
static size_t rows_before(const struct nx_span_chunk *spans, size_t known, uint64_t time_ns)
{
	struct nx_packed rest = spans->starts;
	uint64_t limit = time_ns - spans->first_ns;

	if (time_ns <= spans->first_ns || known == spans->count ||
	    nx_packed_at(rest, known) >= limit) /* the usual case: no start in between */
		return known;
	rest.bytes += known * rest.width;
	return known + nx_packed_below(rest, spans->count - known, limit);
}

/* before: an earlier edge in the same chunk, or NULL. */
static void find_edge(const struct nx_strip *strip, const struct nx_edge *before,
		      struct nx_edge *edge)
{
	const struct nx_span_chunk *spans = &edge->spans;
	size_t known = before ? nx_edge_cut(before) : 0;
	size_t below = rows_before(spans, known, edge->time_ns);
	uint64_t end_ns;

	edge->idx = edge->chunk * NX_CHUNK_ROWS + below;
	edge->busy_ns = before ? before->busy_ns + before->over_ns : strip->busy[edge->chunk];
	edge->over_ns = 0;
	if (!below)
		return;
	edge->busy_ns += nx_packed_sum(spans->lengths, known, below);
	edge->cross_start = nx_span_chunk_start(spans, below - 1);
	end_ns = edge->cross_start + nx_packed_at(spans->lengths, below - 1);
	if (end_ns <= edge->time_ns)
		return;
	edge->over_ns = end_ns - edge->time_ns;
	edge->busy_ns -= edge->over_ns;
	edge->cross_name = nx_span_chunk_name(spans, below - 1);
}

static void read_edge(const struct nx_strip *strip, struct nx_edge *edges, size_t i)
{
	const struct nx_edge *before =
		i && edges[i].chunk == edges[i - 1].chunk ? &edges[i - 1] : NULL;

	if (before)
		edges[i].spans = before->spans;
	else
		nx_strip_spans(strip, edges[i].chunk, &edges[i].spans);
	find_edge(strip, before, &edges[i]);
	/* If starts are out of order, the later edge would come first: make both the same. */
	if (i && (edges[i].idx < edges[i - 1].idx || edges[i].chunk < edges[i - 1].chunk)) {
		uint64_t time_ns = edges[i].time_ns;

		edges[i] = edges[i - 1];
		edges[i].time_ns = time_ns;
	}
}

/* Two passes, so that the memory of many edges is fetched at once. */
void nx_edges_find(const struct nx_strip *strip, const uint64_t *times, size_t count,
		   struct nx_edge *edges)
{
	uint64_t last_chunk = nx_strip_chunks(strip) - 1;

	for (size_t i = 0; i < count; i++) {
		assert(!i || times[i] >= times[i - 1]);
		edges[i].time_ns = times[i];
		/* Neighbours often lie in one chunk. */
		if (i && (edges[i - 1].chunk == last_chunk ||
			  strip->start[0][edges[i - 1].chunk + 1] >= times[i])) {
			edges[i].chunk = edges[i - 1].chunk;
			continue;
		}
		edges[i].chunk = nx_strip_search(strip, times[i]);
		__builtin_prefetch(&strip->at[edges[i].chunk]);
		__builtin_prefetch(&strip->busy[edges[i].chunk]);
	}
	for (size_t i = 0; i < count + EDGES_AHEAD; i++) {
		if (i < count && (!i || edges[i].chunk != edges[i - 1].chunk)) {
			const uint8_t *bytes = chunk_bytes(strip, edges[i].chunk).data;

			for (size_t line = 0; line < EDGE_LINES; line++)
				__builtin_prefetch(bytes + 64 * line);
		}
		if (i >= EDGES_AHEAD)
			read_edge(strip, edges, i - EDGES_AHEAD);
	}
}

/* The longest so far, of rows of a chunk or of a node. */
struct contest {
	bool has_any;
	uint64_t ns;
	uint64_t first_idx; /* of the rows it is among */
	struct nx_node_run node;
	size_t from, to; /* rows of a chunk; none when it is a node */
	bool is_of_chunk;
};

static bool is_beaten(const struct contest *c, uint64_t ns, uint64_t first_idx)
{
	return !c->has_any || ns > c->ns || (ns == c->ns && first_idx < c->first_idx);
}

static void compare_rows(const struct nx_strip *strip, const struct nx_edge *edge, size_t from,
			 size_t to, struct contest *contest)
{
	uint64_t first_idx = edge->chunk * NX_CHUNK_ROWS + from;
	bool is_full = edge->spans.count == NX_CHUNK_ROWS;
	size_t longest = strip->at[edge->chunk] >> NX_AT_BITS;
	bool is_of_chunk = is_full && longest >= from && longest < to;
	uint64_t ns;

	if (from >= to)
		return;
	/* The longest of the whole chunk mostly decides. */
	if (is_full && !is_beaten(contest, strip->longest[0][edge->chunk], first_idx))
		return;
	if (is_of_chunk) {
		ns = strip->longest[0][edge->chunk];
		from = longest;
		to = longest + 1;
	} else {
		ns = nx_packed_largest(edge->spans.lengths, from, to);
	}
	if (is_beaten(contest, ns, first_idx))
		*contest = (struct contest){true, ns, first_idx,  {0, edge->chunk, edge->chunk + 1},
					    from, to, is_of_chunk};
}

static void compare_nodes(const struct nx_strip *strip, const struct nx_node_run *run,
			  struct contest *contest)
{
	const uint64_t *ns = strip->longest[run->level];
	uint64_t rows = NX_CHUNK_ROWS << run->level * NX_FANOUT_BITS;
	uint64_t longest = run->from;

	for (uint64_t i = run->from + 1; i < run->to; i++)
		longest = ns[i] > ns[longest] ? i : longest;
	if (is_beaten(contest, ns[longest], longest * rows))
		*contest = (struct contest){
			.has_any = true,
			.ns = ns[longest],
			.first_idx = longest * rows,
			.node = {run->level, longest, longest + 1},
		};
}

/* The first chunk under a node that has a row as long as the node says, and that row. */
static struct nx_longest descend(const struct nx_strip *strip, struct nx_node_run node, uint64_t ns)
{
	size_t row;

	while (node.level) {
		const uint64_t *below = strip->longest[--node.level];
		uint64_t i = node.from * NX_FANOUT;
		uint64_t end = i + NX_FANOUT - 1;

		while (i < end && below[i] != ns)
			i++;
		node.from = i;
	}
	row = strip->at[node.from] >> NX_AT_BITS;
	/* A damaged file may say anything. */
	row = row < rows_of(strip, node.from) ? row : 0;
	return (struct nx_longest){ns, node.from, row, row + 1, true};
}

struct nx_longest nx_strip_longest(const struct nx_strip *strip, const struct nx_edge *a,
				   const struct nx_edge *b)
{
	struct nx_node_walk walk = {a->chunk + 1, b->chunk, NX_FANOUT_BITS, 0};
	size_t first = nx_edge_cut(a) - (a->over_ns != 0);
	struct contest contest = {0};
	struct nx_node_run run;

	if (a->chunk == b->chunk) {
		compare_rows(strip, a, first, nx_edge_cut(b), &contest);
	} else {
		while (nx_node_walk_next(&walk, &run))
			compare_nodes(strip, &run, &contest);
		compare_rows(strip, a, first, NX_CHUNK_ROWS, &contest);
		compare_rows(strip, b, 0, nx_edge_cut(b), &contest);
	}
	if (!contest.to)
		return descend(strip, contest.node, contest.ns);
	return (struct nx_longest){contest.ns, contest.node.from, contest.from, contest.to,
				   contest.is_of_chunk};
}
