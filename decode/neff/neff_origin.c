/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_origin: where penguin instructions came from. Each layer of debug files names the one above
 * it: penguin, then HLO, then the framework.
 */
#include <stdlib.h>

#include "base/json_writer.h"
#include "decode/neff/neff_source.h"
#include "format/debug_info.h"

#define UNKNOWN_LAYER "Unknown"
#define STACK_FILE "debug_info_stack_frame_index.dbg"

struct layer_record {
	const struct nx_debug_record *record;
	const char *name;
	const char **kernel_files; /* of the file it is in */
	size_t kernel_file_count;
};

struct layer {
	NX_VEC(struct layer_record) records;
	struct nx_map index_of_id;
	struct nx_slice parent_file; /* names the layer above; borrowed from the NEFF */
	const struct nx_debug_stack_index *stack;
};

static void layer_release(struct layer *layer)
{
	nx_vec_release(&layer->records);
	nx_map_release(&layer->index_of_id);
}

/* debug_info/debug_info_hlo.dbg_sg000000 is a part of debug_info_hlo.dbg. */
static bool is_part_of(struct nx_slice member, const char *file_name)
{
	struct nx_slice base = member;
	size_t len = strlen(file_name);

	for (size_t i = 0; i < member.len; i++)
		if (member.data[i] == '/')
			base = nx_slice_part(member, i + 1, member.len);
	if (len == 0 || !nx_slice_starts(base, file_name))
		return false;
	base = nx_slice_part(base, len, base.len);
	return base.len == 0 || nx_slice_starts(base, "_sg");
}

static void layer_add(struct layer *layer, const struct nx_debug_info *file,
		      struct nx_neff_source *source)
{
	size_t kernel_count = file->kernel_file_names.count;
	const char **kernels =
		nx_neff_source_texts(source, file->kernel_file_names.items, kernel_count);
	uint64_t known;

	for (size_t i = 0; i < file->records.count; i++) {
		const struct nx_debug_record *record = &file->records.items[i];
		const char *name =
			record->name.len ? nx_arena_copy(source->arena, record->name) : "";

		if (nx_map_get(&layer->index_of_id, record->id, &known))
			continue;
		nx_map_put(&layer->index_of_id, record->id, layer->records.len);
		nx_vec_push(&layer->records,
			    ((struct layer_record){record, name, kernels, kernel_count}));
	}
	if (layer->parent_file.len == 0)
		layer->parent_file = file->parent_file_name;
	if (file->has_stack_index && !layer->stack)
		layer->stack = &file->stack_index;
}

/* A layer may be absent: not every model comes from XLA or a framework. */
static void layer_read(struct nx_neff_source *source, const char *file_name,
		       struct nx_arena *scratch, struct layer *layer)
{
	const struct nx_neff *neff = source->neff;

	for (size_t i = 0; i < neff->member_count; i++) {
		struct nx_debug_info *file;
		struct nx_wire_loss loss = {0};
		const char *name;
		struct nx_error why;

		if (!is_part_of(neff->members[i].name, file_name))
			continue;
		file = NX_NEW(scratch, struct nx_debug_info);
		name = nx_neff_source_intern(source, neff->members[i].name);
		if (nx_wire_decode(&nx_debug_info_message, neff->members[i].bytes, file, scratch,
				   &loss, &why))
			nx_neff_source_note(source, name, "is damaged (%.200s); ignored",
					    why.message);
		else
			layer_add(layer, file, source);
		if (loss.truncated_count)
			nx_neff_source_note(source, name,
					    "is cut or damaged inside; %zu records were read",
					    file->records.count);
	}
}

static struct nx_slice attribute(const struct nx_debug_record *record, const char *key)
{
	for (size_t i = 0; i < record->attributes.count; i++)
		if (nx_slice_is(record->attributes.items[i].key, key))
			return record->attributes.items[i].value;
	return (struct nx_slice){NULL, 0};
}

static int by_key(const void *left, const void *right)
{
	const struct nx_debug_attribute *a = left, *b = right;

	return nx_slice_compare(a->key, b->key);
}

/* The keys are sorted, as in the JSON of the vendor's tool. */
static const char *attributes_text(const struct nx_debug_record *record, struct nx_arena *arena)
{
	struct nx_debug_attribute *sorted = record->attributes.items;
	size_t count = record->attributes.count;
	struct nx_bytes text = {0};
	struct nx_json_writer w;
	const char *copy;

	if (count == 0)
		return "[]";
	qsort(sorted, count, sizeof(*sorted), by_key);
	nx_json_init_bytes(&w, &text, false);
	nx_json_begin_array(&w);
	nx_json_begin_object(&w);
	for (size_t i = 0; i < count; i++) {
		nx_json_key(&w, nx_arena_copy(arena, sorted[i].key));
		nx_json_slice(&w, sorted[i].value);
	}
	nx_json_end_object(&w);
	nx_json_end_array(&w);
	copy = nx_arena_copy(arena, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
	return copy;
}

/* The first framework operation that has a name stands for all. */
static void take_framework(const struct nx_debug_record *hlo, const struct layer *framework,
			   struct nx_origin *origin)
{
	origin->layer = UNKNOWN_LAYER;
	origin->framework_name = "";
	origin->has_framework = hlo->parent_ids.count > 0;
	if (origin->has_framework)
		origin->framework_id = hlo->parent_ids.items[0];
	for (size_t i = 0; i < hlo->parent_ids.count; i++) {
		uint64_t id = hlo->parent_ids.items[i], index;

		if (!nx_map_get(&framework->index_of_id, id, &index) ||
		    !framework->records.items[index].name[0])
			continue;
		origin->framework_id = id;
		origin->framework_name = origin->layer = framework->records.items[index].name;
		return;
	}
}

static void place_from_stack(const struct nx_stack *stack, struct nx_origin *origin)
{
	const struct nx_source_location *location;
	uint32_t id = origin->stack_frame ? stack->frames[origin->stack_frame - 1].location : 0;

	if (!id)
		return;
	location = &stack->locations[id - 1];
	if (!location->file_name)
		return;
	origin->source_file = stack->file_names[location->file_name - 1];
	origin->source_line = location->line;
}

static void place_of_hlo(struct nx_neff_source *source, const struct nx_debug_record *hlo,
			 const struct nx_stack *stack, struct nx_origin *origin)
{
	struct nx_slice file = attribute(hlo, "source_file");

	if (hlo->stack_frame_id <= stack->frame_count)
		origin->stack_frame = (uint32_t)hlo->stack_frame_id;
	if (file.len == 0) {
		place_from_stack(stack, origin);
		return;
	}
	origin->source_file = nx_neff_source_intern(source, file);
	(void)nx_neff_parse_u32(attribute(hlo, "source_line"), &origin->source_line);
}

static void place_of_penguin(const struct layer_record *penguin, struct nx_origin *origin)
{
	uint32_t index;

	if (!nx_neff_parse_u32(attribute(penguin->record, "kernel_file"), &index) ||
	    index >= penguin->kernel_file_count)
		return;
	origin->source_file = penguin->kernel_files[index];
	(void)nx_neff_parse_u32(attribute(penguin->record, "kernel_line"), &origin->source_line);
}

/* Shared by all penguin instructions made from this HLO instruction. */
static struct nx_origin origin_of_hlo(struct nx_neff_source *source, const struct layer_record *hlo,
				      const struct layer *framework, const struct nx_stack *stack)
{
	const struct nx_debug_record *record = hlo->record;
	struct nx_origin origin = {.has_hlo = true, .hlo_id = record->id, .source_file = ""};

	origin.hlo_name = hlo->name;
	origin.hlo_attributes = attributes_text(record, source->arena);
	origin.framework_id_count = record->parent_ids.count;
	origin.framework_ids =
		NX_COPY_ARRAY(source->arena, record->parent_ids.items, record->parent_ids.count);
	take_framework(record, framework, &origin);
	place_of_hlo(source, record, stack, &origin);
	return origin;
}

static void link_birs(const struct layer *penguin, struct nx_binary *out)
{
	for (size_t g = 0; g < out->graph_count; g++)
		for (size_t i = 0; i < out->graphs[g].bir_count; i++) {
			struct nx_bir *bir = &out->graphs[g].birs[i];
			uint64_t index;

			if (bir->has_penguin &&
			    nx_map_get(&penguin->index_of_id, bir->penguin_id, &index))
				bir->origin = (uint32_t)index;
		}
}

static void fill_origins(struct nx_arena *arena, const struct layer *penguin,
			 const struct layer *hlo, const struct nx_origin *hlo_origins,
			 struct nx_binary *out)
{
	const struct nx_origin none = {.hlo_name = "",
				       .hlo_attributes = "[]",
				       .framework_name = "",
				       .layer = UNKNOWN_LAYER,
				       .source_file = ""};

	out->origin_count = penguin->records.len;
	out->origins = NX_NEW_ARRAY(arena, struct nx_origin, out->origin_count);
	for (size_t i = 0; i < out->origin_count; i++) {
		const struct layer_record *record = &penguin->records.items[i];
		const struct nx_debug_record *debug = record->record;
		struct nx_origin *origin = &out->origins[i];
		uint64_t index;

		*origin = none;
		if (debug->parent_ids.count &&
		    nx_map_get(&hlo->index_of_id, debug->parent_ids.items[0], &index))
			*origin = hlo_origins[index];
		origin->penguin_id = debug->id;
		origin->penguin_name = record->name;
		if (!origin->source_file[0])
			place_of_penguin(record, origin);
	}
}

/* Ids count from one; an id out of range is none. Callers come before callees, so chains end. */
static uint32_t id_within(uint64_t id, size_t count)
{
	return id <= count ? (uint32_t)id : 0;
}

static void read_stack(struct nx_neff_source *source, const struct layer *layer,
		       struct nx_stack *out)
{
	const struct nx_debug_stack_index *debug = layer->stack;

	if (!debug || debug->frames.count > INT32_MAX || debug->locations.count > INT32_MAX)
		return;
	out->file_name_count = debug->file_names.count;
	out->function_name_count = debug->function_names.count;
	out->location_count = debug->locations.count;
	out->frame_count = debug->frames.count;
	out->file_names =
		nx_neff_source_texts(source, debug->file_names.items, debug->file_names.count);
	out->function_names = nx_neff_source_texts(source, debug->function_names.items,
						   debug->function_names.count);
	out->locations =
		NX_NEW_ARRAY(source->arena, struct nx_source_location, out->location_count);
	out->frames = NX_NEW_ARRAY(source->arena, struct nx_stack_frame, out->frame_count);
	for (size_t i = 0; i < out->location_count; i++) {
		const struct nx_debug_location *from = &debug->locations.items[i];

		out->locations[i] = (struct nx_source_location){
			id_within(from->file_name_id, out->file_name_count),
			id_within(from->function_name_id, out->function_name_count),
			from->line <= INT32_MAX ? (uint32_t)from->line : 0};
	}
	for (size_t i = 0; i < out->frame_count; i++)
		out->frames[i] = (struct nx_stack_frame){
			id_within(debug->frames.items[i].location_id, out->location_count),
			id_within(debug->frames.items[i].parent_frame_id, i)};
}

void nx_neff_origins_read(struct nx_neff_source *source, const char *penguin_file,
			  struct nx_binary *out)
{
	struct layer penguin = {0}, hlo = {0}, framework = {0}, frames = {0};
	struct nx_arena scratch = {0};
	struct nx_origin *hlo_origins;

	layer_read(source, penguin_file, &scratch, &penguin);
	layer_read(source, nx_neff_source_intern(source, penguin.parent_file), &scratch, &hlo);
	layer_read(source, nx_neff_source_intern(source, hlo.parent_file), &scratch, &framework);
	/* No file names the stack index: it belongs to the HLO layer. */
	if (hlo.records.len && !hlo.stack)
		layer_read(source, STACK_FILE, &scratch, &frames);
	read_stack(source, hlo.stack ? &hlo : &frames, &out->stack);
	hlo_origins = NX_NEW_ARRAY(&scratch, struct nx_origin, hlo.records.len);
	for (size_t i = 0; i < hlo.records.len; i++)
		hlo_origins[i] =
			origin_of_hlo(source, &hlo.records.items[i], &framework, &out->stack);
	fill_origins(source->arena, &penguin, &hlo, hlo_origins, out);
	link_birs(&penguin, out);
	layer_release(&penguin);
	layer_release(&hlo);
	layer_release(&framework);
	layer_release(&frames);
	nx_arena_release(&scratch);
}
