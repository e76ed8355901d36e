/* SPDX-License-Identifier: Apache-2.0 */
/* processing_child: one run of this program as a child, and its progress reports. */
#ifndef NX_SERVE_PROCESSING_CHILD_H
#define NX_SERVE_PROCESSING_CHILD_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

struct nx_processing_child {
	const char *program;
	const char *const *arguments; /* after the program name, NULL-terminated */
	const char *status_file;      /* where it writes its last message */
	atomic_bool *is_cancelled;    /* when true, the child is killed */
	uint64_t memory_limit_bytes;  /* of writable memory; 0: half of the machine's */
	uint32_t processor_seconds;   /* of each process; 0: six hours */
	void (*on_step)(void *context, double fraction, const char *stage);
	void *context;
};

/*
 * The child has limits on memory, processor time, the size of a file and open files; LIMIT if it
 * exceeds one. It ends when this process does, because it notices that its progress is not read.
 * Waits for its end; the sentence is the child's own, if it had one. CANCELLED after that. */
NX_MUST_CHECK enum nx_status nx_processing_child_run(const struct nx_processing_child *run,
						     struct nx_error *err);

#endif
