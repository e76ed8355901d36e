/* SPDX-License-Identifier: Apache-2.0 */
/* neff_streams: per engine the instruction stream and the table of static DMA blocks. */
#include <stdio.h>

#include "decode/neff/neff_source.h"

static uint32_t row_of(const struct nx_graph_source *g, const struct nx_neff_side *side)
{
	return side->variable == NX_NO_INDEX ? NX_NONE : g->rows[side->variable];
}

static uint64_t bytes_of(const struct nx_neff_side *side)
{
	uint64_t bytes = side->dims > 0;

	for (unsigned i = 0; i < side->dims; i++)
		if (__builtin_mul_overflow(bytes, side->sizes[i], &bytes))
			bytes = UINT64_MAX;
	return bytes;
}

/* Sizes and steps of a sum are those of its first source. */
static void read_descriptor(const struct nx_graph_source *g, const struct nx_neff_descriptor *in,
			    struct nx_dma_descriptor *d)
{
	struct nx_neff_source *source = g->source;
	const struct nx_neff_side *from = &in->from[0], *to = &in->to;

	*d = (struct nx_dma_descriptor){
		.op = nx_neff_source_intern(source, nx_slice_text(in->op_name)),
		.from = NX_NEW_ARRAY(source->arena, uint32_t, in->from_count),
		.from_count = in->from_count,
		.to = row_of(g, to),
		.from_offset = from->offset,
		.to_offset = to->offset,
		.from_sizes = NX_COPY_ARRAY(source->arena, from->sizes, from->dims),
		.to_sizes = NX_COPY_ARRAY(source->arena, to->sizes, to->dims),
		.from_steps = NX_COPY_ARRAY(source->arena, from->steps, from->dims),
		.to_steps = NX_COPY_ARRAY(source->arena, to->steps, to->dims),
		.from_dims = from->dims,
		.to_dims = to->dims,
		.from_dtype = nx_neff_source_intern(source, nx_slice_text(from->dtype_name)),
		.to_dtype = nx_neff_source_intern(source, nx_slice_text(to->dtype_name)),
		.from_bytes = bytes_of(from),
		.to_bytes = bytes_of(to),
	};
	for (size_t i = 0; i < in->from_count; i++)
		d->from[i] = row_of(g, &in->from[i]);
}

static void read_blocks(const struct nx_graph_source *g, const struct nx_neff_table *table,
			struct nx_engine_program *program)
{
	struct nx_neff_source *source = g->source;

	program->block_count = table->block_count;
	program->blocks = NX_NEW_ARRAY(source->arena, struct nx_dma_block, table->block_count);
	for (size_t i = 0; i < table->block_count; i++) {
		const struct nx_neff_block *in = &table->blocks[i];
		struct nx_dma_block *block = &program->blocks[i];

		*block = (struct nx_dma_block){
			.queue = nx_neff_source_intern(source, nx_slice_text(in->queue)),
			.id = in->id,
			.semaphore = in->semaphore,
			.comment = nx_neff_source_intern(source, nx_slice_text(in->comment)),
			.descriptors = NX_NEW_ARRAY(source->arena, struct nx_dma_descriptor,
						    in->descriptor_count),
			.descriptor_count = in->descriptor_count,
		};
		for (size_t k = 0; k < in->descriptor_count; k++)
			read_descriptor(g, &in->descriptors[k], &block->descriptors[k]);
	}
}

static void read_code(const struct nx_graph_source *g, unsigned engine,
		      struct nx_engine_program *program)
{
	const char *path = g->graph->engines[engine].stream;
	struct nx_neff_source *source = g->source;
	char cost[96];

	snprintf(cost, sizeof(cost), "the %s engine's instructions are unknown",
		 nx_engines[engine].label);
	if (!path[0] || !nx_neff_source_take(source, path, cost, &program->code))
		return;
	program->stream_name = path;
	program->slot_count = program->code.len / NX_SLOT_BYTES;
	if (program->code.len % NX_SLOT_BYTES)
		nx_neff_source_note(source, path, "ends inside its slot %zu; that slot is ignored",
				    program->slot_count);
	program->code.len = program->slot_count * NX_SLOT_BYTES;
	program->slot_bir = NX_NEW_ARRAY(source->arena, uint32_t, program->slot_count);
	for (size_t i = 0; i < program->slot_count; i++)
		program->slot_bir[i] = NX_NONE;
}

static void read_table(const struct nx_graph_source *g, unsigned engine,
		       struct nx_engine_program *program)
{
	const char *path = g->graph->engines[engine].table;
	struct nx_neff_table table;
	struct nx_arena scratch = {0};
	struct nx_slice bytes;
	struct nx_error why;
	char cost[96];

	snprintf(cost, sizeof(cost), "the %s engine's static DMA blocks are unknown",
		 nx_engines[engine].label);
	if (!path[0] || !nx_neff_source_take(g->source, path, cost, &bytes))
		return;
	if (nx_neff_table_read(g->graph, bytes, &scratch, &table, &why))
		nx_neff_source_note(g->source, path, "is damaged (%.200s); %s", why.message, cost);
	else
		read_blocks(g, &table, program);
	nx_arena_release(&scratch);
}

void nx_neff_streams_read(const struct nx_graph_source *g)
{
	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++) {
		struct nx_engine_program *program = &g->out->engines[engine];

		program->stream_name = "";
		if (!g->source->options.skip_dma_blocks)
			read_table(g, engine, program);
		read_code(g, engine, program);
	}
}
