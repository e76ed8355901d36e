/* SPDX-License-Identifier: Apache-2.0 */
/* Which transfers bring data into SBUF that was there before: spilled, or loaded and overwritten.
 */
#include "analyse/why/why_internal.h"
#include "model/transfer.h"

#define SBUF 0u /* variable of every graph */

struct reloads {
	struct nx_why *why;
	struct nx_map first;   /* source and DMA engine -> the block that loaded it first */
	struct nx_map spilled; /* graph and variable that SBUF was written to */
};

/* What a block does, if the NEFF says it. */
static const struct nx_dma_descriptor *descriptor_of(const struct nx_why *why,
						     const struct nx_release_node *trigger,
						     size_t *count)
{
	const struct nx_slot *slot = nx_why_slot(why, trigger);
	struct nx_transfer transfer = {.block = slot->trigger_block_index,
				       .graph = trigger->graph,
				       .engine = trigger->engine,
				       .is_dynamic = slot->flags & NX_SLOT_DYNAMIC_DMA};
	const struct nx_dma_block *block = nx_transfer_block(why->profile, &transfer);

	if (!why->profile->program.binary_graphs[trigger->graph] || !block ||
	    !block->descriptor_count || block->descriptors[0].from_count != 1)
		return NULL;
	*count = block->descriptor_count;
	return &block->descriptors[0];
}

/* No instruction writes inputs and weights, so that the first load would have been enough. */
static bool is_constant(const struct nx_binary_graph *graph, uint32_t variable)
{
	return nx_variable_is(graph, variable, "input") || nx_variable_is(graph, variable, "file");
}

/* Whether it loads what an earlier block has loaded; notes which. */
static bool loads_again(struct reloads *r, uint32_t node, const struct nx_release_node *trigger,
			const struct nx_dma_descriptor *d, size_t count)
{
	uint32_t dma_engine =
		r->why->graph.blocks.items[nx_why_node(r->why, node)->place].dma_engine;
	uint64_t words[] = {trigger->graph, d->from[0], d->from_offset,
			    d->from_bytes,  count,	dma_engine};
	uint64_t key = nx_hash_words(words, sizeof(words) / sizeof(words[0])), loader;

	if (!nx_map_get(&r->first, key, &loader)) {
		nx_map_put(&r->first, key, node);
		return false;
	}
	nx_map_put(&r->why->first_loads, node, loader);
	return true;
}

static bool is_reload(struct reloads *r, uint32_t node, const struct nx_release_node *trigger)
{
	const struct nx_binary_graph *graph =
		r->why->profile->program.binary_graphs[trigger->graph];
	size_t count;
	const struct nx_dma_descriptor *d = descriptor_of(r->why, trigger, &count);
	uint64_t unused;

	if (nx_why_slot(r->why, trigger)->flags & NX_SLOT_SPILL_RELOAD)
		return true;
	if (!d || d->from_offset == NX_OFFSET_UNKNOWN)
		return false;
	if (d->from[0] == SBUF && d->to != SBUF)
		nx_map_put(&r->spilled, (uint64_t)trigger->graph << 32 | d->to, 1);
	if (d->from[0] == SBUF || d->to != SBUF)
		return false;
	if (is_constant(graph, d->from[0]))
		return loads_again(r, node, trigger, d, count);
	return nx_map_get(&r->spilled, (uint64_t)trigger->graph << 32 | d->from[0], &unused);
}

void nx_why_mark_reloads(struct nx_why *why)
{
	struct reloads r = {.why = why};

	for (size_t i = 0; i < why->graph.blocks.len; i++) {
		uint32_t node = why->graph.instruction_count + (uint32_t)i;
		uint32_t trigger = why->graph.blocks.items[i].trigger;

		if (trigger != NX_NONE && is_reload(&r, node, nx_why_node(why, trigger)))
			nx_why_node(why, node)->flags |= NX_NODE_RELOAD;
	}
	nx_map_release(&r.first);
	nx_map_release(&r.spilled);
}
