/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_measure: one size of one operation, from its plan to its times, and what the runtime
 * has to find in the environment for it.
 */
#ifndef NX_CLI_NCCOM_NCCOM_MEASURE_H
#define NX_CLI_NCCOM_NCCOM_MEASURE_H

#include "cli/nccom/nccom_options.h"
#include "cli/nccom/nccom_runtime.h"

/* Physical cores of a logical one, as the environment has it. */
uint32_t nx_nccom_core_size(void);

/* MISMATCH when the size cannot be cut as the operation needs it. Borrows the request. */
NX_MUST_CHECK enum nx_status nx_nccom_case_make(const struct nx_nccom_request *r,
						const struct nx_nccom_op *op, uint64_t size_bytes,
						struct nx_nccom_case *c, struct nx_error *err);
/* By all ranks; LIMIT when they do not fit into memory. The result is to be released always. */
NX_MUST_CHECK enum nx_status nx_nccom_measure(struct nx_nccom_runtime *runtime,
					      const struct nx_nccom_request *r,
					      const struct nx_nccom_case *c,
					      struct nx_nccom_result *result, struct nx_error *err);

/* Before the runtime is opened; rank_count of them run on this machine. */
void nx_nccom_set_environment(const struct nx_nccom_request *r, uint32_t rank_count, bool is_debug);
/* Unless each rank starts its own: LIMIT when it has too few cores, IO. */
NX_MUST_CHECK enum nx_status nx_nccom_start(const struct nx_nccom_request *r,
					    struct nx_nccom_runtime *runtime, struct nx_error *err);

#endif
