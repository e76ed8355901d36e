/* SPDX-License-Identifier: Apache-2.0 */
#include "store/dominant_name.h"
#include "store/name_list.h"

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

/* The chunks [from, to), all of them full, by what their nodes remember. */
static void tally_nodes(struct nx_name_tally *tally, const struct nx_strip *strip, uint64_t from,
			uint64_t to)
{
	struct nx_node_walk walk = {from, to, NX_NAME_FANOUT_BITS, 0};
	struct nx_node_run run;
	struct nx_name_list list;

	while (nx_node_walk_next(&walk, &run)) {
		for (uint64_t node = run.from; node < run.to; node++) {
			read_list(&list, strip, run.level, node);
			tally_list(tally, &list);
		}
	}
}

/* The time covered in chunks that lie whole between two edges. */
static uint64_t inner_busy_ns(const struct nx_strip *strip, const struct nx_edge *a,
			      const struct nx_edge *b)
{
	return a->chunk < b->chunk ? strip->busy[b->chunk] - strip->busy[a->chunk + 1] : 0;
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

/* By nodes alone: what the edges' chunks cover may be of any name. */
static bool try_inner(struct nx_name_tally *tally, const struct nx_strip_edges *const *strips,
		      size_t strip_count, size_t bucket, uint32_t *name)
{
	uint64_t inner_ns = 0, outer_ns = 0;
	bool is_sure = false;

	for (size_t i = 0; i < strip_count; i++) {
		const struct nx_edge *a = &strips[i]->edges[bucket], *b = a + 1;
		uint64_t ns = inner_busy_ns(&strips[i]->strip, a, b);

		tally_nodes(tally, &strips[i]->strip, a->chunk + 1, b->chunk);
		inner_ns += ns;
		outer_ns += b->busy_ns - a->busy_ns - ns;
	}
	tally->rest_ns += outer_ns;
	if (inner_ns > outer_ns)
		is_sure = nx_name_tally_winner(tally, name);
	tally->rest_ns -= outer_ns;
	return is_sure;
}

uint32_t nx_dominant_name(struct nx_name_tally *tally, const struct nx_strip_edges *const *strips,
			  size_t strip_count, size_t bucket)
{
	uint32_t name = NX_NAME_NONE;

	nx_name_tally_clear(tally);
	if (try_inner(tally, strips, strip_count, bucket, &name))
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

void nx_dominant_name_fetch(const struct nx_strip *strip, const struct nx_edge *a,
			    const struct nx_edge *b)
{
	struct nx_node_walk walk = {a->chunk + 1, b->chunk, NX_NAME_FANOUT_BITS, 0};
	struct nx_node_run run;

	while (nx_node_walk_next(&walk, &run)) {
		for (uint64_t i = run.from; i < run.to; i++) {
			uint64_t at = strip->name_at[run.level][i];

			if (at >= strip->name_values)
				continue;
			__builtin_prefetch(strip->name_lists + at);
			__builtin_prefetch(strip->name_lists + at + LINE_VALUES);
		}
	}
}
