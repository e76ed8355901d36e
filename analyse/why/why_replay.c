/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What if: runs the graph forward, with some times changed. The binding release of a node keeps its
 * measured lag, all others their usual one. A node whose binding predecessor is not known keeps its
 * measured time and holds up all behind it; it is counted as pinned.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/why/why_internal.h"

struct replay {
	struct nx_why *why;
	const struct nx_why_change *change;
	int64_t *begin, *end; /* by node */
	uint8_t *state;	      /* enum: by node */
	uint64_t pinned_count;
};

enum { UNSEEN, OPEN, DONE };

static bool is_binding(const struct nx_release_node *n, const struct nx_why_edge *edge)
{
	return n->release == edge->kind && n->cause == edge->cause &&
	       n->event_ps == edge->event_ps && n->ready_ps == edge->ready_ps;
}

static bool is_removed(const struct replay *r, const struct nx_release_node *n)
{
	return r->change->no_reloads && n->kind == NX_NODE_BLOCK && n->flags & NX_NODE_RELOAD;
}

/* Nobody comes late: a core does not wait for another one. */
static bool is_skew(const struct replay *r, const struct nx_why_edge *edge, size_t count)
{
	return r->change->no_skew && edge->kind == NX_RELEASE_CROSS_CORE && count > 1;
}

/* When an edge lets its node begin. */
static int64_t when(const struct replay *r, const struct nx_release_node *n,
		    const struct nx_why_edge *edge, bool binds)
{
	const struct nx_release_node *p = nx_why_node(r->why, edge->cause);
	int64_t begin_ps = r->begin[edge->cause], end_ps = r->end[edge->cause];
	bool is_measured = binds && !(r->change->is_nominal && !(n->flags & NX_NODE_FRAME) &&
				      !(p->flags & NX_NODE_FRAME));
	int64_t ready_ps = is_measured ? n->work_ps : nx_why_min(edge->ready_ps, n->work_ps);
	int64_t lag_ps = ready_ps - edge->event_ps;

	/* the first software DMA waits for its library, not for descriptors */
	if (r->change->no_descriptors && n->flags & NX_NODE_SOFT &&
	    !(n->flags & NX_NODE_FIRST_SOFT))
		lag_ps = nx_why_min(lag_ps, 0);
	if (edge->kind == NX_RELEASE_TRIGGER)
		return begin_ps + (r->change->no_startup || is_removed(r, n)
					   ? nx_why_min(lag_ps, p->end_ps - p->start_ps)
					   : lag_ps);
	if (edge->event_ps <= p->work_ps &&
	    (edge->kind == NX_RELEASE_PROGRAM || edge->kind == NX_RELEASE_CROSS_CORE))
		return begin_ps + edge->event_ps - p->work_ps + lag_ps;
	/* it began while the other worked: the overlap stays */
	if ((edge->kind == NX_RELEASE_PROGRAM || edge->kind == NX_RELEASE_RING) &&
	    n->work_ps < p->end_ps)
		return nx_why_max(begin_ps, end_ps - p->end_ps + ready_ps);
	return nx_why_max(end_ps + edge->event_ps - p->end_ps + lag_ps,
			  edge->kind == NX_RELEASE_PROGRAM ? begin_ps : 0);
}

static int64_t length_of(const struct replay *r, const struct nx_release_node *n)
{
	const struct nx_why_change *c = r->change;
	int64_t length_ps = n->end_ps - n->work_ps;

	if (n->kind == NX_NODE_BLOCK) {
		const struct nx_ring_block *block = &r->why->graph.blocks.items[n->place];

		if (is_removed(r, n))
			return 0;
		return c->at_link_rate ? nx_why_min(length_ps, NX_WHY_LINK_PS(block->size_bytes,
									      block->packet_count))
				       : length_ps;
	}
	if (n->kind == NX_NODE_COLLECTIVE) {
		uint64_t least_ps = (uint64_t)length_ps;

		if (c->no_skew)
			nx_map_get(&r->why->least_of, nx_why_collective_key(r->why, n), &least_ps);
		return (int64_t)least_ps;
	}
	if (n->flags & NX_NODE_FRAME)
		return length_ps;
	if (c->no_transposes && n->flags & NX_NODE_TRANSPOSE)
		return 0;
	if (c->no_throttling)
		length_ps -= nx_why_throttled(r->why, n, length_ps);
	if (c->is_scaled[n->engine] && !(n->flags & NX_NODE_CONTROL))
		length_ps = (int64_t)((__int128)length_ps * c->scale_ppm[n->engine] / 1000000);
	return length_ps;
}

static void run_node(struct replay *r, uint32_t node)
{
	const struct nx_why *why = r->why;
	const struct nx_release_node *n = &why->graph.nodes.items[node];
	size_t count = why->edge_count.items[node];
	const struct nx_why_edge *edges =
		count ? &why->edges.items[why->first_edge.items[node]] : NULL;
	int64_t at_ps = count ? 0 : n->work_ps;
	bool is_bound = false;
	uint64_t first;

	/* what it would bring is there since the first time */
	if (is_removed(r, n) && nx_map_get(&why->first_loads, node, &first) &&
	    r->state[first] == DONE) {
		r->begin[node] = r->end[node] = r->end[first];
		r->state[node] = DONE;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool binds = !is_bound && is_binding(n, &edges[i]);

		is_bound |= binds;
		if (is_skew(r, &edges[i], count))
			continue;
		if (edges[i].cause != NX_NONE && r->state[edges[i].cause] == DONE) {
			at_ps = nx_why_max(at_ps, when(r, n, &edges[i], binds));
		} else if (binds) { /* who is not known stays where it was */
			at_ps = nx_why_max(at_ps, n->work_ps);
			/* before the program, the runtime's frame knows no cause */
			r->pinned_count += n->work_ps >= why->program_start_ps;
		}
	}
	r->begin[node] = at_ps;
	r->end[node] = at_ps + length_of(r, n);
	r->state[node] = DONE;
}

struct place { /* on the stack: a node and its next edge */
	uint32_t node, edge;
};

/* Every node behind what it depends on. Times are no such order: some records start late. */
static void run_all(struct replay *r)
{
	const struct nx_why *why = r->why;
	size_t count = why->graph.nodes.len;
	uint32_t *roots = nx_heap_alloc(sizeof(*roots) * (count + 1));
	NX_VEC(struct place) stack = {0};

	for (size_t i = 0; i < count; i++)
		roots[i] = (uint32_t)i;
	qsort_r(roots, count, sizeof(*roots), nx_why_compare_work, why->graph.nodes.items);
	for (size_t i = 0; i < count; i++) {
		if (r->state[roots[i]] != UNSEEN)
			continue;
		r->state[roots[i]] = OPEN;
		nx_vec_push(&stack, ((struct place){roots[i], 0}));
		while (stack.len) {
			struct place *top = &stack.items[stack.len - 1];
			uint32_t node = top->node, cause;

			if (top->edge == why->edge_count.items[node]) {
				run_node(r, node);
				stack.len--;
				continue;
			}
			cause = why->edges.items[why->first_edge.items[node] + top->edge++].cause;
			if (cause != NX_NONE && r->state[cause] == UNSEEN) {
				r->state[cause] = OPEN;
				nx_vec_push(&stack, ((struct place){cause, 0}));
			}
		}
	}
	nx_vec_release(&stack);
	nx_heap_free(roots);
}

struct nx_why_replay nx_why_replay(struct nx_why *why, const struct nx_why_change *change)
{
	size_t count = why->graph.nodes.len;
	struct replay r = {.why = why, .change = change};
	struct nx_why_replay result = {0};
	int64_t last_ps = 0;

	assert(why->keeps_candidates);
	if (!why->graph.instruction_count)
		return result;
	r.begin = nx_heap_alloc(sizeof(*r.begin) * count);
	r.end = nx_heap_alloc(sizeof(*r.end) * count);
	r.state = nx_heap_alloc(count);
	memset(r.state, UNSEEN, count);
	run_all(&r);
	for (uint32_t i = 0; i < why->graph.instruction_count; i++) {
		result.end_ps = nx_why_max(result.end_ps, r.end[i]);
		last_ps = nx_why_max(last_ps, nx_why_node(why, i)->end_ps);
	}
	result.end_ps += why->graph.end_ps - last_ps;
	result.pinned_count = r.pinned_count;
	nx_heap_free(r.begin);
	nx_heap_free(r.end);
	nx_heap_free(r.state);
	return result;
}

/* --- the bound ------------------------------------------------------------- */

struct loads {
	int64_t engines[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
};

static void add_load(void *context, const struct nx_engine_time *row)
{
	struct loads *loads = context;

	if (row->cause == NX_CAUSE_USEFUL || row->cause == NX_CAUSE_TRANSPOSE ||
	    row->cause == NX_CAUSE_THROTTLED || row->cause == NX_CAUSE_DMA_ISSUE)
		loads->engines[row->graph][row->engine] += row->time_ps;
}

int64_t nx_why_overlap_bound(struct nx_why *why)
{
	struct loads *loads = nx_heap_alloc(sizeof(*loads));
	struct nx_map rings = {0};
	int64_t most_ps = 0;

	memset(loads, 0, sizeof(*loads));
	nx_why_engine_times(why, add_load, loads);
	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			most_ps = nx_why_max(most_ps, loads->engines[g][e]);
	for (size_t i = 0; i < why->graph.blocks.len; i++) {
		const struct nx_ring_block *block = &why->graph.blocks.items[i];
		uint64_t key =
			(uint64_t)nx_why_node(why, why->graph.instruction_count + (uint32_t)i)
					->graph
				<< 32 |
			block->dma_engine;
		uint64_t sum = 0;

		nx_map_get(&rings, key, &sum);
		sum += (uint64_t)NX_WHY_LINK_PS(block->size_bytes, block->packet_count);
		nx_map_put(&rings, key, sum);
		most_ps = nx_why_max(most_ps, (int64_t)sum);
	}
	nx_map_release(&rings);
	nx_heap_free(loads);
	return why->graph.end_ps - why->counts.program_ps + most_ps;
}
