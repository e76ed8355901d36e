/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_model.h"

#include <stdio.h>

#include "base/json_reader.h"
#include "base/map.h"
#include "base/vec.h"
#include "capture/runtime_status.h"
#include "format/neff.h"
#include "machine/dtype.h"
#include "machine/hardware.h"

/* More ranks than any cluster has is a damaged file. */
#define MAX_WORKERS 65536

struct reading {
	const struct nx_neff *neff;
	struct nx_arena *arena;
	struct nx_capture_model *model;
	NX_VEC(struct nx_capture_tensor) tensors;
	struct nx_text_map seen;
	size_t graph_count;
};

static const struct nx_json *read_json(struct reading *r, const char *name)
{
	struct nx_slice member = nx_neff_member(r->neff, nx_slice_text(name));
	struct nx_json *root = NULL;

	if (member.len == 0 || nx_json_parse(member, r->arena, &root, NULL))
		return NULL;
	return root;
}

static size_t count_of(const struct nx_json *list)
{
	return list && list->kind == NX_JSON_ARRAY ? list->count : 0;
}

/* --- tensors ------------------------------------------------------------------------------ */

static void describe(struct reading *r, const struct nx_json *entry, struct nx_capture_tensor *t)
{
	const struct nx_json *shape = nx_json_get(entry, "sim_shape");

	if (!count_of(shape))
		shape = nx_json_get(entry, "tf_shape");
	t->dtype_name = nx_json_as_text(nx_json_get(entry, "dtype"), r->arena, "");
	t->dtype = (nrt_dtype_t)nx_dtype_find(nx_slice_text(t->dtype_name));
	for (size_t i = 0; count_of(shape) <= NX_CAPTURE_MAX_DIMS && i < count_of(shape); i++)
		t->shape[t->dims++] = nx_json_as_u64(&shape->children[i], 0);
}

static void add_variable(struct reading *r, const struct nx_json *variable,
			 const struct nx_json *tensor_map)
{
	struct nx_slice type = nx_json_as_slice(nx_json_get(variable, "type"));
	struct nx_capture_tensor tensor = {.is_output = nx_slice_is(type, "output")};
	uint64_t seen;

	if (!tensor.is_output && !nx_slice_is(type, "input"))
		return;
	/* The second graph of a logical core names the same tensors. */
	if (nx_text_map_get(&r->seen, variable->key, &seen))
		return;
	tensor.name = nx_arena_copy(r->arena, variable->key);
	tensor.size_bytes = nx_json_as_u64(nx_json_get(variable, "size"), 0);
	nx_text_map_put(&r->seen, variable->key, 1);
	describe(r, nx_json_get(tensor_map, tensor.name), &tensor);
	nx_vec_push(&r->tensors, tensor);
}

/* --- workers -------------------------------------------------------------------------------- */

static void note_worker_count(struct reading *r, uint64_t count)
{
	if (count > r->model->worker_count && count <= MAX_WORKERS)
		r->model->worker_count = (uint32_t)count;
	if (count > 1)
		r->model->has_collectives = true;
}

/* [[0,1],[2,3]], perhaps in a list of such lists: the largest number plus one. */
static void read_groups(struct reading *r, const struct nx_json *value, unsigned depth)
{
	if (!value || depth == 0)
		return;
	if (value->kind == NX_JSON_NUMBER)
		note_worker_count(r, nx_json_as_u64(value, 0) + 1);
	for (size_t i = 0; value->kind == NX_JSON_ARRAY && i < value->count; i++)
		read_groups(r, &value->children[i], depth - 1);
}

static bool is_collective(uint8_t opcode)
{
	return opcode == 0xc8 || opcode == 0xd9; /* PSEUDO_TRIGGER_COLLECTIVE and _2 */
}

static void look_for_collectives(struct reading *r)
{
	for (size_t i = 0; i < r->neff->member_count; i++) {
		const struct nx_neff_member *member = &r->neff->members[i];

		if (!nx_slice_ends(member->name, ".bin"))
			continue;
		for (size_t at = 0; at + NX_SLOT_BYTES <= member->bytes.len; at += NX_SLOT_BYTES)
			r->model->has_collectives |= is_collective(member->bytes.data[at]);
	}
}

/* --- graphs --------------------------------------------------------------------------------- */

static enum nx_status read_graph(struct reading *r, const char *definition, struct nx_error *err)
{
	const char *slash = strrchr(definition, '/');
	int folder_len = slash ? (int)(slash + 1 - definition) : 0;
	const struct nx_json *root = read_json(r, definition);
	const struct nx_json *variables = nx_json_get(root, "var");
	const struct nx_json *tensor_map = read_json(
		r, nx_arena_printf(r->arena, "%.*stensor_map.json", folder_len, definition));

	if (!variables || variables->kind != NX_JSON_OBJECT)
		return nx_fail(err, NX_FORMAT,
			       "the NEFF has no readable %.200s, which declares its tensors; "
			       "compile or copy it again",
			       definition);
	r->graph_count++;
	for (size_t i = 0; i < variables->count; i++)
		add_variable(r, &variables->children[i], tensor_map);
	note_worker_count(r, nx_json_as_u64(nx_json_get(root, "#rank_world_size"), 0));
	read_groups(r, nx_json_get(root, "replica_groups"), 4);
	read_groups(r, nx_json_get(root, "src_target_pairs"), 4);
	return NX_OK;
}

static enum nx_status read_graphs(struct reading *r, struct nx_error *err)
{
	const struct nx_json *graphs = nx_json_get(read_json(r, "kelf-0.json"), "graphs");
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < count_of(graphs); i++)
		st = read_graph(r,
				nx_json_as_text(nx_json_get(&graphs->children[i], "definition"),
						r->arena, ""),
				err);
	if (!st && !r->graph_count)
		st = nx_fail(err, NX_FORMAT,
			     "the NEFF names no graph in kelf-0.json; compile or copy it again");
	return st;
}

static void keep_tensors(struct reading *r)
{
	struct nx_capture_model *model = r->model;

	model->tensors = NX_NEW_ARRAY(r->arena, struct nx_capture_tensor, r->tensors.len + 1);
	model->tensor_count = r->tensors.len;
	if (r->tensors.len)
		memcpy(model->tensors, r->tensors.items,
		       r->tensors.len * sizeof(*r->tensors.items));
}

enum nx_status nx_capture_model_read(struct nx_slice file, struct nx_arena *arena,
				     struct nx_capture_model *out, struct nx_error *err)
{
	struct nx_neff neff;
	struct reading r = {.neff = &neff, .arena = arena, .model = out};
	enum nx_status st;

	memset(out, 0, sizeof(*out));
	st = nx_neff_read(file, arena, &neff, err);
	if (!st && neff.is_truncated)
		st = nx_fail(err, NX_FORMAT, "the NEFF is damaged: %s; copy it again", neff.damage);
	if (!st)
		st = read_graphs(&r, err);
	if (!st) {
		out->logical_core_size = neff.header.logical_core_size;
		look_for_collectives(&r);
		keep_tensors(&r);
	}
	nx_text_map_release(&r.seen);
	nx_vec_release(&r.tensors);
	return st;
}

/* --- the runtime's word --------------------------------------------------------------------- */

static void copy_tensor(struct nx_arena *arena, const nrt_tensor_info_t *from,
			struct nx_capture_tensor *to)
{
	size_t len = strnlen(from->name, sizeof(from->name));

	to->name = nx_arena_copy(arena, nx_slice_of(from->name, len));
	to->is_output = from->usage == NRT_TENSOR_USAGE_OUTPUT;
	to->size_bytes = from->size;
	to->dtype = from->dtype;
	to->dtype_name = nx_dtype_neff_name(from->dtype);
	if (!to->dtype_name)
		to->dtype_name = "";
	for (uint32_t i = 0; from->shape && from->ndim <= NX_CAPTURE_MAX_DIMS && i < from->ndim;
	     i++)
		to->shape[to->dims++] = from->shape[i];
}

enum nx_status nx_capture_model_ask(struct nx_capture_model *model,
				    const struct nx_runtime_library *lib, nrt_model_t *loaded,
				    struct nx_arena *arena, struct nx_error *err)
{
	static const char *const needed[] = {"nrt_get_model_tensor_info",
					     "nrt_free_model_tensor_info", NULL};
	nrt_tensor_info_array_t *list = NULL;
	NRT_STATUS status;

	if (nx_runtime_library_need(lib, "--io-from runtime", needed, err))
		return err->status;
	status = lib->nrt_get_model_tensor_info(loaded, &list);
	if (status != NRT_SUCCESS || !list)
		return nx_runtime_fail(lib, status, err, "asking the runtime for the tensors");
	model->tensors = NX_NEW_ARRAY(arena, struct nx_capture_tensor, list->tensor_count + 1);
	model->tensor_count = list->tensor_count;
	for (size_t i = 0; i < model->tensor_count; i++)
		copy_tensor(arena, &list->tensor_array[i], &model->tensors[i]);
	lib->nrt_free_model_tensor_info(list);
	return NX_OK;
}

/* --- asking ----------------------------------------------------------------------------------- */

size_t nx_capture_model_find(const struct nx_capture_model *model, const char *name, bool is_output)
{
	for (size_t i = 0; i < model->tensor_count; i++)
		if (model->tensors[i].is_output == is_output &&
		    strcmp(model->tensors[i].name, name) == 0)
			return i;
	return NX_CAPTURE_NO_TENSOR;
}

const char *nx_capture_model_names(const struct nx_capture_model *model, bool is_output, char *out,
				   size_t cap)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < model->tensor_count && used < cap; i++)
		if (model->tensors[i].is_output == is_output)
			used += (size_t)snprintf(out + used, cap - used, "%s%s", used ? ", " : "",
						 model->tensors[i].name);
	return used ? out : "none";
}
