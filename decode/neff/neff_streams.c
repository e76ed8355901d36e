/* SPDX-License-Identifier: Apache-2.0 */
/* neff_streams: per engine the instruction stream and the table of static DMA blocks. */
#include <stdio.h>

#include "decode/neff/neff_source.h"

#define SLOT_BYTES 64

static size_t array_count(const struct nx_json *array)
{
	return array && array->kind == NX_JSON_ARRAY ? array->count : 0;
}

static uint32_t variable_named(const struct nx_neff_graph *graph, const struct nx_json *name)
{
	uint64_t index;

	if (!name || name->kind != NX_JSON_TEXT ||
	    !nx_text_map_get(&graph->variable_index, name->text, &index))
		return NX_NONE;
	return (uint32_t)index;
}

/* One side of a transfer: how many bytes, in which steps. */
struct side {
	uint64_t *sizes;
	int64_t *steps;
	size_t dims;
	uint64_t bytes;
};

static struct side read_side(struct nx_arena *arena, const struct nx_json *sizes,
			     const struct nx_json *steps)
{
	struct side side = {.dims = array_count(sizes)};
	size_t step_count = array_count(steps);

	side.sizes = NX_NEW_ARRAY(arena, uint64_t, side.dims);
	side.steps = NX_NEW_ARRAY(arena, int64_t, side.dims);
	side.bytes = side.dims > 0;
	for (size_t i = 0; i < side.dims; i++) {
		side.sizes[i] = nx_json_as_u64(&sizes->children[i], 0);
		if (i < step_count)
			side.steps[i] = nx_json_as_i64(&steps->children[i], 0);
		if (__builtin_mul_overflow(side.bytes, side.sizes[i], &side.bytes))
			side.bytes = UINT64_MAX;
	}
	return side;
}

static const char *operation_of(struct nx_neff_source *source, const struct nx_json *entry)
{
	const char *op = nx_neff_source_text(source, nx_json_get(entry, "op"));

	if (op[0])
		return op;
	return nx_json_get(entry, "transpose_op") ? "transpose" : "copy";
}

/* A sum has its sources in from_arr, as names or as objects with the keys of one source. */
static const struct nx_json *read_sources(const struct nx_neff_graph *graph,
					  const struct nx_json *entry, struct nx_dma_descriptor *d)
{
	const struct nx_json *several = nx_json_get(entry, "from_arr");
	size_t count = array_count(several);

	d->from_count = count ? count : 1;
	d->from = NX_NEW_ARRAY(graph->source->arena, uint32_t, d->from_count);
	if (count == 0) {
		d->from[0] = variable_named(graph, nx_json_get(entry, "from"));
		return entry;
	}
	for (size_t i = 0; i < count; i++) {
		const struct nx_json *part = &several->children[i];

		if (part->kind == NX_JSON_OBJECT)
			part = nx_json_get(part, "from");
		d->from[i] = variable_named(graph, part);
	}
	return nx_json_get(&several->children[0], "from_sizes") ? &several->children[0] : entry;
}

static void read_descriptor(const struct nx_neff_graph *graph, const struct nx_json *entry,
			    struct nx_dma_descriptor *d)
{
	struct nx_neff_source *source = graph->source;
	const struct nx_json *from = read_sources(graph, entry, d);
	struct side read = read_side(source->arena, nx_json_get(from, "from_sizes"),
				     nx_json_get(from, "from_steps"));
	struct side write = read_side(source->arena, nx_json_get(entry, "to_sizes"),
				      nx_json_get(entry, "to_steps"));

	d->op = operation_of(source, entry);
	d->to = variable_named(graph, nx_json_get(entry, "to"));
	d->from_offset = nx_json_as_u64(nx_json_get(from, "from_off"), 0);
	d->to_offset = nx_json_as_u64(nx_json_get(entry, "to_off"), 0);
	d->from_dtype = nx_neff_source_text(source, nx_json_get(from, "from_dtype"));
	d->to_dtype = nx_neff_source_text(source, nx_json_get(entry, "to_dtype"));
	d->from_sizes = read.sizes;
	d->from_steps = read.steps;
	d->from_dims = read.dims;
	d->from_bytes = read.bytes;
	d->to_sizes = write.sizes;
	d->to_steps = write.steps;
	d->to_dims = write.dims;
	d->to_bytes = write.bytes;
}

static void read_block(const struct nx_neff_graph *graph, const struct nx_json *entry,
		       struct nx_dma_block *block)
{
	const struct nx_json *descriptors = nx_json_get(entry, "desc");
	const struct nx_json *queue = nx_json_get(entry, "queue");

	if (!queue)
		queue = nx_json_get(entry, "instance_name");
	block->queue = nx_neff_source_text(graph->source, queue);
	block->id = nx_neff_u32(nx_json_get(entry, "id"), NX_NONE);
	block->semaphore = nx_neff_u32(nx_json_get(entry, "semaphore"), NX_NONE);
	block->comment = nx_neff_source_text(graph->source, nx_json_get(entry, "#comment"));
	block->descriptor_count = array_count(descriptors);
	block->descriptors = NX_NEW_ARRAY(graph->source->arena, struct nx_dma_descriptor,
					  block->descriptor_count);
	for (size_t i = 0; i < block->descriptor_count; i++)
		read_descriptor(graph, &descriptors->children[i], &block->descriptors[i]);
}

static void read_blocks(const struct nx_neff_graph *graph, const struct nx_json *table,
			struct nx_engine_program *program)
{
	const struct nx_json *blocks = nx_json_get(table, "dma");

	program->block_count = array_count(blocks);
	program->blocks =
		NX_NEW_ARRAY(graph->source->arena, struct nx_dma_block, program->block_count);
	for (size_t i = 0; i < program->block_count; i++)
		read_block(graph, &blocks->children[i], &program->blocks[i]);
}

static void read_code(const struct nx_neff_graph *graph, const char *path, const char *label,
		      struct nx_engine_program *program)
{
	struct nx_neff_source *source = graph->source;
	char cost[96];

	snprintf(cost, sizeof(cost), "the %s engine's instructions are unknown", label);
	if (!path || !nx_neff_source_take(source, path, cost, &program->code))
		return;
	program->stream_name = path;
	program->slot_count = program->code.len / SLOT_BYTES;
	if (program->code.len % SLOT_BYTES)
		nx_neff_source_note(source, path, "ends inside its slot %zu; that slot is ignored",
				    program->slot_count);
	program->code.len = program->slot_count * SLOT_BYTES;
	program->slot_bir = NX_NEW_ARRAY(source->arena, uint32_t, program->slot_count);
	for (size_t i = 0; i < program->slot_count; i++)
		program->slot_bir[i] = NX_NONE;
}

static const struct nx_json *stream_key(const struct nx_json *definition, const char *engine)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_instr", engine);
	return nx_json_get(definition, key);
}

static void read_engine(const struct nx_neff_graph *graph, unsigned engine)
{
	const struct nx_engine_names *names = &nx_engines[engine];
	struct nx_engine_program *program = &graph->out->engines[engine];
	const struct nx_json *stream = stream_key(graph->definition, names->neff_key);
	const char *path =
		nx_neff_graph_path(graph, nx_json_get(graph->definition, names->neff_key));
	bool skip = graph->source->options.skip_dma_blocks;
	const struct nx_json *table = NULL;
	struct nx_arena scratch = {0};
	char cost[96];

	program->stream_name = "";
	snprintf(cost, sizeof(cost), "the %s engine's static DMA blocks are unknown", names->label);
	/* Old definitions name the stream only in the engine's own file. */
	if (path && (!skip || !stream))
		table = nx_neff_source_json(graph->source, path, cost, &scratch);
	if (!stream)
		stream = nx_json_get(table, "instr");
	read_code(graph, nx_neff_graph_path(graph, stream), names->label, program);
	if (!skip)
		read_blocks(graph, table, program);
	nx_arena_release(&scratch);
}

void nx_neff_streams_read(const struct nx_neff_graph *graph)
{
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
		read_engine(graph, engine);
}
