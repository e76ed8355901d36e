/* SPDX-License-Identifier: Apache-2.0 */
/* idle_port: a device that can be loaded and asked, but does not compute. */
#include <time.h>

#include "base/json_reader.h"
#include "base/map.h"
#include "runtime/nrt/device_port.h"
#include "runtime/nrt/nrt_log.h"

struct nx_port_program {
	struct nx_arena arena;
	NX_VEC(struct nx_port_tensor) tensors;
	struct nx_text_map seen; /* names listed so far */
	struct nx_port_memory memory;
	uint32_t graph_count;
	bool has_warned;
};

uint64_t nx_device_port_host_ps(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) * 1000u;
}

/* --- reading a NEFF ---------------------------------------------------------------- */

struct reading {
	struct nx_port_program *program;
	const struct nx_neff *neff;
	struct nx_slice file;
	enum nx_status st;
	struct nx_error *err;
};

static const struct nx_json *read_json(struct reading *r, const char *name)
{
	struct nx_slice member = nx_neff_member(r->neff, nx_slice_text(name));
	struct nx_json *root = NULL;

	if (member.len == 0 || nx_json_parse(member, &r->program->arena, &root, NULL))
		return NULL;
	return root;
}

static void describe(struct nx_port_program *program, const struct nx_json *entry,
		     struct nx_port_tensor *tensor)
{
	const struct nx_json *shape = nx_json_get(entry, "sim_shape");

	if (!shape)
		shape = nx_json_get(entry, "tf_shape");
	tensor->dtype_name = nx_json_as_text(nx_json_get(entry, "dtype"), &program->arena, "");
	if (!shape || shape->kind != NX_JSON_ARRAY)
		return;
	for (size_t i = 0; i < shape->count && tensor->dims < NX_PORT_MAX_DIMS; i++)
		tensor->shape[tensor->dims++] =
			(uint32_t)(nx_json_as_u64(&shape->children[i], 0) & UINT32_MAX);
}

static void add_tensor(struct reading *r, const struct nx_json *variable, bool is_output,
		       uint64_t size_bytes, const struct nx_json *tensor_map)
{
	struct nx_port_program *program = r->program;
	struct nx_port_tensor tensor = {.is_output = is_output, .size_bytes = size_bytes};
	uint64_t seen;

	/* The second graph of a logical core names the same tensors. */
	if (nx_text_map_get(&program->seen, variable->key, &seen))
		return;
	tensor.name = nx_arena_copy(&program->arena, variable->key);
	nx_text_map_put(&program->seen, nx_slice_text(tensor.name), 1);
	describe(program, nx_json_get(tensor_map, tensor.name), &tensor);
	nx_vec_push(&program->tensors, tensor);
}

static void add_variable(struct reading *r, const struct nx_json *variable,
			 const struct nx_json *tensor_map)
{
	struct nx_slice type = nx_json_as_slice(nx_json_get(variable, "type"));
	uint64_t size_bytes = nx_json_as_u64(nx_json_get(variable, "size"), 0);

	if (nx_slice_is(type, "input") || nx_slice_is(type, "output"))
		add_tensor(r, variable, nx_slice_is(type, "output"), size_bytes, tensor_map);
	else if (nx_slice_is(type, "file"))
		__builtin_add_overflow(r->program->memory.weight_bytes, size_bytes,
				       &r->program->memory.weight_bytes);
	else if (nx_slice_is(type, "virtual"))
		__builtin_add_overflow(r->program->memory.scratch_bytes, size_bytes,
				       &r->program->memory.scratch_bytes);
}

static void read_graph(struct reading *r, const char *definition)
{
	struct nx_arena *arena = &r->program->arena;
	const char *slash = strrchr(definition, '/');
	int folder_len = slash ? (int)(slash + 1 - definition) : 0;
	const struct nx_json *root = read_json(r, definition);
	const struct nx_json *variables = nx_json_get(root, "var");
	const struct nx_json *tensor_map =
		read_json(r, nx_arena_printf(arena, "%.*stensor_map.json", folder_len, definition));

	if (!variables || variables->kind != NX_JSON_OBJECT) {
		r->st = nx_fail(r->err, NX_FORMAT,
				"the NEFF has no readable %s, which declares its tensors; compile "
				"or copy it again",
				definition);
		return;
	}
	r->program->graph_count++;
	for (size_t i = 0; i < variables->count; i++)
		add_variable(r, &variables->children[i], tensor_map);
}

static void count_code(struct reading *r)
{
	for (size_t i = 0; i < r->neff->member_count; i++)
		if (nx_slice_ends(r->neff->members[i].name, ".bin"))
			r->program->memory.code_bytes += r->neff->members[i].bytes.len;
}

static void read_program(void *context)
{
	struct reading *r = context;
	const struct nx_json *graphs = nx_json_get(read_json(r, "kelf-0.json"), "graphs");

	for (size_t i = 0; graphs && graphs->kind == NX_JSON_ARRAY && i < graphs->count && !r->st;
	     i++)
		read_graph(r, nx_json_as_text(nx_json_get(&graphs->children[i], "definition"),
					      &r->program->arena, ""));
	if (!r->st && !r->program->graph_count)
		r->st = nx_fail(r->err, NX_FORMAT,
				"the NEFF names no graph in kelf-0.json; compile or copy it again");
	count_code(r);
}

/* --- the port ----------------------------------------------------------------------- */

static void close_program(struct nx_port_program *program)
{
	if (!program)
		return;
	nx_vec_release(&program->tensors);
	nx_text_map_release(&program->seen);
	nx_arena_release(&program->arena);
	nx_heap_free(program);
}

static enum nx_status open_program(struct nx_slice file, const struct nx_neff *neff,
				   struct nx_port_program **out, struct nx_error *err)
{
	struct nx_port_program *program = nx_heap_try_alloc(sizeof(*program));
	struct reading r = {program, neff, file, NX_OK, err};

	*out = NULL;
	if (!program || !nx_heap_guarded(read_program, &r))
		r.st = nx_fail(err, NX_LIMIT, "no memory to read the NEFF's %zu bytes", file.len);
	if (r.st)
		close_program(program);
	else
		*out = program;
	return r.st;
}

static uint32_t graph_count(const struct nx_port_program *program)
{
	return program->graph_count;
}

static size_t tensor_count(const struct nx_port_program *program)
{
	return program->tensors.len;
}

static const struct nx_port_tensor *tensor_at(const struct nx_port_program *program, size_t index)
{
	return &program->tensors.items[index];
}

static struct nx_port_memory memory_of(const struct nx_port_program *program)
{
	return program->memory;
}

static enum nx_port_ranks connect_ranks(struct nx_port_program *program,
					const struct nx_device_ranks *ranks,
					const struct nx_collective_place *place)
{
	(void)program;
	(void)ranks;
	(void)place;
	return NX_PORT_RANKS_NONE;
}

static enum nx_status run_program(struct nx_port_program *program, uint8_t *const *buffers,
				  struct nx_port_run *run, struct nx_error *err)
{
	uint64_t began_ps = nx_device_port_host_ps();

	(void)err;
	if (!program->has_warned)
		nx_log_warn("nrt_execute",
			    "no device is connected: nothing is computed and outputs are zero");
	program->has_warned = true;
	for (size_t i = 0; i < program->tensors.len; i++)
		if (program->tensors.items[i].is_output && program->tensors.items[i].size_bytes)
			memset(buffers[i], 0, program->tensors.items[i].size_bytes);
	run->end_ps = run->start_ps + (nx_device_port_host_ps() - began_ps);
	return NX_OK;
}

static enum nx_device_arch arch_of(const struct nx_port_program *program)
{
	(void)program;
	return NX_DEVICE_ANY;
}

static const struct nx_loaded_code *code_of(const struct nx_port_program *program)
{
	(void)program;
	return NULL;
}

static void record_nothing(const struct nx_port_program *program, const struct nx_port_run *run,
			   uint32_t first_core, struct nx_notified *out)
{
	(void)program, (void)run, (void)first_core, (void)out;
}

const struct nx_device_port nx_idle_port = {
	.name = "idle",
	.open = open_program,
	.close = close_program,
	.graph_count = graph_count,
	.tensor_count = tensor_count,
	.tensor = tensor_at,
	.memory = memory_of,
	.arch = arch_of,
	.connect = connect_ranks,
	.run = run_program,
	.code = code_of,
	.record = record_nothing,
};
