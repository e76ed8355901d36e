/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_debug: the backend instructions (BIR) of a graph, and which of them each
 * instruction slot was made from.
 */
#include "decode/neff/neff_source.h"
#include "format/debug_info.h"

/* Fields of the protobuf, read by hand where millions of records hold one number each. */
#define FIELD_RECORDS 3
#define FIELD_PARENT_IDS 3
#define WIRE_VARINT 0
#define WIRE_BYTES 2

struct birs NX_VEC_BODY(struct nx_bir);

struct kernel_names {
	const char **files, **functions;
	size_t file_count, function_count;
};

static const char *name_at(const char **names, size_t count, struct nx_slice index_text)
{
	uint32_t index;

	return nx_neff_parse_u32(index_text, &index) && index < count ? names[index] : "";
}

static void read_kernel_place(const struct nx_debug_record *record,
			      const struct kernel_names *names, struct nx_bir *bir)
{
	bir->kernel_file = "";
	bir->kernel_name = "";
	for (size_t i = 0; i < record->attributes.count; i++) {
		const struct nx_debug_attribute *a = &record->attributes.items[i];

		if (nx_slice_is(a->key, "kernel_file"))
			bir->kernel_file = name_at(names->files, names->file_count, a->value);
		else if (nx_slice_is(a->key, "kernel_name"))
			bir->kernel_name =
				name_at(names->functions, names->function_count, a->value);
		else if (nx_slice_is(a->key, "kernel_line"))
			(void)nx_neff_parse_u32(a->value, &bir->kernel_line);
	}
}

static void add_predecessors(struct nx_bir *bir, const uint64_t *ids, size_t count,
			     const uint64_t *types, size_t type_count)
{
	for (size_t i = 0; i < count; i++) {
		struct nx_predecessor *p = &bir->predecessors[bir->predecessor_count++];
		uint64_t type = i < type_count ? types[i] : NX_EDGE_INVALID;

		p->bir_id = ids[i];
		p->type = (uint8_t)(type <= NX_EDGE_FLOW_DEPENDENCE ? type : NX_EDGE_INVALID);
	}
}

static struct nx_bir bir_of(const struct nx_debug_record *record, const struct kernel_names *names,
			    struct nx_arena *arena)
{
	struct nx_bir bir = {.id = record->id, .origin = NX_NONE};

	bir.name = record->name.len ? nx_arena_copy(arena, record->name) : "";
	if (record->instruction_type <= NX_INSTRUCTION_TRANSPOSE)
		bir.instruction_type = (uint8_t)record->instruction_type;
	bir.has_penguin = record->parent_ids.count > 0;
	if (bir.has_penguin)
		bir.penguin_id = record->parent_ids.items[0];
	bir.predecessors = NX_NEW_ARRAY(arena, struct nx_predecessor,
					record->dataflow_predecessors.count +
						record->scheduling_predecessors.count);
	add_predecessors(&bir, record->dataflow_predecessors.items,
			 record->dataflow_predecessors.count, record->dataflow_types.items,
			 record->dataflow_types.count);
	add_predecessors(&bir, record->scheduling_predecessors.items,
			 record->scheduling_predecessors.count, record->scheduling_types.items,
			 record->scheduling_types.count);
	read_kernel_place(record, names, &bir);
	return bir;
}

static void add_file(struct nx_neff_source *source, const struct nx_debug_info *file,
		     struct birs *birs, struct nx_map *index_of_id, const char **penguin_file)
{
	struct kernel_names names = {
		.files = nx_neff_source_texts(source, file->kernel_file_names.items,
					      file->kernel_file_names.count),
		.functions = nx_neff_source_texts(source, file->kernel_function_names.items,
						  file->kernel_function_names.count),
		.file_count = file->kernel_file_names.count,
		.function_count = file->kernel_function_names.count,
	};

	for (size_t i = 0; i < file->records.count && birs->len < NX_NONE; i++) {
		const struct nx_debug_record *record = &file->records.items[i];

		nx_map_put(index_of_id, record->id, birs->len);
		nx_vec_push(birs, bir_of(record, &names, source->arena));
	}
	if (!**penguin_file)
		*penguin_file = nx_neff_source_intern(source, file->parent_file_name);
}

static void read_backend(const struct nx_graph_source *graph, const struct nx_neff_paths *files,
			 struct birs *birs, struct nx_map *index_of_id, const char **penguin_file)
{
	const char *cost = "names and dependencies of its instructions are unknown";

	for (size_t i = 0; i < files->count; i++) {
		const char *path = files->items[i];
		struct nx_debug_info file = {0};
		struct nx_wire_loss loss = {0};
		struct nx_arena scratch = {0};
		struct nx_slice bytes;
		struct nx_error why;

		if (!path[0] || !nx_neff_source_take(graph->source, path, cost, &bytes))
			continue;
		if (nx_wire_decode(&nx_debug_info_message, bytes, &file, &scratch, &loss, &why))
			nx_neff_source_note(graph->source, path, "is damaged (%.200s); %s",
					    why.message, cost);
		else
			add_file(graph->source, &file, birs, index_of_id, penguin_file);
		if (loss.truncated_count)
			nx_neff_source_note(graph->source, path,
					    "is cut or damaged inside; %zu records were read",
					    file.records.count);
		nx_arena_release(&scratch);
	}
}

static bool first_parent(struct nx_slice record, uint64_t *id)
{
	struct nx_wire_reader reader = nx_wire_reader_of(record);
	struct nx_wire_value value;

	while (nx_wire_next(&reader, &value)) {
		struct nx_wire_reader packed = nx_wire_reader_of(value.bytes);

		if (value.number != FIELD_PARENT_IDS)
			continue;
		if (value.wire_type == WIRE_VARINT) {
			*id = value.integer;
			return true;
		}
		if (value.wire_type == WIRE_BYTES && nx_wire_next_varint(&packed, id))
			return true;
	}
	return false;
}

/* Record i of the asm files describes slot i. Returns the number of the next slot. */
static size_t map_slots(struct nx_slice file, const struct nx_map *index_of_id, size_t slot,
			struct nx_engine_program *program)
{
	struct nx_wire_reader reader = nx_wire_reader_of(file);
	struct nx_wire_value value;
	uint64_t id, index;

	while (nx_wire_next(&reader, &value)) {
		if (value.number != FIELD_RECORDS || value.wire_type != WIRE_BYTES)
			continue;
		if (slot < program->slot_count && first_parent(value.bytes, &id) &&
		    nx_map_get(index_of_id, id, &index))
			program->slot_bir[slot] = (uint32_t)index;
		slot++;
	}
	return slot;
}

static void read_asm(const struct nx_graph_source *graph, unsigned engine,
		     const struct nx_map *index_of_id)
{
	struct nx_engine_program *program = &graph->out->engines[engine];
	const struct nx_neff_paths *files = &graph->graph->engines[engine].asm_debug;
	const char *path = NULL;
	size_t slot = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct nx_slice bytes;

		path = files->items[i];
		if (!path[0] ||
		    !nx_neff_source_take(graph->source, path,
					 "its instructions cannot be traced to source", &bytes))
			return;
		slot = map_slots(bytes, index_of_id, slot, program);
	}
	if (path && program->stream_name[0] && slot != program->slot_count)
		nx_neff_source_note(graph->source, path,
				    "describes %zu instructions where the stream has %zu", slot,
				    program->slot_count);
}

void nx_neff_debug_read(const struct nx_graph_source *graph, const char **penguin_file)
{
	struct nx_binary_graph *out = graph->out;
	struct birs birs = {0};
	struct nx_map blocks = {0};

	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++) {
		struct nx_map index_of_id = {0};

		read_backend(graph, &graph->graph->engines[engine].backend_debug, &birs,
			     &index_of_id, penguin_file);
		read_asm(graph, engine, &index_of_id);
		nx_map_release(&index_of_id);
	}
	/* DMA blocks are instructions to the compiler: others wait for them. */
	read_backend(graph, &graph->graph->dma_debug, &birs, &blocks, penguin_file);
	nx_map_release(&blocks);
	out->bir_count = birs.len;
	out->birs = NX_COPY_ARRAY(graph->source->arena, birs.items, birs.len);
	nx_vec_release(&birs);
}
