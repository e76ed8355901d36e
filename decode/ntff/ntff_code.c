/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ntff/ntff_internal.h"

#include <assert.h>
#include <string.h>

#include "decode/ntff/ring_scan.h"
#include "format/instruction.h"
#include "model/binary.h"

uint32_t nx_image_slot(const struct nx_engine_image *image, uint32_t pc)
{
	uint32_t slot = (pc - image->first_pc) & (NX_PC_COUNT - 1);

	assert(image->main_slot_count <= image->slot_count);
	if (slot < image->main_slot_count)
		return slot;
	slot = (pc - image->function_first_pc) & (NX_PC_COUNT - 1);
	if (slot < image->slot_count - image->main_slot_count)
		return image->main_slot_count + slot;
	return NX_NONE;
}

static const struct nx_ntff_code *find_code(const struct nx_ntff_graph *graph, unsigned engine,
					    bool is_function)
{
	const struct nx_ntff_code *found = NULL;

	for (size_t i = 0; i < graph->code.count; i++)
		if (graph->code.items[i].engine == engine &&
		    graph->code.items[i].is_function_section == is_function)
			found = &graph->code.items[i];
	return found;
}

static uint32_t whole_slots(struct nx_slice code)
{
	size_t n = code.len / NX_SLOT_BYTES;

	return n < NX_PC_COUNT ? (uint32_t)n : NX_PC_COUNT;
}

struct nx_slice nx_ntff_within_budget(struct nx_ntff_decoder *d, struct nx_slice blob,
				      uint64_t *budget_bytes)
{
	struct nx_slice part = blob;

	if (part.len > *budget_bytes) {
		part.len = (size_t)*budget_bytes;
		d->loss.overlapping_bytes += blob.len - part.len;
	}
	*budget_bytes -= part.len;
	return part;
}

static void load_image(struct nx_ntff_decoder *d, const struct nx_ntff_graph *from, unsigned engine,
		       struct nx_arena *arena, struct nx_engine_image *image)
{
	const struct nx_ntff_code *main = find_code(from, engine, false);
	const struct nx_ntff_code *function = find_code(from, engine, true);
	struct nx_slice main_code = {0}, function_code = {0};

	if (main) {
		main_code = nx_ntff_within_budget(d, nx_ntff_code_bytes(&d->ntff, main),
						  &d->code_budget_bytes);
		image->first_pc =
			(uint32_t)(main->start_address / NX_SLOT_BYTES) & (NX_PC_COUNT - 1);
	}
	if (function) {
		function_code = nx_ntff_within_budget(d, nx_ntff_code_bytes(&d->ntff, function),
						      &d->code_budget_bytes);
		image->function_first_pc =
			(uint32_t)(function->start_address / NX_SLOT_BYTES) & (NX_PC_COUNT - 1);
	}
	image->main_slot_count = whole_slots(main_code);
	image->slot_count = image->main_slot_count + whole_slots(function_code);
	image->code = nx_slice_part(main_code, 0, (uint64_t)image->main_slot_count * NX_SLOT_BYTES);
	if (image->slot_count > image->main_slot_count) {
		size_t len = (size_t)image->slot_count * NX_SLOT_BYTES;
		uint8_t *joined = nx_arena_alloc(arena, len);

		if (image->code.len)
			memcpy(joined, image->code.data, image->code.len);
		memcpy(joined + image->code.len, function_code.data, len - image->code.len);
		image->code = nx_slice_of(joined, len);
	}
}

/*
 * Walks the runtime's edits of the compiled stream: INSERT adds device slots
 * that have no compiled counterpart, DELETE drops compiled slots. A modified
 * slot keeps its counterpart, so MODIFY changes nothing here.
 */
static void map_slots(const struct nx_ntff_patch *patch, uint32_t *map, uint32_t slot_count)
{
	size_t next = 0, count = patch ? patch->locations.count : 0;
	uint64_t compiled = 0;

	for (uint64_t slot = 0; slot < slot_count;) {
		const struct nx_ntff_patch_location *at =
			next < count ? &patch->locations.items[next] : NULL;

		if (!at || (!at->is_function_patch && at->offset / NX_SLOT_BYTES > slot)) {
			map[slot++] = compiled < NX_NONE ? (uint32_t)compiled : NX_NONE;
			compiled++;
			continue;
		}
		next++;
		if (at->is_function_patch || at->type == NX_PATCH_MODIFY)
			continue;
		if (at->type == NX_PATCH_DELETE)
			compiled += at->count;
		else
			slot += at->count < slot_count ? at->count : slot_count;
	}
}

void nx_ntff_load_code(struct nx_ntff_decoder *d, const struct nx_ntff_graph *from,
		       struct nx_arena *arena, struct nx_graph *graph)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		struct nx_engine_image *image = &graph->engines[e];
		const struct nx_ntff_patch *patch = NULL;

		for (size_t i = 0; i < from->patches.count; i++)
			if (from->patches.items[i].engine == e)
				patch = &from->patches.items[i];
		load_image(d, from, e, arena, image);
		image->compiler_slot = NX_NEW_ARRAY(arena, uint32_t, (size_t)image->slot_count + 1);
		/* the format does not say where a function lies in the compiled stream: NX_NONE */
		memset(image->compiler_slot, 0xff, sizeof(uint32_t) * image->slot_count);
		map_slots(patch, image->compiler_slot, image->main_slot_count);
	}
}
