/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/rank_times.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"

/* Beyond this, clocks were not set, and JSON numbers would lose digits. */
#define MOST_SPREAD_NS ((uint64_t)1 << 53)

const char *nx_rank_clock_name(enum nx_rank_clock clock)
{
	static const char *const names[] = {
#define NX_RANK_CLOCK_NAME(name, text, sentence) text,
		NX_RANK_CLOCK_MAP(NX_RANK_CLOCK_NAME)
#undef NX_RANK_CLOCK_NAME
	};

	return names[clock];
}

const char *nx_rank_clock_sentence(enum nx_rank_clock clock)
{
	static const char *const sentences[] = {
#define NX_RANK_CLOCK_SENTENCE(name, text, sentence) sentence,
		NX_RANK_CLOCK_MAP(NX_RANK_CLOCK_SENTENCE)
#undef NX_RANK_CLOCK_SENTENCE
	};

	return sentences[clock];
}

/* --- aligning ------------------------------------------------------------------------------ */

static bool by_host(struct nx_rank_time *ranks, size_t count)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start = ranks[i].start_epoch_ns;

		if (!start)
			return false;
		first = start < first ? start : first;
		last = start > last ? start : last;
	}
	if (last - first > MOST_SPREAD_NS)
		return false;
	for (size_t i = 0; i < count; i++)
		ranks[i].offset_ns = ranks[i].start_epoch_ns - first;
	return true;
}

static bool have_collective(const struct nx_rank_time *ranks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!ranks[i].collective || !*ranks[i].collective ||
		    strcmp(ranks[i].collective, ranks[0].collective) != 0)
			return false;
	return true;
}

static bool by_collective(struct nx_rank_time *ranks, size_t count)
{
	uint64_t last = 0;

	if (!have_collective(ranks, count))
		return false;
	for (size_t i = 0; i < count; i++)
		last = ranks[i].collective_end_ns > last ? ranks[i].collective_end_ns : last;
	if (last > MOST_SPREAD_NS)
		return false;
	for (size_t i = 0; i < count; i++)
		ranks[i].offset_ns = last - ranks[i].collective_end_ns;
	return true;
}

enum nx_rank_clock nx_rank_times_align(struct nx_rank_time *ranks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ranks[i].offset_ns = 0;
	if (count < 2)
		return NX_RANK_CLOCK_NONE;
	if (by_host(ranks, count))
		return NX_RANK_CLOCK_HOST;
	return by_collective(ranks, count) ? NX_RANK_CLOCK_COLLECTIVE : NX_RANK_CLOCK_NONE;
}

/* --- summing ------------------------------------------------------------------------------- */

static uint64_t skew_of(const struct nx_rank_time *ranks, size_t count)
{
	uint64_t first = UINT64_MAX, last = 0;

	if (count < 2 || !have_collective(ranks, count))
		return UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t end = ranks[i].offset_ns + ranks[i].collective_end_ns;

		first = end < first ? end : first;
		last = end > last ? end : last;
	}
	return last - first;
}

void nx_rank_times_sum(const struct nx_rank_time *ranks, size_t count,
		       struct nx_rank_totals *totals)
{
	double sum = 0;

	assert(count);
	*totals = (struct nx_rank_totals){.least_ns = UINT64_MAX};
	for (size_t i = 0; i < count; i++) {
		const struct nx_rank_time *r = &ranks[i];

		sum += (double)r->total_ns;
		if (r->total_ns < totals->least_ns) {
			totals->least_ns = r->total_ns;
			totals->fastest = i;
		}
		if (r->total_ns > totals->most_ns) {
			totals->most_ns = r->total_ns;
			totals->slowest = i;
		}
		if (r->offset_ns + r->total_ns > totals->span_ns)
			totals->span_ns = r->offset_ns + r->total_ns;
	}
	totals->mean_ns = (uint64_t)(sum / (double)count + 0.5);
	totals->collective_skew_ns = skew_of(ranks, count);
}

/* --- collectives of a capture -------------------------------------------------------------- */

static const struct nx_collective_run *first_run(const struct nx_graph *graph)
{
	const struct nx_collective_run *first = NULL;

	for (size_t i = 0; i < graph->collective_run_count; i++) {
		const struct nx_collective_run *run = &graph->collective_runs[i];

		if (run->op_idx < graph->collective_op_count &&
		    (!first || run->end_ps < first->end_ps))
			first = run;
	}
	return first;
}

static void describe(const struct nx_graph *graph, const struct nx_collective_op *op,
		     char text[NX_RANK_COLLECTIVE_MAX])
{
	uint64_t members = NX_FNV_SEED, member_count = 0;

	for (size_t i = 0; i < graph->collective_group_count; i++) {
		const struct nx_collective_group *group = &graph->collective_groups[i];

		if (group->comm_id != op->comm_id)
			continue;
		member_count = group->rank_count;
		if (group->ranks)
			members = nx_fnv1a(members, group->ranks,
					   group->rank_count * sizeof(*group->ranks));
		break;
	}
	snprintf(text, NX_RANK_COLLECTIVE_MAX,
		 "type %" PRId64 ", %" PRIu64 " elements, %" PRIu64 " ranks %016" PRIx64, op->type,
		 op->element_count, member_count, members);
}

uint64_t nx_rank_collective(const struct nx_capture *capture, char text[NX_RANK_COLLECTIVE_MAX])
{
	uint64_t origin = (uint64_t)capture->window_start_ps;

	*text = '\0';
	for (uint32_t g = 0; g < capture->graph_count; g++) {
		const struct nx_graph *graph = &capture->graphs[g];
		const struct nx_collective_run *run = first_run(graph);

		if (!run || run->end_ps < origin)
			continue;
		describe(graph, &graph->collective_ops[run->op_idx], text);
		return (run->end_ps - origin) / 1000;
	}
	return 0;
}
