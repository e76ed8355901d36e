/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/dominant_name.h"
#include "store/timeline/name_list.h"

#define LINE_VALUES 8 /* in a line of the cache */

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

static void tally_list(struct nx_name_tally *tally, const struct nx_name_list *list)
{
	struct nx_name_columns columns = {
		.name_base = list->name_base,
		.names = list->names,
		.busy_ns = list->busy_ns,
		.to = list->count,
		.known_ns = list->rest_ns,
	};

	nx_name_tally_add_columns(tally, &columns);
	tally->rest_ns += list->rest_ns;
}

static void read_list(struct nx_name_list *list, const struct nx_strip *strip, unsigned level,
		      uint64_t node)
{
	uint64_t at = strip->name_at[level][node];

	if (at > strip->name_values)
		at = strip->name_values;
	nx_name_list_read(list, strip->name_lists + at, strip->name_values - at);
}

/* Whole chunks between two edges, and of these what nodes from a level on cover. */
struct inside {
	uint64_t lo, hi;
};

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

/* The nodes of a level between two edges that lie under no node above: runs before and behind. */
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

/* Adds what the nodes of one level remember. */
static void tally_level(struct nx_name_tally *tally, const struct nx_strip *strip,
			const struct nx_edge *a, const struct nx_edge *b, unsigned level)
{
	struct nx_name_list list;
	struct inside runs[2];

	find_runs(a, b, level, runs);
	for (unsigned i = 0; i < 2; i++) {
		for (uint64_t node = runs[i].lo; node < runs[i].hi; node++) {
			read_list(&list, strip, level, node);
			tally_list(tally, &list);
		}
	}
}

/* The time covered in chunks under nodes of a level and above. */
static uint64_t inside_busy_ns(const struct nx_strip *strip, const struct nx_edge *a,
			       const struct nx_edge *b, unsigned level)
{
	struct inside in = inside_of(a, b, level);
	unsigned shift = level * NX_NAME_FANOUT_BITS;

	return in.hi ? strip->busy[in.hi << shift] - strip->busy[in.lo << shift] : 0;
}

/* What lies in the chunks of the edges. Only the first and the last span can reach outside. */
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

/* Adds what the nodes of a level of all strips remember; returns what they and those above cover.
 */
static uint64_t tally_strips(struct nx_name_tally *tally,
			     const struct nx_strip_edges *const *strips, size_t strip_count,
			     size_t bucket, unsigned level)
{
	uint64_t covered_ns = 0;

	for (size_t i = 0; i < strip_count; i++) {
		const struct nx_edge *a = &strips[i]->edges[bucket], *b = a + 1;

		tally_level(tally, &strips[i]->strip, a, b, level);
		covered_ns += inside_busy_ns(&strips[i]->strip, a, b, level);
	}
	return covered_ns;
}

/* Whatever was not added may be of any name. */
static bool is_decided(struct nx_name_tally *tally, uint64_t left_ns, uint32_t *name)
{
	bool is_sure;

	tally->rest_ns += left_ns;
	is_sure = nx_name_tally_winner(tally, name);
	tally->rest_ns -= left_ns;
	return is_sure;
}

/* Large nodes first: often they leave so little that the small ones cannot matter. */
static bool try_nodes(struct nx_name_search *search, const struct nx_strip_edges *const *strips,
		      size_t strip_count, size_t bucket, uint32_t *name)
{
	unsigned spared = search->spared_levels, level = 0;
	uint64_t busy_ns = 0;

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
		if (is_decided(&search->tally, busy_ns - covered_ns, name)) {
			search->spared_levels = level;
			return true;
		}
	}
	return false;
}

void nx_name_search_release(struct nx_name_search *search)
{
	nx_name_tally_release(&search->tally);
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
	/* Rows leave no doubt. */
	nx_name_tally_winner(tally, &name);
	return name;
}

static void fetch_list(const struct nx_strip *strip, uint64_t at)
{
	if (at >= strip->name_values)
		return;
	__builtin_prefetch(strip->name_lists + at);
	__builtin_prefetch(strip->name_lists + at + LINE_VALUES);
}

void nx_dominant_name_fetch(const struct nx_name_search *search, const struct nx_strip *strip,
			    const struct nx_edge *a, const struct nx_edge *b)
{
	unsigned top = top_level(a, b);
	struct inside runs[2];

	for (unsigned level = search->spared_levels; level <= top; level++) {
		find_runs(a, b, level, runs);
		for (unsigned i = 0; i < 2; i++) {
			for (uint64_t node = runs[i].lo; node < runs[i].hi; node++)
				fetch_list(strip, strip->name_at[level][node]);
		}
	}
}
