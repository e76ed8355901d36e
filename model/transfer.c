/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transfer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define ID_MASK INT64_MAX

const struct nx_dma_block *nx_transfer_block(const struct nx_profile *profile,
					     const struct nx_transfer *transfer)
{
	const struct nx_binary_graph *graph = profile->program.binary_graphs[transfer->graph];

	assert(transfer->graph < NX_MAX_GRAPHS && transfer->engine < NX_ENGINE_COUNT);
	if (transfer->is_dynamic)
		return transfer->block < profile->program.dynamic_block_count
			       ? &profile->program.dynamic_blocks[transfer->block]
			       : NULL;
	if (!graph || transfer->block >= graph->engines[transfer->engine].block_count)
		return NULL;
	return &graph->engines[transfer->engine].blocks[transfer->block];
}

const char *nx_variable_kind(const struct nx_binary_graph *graph, uint32_t variable)
{
	static const struct {
		const char *type, *shown;
	} kinds[] = {
		{"state-buffer", "SB"}, {"file", "WEIGHT"},	{"input", "INPUT"},
		{"output", "OUTPUT"},	{"virtual", "VIRTUAL"}, {"remote", "REMOTE"},
	};

	if (variable >= graph->variable_count)
		return "unknown";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(graph->variables[variable].type, kinds[i].type))
			return kinds[i].shown;
	return graph->variables[variable].type;
}

const char *nx_descriptor_variable(const struct nx_binary_graph *graph,
				   const struct nx_dma_descriptor *descriptor)
{
	uint32_t v = descriptor->from_count ? descriptor->from[0] : NX_NONE;

	if (v >= graph->variable_count || !strcmp(graph->variables[v].type, "state-buffer"))
		v = descriptor->to;
	return v < graph->variable_count ? graph->variables[v].name : "unknown";
}

/* --- ids ------------------------------------------------------------------- */

static uint64_t hash_u32(uint64_t hash, uint32_t value)
{
	return nx_fnv1a(hash, &value, sizeof(value));
}

static uint64_t hash_graph(const struct nx_profile *profile, uint64_t hash, uint32_t graph)
{
	const char *name = profile->capture.graphs[graph].name;

	assert(graph < profile->capture.graph_count);
	return nx_fnv1a(hash, name, strlen(name)) & ID_MASK;
}

uint64_t nx_packet_id(const struct nx_profile *profile, const struct nx_packet *packet,
		      uint32_t block)
{
	uint64_t h = hash_u32(NX_FNV_SEED, packet->packet_idx);

	h = hash_u32(h, block);
	h = hash_u32(h, packet->dma_engine);
	return hash_graph(profile, hash_u32(h, packet->dma_queue), packet->graph);
}

uint64_t nx_aggregation_id(const struct nx_profile *profile, uint32_t graph, uint32_t queue_idx,
			   uint32_t block, uint32_t turn)
{
	uint64_t h = hash_u32(hash_u32(NX_FNV_SEED, turn), block);

	return hash_graph(profile, hash_u32(h, queue_idx), graph);
}

/* --- order ----------------------------------------------------------------- */

static int compare_starts(const void *left, const void *right, void *context)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct nx_transfer *all = context;

	if (all[l].start_ps != all[r].start_ps)
		return all[l].start_ps < all[r].start_ps ? -1 : 1;
	return (l > r) - (l < r);
}

uint32_t *nx_transfers_by_start(const struct nx_transfers *transfers)
{
	uint32_t *order = nx_heap_alloc(sizeof(*order) * (transfers->len + 1));

	for (uint32_t i = 0; i < transfers->len; i++)
		order[i] = i;
	if (transfers->len)
		qsort_r(order, transfers->len, sizeof(*order), compare_starts, transfers->items);
	return order;
}

/* Rows of one nanosecond may come in any order, so the walk moves by nanoseconds. */
uint32_t nx_trigger_walk_find(struct nx_trigger_walk *walk, const struct nx_instruction *row)
{
	const struct nx_transfers *t = walk->transfers;
	uint64_t row_ns = row->start_ps / 1000;

	while (walk->next < t->len && t->items[walk->next].trigger_ps / 1000 < row_ns)
		walk->next++;
	for (size_t i = walk->next; i < t->len && t->items[i].trigger_ps / 1000 == row_ns; i++)
		if (t->items[i].trigger_ps == row->start_ps && t->items[i].graph == row->graph &&
		    t->items[i].engine == row->engine)
			return (uint32_t)i;
	return NX_NONE;
}
