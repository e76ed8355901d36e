/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a profile, and the order of the steps that join them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/why/why_internal.h"
#include "model/sorted_rows.h"

#define NODES_MAX (NX_WHY_NO_PRODUCER - 1)

/* --- instructions ---------------------------------------------------------- */

static uint16_t flags_of(const struct nx_slot *slot, unsigned engine)
{
	bool is_dma = slot->control == NX_CONTROL_DMA;
	unsigned flags = 0;

	if (slot->compiler_slot == NX_NONE)
		flags |= NX_NODE_FRAME;
	if (slot->control != NX_CONTROL_NONE)
		flags |= NX_NODE_CONTROL;
	if (is_dma && engine == NX_ENGINE_GPSIMD)
		flags |= NX_NODE_SOFT;
	if (is_dma || slot->flags & NX_SLOT_TRIGGER)
		flags |= NX_NODE_ISSUES_DMA;
	if (engine == NX_ENGINE_TENSOR && slot->instruction_type == NX_TYPE_TRANSPOSE)
		flags |= NX_NODE_TRANSPOSE;
	if (slot->flags & NX_SLOT_MATMUL)
		flags |= NX_NODE_MATMUL;
	if (slot->flags & NX_SLOT_LOAD_WEIGHTS)
		flags |= NX_NODE_WEIGHTS;
	return (uint16_t)flags;
}

static void add_instruction(void *context, const void *opaque)
{
	struct nx_why *why = context;
	const struct nx_instruction *row = opaque;
	struct nx_release_node n = {
		.start_ps = (int64_t)row->start_ps,
		.work_ps = (int64_t)row->start_ps,
		.end_ps = (int64_t)row->end_ps,
		.slack_ps = NX_NO_SLACK,
		.cause = NX_NONE,
		.place = NX_NODE_BITS(row->slot, 30),
		.kind = NX_NODE_INSTRUCTION,
		.graph = NX_NODE_BITS(row->graph, 6),
		.engine = NX_NODE_BITS(row->engine, 3),
		.flags =
			NX_NODE_BITS(flags_of(nx_profile_slot(why->profile, row), row->engine), 9)};

	if (why->graph.nodes.len >= NODES_MAX)
		return;
	if (n.end_ps < n.start_ps) /* a damaged record */
		n.end_ps = n.start_ps;
	nx_vec_push(&why->engines[row->graph][row->engine], (uint32_t)why->graph.nodes.len);
	nx_vec_push(&why->graph.nodes, n);
	why->graph.end_ps = nx_why_max(why->graph.end_ps, n.end_ps);
}

static uint64_t count_instructions(const struct nx_profile *profile)
{
	uint64_t count = 0;

	for (uint32_t g = 0; g < profile->capture.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			count += profile->graphs[g].instruction_count[e];
	return count;
}

static enum nx_status add_instructions(struct nx_why *why, struct nx_error *err)
{
	const struct nx_profile *p = why->profile;
	uint64_t count = count_instructions(p);
	enum nx_status st;

	why->graph.end_ps =
		(int64_t)(p->capture.has_window_end ? p->capture.total_time_ps : p->last_end_ps);
	if (count < NODES_MAX)
		nx_vec_reserve(&why->graph.nodes, (size_t)count);
	st = nx_profile_scan(p, NX_TABLE_INSTRUCTION, add_instruction, why, err);
	why->graph.instruction_count = (uint32_t)why->graph.nodes.len;
	return st;
}

/* --- collectives ----------------------------------------------------------- */

static uint32_t find_start(const struct nx_why *why, const struct nx_why_list *list,
			   int64_t time_ps)
{
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (why->graph.nodes.items[list->items[middle]].start_ps < time_ps)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == list->len || why->graph.nodes.items[list->items[low]].start_ps != time_ps)
		return NX_NONE;
	return list->items[low];
}

uint64_t nx_why_collective_key(const struct nx_why *why, const struct nx_release_node *n)
{
	const struct nx_graph *graph = &why->profile->capture.graphs[n->graph];
	const struct nx_collective_op *op;

	if (n->place >= graph->collective_op_count)
		return n->place;
	op = &graph->collective_ops[n->place];
	return nx_hash_words(
		(uint64_t[]){(uint64_t)op->type, op->element_count, op->dtype, op->comm_id}, 4);
}

/* A collective takes longer than the shortest of its like if a rank comes late. */
static void note_least(struct nx_why *why, const struct nx_release_node *n)
{
	uint64_t key = nx_why_collective_key(why, n), least;
	uint64_t length_ps = (uint64_t)(n->end_ps - n->work_ps);

	if (!nx_map_get(&why->least_of, key, &least) || length_ps < least)
		nx_map_put(&why->least_of, key, length_ps);
}

void nx_why_add_collectives(struct nx_why *why)
{
	const struct nx_capture *c = &why->profile->capture;

	for (uint32_t g = 0; g < c->graph_count; g++)
		for (size_t i = 0; i < c->graphs[g].collective_run_count; i++) {
			const struct nx_collective_run *run = &c->graphs[g].collective_runs[i];
			int64_t start_ps = (int64_t)run->start_ps - c->window_start_ps;
			int64_t end_ps = (int64_t)run->end_ps - c->window_start_ps;
			uint32_t node = (uint32_t)why->graph.nodes.len, trigger = NX_NONE;
			struct nx_why_edge edge = {.kind = NX_RELEASE_COLLECTIVE};

			if (start_ps < 0 || end_ps < start_ps || node >= NODES_MAX ||
			    (c->has_window_end && (int64_t)run->end_ps > c->window_end_ps))
				continue;
			if (run->engine < NX_ENGINE_COUNT)
				trigger = find_start(why, &why->engines[g][run->engine],
						     (int64_t)run->trigger_ps - c->window_start_ps);
			nx_vec_push(&why->graph.nodes,
				    ((struct nx_release_node){
					    .start_ps = start_ps,
					    .work_ps = start_ps,
					    .end_ps = end_ps,
					    .slack_ps = NX_NO_SLACK,
					    .cause = NX_NONE,
					    .place = NX_NODE_BITS(run->op_idx, 30),
					    .kind = NX_NODE_COLLECTIVE,
					    .graph = NX_NODE_BITS(g, 6),
					    .engine = NX_NODE_BITS(
						    nx_why_min(run->engine, NX_ENGINE_COUNT), 3)}));
			if (trigger != NX_NONE) {
				edge.cause = trigger;
				edge.event_ps = edge.ready_ps = nx_why_node(why, trigger)->end_ps;
				nx_map_put(&why->collective_of, trigger, node);
			}
			nx_why_bind(why, node, &edge, trigger != NX_NONE);
			note_least(why, nx_why_node(why, node));
		}
}

/* --- meetings of cores ----------------------------------------------------- */

struct meeting {
	uint32_t last; /* the node that came last */
};

/* The last core to come lets the others go. A barrier of a loop is met once each round. */
static void find_partners(struct nx_why *why)
{
	struct nx_map rounds = {0}, index = {0}, group_of = {0};
	NX_VEC(struct meeting) meetings = {0};
	NX_VEC(uint32_t) nodes = {0};

	for (uint32_t i = 0; i < why->graph.instruction_count; i++) {
		const struct nx_release_node *n = nx_why_node(why, i);
		uint32_t barrier = nx_why_signals(why, n)->barrier;
		uint64_t round = 0, at, who[] = {n->graph, n->engine, barrier};
		uint64_t key = nx_hash_words(who, 3);

		if (barrier == NX_NONE)
			continue;
		nx_map_get(&rounds, key, &round);
		nx_map_put(&rounds, key, round + 1);
		if (nx_why_slot(why, n)->control != NX_CONTROL_SEMAPHORE)
			continue;
		key = nx_hash_words((uint64_t[]){barrier, round}, 2);
		if (!nx_map_get(&index, key, &at)) {
			at = meetings.len;
			nx_map_put(&index, key, at);
			nx_vec_push(&meetings, ((struct meeting){i}));
		}
		assert(at < meetings.len && meetings.items);
		if (n->start_ps > nx_why_node(why, meetings.items[at].last)->start_ps)
			meetings.items[at].last = i;
		nx_map_put(&group_of, i, at);
		nx_vec_push(&nodes, i);
	}
	for (size_t i = 0; i < nodes.len; i++) {
		uint64_t at = 0;

		nx_map_get(&group_of, nodes.items[i], &at);
		if (nx_why_node(why, meetings.items[at].last)->graph !=
		    nx_why_node(why, nodes.items[i])->graph)
			nx_map_put(&why->partners, nodes.items[i], meetings.items[at].last);
	}
	nx_map_release(&rounds);
	nx_map_release(&index);
	nx_map_release(&group_of);
	nx_vec_release(&meetings);
	nx_vec_release(&nodes);
}

/* --- limits of the array ---------------------------------------------------- */

static void add_limit(void *context, const void *opaque)
{
	struct nx_why *why = context;
	const struct nx_throttle *row = opaque;

	nx_vec_push(&why->limits[row->graph],
		    ((struct nx_why_limit){(int64_t)row->start_ps, (int64_t)row->end_ps, row->k,
					   row->n}));
}

static int compare_limits(const void *left, const void *right)
{
	const struct nx_why_limit *l = left, *r = right;

	return (l->start_ps > r->start_ps) - (l->start_ps < r->start_ps);
}

/* The array of trn2 starts at half its clock, before any record says so. */
static enum nx_status find_limits(struct nx_why *why, struct nx_error *err)
{
	enum nx_status st = nx_profile_scan(why->profile, NX_TABLE_THROTTLE, add_limit, why, err);

	for (uint32_t g = 0; !st && g < why->profile->capture.graph_count; g++) {
		struct nx_why_limits *limits = &why->limits[g];
		struct nx_why_limit first = {0, why->graph.end_ps, 1, 2};

		if (limits->len) {
			qsort(limits->items, limits->len, sizeof(*limits->items), compare_limits);
			first.end_ps = limits->items[0].start_ps;
		}
		if (why->graph.is_old_generation || first.end_ps <= 0)
			continue;
		nx_vec_push(limits, first);
		qsort(limits->items, limits->len, sizeof(*limits->items), compare_limits);
	}
	return st;
}

int64_t nx_why_throttled(const struct nx_why *why, const struct nx_release_node *n,
			 int64_t length_ps)
{
	const struct nx_why_limits *limits = &why->limits[n->graph];
	const struct nx_why_limit *limit;
	size_t low = 0, high = limits->len;
	int64_t most = nx_why_max(0, n->end_ps - n->work_ps - why->lags->matmul);

	if (!(n->flags & NX_NODE_MATMUL))
		return 0;
	while (low < high) { /* the last that had begun */
		size_t middle = low + (high - low) / 2;

		if (limits->items[middle].start_ps <= n->work_ps)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	limit = &limits->items[low - 1];
	if (n->work_ps >= limit->end_ps || !limit->n || limit->k >= limit->n)
		return 0;
	return (int64_t)((__int128)nx_why_min(length_ps, most) * (limit->n - limit->k) / limit->n);
}

/* --- the whole ------------------------------------------------------------- */

static void find_program_span(struct nx_why *why)
{
	int64_t first = INT64_MAX, last = 0;

	for (int pass = 0; pass < 2 && first == INT64_MAX; pass++)
		for (uint32_t i = 0; i < why->graph.instruction_count; i++) {
			const struct nx_release_node *n = nx_why_node(why, i);

			if (!pass && n->flags & NX_NODE_FRAME)
				continue;
			first = nx_why_min(first, n->start_ps);
			last = nx_why_max(last, n->end_ps);
		}
	why->counts.program_ps = first == INT64_MAX ? 0 : last - first;
	why->program_start_ps = first == INT64_MAX ? 0 : first;
	why->counts.span_ps = why->graph.end_ps;
}

enum nx_status nx_why_build(struct nx_why **out, const struct nx_profile *profile,
			    bool keeps_candidates, struct nx_error *err)
{
	struct nx_why *why = nx_heap_alloc(sizeof(*why));
	enum nx_status st;

	memset(why, 0, sizeof(*why));
	why->profile = profile;
	why->lags = nx_why_lags_of(profile->capture.arch);
	why->graph.is_old_generation = profile->capture.arch <= NX_ARCH_V2;
	why->keeps_candidates = keeps_candidates;
	why->histories = nx_heap_alloc(sizeof(*why->histories) * NX_WHY_KEYS);
	memset(why->histories, 0, sizeof(*why->histories) * NX_WHY_KEYS);
	st = add_instructions(why, err);
	if (!st)
		st = find_limits(why, err);
	if (!st)
		st = nx_why_add_blocks(why, err);
	if (!st && keeps_candidates)
		nx_why_mark_reloads(why);
	if (!st) {
		nx_why_add_collectives(why);
		find_partners(why);
		st = nx_why_build_histories(why, err);
	}
	if (!st) {
		nx_why_release_engines(why);
		find_program_span(why);
		/* only needed to find releases */
		nx_vec_release(&why->moments);
		nx_vec_release(&why->resets);
		*out = why;
		return NX_OK;
	}
	nx_why_free(why);
	return st;
}

void nx_why_free(struct nx_why *why)
{
	if (!why)
		return;
	nx_release_graph_release(&why->graph);
	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++) {
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_vec_release(&why->engines[g][e]);
		nx_vec_release(&why->limits[g]);
	}
	nx_vec_release(&why->moments);
	nx_vec_release(&why->resets);
	nx_heap_free(why->histories);
	nx_map_release(&why->first_loads);
	nx_map_release(&why->partners);
	nx_map_release(&why->collective_of);
	nx_map_release(&why->least_of);
	nx_vec_release(&why->edges);
	nx_vec_release(&why->first_edge);
	nx_vec_release(&why->edge_count);
	nx_heap_free(why);
}

const struct nx_release_graph *nx_why_graph(const struct nx_why *why)
{
	return &why->graph;
}

struct nx_why_counts nx_why_counts(const struct nx_why *why)
{
	return why->counts;
}
