/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_measure: measures one size of one operation, and sets the environment variables that
 * the runtime needs for it.
 *
 * Without a device, ranks use memory of this machine. A case that needs more than is available
 * is refused before it runs; else the kernel would kill the program.
 */
#ifndef NX_CLI_NCCOM_NCCOM_MEASURE_H
#define NX_CLI_NCCOM_NCCOM_MEASURE_H

#include "cli/nccom/nccom_options.h"

/* MISMATCH if the size cannot be split as the operation needs it. Borrows the request. */
NX_MUST_CHECK enum nx_status nx_nccom_case_make(const struct nx_nccom_request *r,
						const struct nx_nccom_op *op, uint64_t size_bytes,
						struct nx_nccom_case *c, struct nx_error *err);
/* Runs all ranks; LIMIT if they do not fit into memory. Release the result also after a failure. */
NX_MUST_CHECK enum nx_status nx_nccom_measure(struct nx_nccom_runtime *runtime,
					      const struct nx_nccom_request *r,
					      const struct nx_nccom_case *c,
					      struct nx_nccom_result *result, struct nx_error *err);

/* An upper bound for the ranks that run here; UINT64_MAX if it overflows. */
uint64_t nx_nccom_memory_needed_bytes(const struct nx_nccom_case *c,
				      const struct nx_nccom_options *options);
/* Memory that the system can give without killing a process; 0: unknown. */
uint64_t nx_memory_available_bytes(void);
/* The same from the text of /proc/meminfo. */
uint64_t nx_memory_available_in(const char *text);
/* LIMIT if the case needs more than available_bytes; 0 bytes: no limit. */
NX_MUST_CHECK enum nx_status nx_nccom_memory_check(const struct nx_nccom_case *c,
						   const struct nx_nccom_options *options,
						   uint64_t available_bytes, struct nx_error *err);

/* Call it before opening the runtime; rank_count ranks run on this machine. */
void nx_nccom_set_environment(const struct nx_nccom_request *r, uint32_t rank_count, bool is_debug);
/* Starts the runtime unless each rank starts its own. LIMIT if it has too few cores, IO. */
NX_MUST_CHECK enum nx_status nx_nccom_start(const struct nx_nccom_request *r,
					    struct nx_nccom_runtime *runtime, struct nx_error *err);

#endif
