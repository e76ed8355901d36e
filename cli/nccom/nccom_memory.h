/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_memory: checks that a case of nccom-test fits into this machine before it runs.
 *
 * Without a device, a rank uses memory of this machine for its tensors, the device's copies of
 * them, and messages in flight. If that is too much, the kernel would kill the program.
 */
#ifndef NX_CLI_NCCOM_NCCOM_MEMORY_H
#define NX_CLI_NCCOM_NCCOM_MEMORY_H

#include "cli/nccom/nccom_run.h"

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

#endif
