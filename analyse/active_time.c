/* SPDX-License-Identifier: Apache-2.0 */
/* active_time: the time ranges in which an engine worked. */
#include <assert.h>

#include "analyse/analyses.h"
#include "analyse/span_union.h"

struct active_time {
	struct nx_derivation out;
	struct nx_span_union busy[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
};

static void add(void *state, const void *opaque)
{
	struct active_time *a = state;
	const struct nx_instruction *row = opaque;
	struct nx_active closed = {.graph = row->graph, .engine = row->engine};

	assert(row->graph < NX_MAX_GRAPHS && row->engine < NX_ENGINE_COUNT);
	if (nx_profile_slot(a->out.profile, row)->flags & NX_SLOT_WAITS_ONLY)
		return;
	if (nx_span_union_add(&a->busy[row->graph][row->engine], row->start_ps, row->end_ps,
			      &closed.start_ps, &closed.end_ps))
		a->out.fn(a->out.context, &closed);
}

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct active_time *a = state;

	(void)err;
	for (uint8_t g = 0; g < NX_MAX_GRAPHS; g++)
		for (uint8_t e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_span_union *u = &a->busy[g][e];
			struct nx_active last = {u->start_ps, u->end_ps, g, e};

			if (u->is_open)
				a->out.fn(a->out.context, &last);
		}
	return NX_OK;
}

const struct nx_analysis nx_analysis_active_time = {
	.reads = NX_TABLE_INSTRUCTION,
	.makes = NX_TABLE_ACTIVE,
	.row_size = sizeof(struct nx_active),
	.state_size = sizeof(struct active_time),
	.add = add,
	.finish = finish,
};
