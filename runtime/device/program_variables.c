/* SPDX-License-Identifier: Apache-2.0 */
/* program_variables: what the names in def.json stand for, and the shapes of inputs and outputs. */
#include "format/instruction.h"
#include "format/npy.h"
#include "runtime/device/device_program_internal.h"
#include "runtime/device/element.h"

static uint64_t number_of(const struct nx_json *entry, const char *key)
{
	return nx_json_as_u64(nx_json_get(entry, key), UINT64_MAX);
}

static bool is_of(const struct nx_json *entry, const char *type)
{
	return nx_slice_is(nx_json_as_slice(nx_json_get(entry, "type")), type);
}

/* "SB{1}" is the state buffer of core 1. */
static uint32_t remote_core(struct nx_slice name)
{
	uint64_t core;

	while (name.len && name.data[0] != '{')
		name = nx_slice_part(name, 1, name.len);
	if (!nx_slice_ends(name, "}"))
		return NX_NO_INDEX;
	if (!nx_slice_to_u64(nx_slice_part(name, 1, name.len - 2), &core) ||
	    core >= NX_DEVICE_MAX_CORES)
		return NX_NO_INDEX;
	return (uint32_t)core;
}

static enum nx_status read_file(struct nx_core_source *source, const struct nx_json *entry,
				struct nx_device_variable *v, struct nx_error *err)
{
	struct nx_slice file = nx_json_as_slice(nx_json_get(entry, "file_name"));
	struct nx_npy array;

	if (!nx_npy_read(nx_core_source_member(source, file), &array))
		return nx_fail(err, NX_FORMAT, "constant %.*s of the NEFF is missing or no .npy",
			       (int)file.len, (const char *)file.data);
	if (array.payload.len != v->size_bytes)
		return nx_fail(err, NX_FORMAT,
			       "constant %.*s of the NEFF has %zu bytes where def.json says %llu",
			       (int)file.len, (const char *)file.data, array.payload.len,
			       (unsigned long long)v->size_bytes);
	v->payload = array.payload;
	return NX_OK;
}

static enum nx_status read_virtual(struct nx_core_source *source, const struct nx_json *entry,
				   struct nx_device_variable *v, struct nx_error *err)
{
	uint64_t end;

	v->scratch_offset = nx_json_as_u64(nx_json_get(entry, "backing_variable_off"), 0);
	if (__builtin_add_overflow(v->scratch_offset, v->size_bytes, &end))
		return nx_fail(err, NX_FORMAT, "variable %.*s ends beyond any memory",
			       (int)v->name.len, (const char *)v->name.data);
	if (end > source->core->scratch_bytes)
		source->core->scratch_bytes = end;
	return NX_OK;
}

/* --- inputs and outputs ------------------------------------------------------- */

static void describe(struct nx_device_program *program, const struct nx_json *entry,
		     struct nx_device_tensor *tensor)
{
	const struct nx_json *shape = nx_json_get(entry, "sim_shape");
	size_t dims = nx_core_source_count(shape);

	tensor->dtype_name = nx_json_as_text(nx_json_get(entry, "dtype"), &program->arena, "");
	tensor->dtype = nx_dtype_find(nx_slice_text(tensor->dtype_name));
	if (dims > NX_DEVICE_MAX_DIMS)
		dims = 0;
	for (size_t i = 0; i < dims; i++)
		tensor->shape[tensor->dims++] = nx_json_as_u64(&shape->children[i], 0);
}

static enum nx_status add_tensor(struct nx_core_source *source, const struct nx_json *shapes,
				 enum nx_device_tensor_kind kind, struct nx_device_variable *v,
				 struct nx_error *err)
{
	struct nx_device_program *program = source->program;
	struct nx_device_tensor *tensor;
	uint64_t found;

	if (nx_text_map_get(&program->tensor_by_name, v->name, &found)) {
		tensor = &program->tensors[found];
		v->index = (uint32_t)found;
		if (tensor->size_bytes == v->size_bytes && tensor->kind == kind)
			return NX_OK;
		return nx_fail(err, NX_FORMAT, "the graphs of the NEFF disagree about tensor %s",
			       tensor->name);
	}
	nx_text_map_put(&program->tensor_by_name, v->name, program->tensor_count);
	v->index = (uint32_t)program->tensor_count;
	tensor = &program->tensors[program->tensor_count++];
	*tensor = (struct nx_device_tensor){.name = nx_arena_copy(&program->arena, v->name),
					    .kind = kind,
					    .size_bytes = v->size_bytes};
	describe(program, nx_json_get(shapes, tensor->name), tensor);
	if (__builtin_add_overflow(program->memory_bytes, v->size_bytes, &program->memory_bytes))
		program->memory_bytes = UINT64_MAX;
	return NX_OK;
}

/* Room for the tensors of one more core; those of earlier ones keep their numbers. */
static void make_room(struct nx_device_program *program, const struct nx_json *variables)
{
	size_t most = program->tensor_count + variables->count;
	struct nx_device_tensor *old = program->tensors;

	program->tensors = NX_NEW_ARRAY(&program->arena, struct nx_device_tensor, most);
	if (program->tensor_count)
		memcpy(program->tensors, old, program->tensor_count * sizeof(*old));
}

/* --- variables ---------------------------------------------------------------- */

static void read_list(struct nx_core_source *source, const struct nx_json *list)
{
	struct nx_core_program *core = source->core;

	if (core->table_count)
		return;
	core->table_count = nx_core_source_count(list);
	core->table = NX_NEW_ARRAY(&source->program->arena, uint32_t, core->table_count);
	for (size_t i = 0; i < core->table_count; i++)
		core->table[i] = (uint32_t)nx_json_as_u64(&list->children[i], NX_NO_INDEX);
}

static enum nx_status read_variable(struct nx_core_source *source, const struct nx_json *shapes,
				    const struct nx_json *entry, struct nx_device_variable *v,
				    struct nx_error *err)
{
	v->name = entry->key;
	v->size_bytes = nx_json_as_u64(nx_json_get(entry, "size"), 0);
	if (is_of(entry, "state-buffer")) {
		v->kind = NX_VARIABLE_STATE_BUFFER;
	} else if (is_of(entry, "remote")) {
		v->kind = NX_VARIABLE_REMOTE;
		v->index = remote_core(v->name);
	} else if (is_of(entry, "input") || is_of(entry, "output")) {
		v->kind = NX_VARIABLE_TENSOR;
		return add_tensor(source, shapes,
				  is_of(entry, "input") ? NX_DEVICE_INPUT : NX_DEVICE_OUTPUT, v,
				  err);
	} else if (is_of(entry, "file")) {
		v->kind = NX_VARIABLE_FILE;
		return read_file(source, entry, v, err);
	} else if (is_of(entry, "virtual")) {
		v->kind = NX_VARIABLE_VIRTUAL;
		return read_virtual(source, entry, v, err);
	} else if (is_of(entry, "dge-table")) {
		read_list(source, nx_json_get(entry, "list"));
	}
	return NX_OK;
}

static const struct nx_json *read_shapes(struct nx_core_source *source)
{
	struct nx_slice bytes = nx_core_source_member(source, nx_slice_text("tensor_map.json"));
	struct nx_json *root = NULL;

	/* Shapes are for people; a program runs without them. */
	if (bytes.len == 0 || nx_json_parse(bytes, &source->program->arena, &root, NULL))
		return NULL;
	return root;
}

enum nx_status nx_core_source_read_variables(struct nx_core_source *source, struct nx_error *err)
{
	const struct nx_json *variables = nx_json_get(source->definition, "var");
	struct nx_core_program *core = source->core;
	const struct nx_json *shapes;
	enum nx_status status = NX_OK;

	if (!variables || variables->kind != NX_JSON_OBJECT)
		return nx_fail(err, NX_FORMAT, "def.json of the NEFF names no variables");
	shapes = read_shapes(source);
	core->variables =
		NX_NEW_ARRAY(&source->program->arena, struct nx_device_variable, variables->count);
	make_room(source->program, variables);
	for (size_t i = 0; i < variables->count && !status; i++) {
		const struct nx_json *entry = &variables->children[i];
		uint64_t id = number_of(entry, "var_id");

		status = read_variable(source, shapes, entry, &core->variables[i], err);
		core->variable_count++;
		nx_text_map_put(&core->variable_by_name, entry->key, i);
		if (id < UINT32_MAX)
			nx_map_put(&core->variable_by_id, id, i);
	}
	return status;
}
