/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_session: an open session file and, if there is one, its NEFF as a struct nx_profile, which
 * lives as long as the session. Opening decodes and analyses; scans read rows from the files again.
 */
#ifndef NX_PIPELINE_DEVICE_SESSION_H
#define NX_PIPELINE_DEVICE_SESSION_H

#include "base/progress.h"
#include "model/profile.h"

struct nx_device_session_options {
	const char *session_path;
	const char *neff_path; /* NULL: the session file alone */
	/* of a session with several models, the NEFFs of the others; ends with NULL, or is NULL */
	const char *const *other_neffs;
	bool force; /* join files that do not belong together */
	/* Not chosen: all executions if the file has several models, else the first. */
	bool is_execution_chosen;
	uint32_t execution;
	/* parts to leave out, for speed */
	bool skip_buffer_usage, skip_instructions, skip_events, skip_dma, skip_hierarchy;
	bool track_memory; /* find what holds the memories, and their peaks */
	bool show_progress;
	/* what to add to the device's clock to get the host's, if a system trace states it */
	bool has_host_offset;
	int64_t host_offset_ns;
	uint64_t host_pid; /* the process whose trace states it; not valid for others */
};

/* The files that a profile is made from: the session file first. Returns how many. */
#define NX_DEVICE_SOURCES_MAX (NX_MAX_GRAPHS + 1)
size_t nx_device_session_sources(const struct nx_device_session_options *options,
				 const char *sources[NX_DEVICE_SOURCES_MAX]);

struct nx_device_session;

NX_MUST_CHECK enum nx_status nx_device_session_open(struct nx_device_session **out,
						    const struct nx_device_session_options *options,
						    struct nx_error *err);
const struct nx_profile *nx_device_session_borrow(const struct nx_device_session *d);
void nx_device_session_close(struct nx_device_session *d);

#endif
