/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_inputs: which array a worker's inputs come from.
 *
 * Words are pairs NAME FILE.npy, from the command line (all workers alike) or
 * from a file with a line per worker. They are checked against the model before
 * anything is loaded: an unknown name, or a type, shape or size that differs, is
 * an error. Arrays are mapped when they are written to the device, not before.
 */
#ifndef NX_CAPTURE_INPUTS_H
#define NX_CAPTURE_INPUTS_H

#include "base/file.h"
#include "capture/capture_model.h"
#include "format/npy.h"

struct nx_capture_input {
	const char *name;
	const char *path;
};

struct nx_capture_inputs { /* of one worker */
	struct nx_capture_input *items;
	size_t count;
};

/* Words of a command line; USAGE for a name without a file, or given twice. */
NX_MUST_CHECK enum nx_status nx_capture_inputs_parse(struct nx_capture_inputs *inputs,
						     char *const *words, size_t word_count,
						     struct nx_arena *arena, struct nx_error *err);

/*
 * A line per worker, words separated by blanks or tabs; empty lines at the end do
 * not count. MISMATCH when there are more or fewer lines than workers.
 */
NX_MUST_CHECK enum nx_status nx_capture_inputs_read(struct nx_capture_inputs *workers,
						    size_t worker_count, const char *path,
						    struct nx_arena *arena, struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_capture_inputs_check(const struct nx_capture_inputs *inputs,
						     const struct nx_capture_model *model,
						     struct nx_error *err);

/* NULL when the tensor is not among them: it stays zero. */
const char *nx_capture_inputs_find(const struct nx_capture_inputs *inputs, const char *name);

/* Whether a NumPy type fits; types that NumPy lacks also take bytes, UNKNOWN takes any. */
bool nx_capture_input_accepts(nrt_dtype_t dtype, const char *npy);

/* Maps the array of a tensor, checked once more; unmap the file afterwards. */
NX_MUST_CHECK enum nx_status nx_capture_input_map(const char *path,
						  const struct nx_capture_tensor *tensor,
						  struct nx_file *file, struct nx_slice *payload,
						  struct nx_error *err);

#endif
