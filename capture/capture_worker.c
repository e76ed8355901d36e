/* SPDX-License-Identifier: Apache-2.0 */
/* capture_worker: a worker's model and tensors, from loading to release. */
#include "capture/capture_worker_internal.h"

#include <assert.h>

enum nx_status nx_capture_worker_load(struct nx_capture_worker *w)
{
	static const char *const needed[] = {"nrt_load_collectives", NULL};
	const struct nx_capture_plan *plan = nx_worker_plan(w);
	const struct nx_runtime_library *lib = nx_worker_library(w);
	struct nx_slice neff = w->shared->job->neff;
	NRT_STATUS status;

	assert(!w->model);
	if (!w->shared->job->model->has_collectives) {
		status = lib->nrt_load(neff.data, neff.len, w->core, -1, &w->model);
	} else {
		if (nx_runtime_library_need(lib, "a model with collectives", needed, &w->err))
			return w->err.status;
		status = lib->nrt_load_collectives(neff.data, neff.len, w->core, -1,
						   plan->first_rank + w->index, plan->rank_count,
						   &w->model);
	}
	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "loading %s", plan->wishes.neff_path);
}

/* --- tensors ------------------------------------------------------------------------- */

static bool is_common(const struct nx_capture_plan *plan, const struct nx_capture_tensor *tensor)
{
	return plan->wishes.is_single_io &&
	       tensor->size_bytes > plan->wishes.single_io_threshold.value;
}

static enum nx_status allocate(struct nx_capture_worker *w, uint64_t size_bytes, const char *name,
			       nrt_tensor_t **out)
{
	const struct nx_runtime_library *lib = nx_worker_library(w);
	NRT_STATUS status = lib->nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, w->core,
						     size_bytes ? size_bytes : 1, name, out);

	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "allocating %llu bytes for %s",
			       (unsigned long long)size_bytes, name);
}

static enum nx_status allocate_common(struct nx_capture_worker *w)
{
	static const char *const needed[] = {"nrt_tensor_allocate_slice", NULL};
	const struct nx_capture_model *model = w->shared->job->model;
	uint64_t most = 0;

	for (size_t i = 0; i < model->tensor_count; i++)
		if (is_common(nx_worker_plan(w), &model->tensors[i]) &&
		    model->tensors[i].size_bytes > most)
			most = model->tensors[i].size_bytes;
	if (!most)
		return NX_OK;
	if (nx_runtime_library_need(nx_worker_library(w), "--single-io", needed, &w->err))
		return w->err.status;
	return allocate(w, most, "single_io", &w->common);
}

static enum nx_status make_tensor(struct nx_capture_worker *w, size_t index)
{
	const struct nx_capture_tensor *tensor = &w->shared->job->model->tensors[index];
	const struct nx_runtime_library *lib = nx_worker_library(w);
	NRT_STATUS status;

	if (!is_common(nx_worker_plan(w), tensor))
		return allocate(w, tensor->size_bytes, tensor->name, &w->tensors[index]);
	status = lib->nrt_tensor_allocate_slice(w->common, 0, tensor->size_bytes, tensor->name,
						&w->tensors[index]);
	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "taking a part of the buffer for %s",
			       tensor->name);
}

static enum nx_status add_to_set(struct nx_capture_worker *w, size_t index)
{
	const struct nx_capture_tensor *tensor = &w->shared->job->model->tensors[index];
	const struct nx_runtime_library *lib = nx_worker_library(w);
	NRT_STATUS status = lib->nrt_add_tensor_to_tensor_set(
		tensor->is_output ? w->outputs : w->inputs, tensor->name, w->tensors[index]);

	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "naming tensor %s", tensor->name);
}

/* --- contents ----------------------------------------------------------------------------------
 */

static enum nx_status write_part(struct nx_capture_worker *w, size_t index, const void *bytes,
				 uint64_t offset, size_t len)
{
	const struct nx_runtime_library *lib = nx_worker_library(w);
	NRT_STATUS status = lib->nrt_tensor_write(w->tensors[index], bytes, offset, len);

	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "writing tensor %s",
			       w->shared->job->model->tensors[index].name);
}

/* Device memory still has the data of the last program. */
static enum nx_status write_zeros(struct nx_capture_worker *w, size_t index)
{
	uint64_t size_bytes = w->shared->job->model->tensors[index].size_bytes;
	size_t len =
		size_bytes < NX_CAPTURE_CHUNK_BYTES ? (size_t)size_bytes : NX_CAPTURE_CHUNK_BYTES;
	void *zeros = nx_heap_alloc(len + 1);
	enum nx_status st = NX_OK;

	memset(zeros, 0, len + 1);
	for (uint64_t at = 0; at < size_bytes && !st; at += len)
		st = write_part(w, index, zeros, at,
				size_bytes - at < len ? (size_t)(size_bytes - at) : len);
	nx_heap_free(zeros);
	return st;
}

static enum nx_status write_array(struct nx_capture_worker *w, size_t index, const char *path)
{
	struct nx_slice payload;
	struct nx_file file;
	enum nx_status st = nx_capture_input_map(path, &w->shared->job->model->tensors[index],
						 &file, &payload, &w->err);

	if (st)
		return st;
	if (payload.len)
		st = write_part(w, index, payload.data, 0, payload.len);
	nx_file_unmap(&file);
	return st;
}

static enum nx_status fill_tensor(struct nx_capture_worker *w, size_t index)
{
	const struct nx_capture_tensor *tensor = &w->shared->job->model->tensors[index];
	const char *path = tensor->is_output
				   ? NULL
				   : nx_capture_inputs_find(&nx_worker_plan(w)->inputs[w->index],
							    tensor->name);

	if (path)
		return write_array(w, index, path);
	/* In a shared buffer, zeros for one tensor would overwrite the data of another. */
	if (is_common(nx_worker_plan(w), tensor) && nx_worker_plan(w)->inputs[w->index].count)
		return NX_OK;
	return write_zeros(w, index);
}

/* --- steps -------------------------------------------------------------------------------------
 */

static enum nx_status make_sets(struct nx_capture_worker *w)
{
	const struct nx_runtime_library *lib = nx_worker_library(w);
	NRT_STATUS status = lib->nrt_allocate_tensor_set(&w->inputs);

	if (status == NRT_SUCCESS)
		status = lib->nrt_allocate_tensor_set(&w->outputs);
	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "making sets of tensors");
}

static enum nx_status need_async(struct nx_capture_worker *w)
{
	static const char *const needed[] = {"nrta_execute_schedule", "nrta_is_completed", NULL};

	if (nx_worker_plan(w)->wishes.mode == NX_CAPTURE_SYNC)
		return NX_OK;
	return nx_runtime_library_need(nx_worker_library(w), "--exec-mode async", needed, &w->err);
}

enum nx_status nx_capture_worker_prepare(struct nx_capture_worker *w)
{
	size_t count = w->shared->job->model->tensor_count;
	enum nx_status st = make_sets(w);

	w->tensors = NX_NEW_ARRAY(&w->arena, nrt_tensor_t *, count + 1);
	w->first_crcs = NX_NEW_ARRAY(&w->arena, uint32_t, count + 1);
	w->tensor_count = count;
	if (!st)
		st = need_async(w);
	if (!st && nx_worker_plan(w)->wishes.is_single_io)
		st = allocate_common(w);
	for (size_t i = 0; i < count && !st; i++)
		st = make_tensor(w, i);
	for (size_t i = 0; i < count && !st; i++)
		st = fill_tensor(w, i);
	for (size_t i = 0; i < count && !st; i++)
		st = add_to_set(w, i);
	return st;
}

enum nx_status nx_capture_worker_write_inputs(struct nx_capture_worker *w)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < w->tensor_count && !st; i++)
		if (!w->shared->job->model->tensors[i].is_output)
			st = fill_tensor(w, i);
	return st;
}

void nx_capture_worker_release(struct nx_capture_worker *w)
{
	const struct nx_runtime_library *lib = nx_worker_library(w);

	if (w->inputs)
		lib->nrt_destroy_tensor_set(&w->inputs);
	if (w->outputs)
		lib->nrt_destroy_tensor_set(&w->outputs);
	for (size_t i = w->tensor_count; i-- > 0;)
		if (w->tensors[i])
			lib->nrt_tensor_free(&w->tensors[i]);
	if (w->common)
		lib->nrt_tensor_free(&w->common);
	if (w->model)
		lib->nrt_unload(w->model);
	nx_vec_release(&w->sessions);
	nx_vec_release(&w->saved);
	nx_arena_release(&w->arena);
}
