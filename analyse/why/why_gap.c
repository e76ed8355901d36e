/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/why/why_internal.h"

struct nx_why_gap nx_why_find_gap(const struct nx_release_graph *graph, unsigned core,
				  unsigned engine, int64_t time_ps)
{
	const struct nx_release_node *nodes = graph->nodes.items;
	struct nx_why_gap gap = {.end_ps = INT64_MAX, .node = NX_NONE};

	for (uint32_t i = 0; i < graph->nodes.len; i++) {
		const struct nx_release_node *n = &nodes[i];

		if (n->kind != NX_NODE_INSTRUCTION || n->graph != core || n->engine != engine)
			continue;
		if (n->work_ps <= time_ps && time_ps < n->end_ps)
			return (struct nx_why_gap){false, n->work_ps, n->end_ps, i};
		if (n->end_ps <= time_ps)
			gap.start_ps = nx_why_max(gap.start_ps, n->end_ps);
		else if (n->work_ps < gap.end_ps) {
			gap.end_ps = n->work_ps;
			gap.node = i;
		}
	}
	gap.is_found = gap.node != NX_NONE;
	return gap;
}

enum nx_status nx_why_explain_gap(const struct nx_release_graph *graph,
				  const struct nx_node_label *labels, unsigned core,
				  unsigned engine, int64_t time_ps, struct nx_why_gap_answer *out,
				  struct nx_error *err)
{
	struct nx_why_gap gap = nx_why_find_gap(graph, core, engine, time_ps);
	const char *label = nx_engines[engine].label;

	if (!gap.is_found && gap.node != NX_NONE)
		return nx_fail(err, NX_NOT_FOUND,
			       "%s of core %u works at %.3f us, from %.3f us to %.3f us; name a "
			       "time in one of its pauses",
			       label, core, (double)time_ps / 1e6, (double)gap.start_ps / 1e6,
			       (double)gap.end_ps / 1e6);
	if (!gap.is_found)
		return nx_fail(err, NX_NOT_FOUND,
			       "nothing runs on %s of core %u after %.3f us; its last instruction "
			       "ends at %.3f us",
			       label, core, (double)time_ps / 1e6, (double)gap.start_ps / 1e6);
	*out = (struct nx_why_gap_answer){.graph = graph,
					  .labels = labels,
					  .core = core,
					  .engine = engine,
					  .start_ps = gap.start_ps,
					  .end_ps = gap.end_ps,
					  .node = gap.node};
	nx_why_walk(graph, gap.node, gap.end_ps, gap.start_ps, &out->pieces);
	return NX_OK;
}
