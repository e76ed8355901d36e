/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_inputs: the files from which a worker reads its inputs.
 *
 * Words are pairs NAME FILE, from the command line (for all workers) or from a
 * file with a line per worker. A file is a .npy or, if it does not begin as one,
 * the raw bytes of the array. They are checked against the model before anything
 * is loaded. Arrays are mapped only while they are written to the device.
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

/* USAGE for a name without a file, or a name that is given twice. */
NX_MUST_CHECK enum nx_status nx_capture_inputs_parse(struct nx_capture_inputs *inputs,
						     char *const *words, size_t word_count,
						     struct nx_arena *arena, struct nx_error *err);

/* MISMATCH if the file does not have one line per worker; empty lines at the end are ignored. */
NX_MUST_CHECK enum nx_status nx_capture_inputs_read(struct nx_capture_inputs *workers,
						    size_t worker_count, const char *path,
						    struct nx_arena *arena, struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_capture_inputs_check(const struct nx_capture_inputs *inputs,
						     const struct nx_capture_model *model,
						     struct nx_error *err);

/* NULL if the tensor is not among them; it is filled with zeros. */
const char *nx_capture_inputs_find(const struct nx_capture_inputs *inputs, const char *name);

/* Whether a NumPy type fits; types that NumPy lacks also take bytes, UNKNOWN takes any. */
bool nx_capture_input_accepts(nrt_dtype_t dtype, const char *npy);

/* Maps and checks the array of a tensor; unmap the file afterwards. */
NX_MUST_CHECK enum nx_status nx_capture_input_map(const char *path,
						  const struct nx_capture_tensor *tensor,
						  struct nx_file *file, struct nx_slice *payload,
						  struct nx_error *err);

#endif
