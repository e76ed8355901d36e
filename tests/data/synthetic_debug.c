/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_debug.h"

#include "format/debug_info.h"

#define KERNEL_FUNCTION "llama.kernels.attention"
#define MODEL_FILE "llama/model.py"

const char *const nx_synthetic_level_files[NX_SYNTHETIC_LEVELS] = {
	[NX_SYNTHETIC_PENGUIN] = "debug_info_penguin.dbg",
	[NX_SYNTHETIC_HLO] = "debug_info_hlo.dbg",
	[NX_SYNTHETIC_FRAMEWORK] = "debug_info_pttf.dbg",
};

/* as the compiler numbers engines in these files */
static const uint8_t engine_types[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = 1, [NX_ENGINE_SCALAR] = 2, [NX_ENGINE_GPSIMD] = 3,
	[NX_ENGINE_VECTOR] = 5, [NX_ENGINE_SYNC] = 6,
};

struct file {
	struct nx_debug_info info;
	struct nx_arena arena;
	NX_VEC(struct nx_debug_record) records;
	struct nx_slice kernel_file, kernel_function;
};

/* Backend ids carry their graph in the upper bits; other levels count plainly from one. */
static uint64_t bir_id(unsigned graph, uint32_t bir)
{
	return (uint64_t)graph << 48 | (bir + 1);
}

static void set_parent(struct file *f, struct nx_debug_record *record, uint64_t id)
{
	record->parent_ids.items = NX_NEW(&f->arena, uint64_t);
	record->parent_ids.items[0] = id;
	record->parent_ids.count = 1;
}

static void add_attribute(struct file *f, struct nx_debug_record *record, const char *key,
			  const char *value)
{
	if (!record->attributes.items)
		record->attributes.items = NX_NEW_ARRAY(&f->arena, struct nx_debug_attribute, 4);
	record->attributes.items[record->attributes.count++] =
		(struct nx_debug_attribute){nx_slice_text(key), nx_slice_text(value)};
}

static void add_kernel_place(struct file *f, struct nx_debug_record *record, uint32_t line)
{
	add_attribute(f, record, "kernel_file", "0");
	add_attribute(f, record, "kernel_line", nx_arena_printf(&f->arena, "%u", line));
	add_attribute(f, record, "kernel_name", "0");
}

static void finish(struct file *f, struct nx_bytes *out)
{
	f->info.records.items = f->records.items;
	f->info.records.count = f->records.len;
	nx_wire_encode(&nx_debug_info_message, &f->info, out);
	nx_vec_release(&f->records);
	nx_arena_release(&f->arena);
}

static void name_kernel(struct file *f)
{
	f->kernel_file = nx_slice_text(NX_SYNTHETIC_KERNEL_FILE);
	f->kernel_function = nx_slice_text(KERNEL_FUNCTION);
	f->info.kernel_file_names.items = &f->kernel_file;
	f->info.kernel_file_names.count = 1;
	f->info.kernel_function_names.items = &f->kernel_function;
	f->info.kernel_function_names.count = 1;
}

void nx_synthetic_debug_asm(const struct nx_synthetic_program *program, unsigned graph,
			    unsigned engine, struct nx_bytes *out)
{
	struct file f = {.info = {.engine_type = engine_types[engine]}};

	for (size_t i = 0; i < program->ops.len; i++) {
		struct nx_debug_record record = {.id = f.records.len + 1};

		if (program->ops.items[i].engine != engine)
			continue;
		if (program->ops.items[i].bir != NX_SYNTHETIC_NOTHING)
			set_parent(&f, &record, bir_id(graph, program->ops.items[i].bir));
		nx_vec_push(&f.records, record);
	}
	finish(&f, out);
}

static void set_predecessors(struct file *f, struct nx_debug_record *record, unsigned graph,
			     const struct nx_synthetic_bir *bir)
{
	unsigned count = bir->predecessor_count;

	record->dataflow_predecessors.items = NX_NEW_ARRAY(&f->arena, uint64_t, count);
	record->dataflow_types.items = NX_NEW_ARRAY(&f->arena, uint64_t, count);
	record->dataflow_predecessors.count = count;
	record->dataflow_types.count = count;
	for (unsigned i = 0; i < count; i++) {
		record->dataflow_predecessors.items[i] = bir_id(graph, bir->predecessors[i].bir);
		record->dataflow_types.items[i] = bir->predecessors[i].type;
	}
}

void nx_synthetic_debug_backend(const struct nx_synthetic_program *program, unsigned graph,
				unsigned engine, struct nx_bytes *out)
{
	struct file f = {.info = {.engine_type = engine_types[engine]}};

	name_kernel(&f);
	f.info.parent_file_name = nx_slice_text(nx_synthetic_level_files[NX_SYNTHETIC_PENGUIN]);
	for (uint32_t i = 0; i < program->birs.len; i++) {
		const struct nx_synthetic_bir *bir = &program->birs.items[i];
		struct nx_debug_record record = {.id = bir_id(graph, i)};

		if (bir->engine != engine)
			continue;
		record.name = nx_slice_text(bir->name);
		record.instruction_type = bir->type;
		set_parent(&f, &record, bir->penguin + 1);
		set_predecessors(&f, &record, graph, bir);
		add_kernel_place(&f, &record, program->penguins.items[bir->penguin].kernel_line);
		nx_vec_push(&f.records, record);
	}
	finish(&f, out);
}

static void add_penguins(struct file *f, const struct nx_synthetic_program *program)
{
	name_kernel(f);
	for (size_t i = 0; i < program->penguins.len; i++) {
		const struct nx_synthetic_penguin *penguin = &program->penguins.items[i];
		struct nx_debug_record record = {.id = i + 1};

		record.name = nx_slice_text(penguin->name);
		set_parent(f, &record, penguin->layer + 1);
		add_kernel_place(f, &record, penguin->kernel_line);
		nx_vec_push(&f->records, record);
	}
}

static void add_hlos(struct file *f, const struct nx_synthetic_program *program)
{
	for (size_t i = 0; i < program->layers.len; i++) {
		const struct nx_synthetic_layer *layer = &program->layers.items[i];
		struct nx_debug_record record = {.id = i + 1};

		record.name = nx_slice_text(nx_arena_printf(&f->arena, "%%%s.%zu = %s(%%p%zu)",
							    layer->hlo_operation, i,
							    layer->hlo_operation, i));
		set_parent(f, &record, i + 1);
		add_attribute(f, &record, "op_type", layer->hlo_operation);
		add_attribute(f, &record, "source_file", MODEL_FILE);
		add_attribute(f, &record, "source_line",
			      nx_arena_printf(&f->arena, "%u", layer->source_line));
		nx_vec_push(&f->records, record);
	}
}

static void add_modules(struct file *f, const struct nx_synthetic_program *program)
{
	for (size_t i = 0; i < program->layers.len; i++) {
		struct nx_debug_record record = {.id = i + 1};

		record.name = nx_slice_text(program->layers.items[i].name);
		nx_vec_push(&f->records, record);
	}
}

void nx_synthetic_debug_level(const struct nx_synthetic_program *program,
			      enum nx_synthetic_level level, struct nx_bytes *out)
{
	struct file f = {.info = {.description = nx_slice_text("synthetic")}};

	if (level == NX_SYNTHETIC_PENGUIN)
		add_penguins(&f, program);
	else if (level == NX_SYNTHETIC_HLO)
		add_hlos(&f, program);
	else
		add_modules(&f, program);
	if (level < NX_SYNTHETIC_FRAMEWORK)
		f.info.parent_file_name = nx_slice_text(nx_synthetic_level_files[level + 1]);
	finish(&f, out);
}
