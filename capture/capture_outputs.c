/* SPDX-License-Identifier: Apache-2.0 */
/* capture_outputs: saves what a model computed, and compares checksums. */
#include <assert.h>
#include <stdio.h>
#include <zlib.h>

#include "base/disk.h"
#include "base/json_writer.h"
#include "base/path.h"
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

/* What a .npy would say about the bytes beside it. */
static void write_description(struct nx_output *out, const struct nx_capture_tensor *tensor,
			      const char *path)
{
	struct nx_slice file = nx_path_last(path);
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "name", tensor->name);
	nx_json_key(&w, "file");
	nx_json_slice(&w, file);
	nx_json_key_text(&w, "dtype", *tensor->dtype_name ? tensor->dtype_name : "unknown");
	nx_json_key(&w, "shape");
	nx_json_begin_array(&w);
	for (unsigned i = 0; i < tensor->dims; i++)
		nx_json_u64(&w, tensor->shape[i]);
	nx_json_end_array(&w);
	nx_json_key_u64(&w, "size_bytes", tensor->size_bytes);
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
}

enum output_file { RAW_FILE, NPY_FILE, DESCRIPTION_FILE };

static enum nx_status save(struct nx_capture_worker *w, size_t index, uint32_t execution,
			   enum output_file kind)
{
	static const char *const suffixes[] = {"", ".npy", ".json"};
	const struct nx_capture_tensor *tensor = &w->shared->job->model->tensors[index];
	const char *path = nx_capture_plan_output(nx_worker_plan(w), tensor->name, suffixes[kind],
						  w->index, execution, &w->arena);
	struct nx_capture_output saved = {tensor->name, path, execution};
	struct nx_output out = {0};
	enum nx_status st = nx_output_open(&out, path, &w->err);

	if (!st && kind == NPY_FILE)
		write_npy_head(&out, tensor);
	if (!st && kind == DESCRIPTION_FILE)
		write_description(&out, tensor, w->saved.items[w->saved.len - 1].path);
	else if (!st)
		st = read_output(w, index, write_piece, &out);
	if (!st)
		st = nx_output_commit(&out, &w->err);
	nx_output_abort(&out);
	if (st == NX_NO_SPACE)
		nx_disk_fail_full(&w->err, path, "cannot write it",
				  "run the command in another folder");
	if (st)
		return nx_context(&w->err, "failed to save output %s to file", tensor->name);
	if (kind != DESCRIPTION_FILE)
		nx_vec_push(&w->saved, saved);
	return NX_OK;
}

static enum nx_status save_one(struct nx_capture_worker *w, size_t index, uint32_t execution)
{
	const struct nx_capture_wishes *wishes = &nx_worker_plan(w)->wishes;
	bool has_npy = nx_dtype_npy(w->shared->job->model->tensors[index].dtype);
	enum nx_status st = NX_OK;

	if (wishes->saves_raw || !has_npy)
		st = save(w, index, execution, RAW_FILE);
	if (!st && wishes->saves_npy)
		st = save(w, index, execution, has_npy ? NPY_FILE : DESCRIPTION_FILE);
	return st;
}

static enum nx_status save_all(struct nx_capture_worker *w, uint32_t execution)
{
	const struct nx_capture_plan *plan = nx_worker_plan(w);
	const char *path = nx_capture_plan_output(plan, "", "", w->index, execution, &w->arena);
	const char *folder = nx_arena_copy(&w->arena, nx_path_folder(path));
	enum nx_status st = nx_make_directories(folder, &w->err);

	for (size_t i = 0; i < w->tensor_count && !st; i++)
		if (w->shared->job->model->tensors[i].is_output)
			st = save_one(w, i, execution);
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

	if (nx_capture_plan_saves(plan, execution) && !w->save_err.status && save_all(w, execution))
		w->save_err = w->err;
	for (size_t i = 0; plan->wishes.checks_determinism && i < w->tensor_count && !st; i++)
		if (w->shared->job->model->tensors[i].is_output)
			st = compare(w, i, execution);
	return st;
}
