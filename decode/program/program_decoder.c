/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/program/program_decoder.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "format/instruction.h"
#include "model/rows.h"

struct names {
	NX_VEC(const char *) texts;
	struct nx_text_map ids;
};

struct build {
	const struct nx_capture *capture;
	const struct nx_binary *binary;
	struct nx_arena *arena;
	struct nx_program *out;
	NX_VEC(struct nx_operand) operands;
	NX_VEC(struct nx_dma_block) dynamic_blocks;
	NX_VEC(struct nx_slot_signals) signals;
	struct names layers, queues;
	struct nx_map blocks;	/* of the current engine: block_key -> index */
	struct nx_map triggers; /* of the current engine: block index -> slot that triggers it */
	struct nx_slot *slots;
};

static uint32_t intern(struct build *b, struct names *names, const char *text)
{
	const char *copy;
	uint64_t id;

	if (nx_text_map_get(&names->ids, nx_slice_text(text), &id))
		return (uint32_t)id;
	copy = nx_arena_copy_text(b->arena, text);
	nx_text_map_put(&names->ids, nx_slice_text(copy), names->texts.len);
	nx_vec_push(&names->texts, copy);
	return (uint32_t)names->texts.len - 1;
}

/* --- semaphore names ------------------------------------------------------- */

/* A queue names its semaphores; the four compute engines count in the ones after the
 * runtime's own, in this order (Sync has none). */
static const char *const *name_semaphores(struct build *b, const struct nx_binary_graph *graph)
{
	static const enum nx_engine counters[] = {NX_ENGINE_GPSIMD, NX_ENGINE_SCALAR,
						  NX_ENGINE_TENSOR, NX_ENGINE_VECTOR};
	const char **names = NX_NEW_ARRAY(b->arena, const char *, NX_SEMAPHORE_COUNT);

	for (size_t q = 0; q < graph->queue_count; q++) {
		const struct nx_queue_declaration *queue = &graph->queues[q];
		char display[256];
		const char *copy;

		nx_queue_display_name(queue->name, strlen(queue->name), display, sizeof(display));
		copy = nx_arena_copy_text(b->arena, display);
		for (size_t s = 0; s < queue->semaphore_count; s++)
			if (queue->semaphores[s] < NX_SEMAPHORE_COUNT)
				names[queue->semaphores[s]] = copy;
	}
	for (unsigned i = 0; i < 4; i++) {
		uint64_t id = (uint64_t)graph->runtime_semaphore_count + i;

		if (id < NX_SEMAPHORE_COUNT && !names[id])
			names[id] = nx_engines[counters[i]].label;
	}
	return names;
}

/* --- one slot -------------------------------------------------------------- */

static void add_operand(struct build *b, struct nx_slot *slot, struct nx_operand o)
{
	if (!slot->operand_count)
		slot->operand = (uint32_t)b->operands.len;
	nx_vec_push(&b->operands, o);
	slot->operand_count++;
}

static void put_operand(struct build *b, struct nx_slot *slot, const struct nx_access *access)
{
	struct nx_operand o = {.is_write = access->is_write, .dims = (uint8_t)access->dims};

	o.buffer = access->address >= NX_PSUM_BASE ? NX_BUFFER_PSUM : NX_BUFFER_SBUF;
	o.address = access->address - (o.buffer == NX_BUFFER_PSUM ? NX_PSUM_BASE : 0);
	o.element_bytes = (uint8_t)nx_dtype_bytes(access->dtype);
	o.partition_count = access->partition_count;
	memcpy(o.steps, access->steps, sizeof(o.steps));
	memcpy(o.counts, access->counts, sizeof(o.counts));
	add_operand(b, slot, o);
}

static void put_effect(struct build *b, struct nx_slot *slot, const uint8_t *word)
{
	struct nx_instruction_effect e;

	nx_instruction_effect(word, b->capture->arch, &e);
	slot->elements = e.elements;
	slot->adjusted_flop_count = nx_instruction_flops(word, b->capture->arch).adjusted_count;
	slot->sbuf_read_bytes = e.sbuf_read_bytes;
	slot->sbuf_write_bytes = e.sbuf_write_bytes;
	slot->psum_read_bytes = e.psum_read_bytes;
	slot->psum_write_bytes = e.psum_write_bytes;
	slot->hbm_read_bytes = e.hbm_read_bytes;
	slot->hbm_write_bytes = e.hbm_write_bytes;
	slot->flags |= (e.has_elements ? NX_SLOT_HAS_ELEMENTS : 0u) |
		       (e.has_sbuf_read ? NX_SLOT_SBUF_READ : 0u) |
		       (e.has_sbuf_write ? NX_SLOT_SBUF_WRITE : 0u) |
		       (e.has_psum_read ? NX_SLOT_PSUM_READ : 0u) |
		       (e.has_psum_write ? NX_SLOT_PSUM_WRITE : 0u) |
		       (e.has_hbm_read ? NX_SLOT_HBM_READ : 0u) |
		       (e.has_hbm_write ? NX_SLOT_HBM_WRITE : 0u) |
		       (e.is_psum_read_sbuf_write ? NX_SLOT_EVICTION : 0u);
	for (unsigned i = 0; i < e.access_count; i++)
		put_operand(b, slot, &e.accesses[i]);
}

static uint32_t kind_flags(uint8_t opcode)
{
	switch (opcode) {
	case NX_OP_EVENT_SEMAPHORE:
		return NX_SLOT_WAITS_ONLY | NX_SLOT_SETUP;
	case NX_OP_LDWEIGHTS:
		return NX_SLOT_LOAD_WEIGHTS;
	case NX_OP_MATMUL:
		return NX_SLOT_MATMUL;
	case NX_OP_ACTIVATE:
	case NX_OP_ACTIVATE_QUANTIZE:
		return NX_SLOT_ACTIVATE;
	case NX_OP_DMA_DIRECT2D:
		return NX_SLOT_DYNAMIC_DMA;
	default:
		return nx_opcode_is_setup(opcode) ? NX_SLOT_SETUP : 0;
	}
}

/* --- semaphores ------------------------------------------------------------ */

static uint8_t control_of(uint8_t opcode)
{
	switch (opcode) {
	case NX_OP_DRAIN:
		return NX_CONTROL_DRAIN;
	case NX_OP_EVENT_SEMAPHORE:
		return NX_CONTROL_SEMAPHORE;
	case NX_OP_NOTIFY:
		return NX_CONTROL_NOTIFY;
	case NX_OP_SET_ORDERING_MODE:
		return NX_CONTROL_ORDERING;
	case NX_OP_COMPARE_BRANCH:
		return NX_CONTROL_BRANCH;
	case NX_OP_WRITE:
		return NX_CONTROL_WRITE;
	case NX_OP_TENSOR_LOAD:
		return NX_CONTROL_LOAD;
	case NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR:
		return NX_CONTROL_CLEAR;
	case NX_OP_DMA_DIRECT2D:
		return NX_CONTROL_DMA;
	case NX_OP_NOP:
	case NX_OP_TENSOR_STORE:
	case NX_OP_MOVE:
	case NX_OP_ALU_OP:
		return NX_CONTROL_OTHER;
	default: /* the compiler's pseudo words */
		return opcode >= NX_OP_PSEUDO_DMA_TRIGGER && opcode <= NX_OP_PSEUDO_INST
			       ? NX_CONTROL_OTHER
			       : NX_CONTROL_NONE;
	}
}

static_assert((int)NX_TEST_EQUAL == NX_WAIT_EQUAL && (int)NX_TEST_LESS == NX_WAIT_LESS &&
		      (int)NX_TEST_AT_MOST == NX_WAIT_AT_MOST &&
		      (int)NX_TEST_MORE == NX_WAIT_MORE &&
		      (int)NX_TEST_AT_LEAST == NX_WAIT_AT_LEAST,
	      "modes become tests unchanged");

static struct nx_signal wait_of(struct nx_word_sync sync, uint32_t value)
{
	uint8_t mode = sync.mode & (uint8_t)~NX_WAIT_REGISTER;

	if (mode < NX_WAIT_EQUAL || mode > NX_WAIT_AT_LEAST)
		return (struct nx_signal){0};
	return (struct nx_signal){sync.mode == mode ? mode : NX_TEST_UNKNOWN, sync.semaphore,
				  value};
}

static struct nx_signal change_of(struct nx_word_sync sync, uint32_t value)
{
	static const uint8_t steps[NX_UPDATE_MODE_MASK + 1] = {
		[NX_UPDATE_INCREMENT] = NX_STEP_INCREMENT,
		[NX_UPDATE_DECREMENT] = NX_STEP_DECREMENT,
		[NX_UPDATE_ADD] = NX_STEP_ADD,
		[NX_UPDATE_SUBTRACT] = NX_STEP_SUBTRACT,
		[NX_UPDATE_SET] = NX_STEP_SET,
	};
	uint8_t step = steps[sync.mode & NX_UPDATE_MODE_MASK];

	if (!step || sync.mode > (NX_UPDATE_MODE_MASK | NX_UPDATE_ON_COMPLETION))
		return (struct nx_signal){0};
	return (struct nx_signal){step, sync.semaphore,
				  step == NX_STEP_INCREMENT || step == NX_STEP_DECREMENT ? 1
											 : value};
}

/* The word of the compiler tells what the runtime's stands for. */
static uint32_t barrier_of(const struct nx_slot *slot, const struct nx_binary_graph *graph,
			   unsigned engine)
{
	const uint8_t *word =
		graph && slot->compiler_slot != NX_NONE
			? nx_instruction_word(graph->engines[engine].code, slot->compiler_slot)
			: NULL;
	struct nx_core_barrier barrier;

	return word && nx_instruction_core_barrier(word, &barrier) ? barrier.id : NX_NONE;
}

static void put_signals(struct build *b, struct nx_slot *slot, const uint8_t *bytes,
			const struct nx_binary_graph *graph, unsigned engine)
{
	const union nx_word *word = nx_word_of(bytes);
	const struct nx_word_header *header = &word->event_semaphore.header;
	struct nx_slot_signals s = {.barrier = barrier_of(slot, graph, engine),
				    .dma_semaphore = -1};

	slot->control = control_of(slot->opcode);
	if (slot->opcode == NX_OP_PSEUDO_EXTENSION)
		return;
	s.before = wait_of(header->wait, header->value);
	s.changes[0] = change_of(header->update, header->value);
	if (slot->opcode == NX_OP_EVENT_SEMAPHORE) {
		s.inside = wait_of(word->event_semaphore.wait, word->event_semaphore.wait_value);
		s.changes[1] =
			change_of(word->event_semaphore.update, word->event_semaphore.update_value);
	}
	if (slot->opcode == NX_OP_DMA_DIRECT2D)
		s.dma_semaphore = word->dma.semaphore;
	if (slot->opcode == NX_OP_COMPARE_BRANCH)
		s.branch_slots = (int32_t)word->branch.target / NX_SLOT_BYTES;
	s.may_ring_core = slot->opcode == NX_OP_WRITE && word->write.sizes[0] == 4 &&
			  !word->write.sizes[1] && word->write.data[0] == 1;
	if (!s.before.what && !s.inside.what && !s.changes[0].what && !s.changes[1].what &&
	    s.barrier == NX_NONE && s.dma_semaphore < 0 && !s.may_ring_core && !s.branch_slots)
		return;
	slot->signals = (uint32_t)b->signals.len;
	nx_vec_push(&b->signals, s);
}

static void put_origin(struct build *b, struct nx_slot *slot, const struct nx_binary_graph *graph,
		       const struct nx_engine_program *stream)
{
	const struct nx_bir *bir;

	if (slot->compiler_slot >= stream->slot_count ||
	    stream->slot_bir[slot->compiler_slot] >= graph->bir_count)
		return;
	slot->bir = stream->slot_bir[slot->compiler_slot];
	bir = &graph->birs[slot->bir];
	slot->instruction_type = bir->instruction_type;
	slot->layer =
		intern(b, &b->layers,
		       bir->origin < b->binary->origin_count ? b->binary->origins[bir->origin].layer
							     : "Unknown");
	slot->flags |= NX_SLOT_HAS_LAYER;
}

/* --- static DMA triggers --------------------------------------------------- */

static uint64_t block_key(const char *queue, uint32_t block_id)
{
	return nx_fnv1a(nx_fnv1a(NX_FNV_SEED, queue, strlen(queue)), &block_id, sizeof(block_id));
}

static const struct nx_dma_block *find_block(const struct build *b,
					     const struct nx_engine_program *stream,
					     const struct nx_dma_trigger *trigger)
{
	uint64_t index;

	if (!nx_map_get(&b->blocks, block_key(trigger->queue, trigger->block_id), &index) ||
	    stream->blocks[index].id != trigger->block_id ||
	    strcmp(stream->blocks[index].queue, trigger->queue) != 0)
		return NULL;
	return &stream->blocks[index];
}

/* The SBUF of the core itself, or of the other one. */
static bool is_on_chip(const struct nx_binary_graph *graph, uint32_t variable)
{
	return nx_variable_is_sbuf(graph, variable) || nx_variable_is(graph, variable, "remote");
}

#define MAX_OPERANDS 64 /* of one trigger; further ones repeat what these cover */

static void put_dma_operand(struct build *b, struct nx_slot *slot,
			    const struct nx_dma_descriptor *d)
{
	struct nx_operand o;

	if (slot->operand_count >= MAX_OPERANDS ||
	    !nx_operand_from_dma(&o, d->to_offset, d->to_sizes, d->to_steps, d->to_dims))
		return;
	o.is_write = true;
	add_operand(b, slot, o);
}

static void add_descriptor(struct build *b, struct nx_slot *slot,
			   const struct nx_binary_graph *graph, const struct nx_dma_descriptor *d)
{
	uint64_t each = d->from_count ? d->from_bytes / d->from_count : 0;

	for (size_t i = 0; i < d->from_count; i++) {
		if (is_on_chip(graph, d->from[i])) {
			slot->sbuf_read_bytes += each;
			slot->flags |= NX_SLOT_SBUF_READ;
			continue;
		}
		slot->hbm_read_bytes += each;
		slot->flags |= NX_SLOT_HBM_READ;
		if (nx_variable_is(graph, d->from[i], "file"))
			slot->flags |= NX_SLOT_WEIGHT_QUEUE;
		else if (nx_variable_is(graph, d->from[i], "input"))
			slot->flags |= NX_SLOT_INPUT_QUEUE;
		else if (slot->instruction_type == NX_TYPE_SPILL)
			slot->flags |= NX_SLOT_SPILL_RELOAD;
	}
	if (is_on_chip(graph, d->to)) {
		slot->sbuf_write_bytes += d->to_bytes;
		slot->flags |= NX_SLOT_SBUF_WRITE;
		put_dma_operand(b, slot, d);
	} else {
		slot->hbm_write_bytes += d->to_bytes;
		slot->flags |= NX_SLOT_HBM_WRITE;
		if (nx_variable_is(graph, d->to, "output"))
			slot->flags |= NX_SLOT_OUTPUT_QUEUE;
		else if (slot->instruction_type == NX_TYPE_SPILL)
			slot->flags |= NX_SLOT_SPILL_SAVE;
	}
	slot->queue_bytes += d->to_bytes;
}

/* Copies the sums of a block that another slot triggers too. */
static bool repeat_trigger(const struct build *b, struct nx_slot *slot)
{
	const struct nx_slot *first;
	uint64_t index;

	if (!nx_map_get(&b->triggers, slot->trigger_block_index, &index))
		return false;
	first = &b->slots[index];
	if (first->instruction_type != slot->instruction_type)
		return false;
	slot->flags |= first->flags;
	slot->operand = first->operand;
	slot->operand_count = first->operand_count;
	slot->sbuf_read_bytes = first->sbuf_read_bytes;
	slot->sbuf_write_bytes = first->sbuf_write_bytes;
	slot->hbm_read_bytes = first->hbm_read_bytes;
	slot->hbm_write_bytes = first->hbm_write_bytes;
	slot->queue_bytes = first->queue_bytes;
	return true;
}

static void put_trigger(struct build *b, struct nx_slot *slot, const struct nx_binary_graph *graph,
			const struct nx_engine_program *stream)
{
	struct nx_dma_trigger trigger;
	const struct nx_dma_block *block;
	size_t at = (size_t)slot->compiler_slot * NX_SLOT_BYTES;

	if (slot->opcode != NX_OP_WRITE || slot->compiler_slot == NX_NONE ||
	    at + NX_SLOT_BYTES > stream->code.len ||
	    !nx_instruction_dma_trigger(stream->code.data + at, &trigger))
		return;
	slot->flags |= NX_SLOT_TRIGGER;
	slot->trigger_queue = intern(b, &b->queues, trigger.queue);
	slot->trigger_block = trigger.block_id;
	block = find_block(b, stream, &trigger);
	if (!block)
		return;
	slot->trigger_block_index = (uint32_t)(block - stream->blocks);
	if (repeat_trigger(b, slot))
		return;
	for (size_t i = 0; i < block->descriptor_count; i++)
		add_descriptor(b, slot, graph, &block->descriptors[i]);
	nx_map_put(&b->triggers, slot->trigger_block_index, (uint64_t)(slot - b->slots));
}

/* --- dynamic DMAs ---------------------------------------------------------- */

/* The queue that serves an engine's dynamic DMAs: qSyncDynamicHW, qGpSimdDynamic. */
static const struct nx_queue *dynamic_queue(const struct nx_graph *graph, unsigned engine)
{
	const char *label = nx_engines[engine].label;
	size_t len = strlen(label);

	for (size_t i = 0; i < graph->queue_count; i++) {
		const struct nx_queue *q = &graph->queues[i];

		if (nx_queue_is_dynamic(q->queue_class) && q->display_name[0] == 'q' &&
		    !strncmp(q->display_name + 1, label, len) &&
		    !strncmp(q->display_name + 1 + len, "Dynamic", strlen("Dynamic")))
			return q;
	}
	return NULL;
}

struct dynamic_side {
	uint32_t variable;
	uint64_t offset, bytes;
	uint64_t *sizes;
	int64_t *steps;
};

#define DYNAMIC_DIMS 3

static struct dynamic_side read_side(struct build *b, const struct nx_binary_graph *graph,
				     const struct nx_word_dma_side *side)
{
	uint32_t index = nx_dma_side_index(side);
	struct dynamic_side out = {
		.variable = NX_NONE,
		.offset = side->kind == NX_PLACE_TABLE_REGISTER ? NX_OFFSET_UNKNOWN : side->offset,
		.sizes = NX_NEW_ARRAY(b->arena, uint64_t, DYNAMIC_DIMS),
		.steps = NX_NEW_ARRAY(b->arena, int64_t, DYNAMIC_DIMS),
	};

	if (side->kind == NX_PLACE_VARIABLE)
		out.variable = nx_variable_of_id(graph, index);
	else if ((side->kind == NX_PLACE_TABLE || side->kind == NX_PLACE_TABLE_REGISTER) &&
		 index < graph->address_table_count)
		out.variable = graph->address_table[index];
	out.sizes[0] = nx_dma_side_element_bytes(side);
	out.sizes[1] = side->inner_count;
	out.sizes[2] = side->outer_count;
	out.steps[0] = 1;
	out.steps[1] = side->inner_step;
	out.steps[2] = side->outer_step;
	out.bytes = out.sizes[0] * out.sizes[1] * out.sizes[2];
	return out;
}

static struct nx_dma_block describe_dynamic(struct build *b, const struct nx_binary_graph *graph,
					    const struct nx_dma_word *w, const char *queue)
{
	struct dynamic_side from = read_side(b, graph, &w->source);
	struct dynamic_side to = read_side(b, graph, &w->target);
	struct nx_dma_descriptor *d = NX_NEW(b->arena, struct nx_dma_descriptor);

	*d = (struct nx_dma_descriptor){
		.op = w->source_dtype == w->target_dtype ? "copy" : "cast",
		.from = NX_NEW(b->arena, uint32_t),
		.from_count = 1,
		.to = to.variable,
		.from_offset = from.offset,
		.to_offset = to.offset,
		.from_sizes = from.sizes,
		.to_sizes = to.sizes,
		.from_steps = from.steps,
		.to_steps = to.steps,
		.from_dims = DYNAMIC_DIMS,
		.to_dims = DYNAMIC_DIMS,
		.from_bytes = from.bytes,
		.to_bytes = to.bytes,
	};
	d->from[0] = from.variable;
	return (struct nx_dma_block){
		.queue = queue, .semaphore = w->semaphore, .descriptors = d, .descriptor_count = 1};
}

/* Only the compiler's word names variables; the runtime replaces them by addresses. */
static void put_dynamic(struct build *b, struct nx_slot *slot, const struct nx_queue *queue,
			const struct nx_binary_graph *graph, unsigned engine)
{
	size_t at = (size_t)slot->compiler_slot * NX_SLOT_BYTES;
	const uint8_t *word;

	if (!(slot->flags & NX_SLOT_DYNAMIC_DMA) || !queue)
		return;
	slot->trigger_queue = intern(b, &b->queues, queue->name);
	if (!graph || slot->compiler_slot == NX_NONE ||
	    at + NX_SLOT_BYTES > graph->engines[engine].code.len)
		return;
	word = graph->engines[engine].code.data + at;
	if (nx_word_opcode(word) != NX_OP_PSEUDO_DMA_DIRECT2D)
		return;
	slot->trigger_block_index = (uint32_t)b->dynamic_blocks.len;
	nx_vec_push(&b->dynamic_blocks,
		    describe_dynamic(b, graph, &nx_word_of(word)->dma, queue->name));
}

/* Without a NEFF it is unknown which WRITE starts a queue, unless there is a single static block.
 */
static bool single_block(const struct nx_graph *graph, const char **queue, uint32_t *block_id)
{
	bool found = false;

	for (size_t q = 0; q < graph->queue_count; q++)
		for (size_t i = 0; i < graph->queues[q].block_count; i++) {
			if (found && (strcmp(*queue, graph->queues[q].name) != 0 ||
				      *block_id != graph->queues[q].blocks[i].block_id))
				return false;
			found = true;
			*queue = graph->queues[q].name;
			*block_id = graph->queues[q].blocks[i].block_id;
		}
	return found;
}

/* --- the whole ------------------------------------------------------------- */

static void mark_unknown_text(struct build *b, struct nx_slot *slot, const uint8_t *word)
{
	struct nx_instruction_context context = {b->capture->arch, NULL};
	char text[NX_INSTRUCTION_TEXT_MAX];
	bool is_known;

	nx_instruction_text(word, &context, text, sizeof(text), &is_known);
	if (!is_known)
		slot->flags |= NX_SLOT_TEXT_UNKNOWN;
}

static void decode_engine(struct build *b, uint32_t g, unsigned engine)
{
	const struct nx_engine_image *image = &b->capture->graphs[g].engines[engine];
	const struct nx_binary_graph *graph = b->out->binary_graphs[g];
	struct nx_slot *slots =
		NX_NEW_ARRAY(b->arena, struct nx_slot, (size_t)image->slot_count + 1);
	const char *only_queue = NULL;
	uint32_t only_block = 0;
	const struct nx_queue *dynamic = dynamic_queue(&b->capture->graphs[g], engine);
	bool has_single = !graph && single_block(&b->capture->graphs[g], &only_queue, &only_block);

	b->out->slots[g][engine] = slots;
	b->slots = slots;
	nx_map_release(&b->blocks);
	nx_map_release(&b->triggers);
	for (size_t i = 0; graph && i < graph->engines[engine].block_count; i++) {
		const struct nx_dma_block *block = &graph->engines[engine].blocks[i];

		nx_map_put(&b->blocks, block_key(block->queue, block->id), i);
	}
	for (uint32_t i = 0; i < image->slot_count; i++) {
		const uint8_t *word = image->code.data + (size_t)i * NX_SLOT_BYTES;
		struct nx_slot *slot = &slots[i];

		slot->opcode = nx_word_opcode(word);
		slot->flags = kind_flags(nx_word_opcode(word));
		slot->compiler_slot = image->compiler_slot[i];
		slot->bir = NX_NONE;
		slot->trigger_queue = NX_NONE;
		slot->trigger_block_index = NX_NONE;
		if (nx_instruction_wait(word, &slot->wait_semaphore))
			slot->flags |= NX_SLOT_WAITS_SEMAPHORE;
		put_signals(b, slot, word, graph, engine);
		put_effect(b, slot, word);
		mark_unknown_text(b, slot, word);
		put_dynamic(b, slot, dynamic, graph, engine);
		if (graph) {
			put_origin(b, slot, graph, &graph->engines[engine]);
			put_trigger(b, slot, graph, &graph->engines[engine]);
		} else if (has_single && nx_word_opcode(word) == NX_OP_WRITE &&
			   slot->compiler_slot != NX_NONE) {
			slot->flags |= NX_SLOT_TRIGGER;
			slot->trigger_queue = intern(b, &b->queues, only_queue);
			slot->trigger_block = only_block;
		}
	}
}

static const char **keep_names(struct nx_arena *arena, struct names *names, size_t *count)
{
	const char **kept = NX_COPY_ARRAY(arena, names->texts.items, names->texts.len);

	*count = names->texts.len;
	nx_vec_release(&names->texts);
	nx_text_map_release(&names->ids);
	return kept;
}

/* NULL: the NEFF does not have it. Graphs of several NEFFs have the names of the capture. */
static const struct nx_binary_graph *find_binary_graph(const struct nx_binary *binary,
						       const struct nx_graph *graph)
{
	const char *name = graph->compiled_name ? graph->compiled_name : graph->name;

	for (size_t i = 0; binary && !graph->is_of_other_neff && i < binary->graph_count; i++)
		if (!strcmp(binary->graphs[i].name, binary->part_count ? graph->name : name))
			return &binary->graphs[i];
	return NULL;
}

void nx_program_decode(const struct nx_capture *capture, const struct nx_binary *binary,
		       struct nx_arena *arena, struct nx_program *out)
{
	struct build b = {.capture = capture, .binary = binary, .arena = arena, .out = out};

	assert(capture && arena && capture->graph_count <= NX_MAX_GRAPHS);
	memset(out, 0, sizeof(*out));
	intern(&b, &b.layers, "");
	nx_vec_push(&b.signals,
		    ((struct nx_slot_signals){.barrier = NX_NONE, .dma_semaphore = -1}));
	for (uint32_t g = 0; g < capture->graph_count; g++) {
		out->binary_graphs[g] = find_binary_graph(binary, &capture->graphs[g]);
		if (out->binary_graphs[g])
			out->semaphore_names[g] = name_semaphores(&b, out->binary_graphs[g]);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			decode_engine(&b, g, e);
	}
	out->operands = NX_COPY_ARRAY(arena, b.operands.items, b.operands.len);
	out->operand_count = b.operands.len;
	out->signals = NX_COPY_ARRAY(arena, b.signals.items, b.signals.len);
	out->signal_count = b.signals.len;
	out->dynamic_blocks = NX_COPY_ARRAY(arena, b.dynamic_blocks.items, b.dynamic_blocks.len);
	out->dynamic_block_count = b.dynamic_blocks.len;
	out->layers = keep_names(arena, &b.layers, &out->layer_count);
	out->queue_names = keep_names(arena, &b.queues, &out->queue_name_count);
	nx_vec_release(&b.operands);
	nx_vec_release(&b.dynamic_blocks);
	nx_vec_release(&b.signals);
	nx_map_release(&b.blocks);
	nx_map_release(&b.triggers);
}
