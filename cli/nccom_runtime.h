/* SPDX-License-Identifier: Apache-2.0 */
/* nccom_runtime: the calls of libnrt that nccom-test makes, found while it runs. */
#ifndef NX_CLI_NCCOM_RUNTIME_H
#define NX_CLI_NCCOM_RUNTIME_H

#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>

#include "cli/nccom_run.h"

/* X(result, name, parameters) */
#define NX_NCCOM_CALLS(X)                                                                          \
	X(NRT_STATUS, nrt_init, (nrt_framework_type_t, const char *, const char *))                \
	X(void, nrt_close, (void))                                                                 \
	X(NRT_STATUS, nrt_load_collectives,                                                        \
	  (const void *, size_t, int32_t, int32_t, uint32_t, uint32_t, nrt_model_t **))            \
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
	X(NRT_STATUS, nrt_execute, (nrt_model_t *, const nrt_tensor_set_t *, nrt_tensor_set_t *))  \
	X(NRT_STATUS, nrt_profile_start, (nrt_model_t *, const char *))                            \
	X(NRT_STATUS, nrt_profile_stop, (const char *))                                            \
	X(const char *, nrt_get_status_as_str, (NRT_STATUS))

struct nx_nccom_runtime {
	struct nx_arena arena;
	const char *path;
	bool is_started;
#define NX_NCCOM_MEMBER(result, name, parameters) result(*name) parameters;
	NX_NCCOM_CALLS(NX_NCCOM_MEMBER)
#undef NX_NCCOM_MEMBER
};

#endif
