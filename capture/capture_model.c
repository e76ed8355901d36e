/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_model.h"

#include <assert.h>
#include <stdio.h>

#include "format/neff.h"
#include "machine/dtype.h"
#include "machine/hardware.h"

static void describe(const struct nx_neff_variable *from, struct nx_capture_tensor *to)
{
	*to = (struct nx_capture_tensor){
		.name = from->name,
		.is_output = from->kind == NX_VARIABLE_OUTPUT,
		.size_bytes = from->size_bytes,
		.dtype = (nrt_dtype_t)nx_dtype_find(nx_slice_text(from->dtype)),
		.dtype_name = from->dtype,
	};
	for (size_t i = 0; from->shape.dims <= NX_CAPTURE_MAX_DIMS && i < from->shape.dims; i++)
		to->shape[to->dims++] =
			from->shape.sizes[i] > 0 ? (uint64_t)from->shape.sizes[i] : 0;
}

enum nx_status nx_capture_model_read(struct nx_slice file, struct nx_arena *arena,
				     struct nx_capture_model *out, struct nx_error *err)
{
	struct nx_neff neff;

	memset(out, 0, sizeof(*out));
	if (nx_neff_read(file, arena, &neff, err) || nx_neff_check_program(&neff, err))
		return err->status;
	out->logical_core_size = neff.header.logical_core_size;
	out->worker_count = neff.world_size;
	out->has_collectives = neff.world_size > 1;
	for (size_t i = 0; i < neff.graph_count; i++)
		out->has_collectives |= nx_neff_graph_has_collectives(&neff.graphs[i]);
	out->tensor_count = neff.tensor_count;
	out->tensors = NX_NEW_ARRAY(arena, struct nx_capture_tensor, neff.tensor_count + 1);
	for (size_t i = 0; i < neff.tensor_count; i++)
		describe(neff.tensors[i], &out->tensors[i]);
	return NX_OK;
}

/* --- as the runtime reports it -----------------------------------------------------------------
 */

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
		return nx_runtime_fail(lib, status, err, "querying the runtime for the tensors");
	model->tensors = NX_NEW_ARRAY(arena, struct nx_capture_tensor, list->tensor_count + 1);
	model->tensor_count = list->tensor_count;
	for (size_t i = 0; i < model->tensor_count; i++)
		copy_tensor(arena, &list->tensor_array[i], &model->tensors[i]);
	lib->nrt_free_model_tensor_info(list);
	return NX_OK;
}

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

	assert(cap > 0);
	out[0] = '\0';
	for (size_t i = 0; i < model->tensor_count && used < cap; i++)
		if (model->tensors[i].is_output == is_output)
			used += (size_t)snprintf(out + used, cap - used, "%s%s", used ? ", " : "",
						 model->tensors[i].name);
	return used ? out : "none";
}
