/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending_dma: DMA work started and not yet finished, over time. A transfer counts from the
 * instruction that starts it to the end of its last packet. A dynamic DMA that is no transfer,
 * because there are no DGE notifications, counts from its instruction on and is never removed.
 */
#include <assert.h>
#include <stdlib.h>

#include "analyse/analyses.h"
#include "model/transfer.h"

struct step {
	uint64_t time_ps;
	uint8_t graph;
	int8_t change;
};

struct pending_dma {
	struct nx_derivation out;
	struct steps NX_VEC_BODY(struct step) transfers; /* by time */
	size_t next;
	struct nx_trigger_walk triggers;
	int64_t value[NX_MAX_GRAPHS];
};

/* At one moment ends come before starts. */
static int compare_steps(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->time_ps != b->time_ps)
		return a->time_ps < b->time_ps ? -1 : 1;
	if (a->change != b->change)
		return a->change - b->change;
	return a->graph - b->graph;
}

static void begin(void *state)
{
	struct pending_dma *a = state;
	const struct nx_transfers *transfers = &a->out.profile->transfers;

	a->triggers.transfers = transfers;
	for (size_t i = 0; i < transfers->len; i++) {
		const struct nx_transfer *t = &transfers->items[i];

		nx_vec_push(&a->transfers, ((struct step){t->trigger_ps, t->graph, 1}));
		nx_vec_push(&a->transfers, ((struct step){t->end_ps, t->graph, -1}));
	}
	if (a->transfers.len)
		qsort(a->transfers.items, a->transfers.len, sizeof(*a->transfers.items),
		      compare_steps);
}

static void apply(struct pending_dma *a, const struct step *step)
{
	struct nx_pending row = {step->time_ps, 0, step->graph};

	assert(step->graph < NX_MAX_GRAPHS);
	row.value = a->value[step->graph] += step->change;
	a->out.fn(a->out.context, &row);
}

static bool is_transfer(struct pending_dma *a, const struct nx_instruction *row)
{
	uint32_t at = nx_trigger_walk_find(&a->triggers, row);

	return at != NX_NONE && a->triggers.transfers->items[at].is_dynamic;
}

static void add(void *state, const void *opaque)
{
	struct pending_dma *a = state;
	const struct nx_instruction *row = opaque;
	struct step step = {row->start_ps, row->graph, 1};

	if (!(nx_profile_slot(a->out.profile, row)->flags & NX_SLOT_DYNAMIC_DMA) ||
	    is_transfer(a, row))
		return;
	while (a->next < a->transfers.len && compare_steps(&a->transfers.items[a->next], &step) < 0)
		apply(a, &a->transfers.items[a->next++]);
	apply(a, &step);
}

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct pending_dma *a = state;

	(void)err;
	while (a->next < a->transfers.len)
		apply(a, &a->transfers.items[a->next++]);
	return NX_OK;
}

static void release(void *state)
{
	nx_vec_release(&((struct pending_dma *)state)->transfers);
}

const struct nx_analysis nx_analysis_pending_dma = {
	.reads = NX_TABLE_INSTRUCTION,
	.makes = NX_TABLE_PENDING,
	.row_size = sizeof(struct nx_pending),
	.state_size = sizeof(struct pending_dma),
	.begin = begin,
	.add = add,
	.finish = finish,
	.release = release,
};
