/* SPDX-License-Identifier: Apache-2.0 */
/* Two partitions of the window: the time of each engine, and the critical path. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/why/why_internal.h"

#define GAP_LEAST_PS (200 * NX_WHY_NS)

enum nx_cause nx_why_work(const struct nx_release_node *n)
{
	if (n->flags & NX_NODE_ISSUES_DMA)
		return NX_CAUSE_DMA_ISSUE;
	if (n->flags & NX_NODE_CONTROL)
		return NX_CAUSE_CONTROL;
	return n->flags & NX_NODE_TRANSPOSE ? NX_CAUSE_TRANSPOSE : NX_CAUSE_USEFUL;
}

/* --- engines --------------------------------------------------------------- */

struct engine_sums {
	struct nx_why *why;
	uint8_t graph, engine;
	int64_t own[NX_CAUSE_COUNT];	/* causes that name nobody else */
	int64_t waits[NX_ENGINE_COUNT]; /* for other engines of the core */
	struct nx_map of_queues;	/* cause and queue -> picoseconds */
	NX_VEC(uint64_t) queue_keys;
};

static void add_queue_time(struct engine_sums *s, enum nx_cause cause, uint32_t queue,
			   int64_t time_ps)
{
	uint64_t key = (uint64_t)cause << 32 | queue, sum = 0;

	if (!nx_map_get(&s->of_queues, key, &sum))
		nx_vec_push(&s->queue_keys, key);
	nx_map_put(&s->of_queues, key, sum + (uint64_t)time_ps);
}

static void add_work(struct engine_sums *s, const struct nx_release_node *n, int64_t time_ps)
{
	int64_t slow_ps = nx_why_throttled(s->why, n, time_ps);

	s->own[nx_why_work(n)] += time_ps - slow_ps;
	s->own[NX_CAUSE_THROTTLED] += slow_ps;
}

static void add_piece(struct engine_sums *s, const struct nx_why_piece *piece)
{
	const struct nx_release_node *n = nx_why_node(s->why, piece->node);
	int64_t time_ps = piece->end_ps - piece->start_ps;

	if (piece->cause == NX_CAUSE_WAIT) {
		if (n->graph != s->graph)
			s->own[NX_CAUSE_OTHER_CORE] += time_ps;
		else if (n->engine != s->engine)
			s->waits[n->engine] += time_ps;
		else
			add_work(s, n, time_ps);
	} else if (n->kind == NX_NODE_BLOCK && n->graph == s->graph) {
		add_queue_time(s, piece->cause, s->why->graph.blocks.items[n->place].queue,
			       time_ps);
	} else {
		s->own[piece->cause] += time_ps;
	}
}

int nx_why_compare_work(const void *left, const void *right, void *context)
{
	const struct nx_release_node *nodes = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	if (nodes[l].work_ps != nodes[r].work_ps)
		return nodes[l].work_ps < nodes[r].work_ps ? -1 : 1;
	if (nodes[l].end_ps != nodes[r].end_ps)
		return nodes[l].end_ps < nodes[r].end_ps ? -1 : 1;
	return (l > r) - (l < r);
}

static void sort_by_work(struct nx_why *why, struct nx_why_list *list)
{
	struct nx_release_node *nodes = why->graph.nodes.items;

	for (size_t i = 1; i < list->len; i++)
		if (nx_why_compare_work(&list->items[i - 1], &list->items[i], nodes) > 0) {
			qsort_r(list->items, list->len, sizeof(*list->items), nx_why_compare_work,
				nodes);
			return;
		}
}

static void put_sums(struct engine_sums *s, nx_engine_time_fn fn, void *context)
{
	struct nx_engine_time row = {.graph = s->graph,
				     .engine = s->engine,
				     .blocker = NX_ENGINE_COUNT,
				     .queue = NX_NONE};

	for (unsigned c = 0; c < NX_CAUSE_COUNT; c++)
		if (s->own[c]) {
			row.cause = (enum nx_cause)c;
			row.time_ps = s->own[c];
			fn(context, &row);
		}
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		if (s->waits[e]) {
			row.cause = NX_CAUSE_WAIT;
			row.blocker = (uint8_t)e;
			row.time_ps = s->waits[e];
			fn(context, &row);
		}
	row.blocker = NX_ENGINE_COUNT;
	for (size_t i = 0; i < s->queue_keys.len; i++) {
		uint64_t sum = 0;

		nx_map_get(&s->of_queues, s->queue_keys.items[i], &sum);
		row.cause = (enum nx_cause)(s->queue_keys.items[i] >> 32);
		row.queue = (uint32_t)s->queue_keys.items[i];
		row.time_ps = (int64_t)sum;
		fn(context, &row);
	}
}

static void sum_engine(struct engine_sums *s, struct nx_why_list *list)
{
	struct nx_why *why = s->why;
	struct nx_why_pieces pieces = {0};
	int64_t time_ps = 0, gap_ps = 0, unknown_ps = 0;
	bool runs_program = false;

	sort_by_work(why, list);
	for (size_t i = 0; i < list->len; i++) {
		const struct nx_release_node *n = nx_why_node(why, list->items[i]);
		bool is_gap = n->work_ps - time_ps > GAP_LEAST_PS;

		runs_program |= !(n->flags & NX_NODE_FRAME);
		nx_vec_clear(&pieces);
		if (n->work_ps > time_ps) {
			nx_why_walk(&why->graph, list->items[i], n->work_ps, time_ps, &pieces);
			gap_ps += is_gap ? n->work_ps - time_ps : 0;
			time_ps = n->work_ps;
		}
		for (size_t p = 0; p < pieces.len; p++) {
			if (is_gap && pieces.items[p].cause == NX_CAUSE_UNEXPLAINED)
				unknown_ps += pieces.items[p].end_ps - pieces.items[p].start_ps;
			add_piece(s, &pieces.items[p]);
		}
		if (n->end_ps <= time_ps)
			continue;
		if (n->flags & NX_NODE_FRAME)
			s->own[NX_CAUSE_FRAME] += n->end_ps - time_ps;
		else
			add_work(s, n, n->end_ps - time_ps);
		time_ps = n->end_ps;
	}
	s->own[NX_CAUSE_FRAME] += why->graph.end_ps - time_ps;
	if (runs_program) {
		why->counts.gap_ps += gap_ps;
		why->counts.gap_unexplained_ps += unknown_ps;
	}
	nx_vec_release(&pieces);
}

void nx_why_engine_times(struct nx_why *why, nx_engine_time_fn fn, void *context)
{
	why->counts.gap_ps = why->counts.gap_unexplained_ps = 0;
	for (uint32_t g = 0; g < why->profile->capture.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			struct engine_sums s = {
				.why = why, .graph = (uint8_t)g, .engine = (uint8_t)e};

			if (!why->engines[g][e].len)
				continue;
			sum_engine(&s, &why->engines[g][e]);
			put_sums(&s, fn, context);
			nx_map_release(&s.of_queues);
			nx_vec_release(&s.queue_keys);
		}
}

/* --- the path -------------------------------------------------------------- */

/* A MATMUL that a limit slows down becomes two pieces. */
static void put_path_piece(struct nx_why *why, struct nx_why_piece piece, nx_why_piece_fn fn,
			   void *context)
{
	const struct nx_release_node *n = nx_why_node(why, piece.node);
	int64_t slow_ps;

	if (piece.cause == NX_CAUSE_QUEUEING && n->kind == NX_NODE_BLOCK &&
	    n->work_ps <= piece.start_ps && piece.end_ps <= n->end_ps)
		piece.cause = NX_CAUSE_TRANSFER;
	if (piece.cause == NX_CAUSE_UNEXPLAINED)
		why->counts.path_unexplained_ps += piece.end_ps - piece.start_ps;
	if (piece.cause != NX_CAUSE_WAIT) {
		fn(context, &piece);
		return;
	}
	slow_ps = nx_why_throttled(why, n, piece.end_ps - piece.start_ps);
	piece.cause = nx_why_work(n);
	piece.end_ps -= slow_ps;
	if (piece.end_ps > piece.start_ps)
		fn(context, &piece);
	if (!slow_ps)
		return;
	piece.start_ps = piece.end_ps;
	piece.end_ps += slow_ps;
	piece.cause = NX_CAUSE_THROTTLED;
	fn(context, &piece);
}

#define STRETCH_PIECES 65536u

/* The walk goes back in time, rows go forward: it is walked twice, the second time stretch by
 * stretch, so that the pieces of one stretch are all that is kept. */
static void put_path(struct nx_why *why, struct nx_why_walker walker, nx_why_piece_fn fn,
		     void *context)
{
	NX_VEC(struct nx_why_walker) stretches = {0};
	struct nx_why_pieces pieces = {0};

	while (walker.time_ps > walker.low_ps) {
		nx_vec_push(&stretches, walker);
		nx_vec_clear(&pieces);
		nx_why_walker_run(&walker, &pieces, STRETCH_PIECES);
	}
	for (size_t s = stretches.len; s-- > 0;) {
		walker = stretches.items[s];
		nx_vec_clear(&pieces);
		nx_why_walker_run(&walker, &pieces, STRETCH_PIECES);
		for (size_t i = pieces.len; i-- > 0;)
			put_path_piece(why, pieces.items[i], fn, context);
	}
	nx_vec_release(&stretches);
	nx_vec_release(&pieces);
}

void nx_why_path(struct nx_why *why, nx_why_piece_fn fn, void *context)
{
	const struct nx_release_node *nodes = why->graph.nodes.items;
	uint32_t last = 0;

	why->counts.path_unexplained_ps = 0;
	if (!why->graph.instruction_count)
		return;
	for (uint32_t i = 1; i < why->graph.instruction_count; i++)
		if (nodes[i].end_ps > nodes[last].end_ps)
			last = i;
	put_path(why,
		 (struct nx_why_walker){
			 .graph = &why->graph, .node = last, .time_ps = nodes[last].end_ps},
		 fn, context);
	if (nodes[last].end_ps < why->graph.end_ps)
		fn(context, &(struct nx_why_piece){nodes[last].end_ps, why->graph.end_ps,
						   NX_CAUSE_FRAME, last, 0});
}
