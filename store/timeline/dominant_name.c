/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/strip_internal.h"

#define LINE_VALUES 8 /* in a cache line */

static void tally_rows(struct nx_name_tally *tally, const struct nx_span_chunk *spans, size_t from,
		       size_t to)
{
	struct nx_name_columns columns = {
		.name_base = spans->name_base,
		.names = spans->names,
		.busy_ns = spans->lengths,
		.from = from,
		.to = to,
	};

	if (!spans->names.width && from < to)
		nx_name_tally_add(tally, spans->name_base, nx_packed_sum(spans->lengths, from, to),
				  0);
	else
		nx_name_tally_add_columns(tally, &columns);
}

/* All rows of the chunks [from, to). */
static void tally_chunks(struct nx_name_tally *tally, const struct nx_strip *strip, uint64_t from,
			 uint64_t to)
{
	struct nx_span_chunk spans;

	for (; from < to; from++) {
		nx_strip_spans(strip, from, &spans);
		tally_rows(tally, &spans, 0, spans.count);
	}
}

/* A run of nodes of one level. */
struct inside {
	uint64_t lo, hi;
};

/* The nodes of a level that lie between two edges. */
static struct inside inside_of(const struct nx_edge *a, const struct nx_edge *b, unsigned level)
{
	unsigned shift = level * NX_NAME_FANOUT_BITS;
	uint64_t rest = ((uint64_t)1 << shift) - 1;
	struct inside in = {(a->chunk + 1 + rest) >> shift, b->chunk >> shift};

	return in.lo < in.hi ? in : (struct inside){0};
}

/* The highest level that has a node between the edges. */
static unsigned top_level(const struct nx_edge *a, const struct nx_edge *b)
{
	unsigned level = 0;

	while (level + 1 < NX_MAX_LEVELS && inside_of(a, b, level + 1).hi)
		level++;
	return level;
}

/* The nodes of a level between two edges that no node above covers: a run on each side. */
static void find_runs(const struct nx_edge *a, const struct nx_edge *b, unsigned level,
		      struct inside runs[2])
{
	struct inside here = inside_of(a, b, level), above = {0};

	if (level + 1 < NX_MAX_LEVELS)
		above = inside_of(a, b, level + 1);
	runs[0] = here;
	runs[1] = (struct inside){0};
	if (!above.hi)
		return;
	runs[0].hi = above.lo << NX_NAME_FANOUT_BITS;
	runs[1] = (struct inside){above.hi << NX_NAME_FANOUT_BITS, here.hi};
}

/* Adds the names that the nodes of one level list. */
static void tally_level(struct nx_name_tally *tally, const struct nx_strip *strip,
			const struct nx_edge *a, const struct nx_edge *b, unsigned level)
{
	struct nx_name_list list;
	struct inside runs[2];

	find_runs(a, b, level, runs);
	for (unsigned i = 0; i < 2; i++) {
		for (uint64_t node = runs[i].lo; node < runs[i].hi; node++) {
			uint64_t at = strip->name_at[level][node];
			struct nx_name_columns columns;

			if (at > strip->name_values) /* in a damaged file */
				at = strip->name_values;
			nx_name_list_read(&list, strip->name_lists + at, strip->name_values - at);
			columns = (struct nx_name_columns){
				.name_base = list.name_base,
				.names = list.names,
				.busy_ns = list.busy_ns,
				.to = list.count,
				.known_ns = list.rest_ns,
			};
			nx_name_tally_add_columns(tally, &columns);
			tally->rest_ns += list.rest_ns;
		}
	}
}

/* Adds the chunks of the edges. Only the first and the last span can extend outside. */
static void tally_outer(struct nx_name_tally *tally, const struct nx_edge *a,
			const struct nx_edge *b)
{
	bool is_cut_at_b = b->over_ns && b->idx > a->idx;
	size_t first = nx_edge_cut(a), end = nx_edge_cut(b) - is_cut_at_b;

	if (a->over_ns && b->over_ns && b->idx == a->idx)
		nx_name_tally_add(tally, a->cross_name, b->time_ns - a->time_ns, 0);
	else if (a->over_ns)
		nx_name_tally_add(tally, a->cross_name, a->over_ns, 0);
	if (is_cut_at_b)
		nx_name_tally_add(tally, b->cross_name, b->time_ns - b->cross_start, 0);
	if (a->chunk == b->chunk) {
		tally_rows(tally, &a->spans, first, end);
		return;
	}
	tally_rows(tally, &a->spans, first, NX_CHUNK_ROWS);
	tally_rows(tally, &b->spans, 0, end);
}

/* Adds the nodes of a level of all strips; returns the time that they and those above cover. */
static uint64_t tally_strips(struct nx_name_tally *tally,
			     const struct nx_strip_edges *const *strips, size_t strip_count,
			     size_t bucket, unsigned level)
{
	unsigned shift = level * NX_NAME_FANOUT_BITS;
	uint64_t covered_ns = 0;

	for (size_t i = 0; i < strip_count; i++) {
		const struct nx_edge *a = &strips[i]->edges[bucket], *b = a + 1;
		const uint64_t *busy = strips[i]->strip.busy;
		struct inside in = inside_of(a, b, level);

		tally_level(tally, &strips[i]->strip, a, b, level);
		covered_ns += in.hi ? busy[in.hi << shift] - busy[in.lo << shift] : 0;
	}
	return covered_ns;
}

/* Large nodes first: often the rest is so little that the small ones cannot matter. */
static bool try_nodes(struct nx_name_search *search, const struct nx_strip_edges *const *strips,
		      size_t strip_count, size_t bucket, uint32_t *name)
{
	unsigned spared = search->spared_levels, level = 0;
	uint64_t busy_ns = 0;
	bool is_sure;

	search->spared_levels = 0;
	for (size_t i = 0; i < strip_count; i++) {
		const struct nx_edge *a = &strips[i]->edges[bucket];
		unsigned top = top_level(a, a + 1);

		level = top > level ? top : level;
		busy_ns += a[1].busy_ns - a->busy_ns;
	}
	for (level++; level-- > 0;) {
		uint64_t covered_ns =
			tally_strips(&search->tally, strips, strip_count, bucket, level);

		if (level > spared + 1 || covered_ns / 2 <= busy_ns - covered_ns)
			continue;
		/* Time that was not added may belong to any name. */
		search->tally.rest_ns += busy_ns - covered_ns;
		is_sure = nx_name_tally_winner(&search->tally, name);
		search->tally.rest_ns -= busy_ns - covered_ns;
		if (is_sure) {
			search->spared_levels = level;
			return true;
		}
	}
	return false;
}

uint32_t nx_dominant_name(struct nx_name_search *search, const struct nx_strip_edges *const *strips,
			  size_t strip_count, size_t bucket)
{
	struct nx_name_tally *tally = &search->tally;
	uint32_t name = NX_NAME_NONE;

	nx_name_tally_clear(tally);
	if (try_nodes(search, strips, strip_count, bucket, &name))
		return name;
	for (size_t i = 0; i < strip_count; i++)
		tally_outer(tally, &strips[i]->edges[bucket], &strips[i]->edges[bucket + 1]);
	if (nx_name_tally_winner(tally, &name))
		return name;
	nx_name_tally_clear(tally);
	for (size_t i = 0; i < strip_count; i++) {
		const struct nx_edge *a = &strips[i]->edges[bucket], *b = a + 1;

		tally_outer(tally, a, b);
		tally_chunks(tally, &strips[i]->strip, a->chunk + 1, b->chunk);
	}
	/* Rows have no rest, so the winner is certain. */
	nx_name_tally_winner(tally, &name);
	return name;
}

void nx_dominant_name_fetch(const struct nx_name_search *search, const struct nx_strip *strip,
			    const struct nx_edge *a, const struct nx_edge *b)
{
	unsigned top = top_level(a, b);
	struct inside runs[2];

	for (unsigned level = search->spared_levels; level <= top; level++) {
		find_runs(a, b, level, runs);
		for (unsigned i = 0; i < 2; i++) {
			for (uint64_t node = runs[i].lo; node < runs[i].hi; node++) {
				uint64_t at = strip->name_at[level][node];

				if (at >= strip->name_values)
					continue;
				__builtin_prefetch(strip->name_lists + at);
				__builtin_prefetch(strip->name_lists + at + LINE_VALUES);
			}
		}
	}
}
