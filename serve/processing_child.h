/* SPDX-License-Identifier: Apache-2.0 */
/* processing_child: one run of this program as a child, and its progress reports. */
#ifndef NX_SERVE_PROCESSING_CHILD_H
#define NX_SERVE_PROCESSING_CHILD_H

#include <stdatomic.h>

#include "base/error.h"

struct nx_processing_child {
	const char *program;
	const char *const *arguments; /* after the program name, NULL-terminated */
	const char *status_file;      /* where it writes its last message */
	atomic_bool *is_cancelled;    /* when true, the child is killed */
	void (*on_step)(void *context, double fraction, const char *stage);
	void *context;
};

/* Waits for its end; the sentence is the child's own, if it had one. CANCELLED after that. */
NX_MUST_CHECK enum nx_status nx_processing_child_run(const struct nx_processing_child *run,
						     struct nx_error *err);

#endif
