/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_memory: whether a case of nccom-test fits this machine before it is run.
 *
 * A rank without a device lives in memory of this machine: its tensors, what the
 * device keeps of them, and messages that were sent and not yet taken. The kernel
 * would end the program without a word where that is more than there is.
 */
#ifndef NX_CLI_NCCOM_NCCOM_MEMORY_H
#define NX_CLI_NCCOM_NCCOM_MEMORY_H

#include "cli/nccom/nccom_run.h"

/* Of the ranks that run here, at most; UINT64_MAX when it does not fit a number. */
uint64_t nx_nccom_memory_needed_bytes(const struct nx_nccom_case *c,
				      const struct nx_nccom_options *options);

/* What new memory the system can give without ending somebody; 0: it does not say. */
uint64_t nx_memory_available_bytes(void);
/* The same out of the text of /proc/meminfo. */
uint64_t nx_memory_available_in(const char *text);

/* LIMIT when more is needed than available_bytes; 0 of these allows all. */
NX_MUST_CHECK enum nx_status nx_nccom_memory_check(const struct nx_nccom_case *c,
						   const struct nx_nccom_options *options,
						   uint64_t available_bytes, struct nx_error *err);

#endif
