/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/static_dma.h"

#include <assert.h>
#include <string.h>

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
		     q++) {
			nx_vec_release(&s->queues[g][q].runs);
			nx_map_release(&s->queues[g][q].blocks);
		}
		nx_heap_free(s->queues[g]);
		nx_heap_free(s->lookup[g]);
	}
	nx_vec_release(&s->triggers);
	nx_vec_release(&s->kept);
	nx_heap_free(s->next_of_queue);
	nx_map_release(&s->first_of_queue);
	nx_text_map_release(&s->names);
	memset(s, 0, sizeof(*s));
}

void nx_static_dma_add_trigger(struct nx_static_dma *s, const struct nx_instruction *row,
			       const struct nx_slot *slot)
{
	struct nx_trigger t = {{.trigger_ps = row->start_ps,
				.start_ps = UINT64_MAX,
				.block_id = slot->trigger_block,
				.block = slot->trigger_block_index,
				.slot = row->slot,
				.graph = row->graph,
				.engine = row->engine},
			       slot->trigger_queue};

	if (slot->flags & NX_SLOT_TRIGGER && s->triggers.len < NX_NONE)
		nx_vec_push(&s->triggers, t);
}

static uint64_t queue_key(uint32_t graph, uint64_t name)
{
	return (uint64_t)graph << 32 | name;
}

/* Links the triggers of each queue. */
void nx_static_dma_prepare(struct nx_static_dma *s)
{
	const struct nx_program *program = &s->profile->program;

	assert(!s->next_of_queue); /* once */
	for (size_t i = 0; i < program->queue_name_count; i++)
		nx_text_map_put(&s->names, nx_slice_text(program->queue_names[i]), i);
	s->next_of_queue = nx_heap_alloc(sizeof(uint32_t) * (s->triggers.len + 1));
	for (size_t i = s->triggers.len; i-- > 0;) {
		const struct nx_trigger *t = &s->triggers.items[i];
		uint64_t key = queue_key(t->transfer.graph, t->queue_name), next = NX_NONE;

		nx_map_get(&s->first_of_queue, key, &next);
		s->next_of_queue[i] = (uint32_t)next;
		nx_map_put(&s->first_of_queue, key, i);
	}
}

static void begin_queue(struct nx_static_dma *s, struct nx_static_queue *queue, uint32_t graph,
			const struct nx_queue *declared)
{
	uint64_t name, first;

	queue->next = NX_NONE;
	if (!nx_text_map_get(&s->names, nx_slice_text(declared->name), &name) ||
	    !nx_map_get(&s->first_of_queue, queue_key(graph, name), &first))
		return;
	queue->next = (uint32_t)first;
	for (size_t i = declared->block_count; i-- > 0;)
		nx_map_put(&queue->blocks, declared->blocks[i].block_id,
			   declared->blocks[i].packet_count);
}

/* Assigns ordinals to the next triggers until one of them has the given ordinal. */
static void extend_runs(struct nx_static_dma *s, struct nx_static_queue *queue, uint64_t ordinal)
{
	while (queue->wanted <= ordinal && queue->next != NX_NONE) {
		uint32_t trigger = queue->next;
		uint64_t count = 0;

		queue->next = s->next_of_queue[trigger];
		nx_map_get(&queue->blocks, s->triggers.items[trigger].transfer.block_id, &count);
		if (!count)
			continue;
		nx_vec_push(&queue->runs, ((struct nx_packet_run){queue->wanted,
								  queue->wanted + count, trigger}));
		queue->wanted += count;
	}
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
	/* several engines may finish in the same tick: the first declared one counts */
	if (!t->packet_count || row->end_ps > t->end_ps ||
	    (row->end_ps == t->end_ps && queue < t->last_queue)) {
		t->end_ps = row->end_ps;
		t->crc = row->crc;
		t->last_queue = queue;
	}
	if (row->size_bytes > NX_SEMAPHORE_WRITE_BYTES)
		t->size_bytes += row->size_bytes;
	if (!t->packet_count || queues[queue].engine_idx > queues[t->queue].engine_idx)
		t->queue = queue;
	t->packet_count++;
}

void nx_static_dma_add_packet(struct nx_static_dma *s, const struct nx_packet *row)
{
	uint32_t index;
	struct nx_static_queue *queue = queue_of(s, row, &index);
	const struct nx_packet_run *run;
	uint64_t ordinal;

	if (!queue)
		return;
	ordinal = queue->seen++;
	if (!ordinal) {
		queue->first_idx = row->packet_idx;
		begin_queue(s, queue, row->graph,
			    &s->profile->capture.graphs[row->graph].queues[index]);
	}
	extend_runs(s, queue, ordinal);
	if (ordinal >= queue->wanted)
		return;
	run = &queue->runs.items[queue->runs.len - 1];
	add_to_transfer(s, &s->triggers.items[run->trigger].transfer, row, index);
}

void nx_static_dma_finish(struct nx_static_dma *s, struct nx_transfers *out)
{
	for (size_t i = 0; i < s->triggers.len; i++) {
		const struct nx_transfer *t = &s->triggers.items[i].transfer;

		nx_vec_push(&s->kept, t->packet_count ? (uint32_t)out->len : NX_NONE);
		if (t->packet_count)
			nx_vec_push(out, *t);
	}
	nx_vec_release(&s->triggers);
}

/* The run with the ordinal; there is one, because runs have no gaps. Runs of a queue are much
 * alike, so guess by proportion, then double the steps until the run is between low and high. */
static size_t run_of(const struct nx_static_queue *queue, uint64_t ordinal)
{
	const struct nx_packet_run *runs = queue->runs.items;
	double place = (double)ordinal / (double)queue->wanted;
	size_t count = queue->runs.len, low = (size_t)(place * (double)count), high, step = 1;

	assert(count && ordinal < queue->wanted);
	if (low >= count) /* rounding */
		low = count - 1;
	for (; runs[low].first > ordinal; step *= 2)
		low -= step < low ? step : low;
	for (high = low + 1; high < count && runs[high].first <= ordinal; step *= 2) {
		low = high;
		high += step;
	}
	if (high > count)
		high = count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (runs[middle].first <= ordinal)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint32_t nx_static_dma_find(const struct nx_static_dma *s, const struct nx_packet *row)
{
	uint32_t index;
	const struct nx_static_queue *queue = queue_of(s, row, &index);
	const struct nx_packet_run *run;
	uint64_t ordinal;

	if (!queue || !queue->runs.len || row->packet_idx < queue->first_idx)
		return NX_NONE;
	ordinal = row->packet_idx - queue->first_idx;
	if (ordinal >= queue->wanted)
		return NX_NONE;
	run = &queue->runs.items[run_of(queue, ordinal)];
	return s->kept.items[run->trigger];
}
