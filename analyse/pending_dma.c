/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/pending_dma.h"

#include <stdlib.h>

/* At one moment ends come before starts. */
static int compare_steps(const void *left, const void *right)
{
	const struct nx_pending_step *a = left, *b = right;

	if (a->time_ps != b->time_ps)
		return a->time_ps < b->time_ps ? -1 : 1;
	if (a->change != b->change)
		return a->change - b->change;
	return a->graph - b->graph;
}

void nx_pending_begin(struct nx_pending_analysis *a, const struct nx_transfers *transfers)
{
	for (size_t i = 0; i < transfers->len; i++) {
		const struct nx_transfer *t = &transfers->items[i];

		nx_vec_push(&a->transfers, ((struct nx_pending_step){t->trigger_ps, t->graph, 1}));
		nx_vec_push(&a->transfers, ((struct nx_pending_step){t->end_ps, t->graph, -1}));
	}
	if (a->transfers.len)
		qsort(a->transfers.items, a->transfers.len, sizeof(*a->transfers.items),
		      compare_steps);
}

static void apply(struct nx_pending_analysis *a, const struct nx_pending_step *step)
{
	struct nx_pending row = {step->time_ps, 0, step->graph};

	row.value = a->value[step->graph] += step->change;
	a->fn(a->context, &row);
}

void nx_pending_add(struct nx_pending_analysis *a, const struct nx_instruction *row,
		    const struct nx_slot *slot)
{
	struct nx_pending_step step = {row->start_ps, row->graph, 1};

	if (!(slot->flags & NX_SLOT_DYNAMIC_DMA))
		return;
	while (a->next < a->transfers.len && compare_steps(&a->transfers.items[a->next], &step) < 0)
		apply(a, &a->transfers.items[a->next++]);
	apply(a, &step);
}

void nx_pending_finish(struct nx_pending_analysis *a)
{
	while (a->next < a->transfers.len)
		apply(a, &a->transfers.items[a->next++]);
	nx_vec_release(&a->transfers);
}
