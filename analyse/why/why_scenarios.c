/* SPDX-License-Identifier: Apache-2.0 */
/* What would change if one cause went away, for each cause that the profile has. */
#include <string.h>

#include "analyse/why/why_internal.h"

#define GATE_PART 1000 /* the replay may miss the measurement by one in this many */

struct path_sums {
	const struct nx_why *why;
	int64_t causes[NX_CAUSE_COUNT];
	int64_t computed[NX_ENGINE_COUNT]; /* useful, transpose and throttled of an engine */
	int64_t reloads;		   /* DMA causes of transfers that load again */
};

static void add_piece(void *context, const struct nx_why_piece *piece)
{
	struct path_sums *sums = context;
	const struct nx_release_node *n = &sums->why->graph.nodes.items[piece->node];
	int64_t time_ps = piece->end_ps - piece->start_ps;

	sums->causes[piece->cause] += time_ps;
	if (piece->cause == NX_CAUSE_USEFUL || piece->cause == NX_CAUSE_TRANSPOSE ||
	    piece->cause == NX_CAUSE_THROTTLED)
		sums->computed[n->engine] += time_ps;
	if (n->kind == NX_NODE_BLOCK && n->flags & NX_NODE_RELOAD)
		sums->reloads += time_ps;
}

static void add_scenario(struct nx_why_prediction *out, const char *name, int64_t total_ps,
			 int64_t path_ps)
{
	size_t at = out->scenario_count;

	if (at == NX_WHY_SCENARIOS_MAX)
		return;
	for (; at && out->scenarios[at - 1].total_ps > total_ps; at--)
		out->scenarios[at] = out->scenarios[at - 1];
	out->scenarios[at] = (struct nx_why_scenario){name, total_ps, path_ps};
	out->scenario_count++;
}

/* What the profile has: engines that compute, and flags of nodes. */
static unsigned survey(const struct nx_why *why, bool computes[NX_ENGINE_COUNT])
{
	unsigned flags = 0;

	for (uint32_t i = 0; i < why->graph.instruction_count; i++) {
		const struct nx_release_node *n = &why->graph.nodes.items[i];

		if (n->flags & NX_NODE_FRAME)
			continue;
		flags |= n->flags;
		if (!(n->flags & NX_NODE_CONTROL))
			computes[n->engine] = true;
	}
	return flags;
}

/* Transfers that load again, and cores or ranks that come late. */
static void predict_reloads_and_skew(struct nx_why *why, const struct path_sums *sums,
				     struct nx_why_prediction *out)
{
	bool has_reloads = false, has_skew = false;
	struct nx_why_change change;

	for (size_t i = 0; i < why->graph.nodes.len; i++) {
		const struct nx_release_node *n = &why->graph.nodes.items[i];

		has_reloads |= n->kind == NX_NODE_BLOCK && n->flags & NX_NODE_RELOAD;
		has_skew |= n->kind == NX_NODE_COLLECTIVE ||
			    (n->release == NX_RELEASE_CROSS_CORE && !(n->flags & NX_NODE_FRAME));
	}
	if (has_reloads) {
		change = (struct nx_why_change){.no_reloads = true};
		add_scenario(out, "no reloads", nx_why_replay(why, &change).end_ps, sums->reloads);
	}
	if (has_skew) {
		change = (struct nx_why_change){.no_skew = true};
		add_scenario(out, "no skew", nx_why_replay(why, &change).end_ps,
			     sums->causes[NX_CAUSE_OTHER_CORE] + sums->causes[NX_CAUSE_COLLECTIVE]);
	}
}

static void predict_engines(struct nx_why *why, const struct path_sums *sums,
			    const bool computes[NX_ENGINE_COUNT], struct nx_why_prediction *out)
{
	static const char *const names[NX_ENGINE_COUNT] = {
		"Tensor infinitely fast", "Scalar infinitely fast", "GpSimd infinitely fast",
		"Vector infinitely fast", "Sync infinitely fast"};

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		struct nx_why_change change = {0};

		if (!computes[e])
			continue;
		change.is_scaled[e] = true;
		add_scenario(out, names[e], nx_why_replay(why, &change).end_ps, sums->computed[e]);
	}
}

void nx_why_predict(struct nx_why *why, struct nx_why_prediction *out)
{
	struct path_sums sums = {.why = why};
	struct nx_why_change change = {0};
	struct nx_why_replay same = nx_why_replay(why, &change);
	bool computes[NX_ENGINE_COUNT] = {false};
	unsigned flags = survey(why, computes);
	int64_t error_ps = same.end_ps - why->graph.end_ps;

	*out = (struct nx_why_prediction){.replay_error_ps = error_ps,
					  .pinned_count = same.pinned_count};
	if (!why->graph.instruction_count)
		return;
	change.is_nominal = true;
	out->nominal_ps = nx_why_replay(why, &change).end_ps;
	if (same.pinned_count ||
	    (error_ps < 0 ? -error_ps : error_ps) > why->graph.end_ps / GATE_PART)
		return;
	nx_why_path(why, add_piece, &sums);
	predict_engines(why, &sums, computes, out);
	if (why->graph.blocks.len) {
		change = (struct nx_why_change){.no_startup = true};
		add_scenario(out, "no DMA start-up", nx_why_replay(why, &change).end_ps,
			     sums.causes[NX_CAUSE_STARTUP]);
		change = (struct nx_why_change){.at_link_rate = true};
		add_scenario(out, "transfers at link rate", nx_why_replay(why, &change).end_ps,
			     sums.causes[NX_CAUSE_TRANSFER]);
	}
	if (flags & NX_NODE_SOFT) {
		change = (struct nx_why_change){.no_descriptors = true};
		add_scenario(out, "no DMA descriptors in software",
			     nx_why_replay(why, &change).end_ps, sums.causes[NX_CAUSE_DESCRIPTORS]);
	}
	if (flags & NX_NODE_MATMUL) {
		change = (struct nx_why_change){.no_throttling = true};
		add_scenario(out, "no throttling", nx_why_replay(why, &change).end_ps,
			     sums.causes[NX_CAUSE_THROTTLED]);
	}
	if (flags & NX_NODE_TRANSPOSE) {
		change = (struct nx_why_change){.no_transposes = true};
		add_scenario(out, "no transposes", nx_why_replay(why, &change).end_ps,
			     sums.causes[NX_CAUSE_TRANSPOSE]);
	}
	predict_reloads_and_skew(why, &sums, out);
	add_scenario(out, "perfect overlap (bound)", nx_why_overlap_bound(why), -1);
}
