/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each DMA engine did for each triggered block. The word that counts the semaphore ends a
 * block: a packet of 4 bytes, or a last one that carries 4 bytes more. The k-th block of a ring
 * belongs to the k-th trigger of its queue.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/why/why_internal.h"

#define LOST_LEAST 3u /* triggers that may lack a record before a ring is cut evenly */
#define LOST_PART 20u

struct ring { /* the packets of one queue on one DMA engine */
	const struct nx_why_list *triggers;
	uint32_t queue;
	uint8_t graph, queue_class;
	uint16_t dma_engine;
	uint64_t packet_count, end_count; /* found by the first pass */
	uint64_t even;			  /* packets of every block; 0: cut at its end */
	/* second pass */
	size_t next_trigger;
	int64_t lost;
	uint32_t block_count;
	uint64_t seen; /* packets of the open block */
	int64_t start_ps, end_ps;
	uint64_t size_bytes;
};

struct made_block {
	int64_t start_ps, end_ps;
	uint32_t ring, ordinal;
	struct nx_ring_block block;
};

struct block_build {
	struct nx_why *why;
	NX_VEC(struct ring) rings;
	struct nx_map ring_of;	     /* graph, DMA engine, queue -> ring + 1 */
	struct nx_why_list *statics; /* triggers by graph and queue name */
	struct nx_why_list dynamics[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	size_t name_count;
	NX_VEC(struct made_block) made;
};

/* --- triggers -------------------------------------------------------------- */

static void list_triggers(struct block_build *b)
{
	struct nx_why *why = b->why;
	size_t size;

	b->name_count = why->profile->program.queue_name_count;
	size = sizeof(*b->statics) * (b->name_count * why->profile->capture.graph_count + 1);
	b->statics = nx_heap_alloc(size);
	memset(b->statics, 0, size);
	for (uint32_t i = 0; i < why->graph.instruction_count; i++) {
		const struct nx_release_node *n = nx_why_node(why, i);
		const struct nx_slot *slot = nx_why_slot(why, n);

		if (!(n->flags & NX_NODE_ISSUES_DMA))
			continue;
		if (slot->control == NX_CONTROL_DMA)
			nx_vec_push(&b->dynamics[n->graph][n->engine], i);
		else if (slot->trigger_queue < b->name_count)
			nx_vec_push(&b->statics[n->graph * b->name_count + slot->trigger_queue], i);
	}
}

static const struct nx_why_list *triggers_of(const struct block_build *b, uint32_t graph,
					     const struct nx_queue *queue,
					     const struct nx_text_map *names)
{
	uint64_t name;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const char *label = nx_engines[e].label, *display = queue->display_name;
		size_t len = strlen(label);

		if (display && display[0] == 'q' && !strncmp(display + 1, label, len) &&
		    !strncmp(display + 1 + len, "Dynamic", strlen("Dynamic")))
			return &b->dynamics[graph][e];
	}
	if (nx_text_map_get(names, nx_slice_text(queue->name), &name))
		return &b->statics[graph * b->name_count + name];
	return NULL;
}

static uint64_t ring_key(uint32_t graph, uint32_t dma_engine, uint32_t dma_queue)
{
	return (uint64_t)graph << 48 | (uint64_t)dma_engine << 16 | dma_queue;
}

/* Queues that nothing triggers are the runtime's. */
static void list_rings(struct block_build *b)
{
	const struct nx_profile *p = b->why->profile;
	struct nx_text_map names = {0};

	for (size_t i = 0; i < p->program.queue_name_count; i++)
		nx_text_map_put(&names, nx_slice_text(p->program.queue_names[i]), i);
	for (uint32_t g = 0; g < p->capture.graph_count; g++)
		for (size_t q = 0; q < p->capture.graphs[g].queue_count; q++) {
			const struct nx_queue *queue = &p->capture.graphs[g].queues[q];
			const struct nx_why_list *triggers = triggers_of(b, g, queue, &names);

			if (!triggers || !triggers->len)
				continue;
			nx_vec_push(&b->rings,
				    ((struct ring){.triggers = triggers,
						   .queue = (uint32_t)q,
						   .graph = (uint8_t)g,
						   .dma_engine = (uint16_t)queue->engine_idx}));
			nx_map_put(&b->ring_of, ring_key(g, queue->engine_idx, queue->queue_idx),
				   b->rings.len);
		}
	nx_text_map_release(&names);
}

/* --- packets --------------------------------------------------------------- */

static struct ring *ring_of(struct block_build *b, const struct nx_packet *row)
{
	uint64_t at;

	if (row->queue_class == NX_QUEUE_INSTRUCTION ||
	    !nx_map_get(&b->ring_of, ring_key(row->graph, row->dma_engine, row->dma_queue), &at))
		return NULL;
	return &b->rings.items[at - 1];
}

static bool ends_block(const struct nx_packet *row)
{
	return row->size_bytes % 8 == 4;
}

static void count_packet(void *context, const void *opaque)
{
	struct ring *ring = ring_of(context, opaque);

	if (!ring)
		return;
	ring->packet_count++;
	ring->end_count += ends_block(opaque);
	ring->queue_class = ((const struct nx_packet *)opaque)->queue_class;
}

/* Rings whose blocks have no such end are cut evenly, if that works out. */
static void choose_cuts(struct block_build *b)
{
	for (size_t i = 0; i < b->rings.len; i++) {
		struct ring *ring = &b->rings.items[i];
		uint64_t triggers = ring->triggers->len;
		uint64_t apart = ring->end_count > triggers ? ring->end_count - triggers
							    : triggers - ring->end_count;
		uint64_t most =
			triggers / LOST_PART > LOST_LEAST ? triggers / LOST_PART : LOST_LEAST;

		if (apart > most && ring->packet_count && ring->packet_count % triggers == 0) {
			ring->even = ring->packet_count / triggers;
			ring->end_count = triggers;
		}
		ring->lost = (int64_t)ring->end_count - (int64_t)triggers;
	}
}

static int16_t semaphore_of(const struct nx_why *why, const struct nx_release_node *trigger)
{
	const struct nx_slot *slot = nx_why_slot(why, trigger);
	const struct nx_binary_graph *graph = why->profile->program.binary_graphs[trigger->graph];

	if (slot->control == NX_CONTROL_DMA)
		return nx_why_signals(why, trigger)->dma_semaphore;
	if (!graph || slot->trigger_block_index >= graph->engines[trigger->engine].block_count)
		return -1;
	slot = nx_why_slot(why, trigger);
	return graph->engines[trigger->engine].blocks[slot->trigger_block_index].semaphore <
			       NX_SEMAPHORE_COUNT
		       ? (int16_t)graph->engines[trigger->engine]
				 .blocks[slot->trigger_block_index]
				 .semaphore
		       : -1;
}

static uint32_t take_trigger(struct nx_why *why, struct ring *ring)
{
	uint32_t trigger;

	if (ring->next_trigger >= ring->triggers->len)
		return NX_NONE;
	trigger = ring->triggers->items[ring->next_trigger];
	/* more blocks than triggers: one that starts after the block cannot have started it */
	if (ring->lost > 0 && nx_why_node(why, trigger)->start_ps >= ring->start_ps)
		return NX_NONE;
	ring->next_trigger++;
	return trigger;
}

static void end_block(struct block_build *b, struct ring *ring)
{
	uint32_t trigger = take_trigger(b->why, ring);
	struct nx_ring_block block = {.size_bytes = ring->size_bytes,
				      .queue = ring->queue,
				      .block_id = ring->block_count,
				      .packet_count = (uint32_t)ring->seen,
				      .trigger = trigger,
				      .dma_engine = ring->dma_engine,
				      .semaphore = -1,
				      .queue_class = ring->queue_class};

	if (trigger != NX_NONE) {
		const struct nx_release_node *n = nx_why_node(b->why, trigger);

		block.semaphore = semaphore_of(b->why, n);
		if (nx_why_slot(b->why, n)->control != NX_CONTROL_DMA)
			block.block_id = nx_why_slot(b->why, n)->trigger_block;
	} else {
		ring->lost--;
		b->why->counts.triggerless_count++;
	}
	nx_vec_push(&b->made, ((struct made_block){ring->start_ps, ring->end_ps,
						   (uint32_t)(ring - b->rings.items),
						   ring->block_count, block}));
	ring->block_count++;
	ring->seen = ring->size_bytes = 0;
}

static void add_packet(void *context, const void *opaque)
{
	struct block_build *b = context;
	const struct nx_packet *row = opaque;
	struct ring *ring = ring_of(b, row);

	if (!ring)
		return;
	if (!ring->seen) {
		ring->start_ps = (int64_t)row->start_ps;
		ring->end_ps = ring->start_ps;
	}
	ring->seen++;
	ring->end_ps = nx_why_max(ring->end_ps, (int64_t)row->end_ps);
	ring->size_bytes += row->size_bytes;
	if (ring->even ? ring->seen == ring->even : ends_block(row))
		end_block(b, ring);
}

/* --- nodes ----------------------------------------------------------------- */

static int compare_made(const void *left, const void *right)
{
	const struct made_block *l = left, *r = right;

	if (l->start_ps != r->start_ps)
		return l->start_ps < r->start_ps ? -1 : 1;
	if (l->ring != r->ring)
		return l->ring < r->ring ? -1 : 1;
	return (l->ordinal > r->ordinal) - (l->ordinal < r->ordinal);
}

static void add_node(struct nx_why *why, const struct made_block *made)
{
	uint32_t trigger = made->block.trigger;
	const struct nx_release_node *by = trigger == NX_NONE ? NULL : nx_why_node(why, trigger);
	struct nx_release_node n = {.start_ps = made->start_ps,
				    .work_ps = made->start_ps,
				    .end_ps = made->end_ps,
				    .slack_ps = NX_NO_SLACK,
				    .cause = NX_NONE,
				    .place = NX_NODE_BITS(why->graph.blocks.len, 30),
				    .kind = NX_NODE_BLOCK,
				    .engine = by ? by->engine : NX_ENGINE_COUNT};

	nx_vec_push(&why->graph.blocks, made->block);
	nx_vec_reserve(&why->graph.nodes, why->graph.nodes.len + 1);
	assert(why->graph.nodes.items);
	nx_vec_push(&why->graph.nodes, n);
}

/* All queues of a DMA engine share it. */
static void release_blocks(struct nx_why *why, const struct block_build *b)
{
	struct nx_map busy = {0}; /* graph and DMA engine -> the block that ends last so far */

	for (size_t i = 0; i < b->made.len; i++) {
		uint32_t node = why->graph.instruction_count + (uint32_t)i;
		struct nx_release_node *n = nx_why_node(why, node);
		const struct nx_ring_block *block = &why->graph.blocks.items[i];
		uint64_t key, before;
		struct nx_why_edge edges[2];
		size_t count = 0;

		n->graph = NX_NODE_BITS(b->rings.items[b->made.items[i].ring].graph, 6);
		key = (uint64_t)n->graph << 32 | block->dma_engine;
		if (block->trigger != NX_NONE) {
			int64_t at = nx_why_node(why, block->trigger)->start_ps;

			edges[count++] = (struct nx_why_edge){
				at,
				nx_why_min(n->start_ps,
					   at + why->lags->startup[block->queue_class]),
				block->trigger,
				NX_RELEASE_TRIGGER,
				NX_HOW_NONE,
				0};
		}
		if (nx_map_get(&busy, key, &before)) {
			const struct nx_release_node *other = nx_why_node(why, (uint32_t)before);
			int64_t at = nx_why_min(other->end_ps, n->start_ps);

			if (other->start_ps < n->start_ps)
				edges[count++] = (struct nx_why_edge){
					at, at, (uint32_t)before, NX_RELEASE_RING, NX_HOW_NONE, 0};
			if (n->end_ps > other->end_ps)
				nx_map_put(&busy, key, node);
		} else {
			nx_map_put(&busy, key, node);
		}
		nx_why_bind(why, node, edges, count);
	}
	nx_map_release(&busy);
}

enum nx_status nx_why_add_blocks(struct nx_why *why, struct nx_error *err)
{
	struct block_build *b = nx_heap_alloc(sizeof(*b));
	enum nx_status st = NX_OK;

	memset(b, 0, sizeof(*b));
	b->why = why;
	list_triggers(b);
	list_rings(b);
	if (b->rings.len)
		st = nx_profile_scan(why->profile, NX_TABLE_PACKET, count_packet, b, err);
	choose_cuts(b);
	if (!st && b->rings.len)
		st = nx_profile_scan(why->profile, NX_TABLE_PACKET, add_packet, b, err);
	if (!st && b->made.len) {
		if (b->made.len > NX_WHY_NO_PRODUCER / 2)
			b->made.len = NX_WHY_NO_PRODUCER / 2;
		qsort(b->made.items, b->made.len, sizeof(*b->made.items), compare_made);
		nx_vec_reserve(&why->graph.nodes, why->graph.nodes.len + b->made.len);
		for (size_t i = 0; i < b->made.len; i++)
			add_node(why, &b->made.items[i]);
		release_blocks(why, b);
	}
	why->counts.block_count = b->made.len;
	for (size_t i = 0; i < b->name_count * why->profile->capture.graph_count; i++)
		nx_vec_release(&b->statics[i]);
	for (unsigned g = 0; g < NX_MAX_GRAPHS; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_vec_release(&b->dynamics[g][e]);
	nx_heap_free(b->statics);
	nx_vec_release(&b->rings);
	nx_map_release(&b->ring_of);
	nx_vec_release(&b->made);
	nx_heap_free(b);
	return st;
}
