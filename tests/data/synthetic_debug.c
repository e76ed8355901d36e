/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_debug.h"

#include <stdio.h>

#include "base/json_writer.h"
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
		record.stack_frame_id = i + 2;
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

/* --- calls and loops --------------------------------------------------------------------- */

void nx_synthetic_debug_stack(const struct nx_synthetic_program *program, struct nx_bytes *out)
{
	struct nx_slice files[] = {nx_slice_text("llama/main.py"), nx_slice_text(MODEL_FILE)};
	struct nx_slice functions[] = {nx_slice_text("main"), nx_slice_text("forward")};
	size_t count = program->layers.len + 1;
	struct file f = {.info = {.has_stack_index = true}};
	struct nx_debug_stack_index *stack = &f.info.stack_index;

	stack->file_names.items = files;
	stack->file_names.count = 2;
	stack->function_names.items = functions;
	stack->function_names.count = 2;
	stack->locations.items = NX_NEW_ARRAY(&f.arena, struct nx_debug_location, count);
	stack->locations.count = count;
	stack->frames.items = NX_NEW_ARRAY(&f.arena, struct nx_debug_frame, count);
	stack->frames.count = count;
	stack->locations.items[0] = (struct nx_debug_location){1, 1, 12};
	stack->frames.items[0] = (struct nx_debug_frame){1, 0};
	for (size_t i = 1; i < count; i++) {
		stack->locations.items[i] =
			(struct nx_debug_location){2, 2, program->layers.items[i - 1].source_line};
		stack->frames.items[i] = (struct nx_debug_frame){i + 1, 1};
	}
	finish(&f, out);
}

void nx_synthetic_debug_kernel_list(struct nx_bytes *out)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, out, true);
	nx_json_begin_object(&w);
	nx_json_key(&w, "debug_info_files");
	nx_json_begin_array(&w);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "file_name", NX_SYNTHETIC_KERNEL_TREE_FILE);
	nx_json_key_text(&w, "kernel_name", KERNEL_FUNCTION);
	nx_json_key_u64(&w, "parent_tensorizer_id", 1);
	nx_json_end_object(&w);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

static void begin_node(struct nx_json_writer *w, const char *kind)
{
	nx_json_begin_object(w);
	nx_json_key(w, kind);
	nx_json_begin_object(w);
}

static void end_node(struct nx_json_writer *w)
{
	nx_json_end_object(w);
	nx_json_end_object(w);
}

static void begin_children(struct nx_json_writer *w)
{
	nx_json_key(w, "children");
	nx_json_begin_array(w);
}

static void put_iteration(struct nx_json_writer *w, const struct nx_synthetic_program *program,
			  uint32_t penguin, const uint32_t *birs, size_t bir_count)
{
	uint32_t line = program->penguins.items[penguin].kernel_line;
	char value[16];

	snprintf(value, sizeof(value), "%u", penguin);
	begin_node(w, "iter");
	nx_json_key_text(w, "var", "tile");
	nx_json_key_text(w, "val", value);
	nx_json_key_u64(w, "line", 20);
	begin_children(w);
	for (size_t i = 0; i < bir_count; i++) {
		begin_node(w, "inst");
		nx_json_key_text(w, "name", program->birs.items[birs[i]].name);
		nx_json_key_u64(w, "line", line);
		end_node(w);
	}
	nx_json_end_array(w);
	end_node(w);
}

static void put_iterations(struct nx_json_writer *w, const struct nx_synthetic_program *program)
{
	NX_VEC(uint32_t) birs = {0};

	for (uint32_t first = 0, end; first < program->birs.len; first = end) {
		uint32_t penguin = program->birs.items[first].penguin;

		nx_vec_clear(&birs);
		for (end = first;
		     end < program->birs.len && program->birs.items[end].penguin == penguin; end++)
			nx_vec_push(&birs, end);
		put_iteration(w, program, penguin, birs.items, birs.len);
	}
	nx_vec_release(&birs);
}

void nx_synthetic_debug_kernel_tree(const struct nx_synthetic_program *program,
				    struct nx_bytes *out)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, out, true);
	nx_json_begin_array(&w);
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "lnc", 1);
	nx_json_key(&w, "info");
	nx_json_begin_array(&w);
	begin_node(&w, "func");
	nx_json_key_text(&w, "name", KERNEL_FUNCTION);
	nx_json_key_u64(&w, "line", 10);
	nx_json_key_text(&w, "file", NX_SYNTHETIC_KERNEL_FILE);
	begin_children(&w);
	put_iterations(&w, program);
	nx_json_end_array(&w);
	end_node(&w);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_json_end_array(&w);
}
