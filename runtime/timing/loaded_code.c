/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing/loaded_code.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "runtime/timing/loaded_code_internal.h"

#define CODE_BASE UINT64_C(0x8005c0400000)
#define CODE_ALIGN UINT64_C(0x8000)
#define MAX_SLOTS NX_PC_COUNT /* a record can name every slot of a stream */
/* Limits of the packets of a program: at least, per word, and at most. */
#define PACKETS_ANYWAY (UINT64_C(1) << 18)
#define PACKETS_PER_WORD 256u
#define PACKETS_MOST (UINT64_C(1) << 30)
#define QUEUES_FOR_PROGRAMS 14u /* queues 14 and 15 fetch tables and instructions */

static const char *const dynamic_names[NX_ENGINE_COUNT] = {
	"qPEDynamicHW", "qActDynamicHW", "qPoolDynamic", "qDVEDynamicHW", "qSPDynamicHW"};

struct loader {
	struct nx_loaded_code *code;
	const struct nx_core_program *program;
	struct nx_loaded_core *core;
	struct nx_packet_maker packets;
	enum nx_loading_runtime runtime;
	uint32_t *queue_of; /* the program's queues, then a dynamic one per engine */
	struct nx_slot_list slots;
	struct nx_error *err;
};

/* --- queues ------------------------------------------------------------------------- */

static size_t count_dynamic(struct nx_slice code)
{
	size_t count = 0;

	for (size_t i = 0; i < code.len / NX_SLOT_BYTES; i++) {
		uint8_t opcode = nx_word_opcode(code.data + i * NX_SLOT_BYTES);

		count += opcode == NX_OP_PSEUDO_DMA_DIRECT2D || opcode == NX_OP_DMA_DIRECT2D;
	}
	return count;
}

enum { QUEUE_TYPE_DATA = 2, QUEUE_TYPE_IO = 3 };

static void add_queue(struct loader *l, size_t source, struct nx_slice name, unsigned engine,
		      enum nx_loaded_queue_kind kind, size_t block_count)
{
	struct nx_loaded_queue *queue = &l->core->queues[l->core->queue_count];

	l->queue_of[source] = (uint32_t)l->core->queue_count++;
	*queue = (struct nx_loaded_queue){
		.name = name,
		.kind = (uint8_t)kind,
		.engine = (uint8_t)engine,
		.queue_type =
			memmem(name.data, name.len, "IO", 2) ? QUEUE_TYPE_IO : QUEUE_TYPE_DATA,
		.blocks = NX_NEW_ARRAY(&l->code->arena, struct nx_loaded_block, block_count),
		.block_count = kind == NX_LOADED_STATIC ? block_count : 0};
}

static int compare_queues(const void *a, const void *b)
{
	const struct nx_loaded_queue *x = *(const struct nx_loaded_queue *const *)a;
	const struct nx_loaded_queue *y = *(const struct nx_loaded_queue *const *)b;
	size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int order = len ? memcmp(x->name.data, y->name.data, len) : 0;

	if (x->queue_type != y->queue_type)
		return x->queue_type < y->queue_type ? -1 : 1;
	if (order)
		return order;
	return x->name.len != y->name.len ? (x->name.len < y->name.len ? -1 : 1)
					  : (x > y) - (x < y);
}

/* Rings are numbered in the order of their queues' names, those for inputs and outputs last. */
static void number_queues(struct loader *l, size_t core_index)
{
	size_t count = l->core->queue_count;
	struct nx_loaded_queue **sorted =
		NX_NEW_ARRAY(&l->code->arena, struct nx_loaded_queue *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = &l->core->queues[i];
	if (count)
		qsort(sorted, count, sizeof(struct nx_loaded_queue *), compare_queues);
	for (size_t i = 0; i < count; i++) {
		sorted[i]->queue_index = (uint8_t)(i % QUEUES_FOR_PROGRAMS);
		sorted[i]->first_dma_engine = (uint16_t)(core_index * NX_LOADED_RINGS);
	}
}

static enum nx_status fail_packets(struct loader *l, struct nx_slice queue)
{
	return nx_fail(l->err, NX_LIMIT,
		       "the transfers of core %.*s on queue %.*s need more DMA packets than a "
		       "program of its size may have",
		       (int)l->program->name.len, (const char *)l->program->name.data,
		       (int)queue.len, (const char *)queue.data);
}

static enum nx_status make_queues(struct loader *l, size_t core_index)
{
	const struct nx_core_program *program = l->program;
	size_t most = program->queue_count + NX_ENGINE_COUNT;

	if (most > UINT16_MAX)
		return nx_fail(l->err, NX_LIMIT,
			       "core %.*s has %zu DMA queues; a program may have "
			       "65,000",
			       (int)program->name.len, (const char *)program->name.data,
			       program->queue_count);
	l->core->queues = NX_NEW_ARRAY(&l->code->arena, struct nx_loaded_queue, most);
	l->queue_of = NX_NEW_ARRAY(&l->code->arena, uint32_t, most);
	for (size_t q = 0; q < program->queue_count; q++) {
		const struct nx_device_queue *from = &program->queues[q];

		add_queue(l, q, from->name, from->engine, NX_LOADED_STATIC, from->block_count);
		for (size_t b = 0; b < from->block_count; b++)
			if (!nx_packet_maker_static(&l->packets, program, &from->blocks[b],
						    &l->core->queues[l->queue_of[q]].blocks[b]))
				return fail_packets(l, from->name);
	}
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		size_t count = count_dynamic(program->code[e]);

		l->queue_of[program->queue_count + e] = NX_NO_INDEX;
		if (count)
			add_queue(l, program->queue_count + e, nx_slice_text(dynamic_names[e]), e,
				  e == NX_ENGINE_GPSIMD ? NX_LOADED_SOFTWARE_DGE
							: NX_LOADED_HARDWARE_DGE,
				  count);
	}
	number_queues(l, core_index);
	return NX_OK;
}

/* --- streams --------------------------------------------------------------------------- */

static struct nx_loaded_slot *add_compiled(struct loader *l, const uint8_t *word, uint32_t pc)
{
	struct nx_loaded_slot slot = {.compiler_pc = pc,
				      .kind = NX_LOADED_COMPILED,
				      .queue = NX_NO_INDEX,
				      .block = NX_NO_INDEX};

	slot.word = *nx_word_of(word);
	nx_vec_push(&l->slots, slot);
	return &l->slots.items[l->slots.len - 1];
}

/* Two WRITEs in its place: the first one waits, the second one is the compiler's. */
static struct nx_loaded_slot *add_two_doorbells(struct loader *l, const uint8_t *word, uint32_t pc,
						uint32_t queue_index)
{
	struct nx_loaded_slot *slot = add_compiled(l, word, NX_NO_INDEX);

	nx_loaded_word_doorbell(&slot->word, queue_index);
	slot->kind = NX_LOADED_INSERTED;
	slot->word.header.update = (struct nx_word_sync){0};
	slot = add_compiled(l, word, pc);
	nx_loaded_word_doorbell(&slot->word, queue_index);
	slot->word.header.wait = (struct nx_word_sync){0};
	return slot;
}

static enum nx_status add_trigger(struct loader *l, unsigned engine, const uint8_t *word,
				  uint32_t pc)
{
	struct nx_loaded_slot *slot;
	struct nx_dma_trigger trigger;
	const struct nx_device_queue *queue;
	size_t index = 0;
	uint64_t block;

	(void)nx_instruction_dma_trigger(word, &trigger);
	queue = nx_core_program_queue(l->program, engine, nx_slice_text(trigger.queue), &index);
	if (l->runtime == NX_LOADED_BY_OLDER) {
		slot = add_compiled(l, word, pc);
		nx_loaded_word_doorbells(&slot->word, (uint32_t)index);
	} else {
		slot = add_two_doorbells(l, word, pc, (uint32_t)index);
	}
	slot->kind = NX_LOADED_REPLACED;
	if (!queue || !nx_map_get(&queue->by_id, trigger.block_id, &block))
		return NX_OK;
	slot->queue = l->queue_of[index];
	slot->block = (uint32_t)block;
	/* A block may be started more than once. */
	if (!nx_packet_maker_count(&l->packets, &l->core->queues[slot->queue].blocks[block]))
		return fail_packets(l, queue->name);
	return NX_OK;
}

static enum nx_status add_direct2d(struct loader *l, unsigned engine, const uint8_t *word,
				   const uint8_t *next, uint32_t pc)
{
	uint32_t at = l->queue_of[l->program->queue_count + engine];
	struct nx_loaded_queue *queue = &l->core->queues[at];
	bool has_bound = next && nx_word_opcode(next) == NX_OP_PSEUDO_EXTENSION;
	struct nx_loaded_slot *slot;

	if (!nx_packet_maker_dynamic(&l->packets, l->program, queue->kind, word,
				     &queue->blocks[queue->block_count]))
		return fail_packets(l, queue->name);
	queue->block_count++;
	if (has_bound) {
		slot = add_compiled(l, word, NX_NO_INDEX);
		slot->kind = NX_LOADED_INSERTED;
		nx_loaded_word_move(&slot->word, nx_word_of(next)->extension.tensor_bytes);
	}
	slot = add_compiled(l, word, pc);
	if (nx_word_opcode(word) == NX_OP_PSEUDO_DMA_DIRECT2D) {
		nx_loaded_word_replace_direct2d(&slot->word, has_bound);
		slot->kind = NX_LOADED_REPLACED;
	}
	slot->queue = at;
	return NX_OK;
}

static void add_replaced(struct loader *l, const uint8_t *word, uint32_t pc,
			 void (*replace)(union nx_word *word))
{
	struct nx_loaded_slot *slot = add_compiled(l, word, pc);

	slot->kind = NX_LOADED_REPLACED;
	replace(&slot->word);
}

static enum nx_status add_word(struct loader *l, unsigned engine, struct nx_slice code, uint32_t pc)
{
	const uint8_t *word = nx_instruction_word(code, pc);

	switch (nx_word_opcode(word)) {
	case NX_OP_PSEUDO_BRANCH_LABEL:
	case NX_OP_PSEUDO_EXTENSION:
		return NX_OK; /* the runtime drops them */
	case NX_OP_PSEUDO_DMA_TRIGGER:
		return add_trigger(l, engine, word, pc);
	case NX_OP_PSEUDO_DMA_DIRECT2D:
	case NX_OP_DMA_DIRECT2D:
		return add_direct2d(l, engine, word, nx_instruction_word(code, pc + 1), pc);
	case NX_OP_PSEUDO_TENSOR_LOAD:
		add_replaced(l, word, pc, nx_loaded_word_replace_load);
		return NX_OK;
	case NX_OP_PSEUDO_CORE_BARRIER:
		add_replaced(l, word, pc, nx_loaded_word_replace_barrier);
		return NX_OK;
	default:
		(void)add_compiled(l, word, pc);
		return NX_OK;
	}
}

static enum nx_status make_stream(struct loader *l, unsigned engine)
{
	struct nx_slice code = l->program->code[engine];
	struct nx_loaded_stream *stream = &l->core->streams[engine];
	size_t count = code.len / NX_SLOT_BYTES, static_queues = 0;
	enum nx_status status = NX_OK;

	nx_vec_clear(&l->slots);
	nx_loaded_words_begin(&l->slots, engine, l->runtime);
	if (count < MAX_SLOTS)
		for (uint32_t pc = 0; pc < count && !status; pc++)
			status = add_word(l, engine, code, pc);
	if (status)
		return status;
	for (size_t q = 0; q < l->program->queue_count; q++)
		static_queues += l->program->queues[q].engine == engine;
	nx_loaded_words_end(&l->slots, engine, static_queues, l->runtime);
	if (count >= MAX_SLOTS || l->slots.len > MAX_SLOTS)
		return nx_fail(l->err, NX_LIMIT,
			       "the stream of engine %s has %zu words; a record of a device can "
			       "name %u of them",
			       nx_engine_label(engine), count, MAX_SLOTS);
	stream->slot_count = l->slots.len;
	stream->slots = NX_NEW_ARRAY(&l->code->arena, struct nx_loaded_slot, l->slots.len);
	memcpy(stream->slots, l->slots.items, l->slots.len * sizeof(*stream->slots));
	return NX_OK;
}

static enum nx_status load_core(struct loader *l, size_t index)
{
	enum nx_status status;

	l->program = &l->code->program->cores[index];
	l->core = &l->code->cores[index];
	status = make_queues(l, index);
	for (unsigned e = 0; e < NX_ENGINE_COUNT && !status; e++)
		status = make_stream(l, e);
	return status;
}

/* Images are adjacent, as the pc of a record has only 20 bits. */
static void place_streams(struct nx_loaded_code *code)
{
	uint64_t at = CODE_BASE;

	for (size_t c = 0; c < code->core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			struct nx_loaded_stream *stream = &code->cores[c].streams[e];
			uint64_t bytes = (uint64_t)stream->slot_count * NX_SLOT_BYTES;

			stream->start_address = at;
			at += (bytes + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
		}
}

static uint64_t packets_allowed(const struct nx_device_program *program)
{
	uint64_t count = PACKETS_ANYWAY;

	for (size_t c = 0; c < program->core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			count += PACKETS_PER_WORD * (program->cores[c].code[e].len / NX_SLOT_BYTES);
	return count < PACKETS_MOST ? count : PACKETS_MOST;
}

enum nx_status nx_loaded_code_make(struct nx_loaded_code *code,
				   const struct nx_device_program *program, struct nx_error *err)
{
	struct loader l = {
		.code = code, .runtime = nx_loading_runtime_of(program->arch), .err = err};
	enum nx_status status = NX_OK;

	assert(program->core_count <= NX_DEVICE_MAX_CORES);
	memset(code, 0, sizeof(*code));
	code->program = program;
	code->core_count = program->core_count;
	code->cores = NX_NEW_ARRAY(&code->arena, struct nx_loaded_core, code->core_count);
	l.packets = (struct nx_packet_maker){.arena = &code->arena,
					     .arch = program->arch,
					     .packets_left = packets_allowed(program)};
	for (size_t c = 0; c < code->core_count && !status; c++)
		status = load_core(&l, c);
	if (!status)
		place_streams(code);
	nx_vec_release(&l.slots);
	nx_vec_release(&l.packets.list);
	return status;
}

void nx_loaded_code_release(struct nx_loaded_code *code)
{
	nx_arena_release(&code->arena);
	memset(code, 0, sizeof(*code));
}
