/* SPDX-License-Identifier: Apache-2.0 */
/* nccom_runtime: the libnrt.so.1 that nccom-test measures, from loading to closing it. */
#ifndef NX_CLI_NCCOM_NCCOM_RUNTIME_H
#define NX_CLI_NCCOM_NCCOM_RUNTIME_H

#include "capture/runtime_library.h"

struct nx_nccom_runtime {
	struct nx_runtime_library calls;
	bool is_started;
};

/*
 * path as nx_runtime_library_open takes it. A zeroed runtime, or one that failed to open,
 * may be closed. NOT_FOUND, VERSION, UNSUPPORTED.
 */
NX_MUST_CHECK enum nx_status nx_nccom_runtime_open(struct nx_nccom_runtime *runtime,
						   const char *path, struct nx_error *err);
/* Initialises it and gets the number of its cores; IO. */
NX_MUST_CHECK enum nx_status nx_nccom_runtime_start(struct nx_nccom_runtime *runtime,
						    uint32_t *core_count, struct nx_error *err);
void nx_nccom_runtime_close(struct nx_nccom_runtime *runtime);

#endif
