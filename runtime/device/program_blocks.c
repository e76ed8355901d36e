/* SPDX-License-Identifier: Apache-2.0 */
/* program_blocks: the static DMA of an engine, from its JSON file to queues of blocks. */
#include "runtime/device/device_program_internal.h"
#include "runtime/device/element.h"

#define MAX_SEMAPHORE 255

static uint32_t u32_of(const struct nx_json *entry, const char *key)
{
	uint64_t value = nx_json_as_u64(nx_json_get(entry, key), NX_NO_INDEX);

	return value < NX_NO_INDEX ? (uint32_t)value : NX_NO_INDEX;
}

struct side_keys {
	const char *variable, *offset, *sizes, *steps, *dtype;
};

static const struct side_keys from_keys = {"from", "from_off", "from_sizes", "from_steps",
					   "from_dtype"};
static const struct side_keys to_keys = {"to", "to_off", "to_sizes", "to_steps", "to_dtype"};

static struct nx_dma_side read_side(struct nx_core_source *source, const struct nx_json *entry,
				    const struct side_keys *keys)
{
	const struct nx_json *sizes = nx_json_get(entry, keys->sizes);
	const struct nx_json *steps = nx_json_get(entry, keys->steps);
	size_t dims = nx_core_source_count(sizes), step_count = nx_core_source_count(steps);
	struct nx_arena *arena = &source->program->arena;
	uint64_t *size = NX_NEW_ARRAY(arena, uint64_t, dims);
	int64_t *step = NX_NEW_ARRAY(arena, int64_t, dims);
	uint64_t variable = NX_NO_INDEX;

	(void)nx_text_map_get(&source->core->variable_by_name,
			      nx_json_as_slice(nx_json_get(entry, keys->variable)), &variable);
	for (size_t i = 0; i < dims; i++) {
		size[i] = nx_json_as_u64(&sizes->children[i], 0);
		step[i] = i < step_count ? nx_json_as_i64(&steps->children[i], 0) : 0;
	}
	return (struct nx_dma_side){
		.variable = (uint32_t)variable,
		.offset = nx_json_as_u64(nx_json_get(entry, keys->offset), 0),
		.dtype = nx_dtype_find(nx_json_as_slice(nx_json_get(entry, keys->dtype))),
		.dims = (unsigned)dims,
		.sizes = size,
		.steps = step,
	};
}

static enum nx_dma_op op_of(const struct nx_json *entry)
{
	struct nx_slice op = nx_json_as_slice(nx_json_get(entry, "op"));
	struct nx_slice transpose = nx_json_as_slice(nx_json_get(entry, "transpose_op"));

	if (transpose.len)
		return nx_slice_is(transpose, "WZXY") ? NX_DMA_TRANSPOSE : NX_DMA_UNKNOWN;
	if (nx_slice_is(op, "cast"))
		return NX_DMA_CAST;
	if (nx_slice_is(op, "add"))
		return NX_DMA_ADD;
	return nx_slice_is(op, "copy") ? NX_DMA_COPY : NX_DMA_UNKNOWN;
}

static void read_descriptor(struct nx_core_source *source, const struct nx_json *entry,
			    struct nx_descriptor *d)
{
	const struct nx_json *several = nx_json_get(entry, "from_arr");
	size_t count = nx_core_source_count(several);

	d->op = op_of(entry);
	d->element_bytes = u32_of(entry, "transpose_element_size");
	d->to = read_side(source, entry, &to_keys);
	d->from_count = count ? count : 1;
	d->from = NX_NEW_ARRAY(&source->program->arena, struct nx_dma_side, d->from_count);
	if (count == 0)
		d->from[0] = read_side(source, entry, &from_keys);
	for (size_t i = 0; i < count; i++)
		d->from[i] = read_side(source, &several->children[i], &from_keys);
}

static void read_block(struct nx_core_source *source, const struct nx_json *entry,
		       struct nx_block *block)
{
	const struct nx_json *descriptors = nx_json_get(entry, "desc");

	block->id = u32_of(entry, "id");
	block->semaphore = u32_of(entry, "semaphore");
	if (block->semaphore > MAX_SEMAPHORE)
		block->semaphore = NX_NO_INDEX;
	block->descriptor_count = nx_core_source_count(descriptors);
	block->descriptors = NX_NEW_ARRAY(&source->program->arena, struct nx_descriptor,
					  block->descriptor_count);
	for (size_t i = 0; i < block->descriptor_count; i++)
		read_descriptor(source, &descriptors->children[i], &block->descriptors[i]);
}

/* The queue of that name, made when it is new. */
static struct nx_device_queue *take_queue(struct nx_core_source *source, unsigned engine,
					  struct nx_slice name)
{
	struct nx_core_program *core = source->core;
	uint64_t at;

	if (!nx_text_map_get(&core->queue_by_name[engine], name, &at)) {
		const char *copy = nx_arena_copy(&source->program->arena, name);

		at = core->queue_count++;
		core->queues[at] = (struct nx_device_queue){.name = nx_slice_of(copy, name.len),
							    .engine = engine};
		nx_text_map_put(&core->queue_by_name[engine], core->queues[at].name, at);
	}
	return &core->queues[at];
}

static struct nx_slice queue_name(const struct nx_json *block)
{
	return nx_json_as_slice(nx_json_get(block, "queue"));
}

static void make_room(struct nx_core_source *source, size_t more)
{
	struct nx_core_program *core = source->core;
	struct nx_device_queue *old = core->queues;

	core->queues = NX_NEW_ARRAY(&source->program->arena, struct nx_device_queue,
				    core->queue_count + more);
	if (core->queue_count)
		memcpy(core->queues, old, core->queue_count * sizeof(*old));
}

void nx_core_source_read_blocks(struct nx_core_source *source, unsigned engine,
				const struct nx_json *blocks)
{
	struct nx_core_program *core = source->core;
	struct nx_arena *arena = &source->program->arena;
	size_t first = core->queue_count;

	if (nx_core_source_count(blocks) == 0)
		return;
	make_room(source, blocks->count);
	for (size_t i = 0; i < blocks->count; i++)
		take_queue(source, engine, queue_name(&blocks->children[i]))->block_count++;
	for (size_t q = first; q < core->queue_count; q++) {
		core->queues[q].blocks =
			NX_NEW_ARRAY(arena, struct nx_block, core->queues[q].block_count);
		core->queues[q].block_count = 0;
	}
	for (size_t i = 0; i < blocks->count; i++) {
		const struct nx_json *entry = &blocks->children[i];
		struct nx_device_queue *queue = take_queue(source, engine, queue_name(entry));
		struct nx_block *block = &queue->blocks[queue->block_count];

		read_block(source, entry, block);
		nx_map_put(&queue->by_id, block->id, queue->block_count++);
	}
}
