/* SPDX-License-Identifier: Apache-2.0 */
#include "query/span_statistics.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#define BATCH_SPANS 512u

/* The spans of one depth, batch by batch. */
struct reader {
	uint32_t depth;
	uint64_t next_idx, end_idx;
	size_t at, count;
	struct nx_span spans[BATCH_SPANS];
};

/* A cost under way; spans come in order of their start. */
struct tally {
	struct nx_span_cost cost;
	uint64_t covered_ns; /* busy up to there */
};

struct tallies NX_VEC_BODY(struct tally);

struct taking {
	const struct nx_timeline *timeline;
	const struct nx_span_part *part;
	struct reader **heap; /* the one with the earliest span first */
	size_t heap_count;
	struct nx_map of_name; /* index in tallies */
	struct tallies tallies;
	struct tally total;
};

/* --- spans of all depths in order of time ----------------------------------------------------- */

static bool fill(const struct taking *t, struct reader *r)
{
	uint64_t left = r->end_idx - r->next_idx;

	r->at = 0;
	r->count = nx_timeline_list(t->timeline, t->part->track, r->depth, r->next_idx, r->spans,
				    left < BATCH_SPANS ? (size_t)left : BATCH_SPANS);
	r->next_idx += r->count;
	return r->count > 0;
}

static const struct nx_span *head(const struct reader *r)
{
	return &r->spans[r->at];
}

static bool is_before(const struct reader *a, const struct reader *b)
{
	if (head(a)->start_ns != head(b)->start_ns)
		return head(a)->start_ns < head(b)->start_ns;
	return a->depth < b->depth;
}

static void sink_down(struct taking *t, size_t at)
{
	for (;;) {
		size_t least = at, left = 2 * at + 1, right = left + 1;
		struct reader *moved = t->heap[at];

		if (left < t->heap_count && is_before(t->heap[left], t->heap[least]))
			least = left;
		if (right < t->heap_count && is_before(t->heap[right], t->heap[least]))
			least = right;
		if (least == at)
			return;
		t->heap[at] = t->heap[least];
		t->heap[least] = moved;
		at = least;
	}
}

static void add_depth(struct taking *t, uint32_t depth)
{
	struct nx_timeline_window window = {.track = t->part->track,
					    .depth = depth,
					    .from_ns = t->part->from_ns,
					    .to_ns = t->part->to_ns,
					    .bucket_count = 1};
	uint64_t first, count = nx_timeline_rows(t->timeline, &window, NULL, 0, &first);
	struct reader *r;

	if (!count)
		return;
	r = nx_heap_alloc(sizeof(*r));
	r->depth = depth;
	r->next_idx = first;
	r->end_idx = first + count;
	if (fill(t, r))
		t->heap[t->heap_count++] = r;
	else
		nx_heap_free(r);
}

static void pass(struct taking *t)
{
	struct reader *r = t->heap[0];

	if (++r->at == r->count && (r->next_idx == r->end_idx || !fill(t, r))) {
		t->heap[0] = t->heap[--t->heap_count];
		nx_heap_free(r);
	}
	if (t->heap_count)
		sink_down(t, 0);
}

/* --- costs --------------------------------------------------------------------------- */

static void add_span(struct tally *tally, const struct nx_span_part *part,
		     const struct nx_span *span)
{
	uint64_t start_ns = span->start_ns > tally->covered_ns ? span->start_ns : tally->covered_ns;
	uint64_t end_ns = span->end_ns < part->to_ns ? span->end_ns : part->to_ns;

	tally->cost.count++;
	tally->cost.sum_ns += span->end_ns - span->start_ns;
	if (end_ns > start_ns) {
		tally->cost.busy_ns += end_ns - start_ns;
		tally->covered_ns = end_ns;
	}
}

static struct tally *tally_of(struct taking *t, uint32_t name)
{
	uint64_t at;

	if (!nx_map_get(&t->of_name, name, &at)) {
		struct tally tally = {.cost.name = name, .covered_ns = t->part->from_ns};

		at = t->tallies.len;
		nx_map_put(&t->of_name, name, at);
		nx_vec_push(&t->tallies, tally);
	}
	return &t->tallies.items[at];
}

static enum nx_status add_all(struct taking *t, struct nx_error *err)
{
	struct tally *last = NULL;

	for (uint64_t i = 1; t->heap_count; i++) {
		const struct nx_span *span = head(t->heap[0]);

		if (!last || last->cost.name != span->name)
			last = tally_of(t, span->name);
		add_span(&t->total, t->part, span);
		add_span(last, t->part, span);
		pass(t);
		if (i % 65536 == 0 && t->part->is_wanted && !t->part->is_wanted(t->part->context))
			return nx_fail(err, NX_CANCELLED, "the request was cancelled");
	}
	return NX_OK;
}

static int compare(const void *left, const void *right)
{
	const struct nx_span_cost *l = left, *r = right;

	if (l->sum_ns != r->sum_ns)
		return l->sum_ns > r->sum_ns ? -1 : 1;
	if (l->count != r->count)
		return l->count > r->count ? -1 : 1;
	return (l->name > r->name) - (l->name < r->name);
}

static void give(const struct taking *t, struct nx_span_statistics *statistics)
{
	statistics->total = t->total.cost;
	statistics->total.name = NX_NAME_NONE;
	statistics->name_count = t->tallies.len;
	if (!t->tallies.len)
		return;
	statistics->names = nx_heap_alloc(t->tallies.len * sizeof(*statistics->names));
	for (size_t i = 0; i < t->tallies.len; i++)
		statistics->names[i] = t->tallies.items[i].cost;
	qsort(statistics->names, statistics->name_count, sizeof(*statistics->names), compare);
}

enum nx_status nx_span_statistics_take(struct nx_span_statistics *statistics,
				       const struct nx_timeline *timeline,
				       const struct nx_span_part *part, struct nx_error *err)
{
	struct taking t = {.timeline = timeline, .part = part};
	struct nx_track track;
	enum nx_status st;

	assert(part->from_ns < part->to_ns);
	*statistics = (struct nx_span_statistics){0};
	if (!nx_timeline_track(timeline, part->track, &track) || track.kind != NX_TRACK_SPANS)
		return nx_fail(err, NX_NOT_FOUND, "track %u has no spans", part->track);
	t.total.covered_ns = part->from_ns;
	t.heap = nx_heap_alloc((track.depth_count + 1) * sizeof(struct reader *));
	for (uint32_t depth = 0; depth < track.depth_count; depth++)
		add_depth(&t, depth);
	for (size_t i = t.heap_count; i-- > 0;)
		sink_down(&t, i);
	st = add_all(&t, err);
	if (!st)
		give(&t, statistics);
	while (t.heap_count)
		nx_heap_free(t.heap[--t.heap_count]);
	nx_heap_free(t.heap);
	nx_map_release(&t.of_name);
	nx_vec_release(&t.tallies);
	return st;
}

void nx_span_statistics_release(struct nx_span_statistics *statistics)
{
	nx_heap_free(statistics->names);
	*statistics = (struct nx_span_statistics){0};
}
