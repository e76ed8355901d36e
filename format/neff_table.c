/* SPDX-License-Identifier: Apache-2.0 */
/* neff_table: the file of an engine: blocks of static DMA, and the names of activation tables. */
#include <assert.h>

#include "format/neff_internal.h"
#include "machine/dtype.h"

struct reading {
	struct nx_text_map variable_by_name;
	struct nx_text_pool pool;
};

struct side_keys {
	const char *variable, *offset, *sizes, *steps, *dtype;
};

static const struct side_keys from_keys = {"from", "from_off", "from_sizes", "from_steps",
					   "from_dtype"};
static const struct side_keys to_keys = {"to", "to_off", "to_sizes", "to_steps", "to_dtype"};

static struct nx_neff_side read_side(struct reading *r, const struct nx_json *entry,
				     const struct side_keys *keys, struct nx_slice name)
{
	const struct nx_json *sizes = nx_json_get(entry, keys->sizes);
	const struct nx_json *steps = nx_json_get(entry, keys->steps);
	size_t dims = nx_neff_count(sizes), step_count = nx_neff_count(steps);
	uint64_t *size = NX_NEW_ARRAY(r->pool.arena, uint64_t, dims);
	int64_t *step = NX_NEW_ARRAY(r->pool.arena, int64_t, dims);
	struct nx_slice dtype = nx_json_as_slice(nx_json_get(entry, keys->dtype));
	uint64_t variable = NX_NO_INDEX;

	(void)nx_text_map_get(&r->variable_by_name, name, &variable);
	for (size_t i = 0; i < dims; i++) {
		size[i] = nx_json_as_u64(&sizes->children[i], 0);
		step[i] = i < step_count ? nx_json_as_i64(&steps->children[i], 0) : 0;
	}
	return (struct nx_neff_side){
		.variable = (uint32_t)variable,
		.name = nx_text_pool_copy(&r->pool, name),
		.offset = nx_json_as_u64(nx_json_get(entry, keys->offset), 0),
		.dtype = nx_dtype_find(dtype),
		.dtype_name = nx_text_pool_copy(&r->pool, dtype),
		.dims = (unsigned)dims,
		.sizes = size,
		.steps = step,
	};
}

/* A sum has its sources in from_arr: objects with the keys of one source, or names alone. What
 * they leave out is in the descriptor. */
static void read_sources(struct reading *r, const struct nx_json *entry,
			 struct nx_neff_descriptor *d)
{
	const struct nx_json *several = nx_json_get(entry, "from_arr");
	size_t count = nx_neff_count(several);

	d->from_count = count ? count : 1;
	d->from = NX_NEW_ARRAY(r->pool.arena, struct nx_neff_side, d->from_count);
	if (count == 0)
		d->from[0] = read_side(r, entry, &from_keys,
				       nx_json_as_slice(nx_json_get(entry, from_keys.variable)));
	for (size_t i = 0; i < count; i++) {
		const struct nx_json *part = &several->children[i], *name = part;

		if (part->kind != NX_JSON_TEXT)
			name = nx_json_get(part, from_keys.variable);
		d->from[i] = read_side(r, nx_json_get(part, from_keys.sizes) ? part : entry,
				       &from_keys, nx_json_as_slice(name));
	}
}

static void read_descriptor(struct reading *r, const struct nx_json *entry,
			    struct nx_neff_descriptor *d)
{
	d->transpose_op = nx_neff_text(&r->pool, entry, "transpose_op");
	d->element_bytes = nx_neff_number(nx_json_get(entry, "transpose_element_size"));
	d->tiling_dims = nx_neff_number(nx_json_get(entry, "num_tiling_dimensions"));
	d->op_name = nx_neff_text(&r->pool, entry, "op");
	if (!d->op_name[0])
		d->op_name = d->transpose_op[0] ? "transpose" : "copy";
	d->op = NX_DMA_UNKNOWN;
	if (d->transpose_op[0])
		d->op = strcmp(d->transpose_op, "WZXY") ? NX_DMA_UNKNOWN : NX_DMA_TRANSPOSE;
	else if (!strcmp(d->op_name, "copy"))
		d->op = NX_DMA_COPY;
	else if (!strcmp(d->op_name, "cast"))
		d->op = NX_DMA_CAST;
	else if (!strcmp(d->op_name, "add"))
		d->op = NX_DMA_ADD;
	read_sources(r, entry, d);
	d->to = read_side(r, entry, &to_keys,
			  nx_json_as_slice(nx_json_get(entry, to_keys.variable)));
}

static void read_block(struct reading *r, const struct nx_json *entry, struct nx_neff_block *block)
{
	const struct nx_json *descriptors = nx_json_get(entry, "desc");

	block->queue = nx_neff_text(&r->pool, entry, "queue");
	if (!block->queue[0])
		block->queue = nx_neff_text(&r->pool, entry, "instance_name");
	block->id = nx_neff_number(nx_json_get(entry, "id"));
	block->semaphore = nx_neff_number(nx_json_get(entry, "semaphore"));
	block->comment = nx_neff_text(&r->pool, entry, "#comment");
	block->descriptor_count = nx_neff_count(descriptors);
	block->descriptors =
		NX_NEW_ARRAY(r->pool.arena, struct nx_neff_descriptor, block->descriptor_count);
	for (size_t i = 0; i < block->descriptor_count; i++)
		read_descriptor(r, &descriptors->children[i], &block->descriptors[i]);
}

enum nx_status nx_neff_table_read(const struct nx_neff_graph *graph, struct nx_slice table,
				  struct nx_arena *arena, struct nx_neff_table *out,
				  struct nx_error *err)
{
	struct reading r = {.pool = {.arena = arena}};
	struct nx_arena scratch = {0};
	const struct nx_json *blocks, *sets;
	struct nx_json *root;
	enum nx_status st = nx_json_parse(table, &scratch, &root, err);

	assert(graph && arena);
	*out = (struct nx_neff_table){0};
	if (st)
		goto out;
	for (size_t i = 0; i < graph->variable_count; i++)
		nx_text_map_put(&r.variable_by_name, nx_slice_text(graph->variables[i].name), i);
	blocks = nx_json_get(root, "dma");
	out->block_count = nx_neff_count(blocks);
	out->blocks = NX_NEW_ARRAY(arena, struct nx_neff_block, out->block_count);
	for (size_t i = 0; i < out->block_count; i++)
		read_block(&r, &blocks->children[i], &out->blocks[i]);
	sets = nx_json_get(root, "activation_function_sets");
	out->activation_set_count = nx_neff_count(sets);
	out->activation_sets = NX_NEW_ARRAY(arena, const char *, out->activation_set_count);
	for (size_t i = 0; i < out->activation_set_count; i++)
		out->activation_sets[i] =
			nx_text_pool_copy(&r.pool, nx_json_as_slice(&sets->children[i]));
out:
	nx_text_pool_release(&r.pool);
	nx_text_map_release(&r.variable_by_name);
	nx_arena_release(&scratch);
	return st;
}
