/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ntff_program.h"

#include "format/instruction.h"
#include "runtime/timing/notifications.h"

#define NO_EVENT (-1)
#define DRAM_CHANNEL 2 /* as real captures of trn2 have */

/* --- code ------------------------------------------------------------------------------------ */

static uint8_t *copy_image(const struct nx_loaded_stream *stream, struct nx_arena *arena)
{
	uint8_t *image = NX_NEW_ARRAY(arena, uint8_t, stream->slot_count * NX_SLOT_BYTES);

	for (size_t i = 0; i < stream->slot_count; i++)
		memcpy(image + i * NX_SLOT_BYTES, stream->slots[i].word, NX_SLOT_BYTES);
	return image;
}

struct patching {
	struct nx_ntff_patch *patch;
	uint64_t next_pc; /* of the compiler's stream */
};

/* Neighbours of one kind are one patch. */
static void add_patch(struct patching *p, size_t slot, enum nx_patch_type type, uint64_t count)
{
	struct nx_ntff_patch_location *items = p->patch->locations.items;
	size_t len = p->patch->locations.count;

	if (len && items[len - 1].type == type && type != NX_PATCH_DELETE &&
	    items[len - 1].offset / NX_SLOT_BYTES + items[len - 1].count == slot) {
		items[len - 1].count += count;
		return;
	}
	items[p->patch->locations.count++] = (struct nx_ntff_patch_location){
		.offset = slot * NX_SLOT_BYTES, .count = count, .type = type};
}

/* At most two for a slot: what was left out before it, and what became of it. */
static void fill_patches(const struct nx_loaded_stream *stream, struct nx_arena *arena,
			 struct nx_ntff_patch *patch)
{
	struct patching p = {patch, 0};

	patch->locations.items =
		NX_NEW_ARRAY(arena, struct nx_ntff_patch_location, 2 * stream->slot_count);
	for (size_t i = 0; i < stream->slot_count; i++) {
		const struct nx_loaded_slot *slot = &stream->slots[i];

		if (slot->compiler_pc == NX_NO_INDEX) {
			add_patch(&p, i, NX_PATCH_INSERT, 1);
			continue;
		}
		if (slot->compiler_pc > p.next_pc)
			add_patch(&p, i, NX_PATCH_DELETE, slot->compiler_pc - p.next_pc);
		if (slot->kind == NX_LOADED_REPLACED)
			add_patch(&p, i, NX_PATCH_MODIFY, 1);
		p.next_pc = (uint64_t)slot->compiler_pc + 1;
	}
}

void nx_ntff_program_fill_code(const struct nx_loaded_core *core, uint8_t version, uint64_t *offset,
			       struct nx_arena *arena, struct nx_ntff_graph *graph)
{
	graph->code.count = graph->patches.count = NX_ENGINE_COUNT;
	graph->code.items = NX_NEW_ARRAY(arena, struct nx_ntff_code, NX_ENGINE_COUNT);
	graph->patches.items = NX_NEW_ARRAY(arena, struct nx_ntff_patch, NX_ENGINE_COUNT);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_loaded_stream *stream = &core->streams[e];
		struct nx_ntff_code *code = &graph->code.items[e];

		code->engine = e;
		code->start_address = stream->start_address;
		graph->patches.items[e].engine = e;
		fill_patches(stream, arena, &graph->patches.items[e]);
		if (version < 6) {
			code->inline_code = nx_slice_of(copy_image(stream, arena),
							stream->slot_count * NX_SLOT_BYTES);
			continue;
		}
		code->offset = *offset;
		code->size = stream->slot_count * NX_SLOT_BYTES;
		*offset += code->size;
	}
}

void nx_ntff_program_append_code(const struct nx_loaded_core *core, struct nx_bytes *out)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (size_t i = 0; i < core->streams[e].slot_count; i++)
			nx_bytes_append(out, core->streams[e].slots[i].word, NX_SLOT_BYTES);
}

/* --- queues ---------------------------------------------------------------------------------- */

/* Packets of a dynamic queue are not known before it runs. */
static void fill_blocks(const struct nx_loaded_queue *from, unsigned ring, struct nx_arena *arena,
			struct nx_ntff_queue *to)
{
	if (from->kind != NX_LOADED_STATIC)
		return;
	to->blocks.count = from->block_count;
	to->blocks.items = NX_NEW_ARRAY(arena, struct nx_ntff_dma_block, from->block_count);
	for (size_t i = 0; i < from->block_count; i++) {
		const struct nx_loaded_block *block = &from->blocks[i];
		uint32_t packet_count = block->first[ring + 1] - block->first[ring];

		to->blocks.items[i] = (struct nx_ntff_dma_block){.block_id = block->id,
								 .packet_count = packet_count,
								 .m2s = packet_count,
								 .s2m = packet_count};
	}
}

void nx_ntff_program_fill_queues(const struct nx_loaded_core *core, uint32_t first_core,
				 struct nx_arena *arena, struct nx_ntff_graph *graph)
{
	graph->queues.items =
		NX_NEW_ARRAY(arena, struct nx_ntff_queue, core->queue_count * NX_LOADED_RINGS);
	for (size_t q = 0; q < core->queue_count; q++)
		for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++) {
			const struct nx_loaded_queue *from = &core->queues[q];
			struct nx_ntff_queue *to = &graph->queues.items[graph->queues.count++];

			to->engine_index = (uint64_t)first_core * NX_NOTIFY_DMA_ENGINES +
					   from->first_dma_engine + ring;
			to->queue_index = from->queue_index;
			to->queue_type = from->queue_type;
			to->name = from->name;
			to->tracing_event_id = NO_EVENT;
			to->channel = DRAM_CHANNEL;
			fill_blocks(from, ring, arena, to);
		}
}

/* --- memory ---------------------------------------------------------------------------------- */

static void add_memory(struct nx_ntff_graph *graph, const char *type, uint64_t amount_bytes)
{
	graph->memory.items[graph->memory.count++] = (struct nx_ntff_memory_usage){
		.amount_bytes = amount_bytes, .type = nx_slice_text(type)};
}

static uint64_t tensor_bytes(const struct nx_device_program *program)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < program->tensor_count; i++)
		sum += program->tensors[i].size_bytes;
	return sum;
}

static uint64_t constant_bytes(const struct nx_core_program *core)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < core->variable_count; i++)
		if (core->variables[i].kind == NX_VARIABLE_FILE)
			sum += core->variables[i].size_bytes;
	return sum;
}

/* Tensors are common to a program's cores: the first of them has them. */
void nx_ntff_program_fill_memory(const struct nx_loaded_code *code, size_t core,
				 struct nx_arena *arena, struct nx_ntff_graph *graph)
{
	static const char *const streams[NX_ENGINE_COUNT] = {
		[NX_ENGINE_TENSOR] = "pe",  [NX_ENGINE_SCALAR] = "act", [NX_ENGINE_GPSIMD] = "pool",
		[NX_ENGINE_VECTOR] = "dve", [NX_ENGINE_SYNC] = "sp",
	};

	graph->memory.items = NX_NEW_ARRAY(arena, struct nx_ntff_memory_usage, NX_ENGINE_COUNT + 3);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		add_memory(graph, streams[e],
			   code->cores[core].streams[e].slot_count * NX_SLOT_BYTES);
	add_memory(graph, "weight", constant_bytes(&code->program->cores[core]));
	add_memory(graph, "scratchpad", code->program->cores[core].scratch_bytes);
	add_memory(graph, "tensor", core ? 0 : tensor_bytes(code->program));
}
