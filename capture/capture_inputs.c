/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_inputs.h"

#include <assert.h>
#include <stdio.h>

#include "base/vec.h"
#include "machine/dtype.h"

#define SHAPE_TEXT_MAX 256

/* --- words ---------------------------------------------------------------------------------- */

enum nx_status nx_capture_inputs_parse(struct nx_capture_inputs *inputs, char *const *words,
				       size_t word_count, struct nx_arena *arena,
				       struct nx_error *err)
{
	*inputs = (struct nx_capture_inputs){
		NX_NEW_ARRAY(arena, struct nx_capture_input, word_count / 2 + 1), 0};
	if (word_count % 2)
		return nx_fail(err, NX_USAGE,
			       "inputs come in pairs NAME FILE; '%.100s' has no partner",
			       words[word_count - 1]);
	for (size_t i = 0; i < word_count; i += 2) {
		if (nx_capture_inputs_find(inputs, words[i]))
			return nx_fail(err, NX_USAGE, "input %.100s is given twice", words[i]);
		inputs->items[inputs->count++] = (struct nx_capture_input){words[i], words[i + 1]};
	}
	return NX_OK;
}

struct words NX_VEC_BODY(char *);

static void split(struct nx_slice line, struct nx_arena *arena, struct words *words)
{
	size_t start = 0;

	for (size_t i = 0; i <= line.len; i++) {
		bool is_end = i == line.len || line.data[i] == ' ' || line.data[i] == '\t' ||
			      line.data[i] == '\r';

		if (!is_end)
			continue;
		if (i > start)
			nx_vec_push(words,
				    nx_arena_copy(arena, nx_slice_part(line, start, i - start)));
		start = i + 1;
	}
}

static enum nx_status read_lines(struct nx_capture_inputs *workers, size_t worker_count,
				 struct nx_slice text, struct nx_arena *arena, struct nx_error *err)
{
	struct words words = {0};
	enum nx_status st = NX_OK;
	size_t line_count = 0;

	while (text.len && strchr(" \t\r\n", text.data[text.len - 1]))
		text.len--;
	for (; text.len && !st; line_count++) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t len = end ? (size_t)(end - text.data) : text.len;
		struct nx_slice line = nx_slice_part(text, 0, len);

		text = nx_slice_part(text, len + 1, text.len);
		nx_vec_clear(&words);
		if (line_count >= worker_count)
			continue;
		split(line, arena, &words);
		if (nx_capture_inputs_parse(&workers[line_count], words.items, words.len, arena,
					    err))
			st = nx_context(err, "line %zu", line_count + 1);
	}
	nx_vec_release(&words);
	if (!st && line_count != worker_count)
		st = nx_fail(err, NX_MISMATCH,
			     "there are %zu lines for %zu workers; write one line for each",
			     line_count, worker_count);
	return st;
}

enum nx_status nx_capture_inputs_read(struct nx_capture_inputs *workers, size_t worker_count,
				      const char *path, struct nx_arena *arena,
				      struct nx_error *err)
{
	struct nx_file file;
	enum nx_status st = nx_file_map(&file, path, err);

	if (st)
		return st;
	if (file.bytes.len && memchr(file.bytes.data, '\0', file.bytes.len))
		st = nx_fail(err, NX_FORMAT, "not a text file");
	else
		st = read_lines(workers, worker_count, file.bytes, arena, err);
	nx_file_unmap(&file);
	return st ? nx_context(err, "%s", path) : NX_OK;
}

const char *nx_capture_inputs_find(const struct nx_capture_inputs *inputs, const char *name)
{
	for (size_t i = 0; i < inputs->count; i++)
		if (strcmp(inputs->items[i].name, name) == 0)
			return inputs->items[i].path;
	return NULL;
}

/* --- arrays --------------------------------------------------------------------------------- */

static_assert((int)NRT_DTYPE_BFLOAT16 == NX_DTYPE_BF16 && (int)NRT_DTYPE_INT64 == NX_DTYPE_INT64 &&
		      (int)NRT_DTYPE_FP8_E5 == NX_DTYPE_FP8E5,
	      "the runtime numbers element types as instruction words do");

/* Types that NumPy lacks are stored as plain bytes or words. */
static const char *accepted_npy(nrt_dtype_t dtype)
{
	switch (dtype) {
	case NRT_DTYPE_UINT8:
		return "|u1 |b1";
	case NRT_DTYPE_BFLOAT16:
		return "<u2 <V2 |V2";
	case NRT_DTYPE_FP8_E3:
	case NRT_DTYPE_FP8_E4:
	case NRT_DTYPE_FP8_E5:
		return "|u1 |V1";
	default:
		return nx_dtype_npy(dtype);
	}
}

bool nx_capture_input_accepts(nrt_dtype_t dtype, const char *npy)
{
	const char *accepted = accepted_npy(dtype);
	size_t len = strlen(npy);

	for (const char *at = accepted; len && at && (at = strstr(at, npy)); at += len)
		if ((at == accepted || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return !accepted;
}

static const char *shape_text(const uint64_t *shape, unsigned dims, char out[SHAPE_TEXT_MAX])
{
	size_t used = (size_t)snprintf(out, SHAPE_TEXT_MAX, "(");

	for (unsigned i = 0; i < dims && used < SHAPE_TEXT_MAX - 32; i++)
		used += (size_t)snprintf(out + used, SHAPE_TEXT_MAX - used, "%s%llu", i ? ", " : "",
					 (unsigned long long)shape[i]);
	snprintf(out + used, SHAPE_TEXT_MAX - used, ")");
	return out;
}

/* Dimensions of size 1 do not change the layout. */
static unsigned without_ones(const uint64_t *shape, unsigned dims, uint64_t *out)
{
	unsigned count = 0;

	for (unsigned i = 0; i < dims; i++)
		if (shape[i] != 1)
			out[count++] = shape[i];
	return count;
}

static enum nx_status check_array(const struct nx_npy *array,
				  const struct nx_capture_tensor *tensor, struct nx_error *err)
{
	char have[SHAPE_TEXT_MAX], want[SHAPE_TEXT_MAX];
	uint64_t a[NX_NPY_MAX_DIMS], b[NX_CAPTURE_MAX_DIMS];
	unsigned a_dims = without_ones(array->shape, array->dims, a);
	unsigned b_dims = without_ones(tensor->shape, tensor->dims, b);

	if (!nx_capture_input_accepts(tensor->dtype, array->dtype))
		return nx_fail(err, NX_MISMATCH, "the array is of type %s, input %s of type %s",
			       *array->dtype ? array->dtype : "a structure", tensor->name,
			       tensor->dtype_name);
	if (tensor->dims && (a_dims != b_dims || memcmp(a, b, a_dims * sizeof(a[0])) != 0))
		return nx_fail(err, NX_MISMATCH, "the array has shape %s, input %s has %s",
			       shape_text(array->shape, array->dims, have), tensor->name,
			       shape_text(tensor->shape, tensor->dims, want));
	if (array->is_fortran_order && array->dims > 1)
		return nx_fail(err, NX_UNSUPPORTED,
			       "the array is in Fortran order; save it with "
			       "numpy.ascontiguousarray");
	if (array->payload.len != tensor->size_bytes)
		return nx_fail(err, NX_MISMATCH, "the array has %zu bytes, input %s needs %llu",
			       array->payload.len, tensor->name,
			       (unsigned long long)tensor->size_bytes);
	return NX_OK;
}

/* A file without NumPy's magic is the array's bytes and nothing else; only their number can be
 * checked. */
static enum nx_status check_raw(struct nx_slice bytes, const struct nx_capture_tensor *tensor,
				struct nx_error *err)
{
	char shape[SHAPE_TEXT_MAX];

	if (bytes.len == tensor->size_bytes)
		return NX_OK;
	return nx_fail(
		err, NX_MISMATCH,
		"the file has %zu raw bytes, input %s needs %llu (%s %s); write the bytes of "
		"the array and nothing else, or use numpy.save",
		bytes.len, tensor->name, (unsigned long long)tensor->size_bytes,
		*tensor->dtype_name ? tensor->dtype_name : "unknown type",
		shape_text(tensor->shape, tensor->dims, shape));
}

static enum nx_status take_payload(struct nx_slice bytes, const struct nx_capture_tensor *tensor,
				   struct nx_slice *payload, struct nx_error *err)
{
	struct nx_npy array;

	*payload = bytes;
	if (!nx_npy_has_magic(bytes))
		return check_raw(bytes, tensor, err);
	if (!nx_npy_read(bytes, &array))
		return nx_fail(err, NX_FORMAT,
			       "the header of the .npy array is damaged; save it again with "
			       "numpy.save");
	*payload = array.payload;
	return check_array(&array, tensor, err);
}

enum nx_status nx_capture_input_map(const char *path, const struct nx_capture_tensor *tensor,
				    struct nx_file *file, struct nx_slice *payload,
				    struct nx_error *err)
{
	enum nx_status st = nx_file_map(file, path, err);

	if (st)
		return st;
	st = take_payload(file->bytes, tensor, payload, err);
	if (st) {
		nx_file_unmap(file);
		return nx_context(err, "%s", path);
	}
	return NX_OK;
}

static enum nx_status check_input(const struct nx_capture_input *input,
				  const struct nx_capture_model *model, struct nx_error *err)
{
	size_t index = nx_capture_model_find(model, input->name, false);
	struct nx_slice payload;
	struct nx_file file;
	char names[400];
	enum nx_status st;

	if (index == NX_CAPTURE_NO_TENSOR)
		return nx_fail(err, NX_NOT_FOUND, "the model has no input %.100s; it has: %s",
			       input->name,
			       nx_capture_model_names(model, false, names, sizeof(names)));
	st = nx_capture_input_map(input->path, &model->tensors[index], &file, &payload, err);
	if (!st)
		nx_file_unmap(&file);
	return st;
}

enum nx_status nx_capture_inputs_check(const struct nx_capture_inputs *inputs,
				       const struct nx_capture_model *model, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < inputs->count && !st; i++)
		st = check_input(&inputs->items[i], model, err);
	return st;
}
