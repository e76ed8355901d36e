/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/static_dma.h"

#include <string.h>

/* A write of this size or less updates a semaphore; it is not payload. */
#define SEMAPHORE_WRITE_BYTES 4

/* (dma engine, queue) -> declared queue, so that a packet finds its queue at once */
#define LOOKUP_ENGINES 256
#define LOOKUP_QUEUES 16

struct nx_queue_lookup {
	uint32_t queue[LOOKUP_ENGINES][LOOKUP_QUEUES]; /* index + 1 */
};

void nx_static_dma_init(struct nx_static_dma *s, const struct nx_profile *profile)
{
	memset(s, 0, sizeof(*s));
	s->profile = profile;
	for (uint32_t g = 0; g < profile->capture.graph_count; g++) {
		const struct nx_graph *graph = &profile->capture.graphs[g];
		size_t size = sizeof(struct nx_static_queue) * (graph->queue_count + 1);

		s->queues[g] = nx_heap_alloc(size);
		memset(s->queues[g], 0, size);
		s->lookup[g] = nx_heap_alloc(sizeof(struct nx_queue_lookup));
		memset(s->lookup[g], 0, sizeof(struct nx_queue_lookup));
		for (size_t q = 0; q < graph->queue_count; q++)
			if (graph->queues[q].engine_idx < LOOKUP_ENGINES &&
			    graph->queues[q].queue_idx < LOOKUP_QUEUES)
				s->lookup[g]->queue[graph->queues[q].engine_idx]
						   [graph->queues[q].queue_idx] = (uint32_t)q + 1;
	}
}

void nx_static_dma_release(struct nx_static_dma *s)
{
	for (uint32_t g = 0; s->profile && g < s->profile->capture.graph_count; g++) {
		for (size_t q = 0; s->queues[g] && q < s->profile->capture.graphs[g].queue_count;
		     q++)
			nx_vec_release(&s->queues[g][q].runs);
		nx_heap_free(s->queues[g]);
		nx_heap_free(s->lookup[g]);
	}
	nx_vec_release(&s->transfers);
	nx_vec_release(&s->kept);
	memset(s, 0, sizeof(*s));
}

void nx_static_dma_add_trigger(struct nx_static_dma *s, const struct nx_instruction *row,
			       const struct nx_slot *slot)
{
	struct nx_transfer t = {.trigger_ps = row->start_ps,
				.start_ps = UINT64_MAX,
				.block_id = slot->trigger_block,
				.queue = slot->trigger_queue,
				.block = slot->trigger_block_index,
				.graph = row->graph,
				.engine = row->engine};

	if (slot->flags & NX_SLOT_TRIGGER && s->transfers.len < NX_NONE)
		nx_vec_push(&s->transfers, t);
}

static uint32_t declared_packets(const struct nx_queue *queue, uint32_t block_id)
{
	/* ids are dense in practice; scan only when they are not */
	if (block_id < queue->block_count && queue->blocks[block_id].block_id == block_id)
		return queue->blocks[block_id].packet_count;
	for (size_t i = 0; i < queue->block_count; i++)
		if (queue->blocks[i].block_id == block_id)
			return queue->blocks[i].packet_count;
	return 0;
}

static void take_packets(struct nx_static_dma *s, uint32_t transfer)
{
	const struct nx_transfer *t = &s->transfers.items[transfer];
	const struct nx_graph *graph = &s->profile->capture.graphs[t->graph];
	const char *name = s->profile->program.queue_names[t->queue];

	for (size_t q = 0; q < graph->queue_count; q++) {
		struct nx_static_queue *queue = &s->queues[t->graph][q];
		uint32_t count;

		if (!graph->queues[q].block_count || strcmp(graph->queues[q].name, name) != 0)
			continue;
		count = declared_packets(&graph->queues[q], t->block_id);
		if (count)
			nx_vec_push(&queue->runs,
				    ((struct nx_packet_run){queue->wanted, queue->wanted + count,
							    transfer}));
		queue->wanted += count;
	}
}

void nx_static_dma_prepare(struct nx_static_dma *s)
{
	for (uint32_t t = 0; t < s->transfers.len; t++)
		take_packets(s, t);
}

static struct nx_static_queue *queue_of(const struct nx_static_dma *s, const struct nx_packet *row,
					uint32_t *index)
{
	uint32_t found;

	if (row->dma_engine >= LOOKUP_ENGINES || row->dma_queue >= LOOKUP_QUEUES)
		return NULL;
	found = s->lookup[row->graph]->queue[row->dma_engine][row->dma_queue];
	if (!found)
		return NULL;
	*index = found - 1;
	return &s->queues[row->graph][found - 1];
}

static void add_to_transfer(struct nx_static_dma *s, struct nx_transfer *t,
			    const struct nx_packet *row, uint32_t queue)
{
	const struct nx_queue *queues = s->profile->capture.graphs[t->graph].queues;

	if (row->start_ps < t->start_ps)
		t->start_ps = row->start_ps;
	if (!t->packet_count || row->end_ps > t->end_ps) {
		t->end_ps = row->end_ps;
		t->crc = row->crc;
	}
	if (row->size_bytes > SEMAPHORE_WRITE_BYTES)
		t->size_bytes += row->size_bytes;
	if (!t->packet_count || queues[queue].engine_idx > queues[t->queue].engine_idx)
		t->queue = queue;
	t->packet_count++;
}

void nx_static_dma_add_packet(struct nx_static_dma *s, const struct nx_packet *row)
{
	uint32_t index;
	struct nx_static_queue *queue = queue_of(s, row, &index);
	uint64_t ordinal;

	if (!queue)
		return;
	ordinal = queue->seen++;
	if (!ordinal)
		queue->first_idx = row->packet_idx;
	while (queue->current < queue->runs.len && queue->runs.items[queue->current].end <= ordinal)
		queue->current++;
	if (queue->current < queue->runs.len)
		add_to_transfer(s, &s->transfers.items[queue->runs.items[queue->current].transfer],
				row, index);
}

void nx_static_dma_finish(struct nx_static_dma *s, struct nx_transfers *out)
{
	for (size_t i = 0; i < s->transfers.len; i++) {
		bool keep = s->transfers.items[i].packet_count > 0;

		nx_vec_push(&s->kept, keep ? (uint32_t)out->len : NX_NONE);
		if (keep)
			nx_vec_push(out, s->transfers.items[i]);
	}
	nx_vec_release(&s->transfers);
}

uint32_t nx_static_dma_find(const struct nx_static_dma *s, const struct nx_packet *row)
{
	uint32_t index;
	const struct nx_static_queue *queue = queue_of(s, row, &index);
	uint64_t ordinal;
	size_t low = 0, high;

	if (!queue || !queue->runs.len || row->packet_idx < queue->first_idx)
		return NX_NONE;
	ordinal = row->packet_idx - queue->first_idx;
	high = queue->runs.len;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (queue->runs.items[middle].first <= ordinal)
			low = middle;
		else
			high = middle;
	}
	if (ordinal >= queue->runs.items[low].end)
		return NX_NONE;
	return s->kept.items[queue->runs.items[low].transfer];
}
