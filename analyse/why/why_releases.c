/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What released each instruction. The sequencer of an engine takes words in the order of the
 * program and does all waits itself, also those of computations, which it then queues; what it
 * executes itself runs ahead of that queue.
 */
#include <assert.h>
#include <string.h>

#include "analyse/why/why_internal.h"

#define EDGES_MAX 12
#define DEPTH_MAX 64u
#define IDLE_MAX_PS (20000 * NX_WHY_NS) /* for which a queued word may leave its engine idle */

int64_t nx_why_wake(const struct nx_why *why, const struct nx_release_node *n)
{
	if (n->flags & NX_NODE_SOFT)
		return why->lags->soft_wake;
	return n->flags & NX_NODE_CONTROL ? why->lags->control_wake[n->engine]
					  : why->lags->wake[n->engine];
}

/* --- choosing -------------------------------------------------------------- */

static void keep_edges(struct nx_why *why, uint32_t node, const struct nx_why_edge *edges,
		       size_t count)
{
	while (why->first_edge.len <= node) {
		nx_vec_push(&why->first_edge, 0);
		nx_vec_push(&why->edge_count, 0);
	}
	why->first_edge.items[node] = (uint32_t)why->edges.len;
	why->edge_count.items[node] = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		nx_vec_push(&why->edges, edges[i]);
}

void nx_why_bind(struct nx_why *why, uint32_t node, const struct nx_why_edge *edges, size_t count)
{
	struct nx_release_node *n = nx_why_node(why, node);
	const struct nx_why_edge *best = NULL;
	int64_t best_ps = 0, next_ps = INT64_MIN;

	if (why->keeps_candidates)
		keep_edges(why, node, edges, count);
	for (size_t i = 0; i < count; i++) {
		int64_t ready_ps = nx_why_min(edges[i].ready_ps, n->work_ps);

		if (!best || ready_ps > best_ps ||
		    (ready_ps == best_ps && edges[i].event_ps > best->event_ps)) {
			if (best)
				next_ps = nx_why_max(next_ps, best_ps);
			best = &edges[i];
			best_ps = ready_ps;
		} else {
			next_ps = nx_why_max(next_ps, ready_ps);
		}
	}
	if (!best)
		return;
	n->event_ps = best->event_ps;
	n->ready_ps = best->ready_ps;
	n->cause = best->cause;
	n->release = NX_NODE_BITS(best->kind, 3);
	n->how = NX_NODE_BITS(best->how, 3);
	n->semaphore = best->semaphore;
	n->slack_ps =
		count > 1 ? (uint32_t)nx_why_min(best_ps - next_ps, NX_SLACK_MAX) : NX_NO_SLACK;
}

/* --- the order of the program ---------------------------------------------- */

enum { COMPUTES, SOFTWARE, QUEUE_COUNT };

struct queued {	     /* what the sequencer passes on, in order of start, which is its order there */
	size_t next; /* into the engine's nodes */
	int64_t high;	 /* slot of the last one of this pass; -1: none yet */
	int64_t free_ps; /* when the last one ended */
	unsigned kind;	 /* COMPUTES or SOFTWARE */
};

static int queue_of(const struct nx_release_node *n)
{
	if (n->flags & NX_NODE_SOFT)
		return SOFTWARE;
	return n->flags & NX_NODE_CONTROL ? -1 : COMPUTES;
}

/* The next node of a queue; NX_NONE at its end. */
static uint32_t head_of(const struct nx_why *why, const struct nx_why_list *nodes,
			struct queued *queue)
{
	for (; queue->next < nodes->len; queue->next++)
		if (queue_of(&why->graph.nodes.items[nodes->items[queue->next]]) ==
		    (int)queue->kind)
			return nodes->items[queue->next];
	return NX_NONE;
}

/*
 * The queue whose head comes next in this pass and before the slot, which the sequencer executed at
 * a time; NULL: none does. What is queued has waited, so that it starts when its engine is free.
 */
static struct queued *choose_queue(const struct nx_why *why, const struct nx_why_list *nodes,
				   struct queued *queues, bool has_loops, uint32_t before,
				   int64_t time_ps)
{
	struct queued *best = NULL;
	uint32_t best_slot = before;

	for (unsigned i = 0; i < QUEUE_COUNT; i++) {
		uint32_t head = head_of(why, nodes, &queues[i]), slot;

		if (head == NX_NONE)
			continue;
		slot = why->graph.nodes.items[head].place;
		/* what started before comes before, whatever pass it is of */
		if (has_loops && why->graph.nodes.items[head].start_ps < time_ps)
			return &queues[i];
		if (why->graph.nodes.items[head].start_ps >
		    nx_why_max(time_ps, queues[i].free_ps) + IDLE_MAX_PS)
			continue;
		if (slot < best_slot && (!has_loops || (int64_t)slot > queues[i].high)) {
			best = &queues[i];
			best_slot = slot;
		}
	}
	return best;
}

/* Behind the last control word time alone tells. */
static struct queued *earliest_queue(const struct nx_why *why, const struct nx_why_list *nodes,
				     struct queued *queues)
{
	uint32_t first = head_of(why, nodes, &queues[COMPUTES]);
	uint32_t second = head_of(why, nodes, &queues[SOFTWARE]);

	if (first == NX_NONE && second == NX_NONE)
		return NULL;
	return first < second ? &queues[COMPUTES] : &queues[SOFTWARE]; /* NX_NONE is the last */
}

static uint32_t take_head(const struct nx_why *why, const struct nx_why_list *nodes,
			  struct queued *queue)
{
	uint32_t head = nodes->items[queue->next++];

	queue->high = why->graph.nodes.items[head].place;
	queue->free_ps = why->graph.nodes.items[head].end_ps;
	return head;
}

static bool has_loops(const struct nx_why *why, const struct nx_why_list *nodes)
{
	int64_t last = -1;

	for (size_t i = 0; i < nodes->len; i++) {
		const struct nx_release_node *n = &why->graph.nodes.items[nodes->items[i]];

		if (queue_of(n) >= 0)
			continue;
		if ((int64_t)n->place <= last)
			return true;
		last = n->place;
	}
	return false;
}

/* Where a pass begins whose first control word is n: the target of the branch before it. */
static int64_t pass_start(const struct nx_why *why, const struct nx_release_node *n,
			  const struct nx_release_node *branch)
{
	int64_t target = branch ? (int64_t)branch->place + nx_why_signals(why, branch)->branch_slots
				: n->place;

	return target >= 0 && target <= n->place ? target : n->place;
}

/*
 * Starts are no order: what is queued starts late. A queued word comes before the first control
 * word of the same pass with a higher slot; a lower slot begins a new pass.
 */
static void order_program(struct nx_why *why, const struct nx_why_list *nodes,
			  struct nx_why_list *order)
{
	struct queued queues[QUEUE_COUNT] = {{0, -1, 0, COMPUTES}, {0, -1, 0, SOFTWARE}}, *queue;
	const struct nx_release_node *last = NULL;
	bool loops = has_loops(why, nodes);

	nx_vec_clear(order);
	for (size_t i = 0; i < nodes->len; i++) {
		const struct nx_release_node *n = nx_why_node(why, nodes->items[i]);

		if (queue_of(n) >= 0)
			continue;
		if (last && n->place <= last->place)
			for (unsigned q = 0; q < QUEUE_COUNT; q++)
				queues[q].high = pass_start(why, n, last) - 1;
		while ((queue = choose_queue(why, nodes, queues, loops, n->place, n->start_ps)))
			nx_vec_push(order, take_head(why, nodes, queue));
		nx_vec_push(order, nodes->items[i]);
		last = n;
	}
	while ((queue = earliest_queue(why, nodes, queues)))
		nx_vec_push(order, take_head(why, nodes, queue));
}

/* --- candidates ------------------------------------------------------------ */

struct front { /* of one engine, as its program goes on */
	struct nx_why *why;
	unsigned engine;
	struct nx_why_edge edge; /* that let the sequencer go on; kind NONE: nothing yet */
	uint32_t compute, matmul, software; /* the last ones; NX_NONE */
	uint32_t computes[DEPTH_MAX];	    /* the last ones, in a ring */
	uint64_t compute_count;
	const struct nx_why_list *collectives; /* of the engine, in order of their end */
	struct nx_why_edge edges[EDGES_MAX];
	size_t count;
};

static void add_edge(struct front *f, struct nx_why_edge edge)
{
	assert(f->count < EDGES_MAX);
	if (f->count < EDGES_MAX)
		f->edges[f->count++] = edge;
}

static struct nx_why_edge program_edge(uint32_t cause, int64_t event_ps, int64_t ready_ps)
{
	return (struct nx_why_edge){event_ps, ready_ps, cause, NX_RELEASE_PROGRAM, NX_HOW_NONE, 0};
}

static enum nx_release_kind kind_of(const struct nx_why *why, const struct nx_release_node *n,
				    uint32_t producer)
{
	const struct nx_release_node *p;

	if (producer == NX_NONE)
		return NX_RELEASE_SEMAPHORE;
	p = &why->graph.nodes.items[producer];
	if (p->kind == NX_NODE_BLOCK)
		return NX_RELEASE_COMPLETE;
	if (p->kind == NX_NODE_COLLECTIVE)
		return NX_RELEASE_COLLECTIVE;
	return p->graph == n->graph ? NX_RELEASE_SEMAPHORE : NX_RELEASE_CROSS_CORE;
}

/* The change that ended a wait, if the node has one; only_after: older ones did not hold it up. */
static void add_wait(struct front *f, const struct nx_release_node *n, const struct nx_signal *wait,
		     int64_t lag_ps, int64_t not_after_ps, int64_t only_after_ps)
{
	struct nx_why *why = f->why;
	const struct nx_why_moment *m;
	uint32_t producer;
	uint64_t collective;

	if (!wait->what)
		return;
	why->counts.wait_count++;
	m = nx_why_find_moment(why, n->graph, wait, not_after_ps);
	if (m || nx_why_holds(wait->what, 0, wait->value)) /* or true from the start */
		why->counts.matched_count++;
	if (!m)
		return;
	why->counts.how_count[m->how]++;
	producer = m->producer == NX_WHY_NO_PRODUCER ? NX_NONE : m->producer;
	if (producer != NX_NONE && nx_map_get(&why->collective_of, producer, &collective))
		producer = (uint32_t)collective;
	if (m->time_ps > only_after_ps)
		add_edge(f, (struct nx_why_edge){m->time_ps, m->time_ps + lag_ps, producer,
						 (uint8_t)kind_of(why, n, producer), m->how,
						 wait->semaphore});
}

/* GpSimd goes on before its software has made the descriptors. */
static void release_software(struct front *f, uint32_t node, size_t front_at)
{
	const struct nx_why_lags *lags = f->why->lags;
	struct nx_release_node *n = nx_why_node(f->why, node);

	if (front_at < f->count)
		f->edges[front_at].ready_ps += lags->soft_record;
	if (f->software == NX_NONE)
		n->flags |= NX_NODE_FIRST_SOFT;
	else
		add_edge(f, program_edge(f->software, nx_why_node(f->why, f->software)->start_ps,
					 nx_why_node(f->why, f->software)->start_ps +
						 lags->soft_step));
	f->software = node;
	f->edge =
		program_edge(node, n->start_ps - lags->soft_ahead, n->start_ps - lags->soft_ahead);
}

/* The last collective of the engine that ended by then. */
static void add_collective(struct front *f, const struct nx_release_node *n)
{
	const struct nx_why_list *list = f->collectives;
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (nx_why_node(f->why, list->items[middle])->end_ps <= n->end_ps)
			low = middle + 1;
		else
			high = middle;
	}
	if (low) {
		int64_t end_ps = nx_why_node(f->why, list->items[low - 1])->end_ps;

		if (end_ps > n->start_ps)
			add_edge(f, (struct nx_why_edge){end_ps, end_ps, list->items[low - 1],
							 NX_RELEASE_COLLECTIVE, NX_HOW_NONE, 0});
	}
}

/* Its duration may contain a wait, which ends with the last of what is inside. */
static void release_control(struct front *f, uint32_t node)
{
	struct nx_why *why = f->why;
	struct nx_release_node *n = nx_why_node(why, node);
	const struct nx_slot *slot = nx_why_slot(why, n);
	size_t inside = f->count;
	uint64_t partner;

	add_wait(f, n, &nx_why_signals(why, n)->inside, 0, n->end_ps, n->start_ps);
	if (nx_map_get(&why->partners, node, &partner)) {
		int64_t at = nx_why_node(why, (uint32_t)partner)->start_ps;

		if (at > n->start_ps)
			add_edge(f, (struct nx_why_edge){at, at, (uint32_t)partner,
							 NX_RELEASE_CROSS_CORE, NX_HOW_NONE, 0});
	}
	if (slot->control == NX_CONTROL_DRAIN) {
		int64_t end_ps = f->compute == NX_NONE ? 0 : nx_why_node(why, f->compute)->end_ps;

		if (f->compute != NX_NONE && end_ps > n->start_ps && end_ps <= n->end_ps)
			add_edge(f, program_edge(f->compute, end_ps, end_ps));
		add_collective(f, n);
	}
	for (size_t i = inside; i < f->count; i++)
		n->work_ps = nx_why_max(n->work_ps, f->edges[i].event_ps);
	f->edge =
		program_edge(node, n->end_ps, n->end_ps + why->lags->gap[slot->control][f->engine]);
}

static void add_compute_edge(struct front *f, const struct nx_release_node *n, uint32_t before)
{
	const struct nx_release_node *p = nx_why_node(f->why, before);
	int64_t overlap_ps = p->flags & NX_NODE_WEIGHTS ? NX_WHY_WEIGHTS_OVERLAP_PS
							: f->why->lags->overlap[f->engine];

	add_edge(f, program_edge(before, nx_why_min(p->end_ps, n->start_ps),
				 nx_why_max(p->start_ps,
					    nx_why_min(p->end_ps - overlap_ps, n->start_ps))));
}

static void release_compute(struct front *f, uint32_t node)
{
	struct nx_why *why = f->why;
	const struct nx_release_node *n = nx_why_node(why, node);
	uint32_t depth = why->lags->queue_depth[f->engine];

	assert(depth <= DEPTH_MAX);
	if (f->compute_count >= depth) { /* the queue had no room before that one began */
		uint32_t full = f->computes[(f->compute_count - depth) % DEPTH_MAX];
		int64_t at = nx_why_node(why, full)->start_ps;

		add_edge(f, program_edge(full, at, at));
	}
	f->edge = (struct nx_why_edge){0};
	for (size_t i = 0; i < f->count; i++)
		if (!i || f->edges[i].ready_ps > f->edge.ready_ps)
			f->edge = f->edges[i];
	f->edge.ready_ps += NX_WHY_FRONT_STEP_PS;
	if (f->compute != NX_NONE)
		add_compute_edge(f, n, f->compute);
	if (f->matmul != NX_NONE && f->matmul != f->compute)
		add_compute_edge(f, n, f->matmul);
	f->computes[f->compute_count++ % DEPTH_MAX] = node;
	f->compute = node;
	if (n->flags & NX_NODE_MATMUL)
		f->matmul = node;
}

static void release_node(struct front *f, uint32_t node)
{
	struct nx_why *why = f->why;
	const struct nx_release_node *n = nx_why_node(why, node);
	size_t front_at;

	f->count = 0;
	add_wait(f, n, &nx_why_signals(why, n)->before, nx_why_wake(why, n), n->start_ps,
		 INT64_MIN);
	front_at = f->count;
	if (f->edge.kind)
		add_edge(f, f->edge);
	if (n->flags & NX_NODE_SOFT)
		release_software(f, node, front_at);
	else if (n->flags & NX_NODE_CONTROL)
		release_control(f, node);
	else
		release_compute(f, node);
	nx_why_bind(why, node, f->edges, f->count);
}

void nx_why_release_engines(struct nx_why *why)
{
	const struct nx_capture *c = &why->profile->capture;
	struct nx_why_list order = {0}, collectives = {0};

	for (uint32_t g = 0; g < c->graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			struct front f = {.why = why,
					  .engine = e,
					  .compute = NX_NONE,
					  .matmul = NX_NONE,
					  .software = NX_NONE,
					  .collectives = &collectives};

			nx_vec_clear(&collectives);
			for (size_t i = why->graph.instruction_count + why->graph.blocks.len;
			     i < why->graph.nodes.len; i++)
				if (why->graph.nodes.items[i].graph == g &&
				    why->graph.nodes.items[i].engine == e)
					nx_vec_push(&collectives, (uint32_t)i);
			order_program(why, &why->engines[g][e], &order);
			for (size_t i = 0; i < order.len; i++)
				release_node(&f, order.items[i]);
		}
	nx_vec_release(&order);
	nx_vec_release(&collectives);
}
