/* SPDX-License-Identifier: Apache-2.0 */
/* The walk from effect to cause: one function for the path, for gaps, and for whom to blame. */
#include <assert.h>

#include "analyse/why/why_internal.h"

/* Releases at one and the same time: beyond, they go in circles, or causes come too late. */
#define STILL_MAX 256u

struct walk {
	const struct nx_release_node *nodes;
	struct nx_why_pieces *out;
	int64_t time_ps, low_ps;
	uint32_t hops;
	unsigned still; /* releases at one and the same time */
};

/* What is left of [from, time) has this cause. */
static void give(struct walk *w, int64_t from_ps, enum nx_cause cause, uint32_t node)
{
	from_ps = nx_why_max(w->low_ps, nx_why_min(from_ps, w->time_ps));
	if (from_ps >= w->time_ps)
		return;
	if (w->nodes[node].flags & NX_NODE_FRAME && cause != NX_CAUSE_OTHER_CORE)
		cause = NX_CAUSE_FRAME;
	nx_vec_push(w->out, ((struct nx_why_piece){from_ps, w->time_ps, cause, node, w->hops}));
	w->time_ps = from_ps;
}

static enum nx_cause own_cause(const struct nx_release_node *n, bool is_behind)
{
	if (n->kind == NX_NODE_INSTRUCTION)
		return NX_CAUSE_WAIT;
	if (n->kind == NX_NODE_COLLECTIVE)
		return NX_CAUSE_COLLECTIVE;
	return is_behind ? NX_CAUSE_QUEUEING : NX_CAUSE_TRANSFER;
}

static enum nx_cause lag_cause(const struct nx_release_node *n)
{
	if (n->flags & NX_NODE_SOFT)
		return NX_CAUSE_DESCRIPTORS;
	switch ((enum nx_release_kind)n->release) {
	case NX_RELEASE_PROGRAM:
		return NX_CAUSE_ISSUE;
	case NX_RELEASE_CROSS_CORE:
		return NX_CAUSE_OTHER_CORE;
	case NX_RELEASE_TRIGGER:
		return NX_CAUSE_STARTUP;
	case NX_RELEASE_RING:
		return NX_CAUSE_QUEUEING;
	case NX_RELEASE_COLLECTIVE:
		return NX_CAUSE_COLLECTIVE;
	default:
		return NX_CAUSE_WAKE;
	}
}

static int64_t slop_of(enum nx_cause lag)
{
	if (lag == NX_CAUSE_DESCRIPTORS)
		return NX_WHY_DESCRIPTOR_SLOP_PS;
	return lag == NX_CAUSE_STARTUP || lag == NX_CAUSE_QUEUEING ? NX_WHY_DMA_SLOP_PS
								   : NX_WHY_SLOP_PS;
}

/* A start that its cause does not explain: on the grid of full trace buffers, the trace is the
 * brake; the first software DMA loads a library; the runtime's own pauses are its frame. */
static enum nx_cause late_cause(const struct nx_release_node *n, const struct nx_release_node *pred)
{
	int64_t step_ps = n->work_ps - pred->start_ps, off_ps = step_ps % NX_WHY_TICK_PS;

	if (n->flags & NX_NODE_SOFT && pred->flags & NX_NODE_SOFT && step_ps > NX_WHY_TICK_PS &&
	    nx_why_min(off_ps, NX_WHY_TICK_PS - off_ps) <= NX_WHY_TICK_SPREAD_PS)
		return NX_CAUSE_TRACE;
	if (n->flags & NX_NODE_FIRST_SOFT ||
	    (n->release == NX_RELEASE_PROGRAM && pred->flags & NX_NODE_FRAME))
		return NX_CAUSE_FRAME;
	return NX_CAUSE_UNEXPLAINED;
}

/* From the event to the start of the work. */
static void give_lag(struct walk *w, uint32_t node)
{
	const struct nx_release_node *n = &w->nodes[node], *pred = &w->nodes[n->cause];
	enum nx_cause lag = lag_cause(n);

	if (n->work_ps - n->ready_ps > slop_of(lag) && lag != NX_CAUSE_COLLECTIVE) {
		give(w, n->work_ps - nx_why_max(0, n->ready_ps - n->event_ps), lag, node);
		give(w, n->event_ps, late_cause(n, pred), node);
	} else { /* the trigger's own execution is its engine's work */
		give(w, n->release == NX_RELEASE_TRIGGER ? pred->end_ps : n->event_ps, lag, node);
	}
}

/* From the end of the producer to the event. */
static void give_signal(struct walk *w, const struct nx_release_node *n)
{
	const struct nx_release_node *pred = &w->nodes[n->cause];

	if ((n->release != NX_RELEASE_SEMAPHORE && n->release != NX_RELEASE_COMPLETE &&
	     n->release != NX_RELEASE_CROSS_CORE) ||
	    pred->end_ps >= w->time_ps)
		return;
	give(w, pred->end_ps,
	     pred->kind == NX_NODE_BLOCK			 ? NX_CAUSE_COMPLETION
	     : n->release == NX_RELEASE_CROSS_CORE		 ? NX_CAUSE_OTHER_CORE
	     : w->time_ps - pred->end_ps > NX_WHY_LATE_SIGNAL_PS ? NX_CAUSE_TRACE
								 : NX_CAUSE_WAKE,
	     n->cause);
}

void nx_why_walker_run(struct nx_why_walker *walker, struct nx_why_pieces *out, size_t limit)
{
	struct walk w = {walker->graph->nodes.items,
			 out,
			 walker->time_ps,
			 walker->low_ps,
			 walker->hops,
			 walker->still};

	while (w.time_ps > w.low_ps && out->len < limit) {
		const struct nx_release_node *n = &w.nodes[walker->node];
		int64_t before_ps = w.time_ps;

		give(&w, n->work_ps, own_cause(n, walker->is_behind), walker->node);
		if (w.time_ps > n->work_ps || n->cause == NX_NONE || w.still > STILL_MAX) {
			give(&w, w.low_ps,
			     n->kind == NX_NODE_INSTRUCTION && !n->release ? NX_CAUSE_FRAME
									   : NX_CAUSE_UNEXPLAINED,
			     walker->node);
			break;
		}
		w.hops++;
		give_lag(&w, walker->node);
		give_signal(&w, n);
		walker->is_behind = n->release == NX_RELEASE_RING;
		walker->node = n->cause;
		w.still = w.time_ps == before_ps ? w.still + 1 : 0;
	}
	walker->time_ps = w.time_ps;
	walker->hops = w.hops;
	walker->still = w.still;
}

void nx_why_walk(const struct nx_release_graph *graph, uint32_t node, int64_t time_ps,
		 int64_t low_ps, struct nx_why_pieces *out)
{
	struct nx_why_walker walker = {
		.graph = graph, .node = node, .time_ps = time_ps, .low_ps = low_ps};

	assert(node < graph->nodes.len);
	nx_why_walker_run(&walker, out, SIZE_MAX);
}
