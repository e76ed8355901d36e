/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_library: a libnrt.so.1 loaded at run time, AWS's or our own.
 *
 *	struct nx_runtime_library lib;
 *	if (nx_runtime_library_open(&lib, NULL, &err)) ...
 *	status = lib.nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
 *
 * Functions are members. Those of NX_RUNTIME_REQUIRED are set after open; those of
 * NX_RUNTIME_OPTIONAL may be NULL: check them with nx_runtime_library_need. The
 * library stays loaded, as its threads may still run after a close.
 */
#ifndef NX_CAPTURE_RUNTIME_LIBRARY_H
#define NX_CAPTURE_RUNTIME_LIBRARY_H

#include <limits.h>
#include <nrt/nrt_async.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <nrt/nrt_sys_trace.h>
#include <nrt/nrt_version.h>

#include "base/error.h"

/* X(result, name, parameters) */
#define NX_RUNTIME_REQUIRED(X)                                                                     \
	X(NRT_STATUS, nrt_init, (nrt_framework_type_t, const char *, const char *))                \
	X(void, nrt_close, (void))                                                                 \
	X(NRT_STATUS, nrt_load, (const void *, size_t, int32_t, int32_t, nrt_model_t **))          \
	X(NRT_STATUS, nrt_unload, (nrt_model_t *))                                                 \
	X(NRT_STATUS, nrt_get_visible_nc_count, (uint32_t *))                                      \
	X(NRT_STATUS, nrt_tensor_allocate,                                                         \
	  (nrt_tensor_placement_t, int, size_t, const char *, nrt_tensor_t **))                    \
	X(void, nrt_tensor_free, (nrt_tensor_t **))                                                \
	X(NRT_STATUS, nrt_tensor_read, (const nrt_tensor_t *, void *, size_t, size_t))             \
	X(NRT_STATUS, nrt_tensor_write, (nrt_tensor_t *, const void *, size_t, size_t))            \
	X(NRT_STATUS, nrt_allocate_tensor_set, (nrt_tensor_set_t **))                              \
	X(void, nrt_destroy_tensor_set, (nrt_tensor_set_t **))                                     \
	X(NRT_STATUS, nrt_add_tensor_to_tensor_set,                                                \
	  (nrt_tensor_set_t *, const char *, nrt_tensor_t *))                                      \
	X(NRT_STATUS, nrt_execute, (nrt_model_t *, const nrt_tensor_set_t *, nrt_tensor_set_t *))

#define NX_RUNTIME_OPTIONAL(X)                                                                     \
	X(NRT_STATUS, nrt_get_version, (nrt_version_t *, size_t))                                  \
	X(const char *, nrt_get_status_as_str, (NRT_STATUS))                                       \
	X(NRT_STATUS, nrt_load_collectives,                                                        \
	  (const void *, size_t, int32_t, int32_t, uint32_t, uint32_t, nrt_model_t **))            \
	X(NRT_STATUS, nrt_profile_start, (nrt_model_t *, const char *))                            \
	X(NRT_STATUS, nrt_profile_stop, (const char *))                                            \
	X(NRT_STATUS, nrt_tensor_allocate_slice,                                                   \
	  (const nrt_tensor_t *, size_t, size_t, const char *, nrt_tensor_t **))                   \
	X(NRT_STATUS, nrt_get_model_tensor_info, (nrt_model_t *, nrt_tensor_info_array_t **))      \
	X(NRT_STATUS, nrt_free_model_tensor_info, (nrt_tensor_info_array_t *))                     \
	X(NRT_STATUS, nrt_sys_trace_config_allocate, (nrt_sys_trace_config_t **))                  \
	X(void, nrt_sys_trace_config_set_defaults, (nrt_sys_trace_config_t *))                     \
	X(void, nrt_sys_trace_config_free, (nrt_sys_trace_config_t *))                             \
	X(NRT_STATUS, nrt_sys_trace_config_set_capture_enabled_for_event_type,                     \
	  (nrt_sys_trace_config_t *, const char *, bool))                                          \
	X(NRT_STATUS, nrt_sys_trace_get_event_types, (const char ***, size_t *))                   \
	X(void, nrt_sys_trace_free_event_types, (const char **, size_t))                           \
	X(NRT_STATUS, nrt_sys_trace_start, (nrt_sys_trace_config_t *))                             \
	X(NRT_STATUS, nrt_sys_trace_stop, (void))                                                  \
	X(NRT_STATUS, nrt_sys_trace_fetch_events,                                                  \
	  (char **, size_t *, const nrt_sys_trace_fetch_options_t *))                              \
	X(void, nrt_sys_trace_buffer_free, (char *))                                               \
	X(NRT_STATUS, nrta_execute_schedule,                                                       \
	  (nrt_model_t *, const nrt_tensor_set_t *, nrt_tensor_set_t *, int, NRT_STATUS *,         \
	   nrta_seq_t *))                                                                          \
	X(NRT_STATUS, nrta_is_completed, (nrta_seq_t, bool *))

struct nx_runtime_library {
	char path[PATH_MAX];
	bool is_own;	  /* the software NeuronCore of this project */
	char version[64]; /* "2.30.51"; "" when the library does not say */
#define NX_RUNTIME_MEMBER(result, name, parameters) result(*name) parameters;
	NX_RUNTIME_REQUIRED(NX_RUNTIME_MEMBER)
	NX_RUNTIME_OPTIONAL(NX_RUNTIME_MEMBER)
#undef NX_RUNTIME_MEMBER
};

/*
 * path is a library of any name, or the folder of a libnrt.so.1; NULL: choose as in
 * runtime_choice.h. NOT_FOUND, or VERSION if a required function is missing.
 */
NX_MUST_CHECK enum nx_status nx_runtime_library_open(struct nx_runtime_library *lib,
						     const char *path, struct nx_error *err);

/* UNSUPPORTED if one of the names (up to NULL) is missing; the message says what needs it. */
NX_MUST_CHECK enum nx_status nx_runtime_library_need(const struct nx_runtime_library *lib,
						     const char *what, const char *const *names,
						     struct nx_error *err);

/* "/opt/aws/neuron/lib/libnrt.so.1, version 2.30.51"; returns out. */
const char *nx_runtime_library_text(const struct nx_runtime_library *lib, char *out, size_t cap);

/*
 * Fails with "WHAT failed with NRT_TIMEOUT: meaning; next step" and the matching status of ours.
 * lib, which may be NULL, names statuses that we do not know.
 */
enum nx_status nx_runtime_fail(const struct nx_runtime_library *lib, NRT_STATUS status,
			       struct nx_error *err, const char *fmt, ...) NX_PRINTF(4, 5);

/* "NRT_TIMEOUT"; never NULL. */
const char *nx_runtime_status_name(const struct nx_runtime_library *lib, NRT_STATUS status);

#endif
