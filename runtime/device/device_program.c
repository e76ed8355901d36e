/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device_program_internal.h"

#include <stdio.h>

#include "format/instruction.h"

size_t nx_core_source_count(const struct nx_json *array)
{
	return array && array->kind == NX_JSON_ARRAY ? array->count : 0;
}

struct nx_slice nx_core_source_member(const struct nx_core_source *source, struct nx_slice name)
{
	struct nx_device_program *program = source->program;
	size_t len = source->directory.len + name.len;
	char *path;

	if (name.len == 0)
		return (struct nx_slice){0};
	path = nx_arena_alloc(&program->arena, len);
	if (source->directory.len)
		memcpy(path, source->directory.data, source->directory.len);
	memcpy(path + source->directory.len, name.data, name.len);
	return nx_neff_member(&program->neff, nx_slice_of(path, len));
}

/* --- engines ----------------------------------------------------------------- */

static const struct {
	const char *key, *stream_key;
} engine_keys[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = {"pe", "pe_instr"},     [NX_ENGINE_SCALAR] = {"act", "act_instr"},
	[NX_ENGINE_GPSIMD] = {"pool", "pool_instr"}, [NX_ENGINE_VECTOR] = {"dve", "dve_instr"},
	[NX_ENGINE_SYNC] = {"sp", "sp_instr"},
};

static enum nx_status read_set(struct nx_core_source *source, struct nx_slice name,
			       struct nx_activation_set *set, struct nx_error *err)
{
	struct nx_arena *arena = &source->program->arena;
	const char *stem = nx_arena_copy(arena, name);
	const char *file = nx_arena_printf(arena, "%s.json", stem);
	enum nx_status status;

	set->name = name;
	set->buckets = nx_core_source_member(
		source, nx_slice_text(nx_arena_printf(arena, "%s_bkt.bin", stem)));
	set->controls = nx_core_source_member(
		source, nx_slice_text(nx_arena_printf(arena, "%s_ctrl.bin", stem)));
	status = nx_activation_set_read(nx_core_source_member(source, nx_slice_text(file)), arena,
					set, err);
	return status ? nx_context(err, "activation table %s of the NEFF", file) : NX_OK;
}

static enum nx_status read_sets(struct nx_core_source *source, const struct nx_json *names,
				struct nx_error *err)
{
	struct nx_core_program *core = source->core;
	struct nx_arena *arena = &source->program->arena;
	enum nx_status status = NX_OK;

	core->set_count = nx_core_source_count(names);
	core->sets = NX_NEW_ARRAY(arena, struct nx_activation_set, core->set_count);
	for (size_t i = 0; i < core->set_count && !status; i++) {
		/* The tree of the names is gone before the sets are. */
		struct nx_slice name = nx_json_as_slice(&names->children[i]);

		status = read_set(source, nx_slice_of(nx_arena_copy(arena, name), name.len),
				  &core->sets[i], err);
	}
	return status;
}

static enum nx_status read_table(struct nx_core_source *source, unsigned engine,
				 struct nx_slice file, struct nx_slice *stream,
				 struct nx_error *err)
{
	struct nx_arena scratch = {0};
	struct nx_json *root;
	struct nx_slice bytes = nx_core_source_member(source, file);
	enum nx_status status = NX_OK;

	if (bytes.len == 0)
		return NX_OK;
	status = nx_json_parse(bytes, &scratch, &root, err);
	if (status) {
		(void)nx_context(err, "%.*s of the NEFF", (int)file.len, (const char *)file.data);
		goto out;
	}
	if (stream->len == 0)
		*stream =
			nx_core_source_member(source, nx_json_as_slice(nx_json_get(root, "instr")));
	nx_core_source_read_blocks(source, engine, nx_json_get(root, "dma"));
	if (engine == NX_ENGINE_SCALAR)
		status = read_sets(source, nx_json_get(root, "activation_function_sets"), err);
out:
	nx_arena_release(&scratch);
	return status;
}

enum nx_status nx_core_source_read_engines(struct nx_core_source *source, struct nx_error *err)
{
	struct nx_core_program *core = source->core;
	enum nx_status status;

	for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++) {
		const struct nx_json *definition = source->definition;
		struct nx_slice *code = &core->code[engine];

		*code = nx_core_source_member(
			source,
			nx_json_as_slice(nx_json_get(definition, engine_keys[engine].stream_key)));
		status = read_table(
			source, engine,
			nx_json_as_slice(nx_json_get(definition, engine_keys[engine].key)), code,
			err);
		if (status)
			return status;
		if (code->len % NX_SLOT_BYTES)
			return nx_fail(err, NX_FORMAT,
				       "the stream of engine %s ends inside its slot %zu; the NEFF "
				       "is cut",
				       engine_keys[engine].key, code->len / NX_SLOT_BYTES);
	}
	return NX_OK;
}

/* --- cores ------------------------------------------------------------------- */

static struct nx_slice directory_of(struct nx_slice path)
{
	while (path.len && path.data[path.len - 1] != '/')
		path.len--;
	return path;
}

static enum nx_status read_core(struct nx_device_program *program, const struct nx_json *graph,
				struct nx_core_program *core, struct nx_error *err)
{
	struct nx_slice path = nx_json_as_slice(nx_json_get(graph, "definition"));
	struct nx_core_source source = {
		.program = program, .core = core, .directory = directory_of(path)};
	struct nx_slice bytes = nx_neff_member(&program->neff, path);
	struct nx_json *definition;
	enum nx_status status;

	core->name = nx_json_as_slice(nx_json_get(graph, "name"));
	if (bytes.len == 0)
		return nx_fail(err, NX_FORMAT, "the NEFF has no %.*s, which its graph needs",
			       (int)path.len, (const char *)path.data);
	status = nx_json_parse(bytes, &program->arena, &definition, err);
	if (status)
		return nx_context(err, "%.*s of the NEFF", (int)path.len, (const char *)path.data);
	source.definition = definition;
	status = nx_core_source_read_variables(&source, err);
	if (!status)
		status = nx_core_source_read_engines(&source, err);
	if (!status)
		nx_core_source_read_ranks(&source);
	return status;
}

static enum nx_device_arch arch_named(struct nx_slice target)
{
	const struct nx_chip *chip = nx_chip_find(target);

	return chip ? chip->device : NX_DEVICE_ANY;
}

static enum nx_status read_graphs(struct nx_device_program *program, struct nx_error *err)
{
	struct nx_slice bytes = nx_neff_member(&program->neff, nx_slice_text("kelf-0.json"));
	const struct nx_json *graphs;
	enum nx_status status;
	struct nx_json *root;

	if (bytes.len == 0)
		return nx_fail(err, NX_FORMAT, "the NEFF has no kelf-0.json: it holds no program");
	status = nx_json_parse(bytes, &program->arena, &root, err);
	if (status)
		return nx_context(err, "kelf-0.json of the NEFF");
	program->arch = arch_named(nx_json_as_slice(nx_json_get(root, "target")));
	graphs = nx_json_get(root, "graphs");
	program->core_count = nx_core_source_count(graphs);
	if (program->core_count == 0 || program->core_count > NX_DEVICE_MAX_CORES) {
		size_t count = program->core_count;

		program->core_count = 0;
		return nx_fail(err, NX_FORMAT,
			       "kelf-0.json names %zu graphs; a device runs 1 to %d", count,
			       NX_DEVICE_MAX_CORES);
	}
	program->cores = NX_NEW_ARRAY(&program->arena, struct nx_core_program, program->core_count);
	for (size_t i = 0; i < program->core_count && !status; i++)
		status = read_core(program, &graphs->children[i], &program->cores[i], err);
	return status;
}

static void add_scratchpads(struct nx_device_program *program)
{
	for (size_t i = 0; i < program->core_count; i++)
		if (__builtin_add_overflow(program->memory_bytes, program->cores[i].scratch_bytes,
					   &program->memory_bytes))
			program->memory_bytes = UINT64_MAX;
}

enum nx_status nx_device_program_read(struct nx_device_program *program, struct nx_slice neff,
				      struct nx_error *err)
{
	enum nx_status status;

	memset(program, 0, sizeof(*program));
	status = nx_neff_read(neff, &program->arena, &program->neff, err);
	if (status)
		return status;
	if (program->neff.is_truncated)
		return nx_fail(err, NX_FORMAT, "the NEFF is damaged: %s", program->neff.damage);
	status = read_graphs(program, err);
	if (!status)
		add_scratchpads(program);
	return status;
}

void nx_device_program_release(struct nx_device_program *program)
{
	for (size_t i = 0; i < program->core_count; i++) {
		struct nx_core_program *core = &program->cores[i];

		nx_map_release(&core->variable_by_id);
		nx_text_map_release(&core->variable_by_name);
		for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
			nx_text_map_release(&core->queue_by_name[engine]);
		for (size_t q = 0; q < core->queue_count; q++)
			nx_map_release(&core->queues[q].by_id);
	}
	nx_text_map_release(&program->tensor_by_name);
	nx_arena_release(&program->arena);
	memset(program, 0, sizeof(*program));
}

const struct nx_device_variable *nx_core_program_variable(const struct nx_core_program *core,
							  uint32_t id, uint32_t *index)
{
	uint64_t found;

	if (!nx_map_get(&core->variable_by_id, id, &found))
		return NULL;
	*index = (uint32_t)found;
	return &core->variables[found];
}

const struct nx_device_queue *nx_core_program_queue(const struct nx_core_program *core,
						    unsigned engine, struct nx_slice name,
						    size_t *index)
{
	uint64_t found;

	if (!nx_text_map_get(&core->queue_by_name[engine], name, &found))
		return NULL;
	*index = (size_t)found;
	return &core->queues[found];
}

const struct nx_block *nx_queue_block(const struct nx_device_queue *queue, uint32_t id)
{
	uint64_t found;

	return nx_map_get(&queue->by_id, id, &found) ? &queue->blocks[found] : NULL;
}
