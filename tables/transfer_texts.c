/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/transfer_texts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "model/naming.h"

struct partitions {
	bool is_used[NX_PARTITION_COUNT];
};

void nx_transfer_text_cache_release(struct nx_transfer_text_cache *cache)
{
	nx_vec_free_items((void *)cache->texts.items);
	nx_map_release(&cache->index);
	nx_arena_release(&cache->arena);
	memset(cache, 0, sizeof(*cache));
}

/* --- lists ----------------------------------------------------------------- */

static struct nx_slice keep_bytes(struct nx_arena *arena, struct nx_bytes *bytes)
{
	struct nx_slice text = nx_slice_of(
		nx_arena_copy(arena, nx_slice_of(bytes->items, bytes->len)), bytes->len);

	nx_vec_release(bytes);
	return text;
}

/* "[1,-2]": sizes or, if they are NULL, steps. */
static struct nx_slice list_text(struct nx_arena *arena, const uint64_t *sizes,
				 const int64_t *steps, size_t count)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	assert(sizes || steps || !count);
	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		if (sizes)
			nx_json_u64(&w, sizes[i]);
		else
			nx_json_i64(&w, steps[i]);
	nx_json_end_array(&w);
	return keep_bytes(arena, &bytes);
}

/* Empty if only a register holds it. */
static struct nx_slice offset_text(struct nx_arena *arena, uint64_t number)
{
	if (number == NX_OFFSET_UNKNOWN)
		return nx_slice_text("");
	return nx_slice_text(nx_arena_printf(arena, "%llu", (unsigned long long)number));
}

/* The kinds of variables. A sum has several sources, so the list of them is in another list. */
static struct nx_slice kinds_text(struct nx_arena *arena, const struct nx_binary_graph *graph,
				  const uint32_t *variables, size_t count, bool is_source)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_array(&w);
	if (is_source)
		nx_json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		nx_json_text(&w, nx_variable_kind(graph, variables[i]));
	if (is_source)
		nx_json_end_array(&w);
	nx_json_end_array(&w);
	return keep_bytes(arena, &bytes);
}

/* --- partitions ------------------------------------------------------------ */

/* Adds what one dimension reaches from the partitions used so far. */
static void repeat_partitions(struct partitions *p, int64_t step, uint64_t count)
{
	struct partitions start = *p;

	for (int64_t i = 0; i < NX_PARTITION_COUNT; i++)
		for (uint64_t k = 1; start.is_used[i] && k < count && k < NX_PARTITION_COUNT; k++) {
			int64_t at = i + step * (int64_t)k;

			if (at < 0 || at >= NX_PARTITION_COUNT)
				break;
			p->is_used[at] = true;
		}
}

/* Only steps of whole partitions reach other partitions. */
static void use_partitions(struct partitions *all, uint64_t offset, const uint64_t *sizes,
			   const int64_t *steps, size_t dims)
{
	struct partitions own = {0};

	if (offset / NX_PARTITION_STRIDE >= NX_PARTITION_COUNT)
		return;
	own.is_used[offset / NX_PARTITION_STRIDE] = true;
	for (size_t i = 0; i < dims; i++) {
		int64_t step = steps[i] / (int64_t)NX_PARTITION_STRIDE;

		if (step && steps[i] % (int64_t)NX_PARTITION_STRIDE == 0 &&
		    step < NX_PARTITION_COUNT && -step < NX_PARTITION_COUNT)
			repeat_partitions(&own, step, sizes[i]);
	}
	for (unsigned i = 0; i < NX_PARTITION_COUNT; i++)
		all->is_used[i] |= own.is_used[i];
}

/* "0-63,96" */
static void put_ranges(struct nx_arena *arena, const struct partitions *p,
		       struct nx_side_texts *side)
{
	char text[NX_PARTITION_COUNT * 4 + 1];
	size_t len = 0;

	text[0] = 0;
	for (unsigned i = 0; i < NX_PARTITION_COUNT; i++) {
		unsigned last = i;

		if (!p->is_used[i])
			continue;
		while (last + 1 < NX_PARTITION_COUNT && p->is_used[last + 1])
			last++;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u", len ? "," : "", i);
		if (last > i)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "-%u", last);
		side->partition_count += last - i + 1;
		i = last;
	}
	side->partitions = nx_slice_text(nx_arena_copy_text(arena, text));
}

static void put_partitions(struct nx_arena *arena, const struct nx_binary_graph *graph,
			   const struct nx_dma_block *block, struct nx_transfer_texts *texts)
{
	struct partitions read = {0}, write = {0};

	for (size_t i = 0; i < block->descriptor_count; i++) {
		const struct nx_dma_descriptor *d = &block->descriptors[i];

		if (d->from_count && nx_variable_is_sbuf(graph, d->from[0]))
			use_partitions(&read, d->from_offset, d->from_sizes, d->from_steps,
				       d->from_dims);
		if (nx_variable_is_sbuf(graph, d->to))
			use_partitions(&write, d->to_offset, d->to_sizes, d->to_steps, d->to_dims);
	}
	put_ranges(arena, &read, &texts->read);
	put_ranges(arena, &write, &texts->write);
}

/* --- blocks ---------------------------------------------------------------- */

static void put_unknown(struct nx_transfer_texts *texts)
{
	struct nx_side_texts side = {nx_slice_text(""), nx_slice_text(""), nx_slice_text(""),
				     nx_slice_text(""), 0};

	texts->op = nx_slice_text("copy"); /* the default of a descriptor */
	texts->variable = nx_slice_text("unknown");
	texts->semaphore_id = nx_slice_text("-1");
	texts->source = nx_slice_text("[[\"unknown\"]]");
	texts->dest = nx_slice_text("[\"unknown\"]");
	texts->read = texts->write = side;
}

static void put_block(struct nx_transfer_text_cache *cache, uint32_t graph_idx,
		      const struct nx_dma_block *block, struct nx_transfer_texts *texts)
{
	const struct nx_profile *p = cache->profile;
	const struct nx_binary_graph *graph = p->program.binary_graphs[graph_idx];
	const struct nx_dma_descriptor *d = &block->descriptors[0];
	struct nx_arena *arena = &cache->arena;
	char semaphore[NX_SEMAPHORE_TEXT_MAX];

	texts->is_known = true;
	texts->is_transpose = !strcmp(d->op, "transpose");
	texts->op = nx_slice_text(d->op);
	texts->variable = nx_slice_text(nx_descriptor_variable(graph, d));
	texts->semaphore_id = nx_slice_text(nx_arena_copy_text(
		arena, nx_semaphore_text(p, graph_idx, block->semaphore, semaphore)));
	texts->source = kinds_text(arena, graph, d->from, d->from_count, true);
	texts->dest = kinds_text(arena, graph, &d->to, 1, false);
	texts->read.shape = list_text(arena, d->from_sizes, NULL, d->from_dims);
	texts->read.offset = offset_text(arena, d->from_offset);
	texts->read.steps = list_text(arena, NULL, d->from_steps, d->from_dims);
	texts->write.shape = list_text(arena, d->to_sizes, NULL, d->to_dims);
	texts->write.offset = offset_text(arena, d->to_offset);
	texts->write.steps = list_text(arena, NULL, d->to_steps, d->to_dims);
	put_partitions(arena, graph, block, texts);
}

const struct nx_transfer_texts *nx_transfer_texts_of(struct nx_transfer_text_cache *cache,
						     const struct nx_transfer *t)
{
	const struct nx_dma_block *block = nx_transfer_block(cache->profile, t);
	uint64_t key = (uint64_t)t->is_dynamic << 48 | (uint64_t)t->graph << 40 |
		       (uint64_t)t->engine << 32 | (block ? t->block : NX_NONE);
	struct nx_transfer_texts *texts;
	uint64_t at;

	assert(cache->profile);
	if (nx_map_get(&cache->index, key, &at))
		return cache->texts.items[at];
	texts = NX_NEW(&cache->arena, struct nx_transfer_texts);
	if (block && block->descriptor_count)
		put_block(cache, t->graph, block, texts);
	else
		put_unknown(texts);
	nx_map_put(&cache->index, key, cache->texts.len);
	nx_vec_push(&cache->texts, texts);
	return texts;
}
