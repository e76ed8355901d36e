/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_model: a model's inputs and outputs, and how many workers it needs, from its
 * NEFF. With --io-from runtime, nx_capture_model_ask replaces the tensors with those
 * that the runtime reports. Texts are in the arena.
 */
#ifndef NX_CAPTURE_MODEL_H
#define NX_CAPTURE_MODEL_H

#include "base/arena.h"
#include "capture/runtime_library.h"

#define NX_CAPTURE_MAX_DIMS 16
#define NX_CAPTURE_NO_TENSOR SIZE_MAX

struct nx_capture_tensor {
	const char *name;
	bool is_output;
	uint64_t size_bytes;
	nrt_dtype_t dtype;	/* NRT_DTYPE_UNKNOWN when not declared */
	const char *dtype_name; /* "bfloat16"; "" likewise */
	unsigned dims;		/* 0 also when not declared */
	uint64_t shape[NX_CAPTURE_MAX_DIMS];
};

struct nx_capture_model {
	struct nx_capture_tensor *tensors;
	size_t tensor_count;
	bool has_collectives;
	uint32_t worker_count;	    /* ranks the compiler made it for; 0 when it does not say */
	uint32_t logical_core_size; /* physical cores per logical core; 0 likewise */
};

/* FORMAT if the bytes are not a NEFF or declare no graph. */
NX_MUST_CHECK enum nx_status nx_capture_model_read(struct nx_slice neff, struct nx_arena *arena,
						   struct nx_capture_model *out,
						   struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_capture_model_ask(struct nx_capture_model *model,
						  const struct nx_runtime_library *lib,
						  nrt_model_t *loaded, struct nx_arena *arena,
						  struct nx_error *err);

size_t nx_capture_model_find(const struct nx_capture_model *model, const char *name,
			     bool is_output);

/* "a, b and c": the names of inputs or outputs, for messages; cut to cap. Returns out. */
const char *nx_capture_model_names(const struct nx_capture_model *model, bool is_output, char *out,
				   size_t cap);

#endif
