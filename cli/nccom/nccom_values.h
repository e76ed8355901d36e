/* SPDX-License-Identifier: Apache-2.0 */
/* nccom_values: the inputs of ranks of nccom-test, and the outputs they must lead to. */
#ifndef NX_CLI_NCCOM_NCCOM_VALUES_H
#define NX_CLI_NCCOM_NCCOM_VALUES_H

#include "cli/nccom/nccom_run.h"

/* Fills in elements first to first + count of a rank's input. */
void nx_nccom_fill(const struct nx_nccom_case *c, const struct nx_nccom_options *options,
		   uint32_t rank, uint64_t first, uint64_t count, uint8_t *in);
/* Checks the same range of its output. MISMATCH names the first element that differs from a plain
 * reduction of all inputs. */
NX_MUST_CHECK enum nx_status nx_nccom_verify(const struct nx_nccom_case *c,
					     const struct nx_nccom_options *options, uint32_t rank,
					     uint64_t first, uint64_t count, const uint8_t *out,
					     struct nx_error *err);

#endif
