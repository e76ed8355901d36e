/* SPDX-License-Identifier: Apache-2.0 */
/* capture_outputs: saves what a model computed, and compares checksums. */
#include <assert.h>
#include <stdio.h>
#include <zlib.h>

#include "capture/capture_worker_internal.h"
#include "machine/dtype.h"

/* Outputs are read in pieces, to use little memory. */
typedef void (*piece_fn)(void *context, struct nx_slice piece);
static_assert(NX_CAPTURE_MAX_DIMS <= NX_NPY_MAX_DIMS, "a .npy file has all dimensions of a tensor");

static enum nx_status read_output(struct nx_capture_worker *w, size_t index, piece_fn each,
				  void *context)
{
	const struct nx_capture_tensor *tensor = &w->shared->job->model->tensors[index];
	const struct nx_runtime_library *lib = nx_worker_library(w);
	NRT_STATUS status = NRT_SUCCESS;
	uint8_t *piece = nx_heap_alloc(NX_CAPTURE_CHUNK_BYTES);

	for (uint64_t at = 0; at < tensor->size_bytes && status == NRT_SUCCESS;
	     at += NX_CAPTURE_CHUNK_BYTES) {
		size_t len = NX_CAPTURE_CHUNK_BYTES;

		if (tensor->size_bytes - at < len)
			len = (size_t)(tensor->size_bytes - at);
		status = lib->nrt_tensor_read(w->tensors[index], piece, at, len);
		if (status == NRT_SUCCESS)
			each(context, nx_slice_of(piece, len));
	}
	nx_heap_free(piece);
	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_runtime_fail(lib, status, &w->err, "reading output %s", tensor->name);
}

/* --- files -------------------------------------------------------------------------------------
 */

enum nx_status nx_capture_outputs_check(const struct nx_capture_plan *plan,
					const struct nx_capture_model *model, struct nx_error *err)
{
	for (size_t i = 0; plan->wishes.saves_npy && i < model->tensor_count; i++) {
		const struct nx_capture_tensor *tensor = &model->tensors[i];

		if (tensor->is_output && !nx_dtype_npy(tensor->dtype))
			return nx_fail(err, NX_UNSUPPORTED,
				       "failed to save output %s to file: unsupported type for npy "
				       "output: %s",
				       tensor->name,
				       *tensor->dtype_name ? tensor->dtype_name : "unknown");
	}
	return NX_OK;
}

static void write_piece(void *context, struct nx_slice piece)
{
	nx_output_write(context, piece.data, piece.len);
}

static void write_npy_head(struct nx_output *out, const struct nx_capture_tensor *tensor)
{
	struct nx_npy array = {.dims = tensor->dims};
	struct nx_bytes head = {0};

	snprintf(array.dtype, sizeof(array.dtype), "%s", nx_dtype_npy(tensor->dtype));
	memcpy(array.shape, tensor->shape, tensor->dims * sizeof(array.shape[0]));
	nx_npy_write(&array, &head);
	nx_output_write(out, head.items, head.len);
	nx_vec_release(&head);
}

static enum nx_status save(struct nx_capture_worker *w, size_t index, uint32_t execution,
			   bool is_npy)
{
	const struct nx_capture_tensor *tensor = &w->shared->job->model->tensors[index];
	const char *path =
		nx_capture_plan_output(nx_worker_plan(w), tensor->name, is_npy ? ".npy" : "",
				       w->index, execution, &w->arena);
	struct nx_output out = {0};
	enum nx_status st = nx_output_open(&out, path, &w->err);

	if (!st && is_npy)
		write_npy_head(&out, tensor);
	if (!st)
		st = read_output(w, index, write_piece, &out);
	if (!st)
		st = nx_output_commit(&out, &w->err);
	nx_output_abort(&out);
	if (st)
		return nx_context(&w->err, "failed to save output %s to file", tensor->name);
	nx_capture_say(w->shared, false, "saved output \"%s\" as \"%s\"", tensor->name, path);
	return NX_OK;
}

static enum nx_status save_all(struct nx_capture_worker *w, uint32_t execution)
{
	const struct nx_capture_wishes *wishes = &nx_worker_plan(w)->wishes;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < w->tensor_count && !st; i++) {
		if (!w->shared->job->model->tensors[i].is_output)
			continue;
		if (wishes->saves_raw)
			st = save(w, i, execution, false);
		if (!st && wishes->saves_npy)
			st = save(w, i, execution, true);
	}
	return st;
}

/* --- checksums ---------------------------------------------------------------------------------
 */

static void add_crc(void *context, struct nx_slice piece)
{
	uint32_t *crc = context;

	*crc = (uint32_t)crc32(*crc, piece.data, (uInt)piece.len);
}

static enum nx_status compare(struct nx_capture_worker *w, size_t index, uint32_t execution)
{
	uint32_t crc = 0;
	enum nx_status st = read_output(w, index, add_crc, &crc);

	assert(execution > 0);
	if (st)
		return st;
	if (execution == 1)
		w->first_crcs[index] = crc;
	if (crc == w->first_crcs[index])
		return NX_OK;
	return nx_fail(&w->err, NX_MISMATCH,
		       "output %s is not deterministic: its CRC32 is %08x after execution 1 and "
		       "%08x after execution %u",
		       w->shared->job->model->tensors[index].name, w->first_crcs[index], crc,
		       execution);
}

enum nx_status nx_capture_outputs_take(struct nx_capture_worker *w, uint32_t execution)
{
	const struct nx_capture_plan *plan = nx_worker_plan(w);
	enum nx_status st = NX_OK;

	if (nx_capture_plan_saves(plan, execution))
		st = save_all(w, execution);
	for (size_t i = 0; plan->wishes.checks_determinism && i < w->tensor_count && !st; i++)
		if (w->shared->job->model->tensors[i].is_output)
			st = compare(w, i, execution);
	return st;
}
