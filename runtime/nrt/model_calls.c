/* SPDX-License-Identifier: Apache-2.0 */
/* model_calls: facts about a loaded model. */
#include <nrt/nrt_experimental.h>
#include <stdio.h>

#include "machine/dtype.h"
#include "runtime/nrt/loaded_model.h"

/* One block of memory: the array, then the shapes. */
static nrt_tensor_info_array_t *list_tensors(const struct nx_model *model)
{
	size_t count = model->neff.tensor_count, dims = 0;
	size_t array_bytes = sizeof(nrt_tensor_info_array_t) + count * sizeof(nrt_tensor_info_t);
	nrt_tensor_info_array_t *list;
	uint32_t *shapes;

	for (size_t i = 0; i < count; i++)
		dims += model->neff.tensors[i]->shape.dims;
	list = nx_heap_try_alloc(array_bytes + dims * sizeof(uint32_t));
	if (!list)
		return NULL;
	shapes = (uint32_t *)(void *)((uint8_t *)list + array_bytes);
	list->tensor_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct nx_neff_variable *from = model->neff.tensors[i];
		nrt_tensor_info_t *to = &list->tensor_array[i];

		snprintf(to->name, sizeof(to->name), "%s", from->name);
		to->usage = from->kind == NX_VARIABLE_OUTPUT ? NRT_TENSOR_USAGE_OUTPUT
							     : NRT_TENSOR_USAGE_INPUT;
		to->size = from->size_bytes;
		to->dtype = (nrt_dtype_t)nx_dtype_find(nx_slice_text(from->dtype));
		to->ndim = (uint32_t)from->shape.dims;
		to->shape = shapes;
		for (size_t k = 0; k < from->shape.dims; k++)
			*shapes++ = (uint32_t)from->shape.sizes[k];
	}
	return list;
}

NX_EXPORT NRT_STATUS nrt_get_model_tensor_info(nrt_model_t *model,
					       nrt_tensor_info_array_t **tensor_info)
{
	struct nx_model *asked;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_model_acquire(model, &asked));
	if (tensor_info) {
		*tensor_info = list_tensors(asked);
		st = *tensor_info ? NRT_SUCCESS : NRT_FAIL_HOST_MEM_ALLOC;
	} else {
		st = NRT_INVALID;
	}
	nx_object_drop(asked);
	return st;
}

NX_EXPORT NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t *tensor_info)
{
	if (!tensor_info)
		return NRT_INVALID;
	nx_heap_free(tensor_info);
	return NRT_SUCCESS;
}

static NRT_STATUS read_cores(const nrt_model_t *handle, uint32_t *core, uint32_t *count)
{
	struct nx_model *model;

	NX_RETURN_IF_FAILED(nx_model_acquire(handle, &model));
	*core = model->core;
	*count = model->core_count;
	nx_object_drop(model);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t *model, uint32_t *vnc_count)
{
	uint32_t core, count;

	NX_RETURN_IF_FAILED(read_cores(model, &core, &count));
	if (!vnc_count)
		return NRT_INVALID;
	*vnc_count = count;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_get_model_nc_count(const nrt_model_t *model, uint32_t *vnc_count)
{
	return nrt_get_model_vnc_count(model, vnc_count);
}

NX_EXPORT NRT_STATUS nrt_get_model_instance_count(nrt_model_t *model, uint32_t *count)
{
	/* A core runs one execution at a time: more threads than cores do not help. */
	return nrt_get_model_vnc_count(model, count);
}

NX_EXPORT NRT_STATUS nrt_get_model_info(const nrt_model_t *model, nrt_model_info_t *info,
					size_t info_size_in, size_t *info_size_out)
{
	nrt_model_info_t full = {0};
	uint32_t count;

	NX_RETURN_IF_FAILED(read_cores(model, &full.vnc, &count));
	if (!info || !info_size_in || !info_size_out)
		return NRT_INVALID;
	*info_size_out = sizeof(full) < info_size_in ? sizeof(full) : info_size_in;
	memcpy(info, &full, *info_size_out);
	return NRT_SUCCESS;
}
