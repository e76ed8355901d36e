/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/packet_transfers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* (dma engine, queue) -> declared queue, so that a packet finds its queue at once */
#define LOOKUP_ENGINES 256
#define LOOKUP_QUEUES 16

struct nx_queue_lookup {
	uint32_t queue[LOOKUP_ENGINES][LOOKUP_QUEUES]; /* index + 1 */
};

void nx_packet_transfers_init(struct nx_packet_transfers *s, const struct nx_profile *profile)
{
	memset(s, 0, sizeof(*s));
	s->profile = profile;
	for (uint32_t g = 0; g < profile->capture.graph_count; g++) {
		const struct nx_graph *graph = &profile->capture.graphs[g];
		size_t size = sizeof(struct nx_transfer_queue) * (graph->queue_count + 1);

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

void nx_packet_transfers_release(struct nx_packet_transfers *s)
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
	nx_vec_release(&s->generated);
	nx_vec_release(&s->kept);
	nx_heap_free(s->next_of_queue);
	nx_map_release(&s->first_of_queue);
	nx_text_map_release(&s->names);
	memset(s, 0, sizeof(*s));
}

void nx_packet_transfers_add_trigger(struct nx_packet_transfers *s,
				     const struct nx_instruction *row, const struct nx_slot *slot)
{
	bool is_dynamic = slot->flags & NX_SLOT_DYNAMIC_DMA;
	struct nx_trigger t = {.transfer = {.trigger_ps = row->start_ps,
					    .start_ps = UINT64_MAX,
					    .block_id = slot->trigger_block,
					    .block = slot->trigger_block_index,
					    .slot = row->slot,
					    .graph = row->graph,
					    .engine = row->engine,
					    .is_dynamic = is_dynamic},
			       .queue_name = slot->trigger_queue};

	if (is_dynamic ? !s->generated.len || slot->trigger_queue == NX_NONE
		       : !(slot->flags & NX_SLOT_TRIGGER))
		return;
	if (s->triggers.len < NX_NONE)
		nx_vec_push(&s->triggers, t);
}

/* --- what was generated for which execution -------------------------------- */

void nx_packet_transfers_add_generated(struct nx_packet_transfers *s,
				       const struct nx_generated *row)
{
	if (s->generated.len < NX_NONE)
		nx_vec_push(&s->generated, *row);
}

static int compare_generated(const void *left, const void *right)
{
	const struct nx_generated *a = left, *b = right;

	if (a->graph != b->graph)
		return a->graph - b->graph;
	if (a->engine != b->engine)
		return a->engine - b->engine;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return (a->time_ps > b->time_ps) - (a->time_ps < b->time_ps);
}

static bool is_of(const struct nx_generated *g, const struct nx_transfer *t, uint32_t slot)
{
	return g->graph == t->graph && g->engine == t->engine && g->slot == slot;
}

static size_t first_generated(const struct nx_packet_transfers *s, const struct nx_transfer *t,
			      uint32_t slot, uint64_t time_ps)
{
	struct nx_generated key = {
		.time_ps = time_ps, .slot = slot, .graph = t->graph, .engine = t->engine};
	size_t low = 0, high = s->generated.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_generated(&s->generated.items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * A notification that names its instruction belongs to the execution with the same number among
 * those of the instruction. It may precede the execution, because software runs ahead, so its time
 * tells nothing. Several of one moment describe one execution.
 */
static void take_named(struct nx_packet_transfers *s, struct nx_trigger *t, struct nx_map *next)
{
	const struct nx_generated *all = s->generated.items;
	uint64_t key = (uint64_t)t->transfer.graph << 40 | (uint64_t)t->transfer.engine << 32 |
		       t->transfer.slot;
	uint64_t at;

	if (!nx_map_get(next, key, &at))
		at = first_generated(s, &t->transfer, t->transfer.slot, 0);
	t->generated = (uint32_t)at;
	while (at < s->generated.len && is_of(&all[at], &t->transfer, t->transfer.slot) &&
	       all[at].time_ps == all[t->generated].time_ps)
		at++;
	t->generated_count = (uint32_t)(at - t->generated);
	nx_map_put(next, key, at);
}

/* The others belong to the latest dynamic DMA that their engine had started. */
static void take_unnamed(const struct nx_packet_transfers *s, struct nx_trigger *t,
			 uint64_t until_ps)
{
	size_t from = first_generated(s, &t->transfer, NX_NONE, t->transfer.trigger_ps);
	size_t to = first_generated(s, &t->transfer, NX_NONE, until_ps);

	if (t->generated_count || from == to)
		return;
	t->generated = (uint32_t)from;
	t->generated_count = (uint32_t)(to - from);
}

static void match_generated(struct nx_packet_transfers *s)
{
	uint64_t until_ps[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	struct nx_map next = {0}; /* instruction -> its next notification */

	if (!s->generated.len)
		return;
	qsort(s->generated.items, s->generated.len, sizeof(*s->generated.items), compare_generated);
	memset(until_ps, 0xff, sizeof(until_ps));
	for (size_t i = 0; i < s->triggers.len; i++)
		if (s->triggers.items[i].transfer.is_dynamic)
			take_named(s, &s->triggers.items[i], &next);
	for (size_t i = s->triggers.len; i-- > 0;) {
		struct nx_trigger *t = &s->triggers.items[i];
		uint64_t *until = &until_ps[t->transfer.graph][t->transfer.engine];

		if (!t->transfer.is_dynamic)
			continue;
		take_unnamed(s, t, *until);
		*until = t->transfer.trigger_ps;
	}
	nx_map_release(&next);
}

/* --- runs of packets ------------------------------------------------------- */

static uint64_t queue_key(uint32_t graph, uint64_t name)
{
	return (uint64_t)graph << 32 | name;
}

/* Links the triggers of each queue. */
void nx_packet_transfers_prepare(struct nx_packet_transfers *s)
{
	const struct nx_program *program = &s->profile->program;

	assert(!s->next_of_queue); /* once */
	match_generated(s);
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

static void begin_queue(struct nx_packet_transfers *s, struct nx_transfer_queue *queue,
			uint32_t graph, const struct nx_queue *declared)
{
	uint64_t name, first;

	queue->next = NX_NONE;
	queue->is_dynamic = nx_queue_is_dynamic(declared->queue_class);
	queue->dma_engine = declared->engine_idx % NX_DMA_ENGINE_COUNT;
	if (!nx_text_map_get(&s->names, nx_slice_text(declared->name), &name) ||
	    !nx_map_get(&s->first_of_queue, queue_key(graph, name), &first))
		return;
	queue->next = (uint32_t)first;
	for (size_t i = declared->block_count; i-- > 0;)
		nx_map_put(&queue->blocks, declared->blocks[i].block_id,
			   declared->blocks[i].packet_count);
}

static uint64_t generated_packets(const struct nx_packet_transfers *s, const struct nx_trigger *t,
				  unsigned dma_engine)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < t->generated_count; i++) {
		const struct nx_generated *g = &s->generated.items[t->generated + i];

		if (g->dma_engine_mask >> dma_engine & 1)
			count += g->packet_count;
	}
	return count;
}

/* Assigns ordinals to the next triggers until one of them has the given ordinal. */
static void extend_runs(struct nx_packet_transfers *s, struct nx_transfer_queue *queue,
			uint64_t ordinal)
{
	while (queue->wanted <= ordinal && queue->next != NX_NONE) {
		uint32_t trigger = queue->next;
		uint64_t count = 0;

		queue->next = s->next_of_queue[trigger];
		if (s->triggers.items[trigger].transfer.is_dynamic)
			count = generated_packets(s, &s->triggers.items[trigger],
						  queue->dma_engine);
		else
			nx_map_get(&queue->blocks, s->triggers.items[trigger].transfer.block_id,
				   &count);
		if (!count)
			continue;
		nx_vec_push(&queue->runs, ((struct nx_packet_run){queue->wanted,
								  queue->wanted + count, trigger}));
		queue->wanted += count;
	}
}

static struct nx_transfer_queue *queue_of(const struct nx_packet_transfers *s,
					  const struct nx_packet *row, uint32_t *index)
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

static void add_to_transfer(struct nx_packet_transfers *s, struct nx_transfer *t,
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

/* The word that counts the semaphore ends a block: a packet of 4 bytes, or 4 more in the last. */
static bool ends_block(const struct nx_packet *row)
{
	return row->size_bytes % 8 == NX_SEMAPHORE_WRITE_BYTES;
}

/* The next trigger whose block has packets here. */
static uint32_t take_trigger(struct nx_packet_transfers *s, struct nx_transfer_queue *queue)
{
	while (queue->next != NX_NONE) {
		uint32_t trigger = queue->next;
		uint64_t count = 0;

		queue->next = s->next_of_queue[trigger];
		nx_map_get(&queue->blocks, s->triggers.items[trigger].transfer.block_id, &count);
		if (count)
			return trigger;
	}
	return NX_NONE;
}

/* Gives the packet to the open run, or begins one. */
static void extend_to_end(struct nx_packet_transfers *s, struct nx_transfer_queue *queue,
			  const struct nx_packet *row, uint64_t ordinal)
{
	uint32_t trigger;

	if (!queue->is_run_open) {
		trigger = take_trigger(s, queue);
		if (trigger == NX_NONE)
			return;
		nx_vec_push(&queue->runs, ((struct nx_packet_run){ordinal, ordinal, trigger}));
	}
	queue->runs.items[queue->runs.len - 1].end++;
	queue->wanted = ordinal + 1;
	queue->is_run_open = !ends_block(row);
}

/* Notes whether the runs of a static queue end where its packets say. */
static void compare_ends(struct nx_transfer_queue *queue, const struct nx_packet *row,
			 uint64_t ordinal)
{
	queue->end_count += ends_block(row);
	if (ordinal < queue->wanted && !ends_block(row) &&
	    queue->runs.items[queue->runs.len - 1].end == ordinal + 1)
		queue->missed_count++;
}

void nx_packet_transfers_add_packet(struct nx_packet_transfers *s, const struct nx_packet *row)
{
	uint32_t index;
	struct nx_transfer_queue *queue = queue_of(s, row, &index);
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
	if (queue->is_cut_by_ends)
		extend_to_end(s, queue, row, ordinal);
	else
		extend_runs(s, queue, ordinal);
	if (!queue->is_dynamic)
		compare_ends(queue, row, ordinal);
	if (ordinal >= queue->wanted)
		return;
	run = &queue->runs.items[queue->runs.len - 1];
	add_to_transfer(s, &s->triggers.items[run->trigger].transfer, row, index);
}

/* How many triggers have packets on a queue: as many as its blocks. */
static uint64_t count_blocks(struct nx_packet_transfers *s, const struct nx_transfer_queue *queue,
			     uint32_t graph, const struct nx_queue *declared)
{
	struct nx_transfer_queue counting = {.blocks = queue->blocks, .next = NX_NONE};
	uint64_t name, first, count = 0;

	if (!nx_text_map_get(&s->names, nx_slice_text(declared->name), &name) ||
	    !nx_map_get(&s->first_of_queue, queue_key(graph, name), &first))
		return 0;
	counting.next = (uint32_t)first;
	while (take_trigger(s, &counting) != NX_NONE)
		count++;
	return count;
}

/* Ends that fit the triggers are believed; otherwise records are missing, and counts are better. */
static bool is_contradicted(struct nx_packet_transfers *s, const struct nx_transfer_queue *queue,
			    uint32_t graph, const struct nx_queue *declared)
{
	return !queue->is_dynamic && queue->missed_count && queue->end_count &&
	       queue->end_count == count_blocks(s, queue, graph, declared);
}

static void forget_packets(struct nx_packet_transfers *s)
{
	for (uint32_t g = 0; g < s->profile->capture.graph_count; g++)
		for (size_t q = 0; q < s->profile->capture.graphs[g].queue_count; q++) {
			struct nx_transfer_queue *queue = &s->queues[g][q];

			nx_vec_clear(&queue->runs);
			nx_map_release(&queue->blocks);
			*queue = (struct nx_transfer_queue){
				.runs = queue->runs, .is_cut_by_ends = queue->is_cut_by_ends};
		}
	for (size_t i = 0; i < s->triggers.len; i++) {
		struct nx_transfer *t = &s->triggers.items[i].transfer;

		t->start_ps = UINT64_MAX;
		t->end_ps = t->size_bytes = t->packet_count = 0;
		t->crc = 0;
		t->queue = t->last_queue = 0;
	}
}

bool nx_packet_transfers_recut(struct nx_packet_transfers *s)
{
	bool is_any = false;

	for (uint32_t g = 0; g < s->profile->capture.graph_count; g++) {
		const struct nx_graph *graph = &s->profile->capture.graphs[g];

		for (size_t q = 0; q < graph->queue_count; q++) {
			struct nx_transfer_queue *queue = &s->queues[g][q];

			queue->is_cut_by_ends =
				queue->seen && is_contradicted(s, queue, g, &graph->queues[q]);
			is_any |= queue->is_cut_by_ends;
		}
	}
	if (is_any)
		forget_packets(s);
	return is_any;
}

/* Whether notifications account for the packets of a dynamic queue. */
static bool is_accounted(struct nx_packet_transfers *s, struct nx_transfer_queue *queue,
			 bool is_cut)
{
	if (!queue->is_dynamic || (!queue->wanted && queue->next == NX_NONE))
		return true;
	extend_runs(s, queue, UINT64_MAX - 1);
	return queue->seen == queue->wanted || (is_cut && queue->seen < queue->wanted);
}

/* Keys of dynamic queues whose packets cannot be attributed. */
static void find_unaccounted(struct nx_packet_transfers *s, bool is_cut, struct nx_map *keys)
{
	for (uint32_t g = 0; g < s->profile->capture.graph_count; g++) {
		const struct nx_graph *graph = &s->profile->capture.graphs[g];

		for (size_t q = 0; q < graph->queue_count; q++) {
			struct nx_transfer_queue *queue = &s->queues[g][q];
			uint64_t name;

			if (!queue->seen || is_accounted(s, queue, is_cut) ||
			    !nx_text_map_get(&s->names, nx_slice_text(graph->queues[q].name),
					     &name))
				continue;
			nx_map_put(keys, queue_key(g, name), 1);
			if (s->unaccounted_queue)
				continue;
			s->unaccounted_queue = &graph->queues[q];
			s->unaccounted_seen = queue->seen;
			s->unaccounted_told = queue->wanted;
		}
	}
}

void nx_packet_transfers_finish(struct nx_packet_transfers *s, bool is_cut,
				struct nx_transfers *out)
{
	struct nx_map unaccounted = {0}, turns = {0};

	find_unaccounted(s, is_cut, &unaccounted);
	for (size_t i = 0; i < s->triggers.len; i++) {
		struct nx_transfer *t = &s->triggers.items[i].transfer;
		uint64_t key = queue_key(t->graph, s->triggers.items[i].queue_name), turn = 0;
		bool is_kept =
			t->packet_count && !(t->is_dynamic && nx_map_get(&unaccounted, key, NULL));

		nx_vec_push(&s->kept, is_kept ? (uint32_t)out->len : NX_NONE);
		if (!is_kept)
			continue;
		if (t->is_dynamic) {
			nx_map_get(&turns, key, &turn);
			t->turn = (uint32_t)turn++;
			nx_map_put(&turns, key, turn);
		}
		nx_vec_push(out, *t);
	}
	nx_map_release(&unaccounted);
	nx_map_release(&turns);
	nx_vec_release(&s->triggers);
	nx_vec_release(&s->generated);
}

/* The run with the ordinal; there is one, because runs have no gaps. Runs of a queue are much
 * alike, so guess by proportion, then double the steps until the run is between low and high. */
static size_t run_of(const struct nx_transfer_queue *queue, uint64_t ordinal)
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

uint32_t nx_packet_transfers_find(const struct nx_packet_transfers *s, const struct nx_packet *row)
{
	uint32_t index;
	const struct nx_transfer_queue *queue = queue_of(s, row, &index);
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
