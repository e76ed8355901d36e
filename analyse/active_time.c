/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/active_time.h"

void nx_active_add(struct nx_active_analysis *a, const struct nx_instruction *row,
		   const struct nx_slot *slot)
{
	struct nx_active closed = {.graph = row->graph, .engine = row->engine};

	if (slot->flags & NX_SLOT_WAITS_ONLY)
		return;
	if (nx_span_union_add(&a->busy[row->graph][row->engine], row->start_ps, row->end_ps,
			      &closed.start_ps, &closed.end_ps))
		a->fn(a->context, &closed);
}

void nx_active_finish(struct nx_active_analysis *a)
{
	for (uint8_t g = 0; g < NX_MAX_GRAPHS; g++)
		for (uint8_t e = 0; e < NX_ENGINE_COUNT; e++) {
			struct nx_span_union *u = &a->busy[g][e];
			struct nx_active last = {u->start_ps, u->end_ps, g, e};

			if (u->is_open)
				a->fn(a->context, &last);
			u->is_open = false;
		}
}
