/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing/timed_clock.h"

#include <assert.h>
#include <stdlib.h>

#include "format/instruction.h"

struct times NX_VEC_BODY(uint64_t);

struct transfers { /* of a queue: ends of those that were started, in order */
	struct times ends;
	size_t next;
};

struct timed_core {
	/* By the compiler's slot: when it starts; 0 if unknown. */
	uint64_t *starts[NX_ENGINE_COUNT];
	uint64_t *transfer_ends[NX_ENGINE_COUNT]; /* end of the transfer that it starts */
	size_t slot_counts[NX_ENGINE_COUNT];
	uint32_t pcs[NX_ENGINE_COUNT];
	struct transfers *queues; /* the program's, then a dynamic one per engine */
	size_t queue_count;
};

struct nx_timed_clock {
	struct nx_arena arena;
	const struct nx_loaded_code *code;
	struct timed_core *cores;
};

/* --- when instructions start ----------------------------------------------------------- */

static void set_starts(struct nx_timed_clock *clock, const struct nx_timed_run *run)
{
	for (size_t i = 0; i < run->instructions.len; i++) {
		const struct nx_timed_instruction *row = &run->instructions.items[i];
		const struct nx_loaded_stream *stream;
		uint32_t pc;

		if (row->core >= clock->code->core_count || row->engine >= NX_ENGINE_COUNT)
			continue;
		stream = &clock->code->cores[row->core].streams[row->engine];
		if (row->slot >= stream->slot_count)
			continue;
		pc = stream->slots[row->slot].compiler_pc;
		if (pc < clock->cores[row->core].slot_counts[row->engine])
			clock->cores[row->core].starts[row->engine][pc] = row->start_ps;
	}
}

/* --- when transfers are done ------------------------------------------------------------ */

static int by_place_and_start(const void *left, const void *right)
{
	const struct nx_timed_packet *a = left, *b = right;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->queue_index != b->queue_index)
		return a->queue_index < b->queue_index ? -1 : 1;
	if (a->dma_engine != b->dma_engine)
		return a->dma_engine < b->dma_engine ? -1 : 1;
	return a->start_ps < b->start_ps ? -1 : a->start_ps > b->start_ps;
}

struct rings { /* of a queue, within the sorted packets */
	size_t at[NX_LOADED_RINGS], end[NX_LOADED_RINGS];
};

static void find_rings(const struct nx_timed_packet *packets, size_t count, unsigned core,
		       const struct nx_loaded_queue *queue, struct rings *rings)
{
	memset(rings, 0, sizeof(*rings));
	for (size_t i = 0; i < count; i++) {
		const struct nx_timed_packet *p = &packets[i];
		unsigned ring = (unsigned)p->dma_engine - queue->first_dma_engine;

		if (p->core != core || p->queue_index != queue->queue_index ||
		    ring >= NX_LOADED_RINGS)
			continue;
		if (!rings->end[ring])
			rings->at[ring] = i;
		rings->end[ring] = i + 1;
	}
}

/* Removes the packets of a block from the rings and returns the last end. */
static uint64_t take_block(const struct nx_timed_packet *packets, struct rings *rings,
			   const struct nx_loaded_block *block)
{
	uint64_t end_ps = 0;

	for (unsigned r = 0; r < NX_LOADED_RINGS; r++) {
		uint32_t left = block->first[r + 1] - block->first[r];

		for (; left && rings->at[r] < rings->end[r]; left--, rings->at[r]++)
			if (packets[rings->at[r]].end_ps > end_ps)
				end_ps = packets[rings->at[r]].end_ps;
	}
	return end_ps;
}

/* A queue's blocks run in the order of the slots that start them, all of one engine. */
static void set_queue_ends(struct nx_timed_clock *clock, unsigned core, uint32_t queue,
			   const struct nx_timed_packet *packets, size_t count)
{
	const struct nx_loaded_queue *from = &clock->code->cores[core].queues[queue];
	const struct nx_loaded_stream *stream;
	struct timed_core *to = &clock->cores[core];
	uint32_t started = 0;
	struct rings rings;

	if (from->engine >= NX_ENGINE_COUNT)
		return;
	stream = &clock->code->cores[core].streams[from->engine];
	find_rings(packets, count, core, from, &rings);
	for (size_t s = 0; s < stream->slot_count; s++) {
		const struct nx_loaded_slot *slot = &stream->slots[s];
		uint32_t block = slot->block == NX_NO_INDEX ? started : slot->block;

		if (slot->queue != queue)
			continue;
		started++;
		if (block < from->block_count && slot->compiler_pc < to->slot_counts[from->engine])
			to->transfer_ends[from->engine][slot->compiler_pc] =
				take_block(packets, &rings, &from->blocks[block]);
	}
}

static void set_transfer_ends(struct nx_timed_clock *clock, const struct nx_timed_run *run)
{
	struct nx_timed_packet *sorted =
		NX_NEW_ARRAY(&clock->arena, struct nx_timed_packet, run->packets.len);

	if (!run->packets.len)
		return;
	memcpy(sorted, run->packets.items, run->packets.len * sizeof(*sorted));
	qsort(sorted, run->packets.len, sizeof(*sorted), by_place_and_start);
	for (unsigned c = 0; c < clock->code->core_count; c++)
		for (uint32_t q = 0; q < clock->code->cores[c].queue_count; q++)
			set_queue_ends(clock, c, q, sorted, run->packets.len);
}

/* --- life ----------------------------------------------------------------------------------- */

static void init_core(struct nx_timed_clock *clock, size_t index)
{
	const struct nx_core_program *program = &clock->code->program->cores[index];
	struct timed_core *core = &clock->cores[index];

	core->queue_count = program->queue_count + NX_ENGINE_COUNT;
	core->queues = NX_NEW_ARRAY(&clock->arena, struct transfers, core->queue_count);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		core->slot_counts[e] = program->code[e].len / NX_SLOT_BYTES;
		core->starts[e] = NX_NEW_ARRAY(&clock->arena, uint64_t, core->slot_counts[e]);
		core->transfer_ends[e] =
			NX_NEW_ARRAY(&clock->arena, uint64_t, core->slot_counts[e]);
	}
}

struct nx_timed_clock *nx_timed_clock_new(const struct nx_loaded_code *code,
					  const struct nx_timed_run *run)
{
	struct nx_timed_clock *clock = nx_heap_alloc(sizeof(*clock));

	assert(code->program && code->core_count == code->program->core_count);
	memset(clock, 0, sizeof(*clock));
	clock->code = code;
	clock->cores = NX_NEW_ARRAY(&clock->arena, struct timed_core, code->core_count);
	for (size_t i = 0; i < code->core_count; i++)
		init_core(clock, i);
	set_starts(clock, run);
	set_transfer_ends(clock, run);
	return clock;
}

void nx_timed_clock_free(struct nx_timed_clock *clock)
{
	if (!clock)
		return;
	for (size_t c = 0; c < clock->code->core_count; c++)
		for (size_t q = 0; q < clock->cores[c].queue_count; q++)
			nx_vec_release(&clock->cores[c].queues[q].ends);
	nx_arena_release(&clock->arena);
	nx_heap_free(clock);
}

void nx_timed_clock_restart(struct nx_timed_clock *clock)
{
	for (size_t c = 0; c < clock->code->core_count; c++) {
		struct timed_core *core = &clock->cores[c];

		memset(core->pcs, 0, sizeof(core->pcs));
		for (size_t q = 0; q < core->queue_count; q++) {
			nx_vec_clear(&core->queues[q].ends);
			core->queues[q].next = 0;
		}
	}
}

/* --- the clock ----------------------------------------------------------------------- */

static uint64_t time_of(const struct nx_timed_clock *clock, struct nx_actor actor)
{
	const struct timed_core *core = &clock->cores[actor.core];
	const struct transfers *queue;
	uint32_t pc;

	if (!actor.is_queue) {
		pc = core->pcs[actor.index];
		return pc < core->slot_counts[actor.index] ? core->starts[actor.index][pc] : 0;
	}
	if (actor.index >= core->queue_count)
		return 0;
	queue = &core->queues[actor.index];
	return queue->next < queue->ends.len ? queue->ends.items[queue->next] : 0;
}

size_t nx_timed_clock_choose(void *context, const struct nx_actor *ready, size_t count)
{
	const struct nx_timed_clock *clock = context;
	uint64_t earliest_ps = UINT64_MAX;
	size_t chosen = 0;

	assert(count > 0);
	for (size_t i = 0; i < count; i++) {
		uint64_t at_ps = time_of(clock, ready[i]);

		if (at_ps < earliest_ps) {
			earliest_ps = at_ps;
			chosen = i;
		}
	}
	return chosen;
}

/* The device's number of the queue on which an instruction starts a transfer. */
static size_t queue_of(const struct nx_timed_clock *clock, const struct nx_schedule_step *step)
{
	const struct nx_core_program *program = &clock->code->program->cores[step->actor.core];
	struct nx_dma_trigger trigger;
	size_t index = SIZE_MAX;

	if (step->word->header.opcode == NX_OP_PSEUDO_DMA_DIRECT2D)
		return program->queue_count + step->engine;
	if (nx_instruction_dma_trigger(step->word->bytes, &trigger))
		(void)nx_core_program_queue(program, step->engine, nx_slice_text(trigger.queue),
					    &index);
	return index;
}

void nx_timed_clock_stepped(void *context, const struct nx_schedule_step *step)
{
	struct nx_timed_clock *clock = context;
	struct timed_core *core = &clock->cores[step->actor.core];
	size_t queue;

	assert(step->engine < NX_ENGINE_COUNT);
	if (step->actor.is_queue) {
		if (step->actor.index < core->queue_count)
			core->queues[step->actor.index].next++;
		return;
	}
	core->pcs[step->engine] = step->pc + 1;
	queue = queue_of(clock, step);
	if (queue < core->queue_count && step->pc < core->slot_counts[step->engine])
		nx_vec_push(&core->queues[queue].ends, core->transfer_ends[step->engine][step->pc]);
}
