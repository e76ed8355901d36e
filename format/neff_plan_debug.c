/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_plan_debug: the chain of files that leads from a slot to its layer and source line: slot,
 * backend instruction, middle layer, operation (with the source line), framework (with the layer).
 */
#include <assert.h>

#include "format/debug_info.h"
#include "format/instruction.h"
#include "format/neff_plan_internal.h"

#define PENGUIN_FILE "debug_info_penguin.dbg"
#define HLO_FILE "debug_info_hlo.dbg"
#define FRAMEWORK_FILE "debug_info_pttf.dbg"

/* As debug files number the engines. */
static const uint8_t engine_numbers[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = 1, [NX_ENGINE_SCALAR] = 2, [NX_ENGINE_GPSIMD] = 3,
	[NX_ENGINE_VECTOR] = 5, [NX_ENGINE_SYNC] = 6,
};

struct debug_file {
	struct nx_debug_info info;
	struct nx_arena arena;
	NX_VEC(struct nx_debug_record) records;
};

static void set_parent(struct debug_file *f, struct nx_debug_record *record, uint64_t id)
{
	record->parent_ids.items = NX_NEW(&f->arena, uint64_t);
	record->parent_ids.items[0] = id;
	record->parent_ids.count = 1;
}

static void add_attribute(struct debug_file *f, struct nx_debug_record *record, const char *key,
			  const char *value)
{
	assert(record->attributes.count < 2);
	if (!record->attributes.items)
		record->attributes.items = NX_NEW_ARRAY(&f->arena, struct nx_debug_attribute, 2);
	record->attributes.items[record->attributes.count++] =
		(struct nx_debug_attribute){nx_slice_text(key), nx_slice_text(value)};
}

static void finish(struct debug_file *f, struct nx_bytes *out)
{
	f->info.records.items = f->records.items;
	f->info.records.count = f->records.len;
	nx_wire_encode(&nx_debug_info_message, &f->info, out);
	nx_vec_release(&f->records);
	nx_arena_release(&f->arena);
}

/* --- an engine's two files ---------------------------------------------------------- */

static size_t slot_count(const struct nx_plan_engine *part)
{
	return part->code.len / NX_SLOT_BYTES;
}

/* A slot that only orders the stream has no instruction behind it. */
static bool has_instruction(const struct nx_plan_engine *part, size_t slot)
{
	uint8_t opcode = part->code.data[slot * NX_SLOT_BYTES];

	return opcode != NX_OP_SET_ORDERING_MODE && opcode != NX_OP_PSEUDO_BRANCH_LABEL;
}

static void write_slots(const struct nx_plan_engine *part, unsigned engine, uint64_t first_id,
			struct nx_bytes *out)
{
	struct debug_file f = {.info = {.engine_type = engine_numbers[engine]}};

	for (size_t slot = 0; slot < slot_count(part); slot++) {
		struct nx_debug_record record = {.id = slot + 1};

		if (has_instruction(part, slot))
			set_parent(&f, &record, first_id + slot);
		nx_vec_push(&f.records, record);
	}
	finish(&f, out);
}

static void write_backend(const struct nx_plan_engine *part, unsigned engine, uint64_t first_id,
			  struct nx_bytes *out)
{
	struct debug_file f = {.info = {.engine_type = engine_numbers[engine]}};

	f.info.parent_file_name = nx_slice_text(PENGUIN_FILE);
	for (size_t slot = 0; slot < slot_count(part); slot++) {
		uint32_t origin = part->origins ? part->origins[slot] : NX_PLAN_NO_ORIGIN;
		struct nx_debug_record record = {.id = first_id + slot};

		if (!has_instruction(part, slot))
			continue;
		record.name = nx_slice_text(
			nx_arena_printf(&f.arena, "inst.%llu", (unsigned long long)record.id));
		record.instruction_type = NX_INSTRUCTION_REGULAR;
		if (origin != NX_PLAN_NO_ORIGIN)
			set_parent(&f, &record, (uint64_t)origin + 1);
		nx_vec_push(&f.records, record);
	}
	finish(&f, out);
}

/* --- the layers above ---------------------------------------------------------------- */

static void add_penguins(struct debug_file *f, const struct nx_neff_plan *plan)
{
	f->info.parent_file_name = nx_slice_text(HLO_FILE);
	for (size_t i = 0; i < plan->origin_count; i++) {
		struct nx_debug_record record = {.id = i + 1};

		record.name = nx_slice_text(nx_arena_printf(&f->arena, "tensor_op_%zu", i + 1));
		set_parent(f, &record, i + 1);
		nx_vec_push(&f->records, record);
	}
}

static void add_operations(struct debug_file *f, const struct nx_neff_plan *plan)
{
	f->info.parent_file_name = nx_slice_text(FRAMEWORK_FILE);
	for (size_t i = 0; i < plan->origin_count; i++) {
		const struct nx_plan_origin *origin = &plan->origins[i];
		struct nx_debug_record record = {.id = i + 1};

		record.name = nx_slice_text(nx_arena_printf(&f->arena, "%%op.%zu", i + 1));
		if (*origin->layer)
			set_parent(f, &record, i + 1);
		if (*origin->file) {
			add_attribute(f, &record, "source_file", origin->file);
			add_attribute(f, &record, "source_line",
				      nx_arena_printf(&f->arena, "%u", origin->line));
		}
		nx_vec_push(&f->records, record);
	}
}

static void add_layers(struct debug_file *f, const struct nx_neff_plan *plan)
{
	for (size_t i = 0; i < plan->origin_count; i++) {
		struct nx_debug_record record = {.id = i + 1};

		if (!*plan->origins[i].layer)
			continue;
		record.name = nx_slice_text(plan->origins[i].layer);
		nx_vec_push(&f->records, record);
	}
}

static void add_level(struct nx_plan_members *m, const struct nx_neff_plan *plan, const char *name,
		      void (*fill)(struct debug_file *f, const struct nx_neff_plan *plan))
{
	struct debug_file f = {0};
	struct nx_bytes bytes = {0};

	fill(&f, plan);
	finish(&f, &bytes);
	nx_plan_add_member(m, nx_arena_printf(&m->arena, "debug_info/%s_sg000000", name), &bytes);
}

void nx_plan_add_debug_info(struct nx_plan_members *m, const struct nx_neff_plan *plan)
{
	struct nx_arena *a = &m->arena;
	struct nx_bytes bytes = {0};

	for (size_t g = 0; g < plan->graph_count; g++) {
		uint64_t first_id = 1;

		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_plan_engine *part = &plan->graphs[g].engines[e];
			const char *stem = nx_engines[e].stem;
			const char *assembly = nx_arena_printf(a, NX_PLAN_ASSEMBLY_DEBUG, stem);
			const char *backend = nx_arena_printf(a, NX_PLAN_BACKEND_DEBUG, stem);

			write_slots(part, e, first_id, &bytes);
			nx_plan_add_member(m, nx_plan_path(m, g, assembly), &bytes);
			write_backend(part, e, first_id, &bytes);
			nx_plan_add_member(m, nx_plan_path(m, g, backend), &bytes);
			first_id += slot_count(part);
		}
	}
	add_level(m, plan, PENGUIN_FILE, add_penguins);
	add_level(m, plan, HLO_FILE, add_operations);
	add_level(m, plan, FRAMEWORK_FILE, add_layers);
}
