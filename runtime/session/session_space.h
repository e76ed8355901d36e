/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_space: the files of a profiler session (spans.pb and ntrace.pb) as an XSpace, whole or
 * piece by piece while the session runs: each reading continues where the last one stopped. Planes
 * are host threads, the runtime and each core.
 *
 * Files are read in pieces of 256 KiB, and events leave memory with their piece, so memory grows
 * with the number of distinct names and of open spans, but not with the session.
 *
 * Runs inside another program: call it through nx_heap_guarded.
 */
#ifndef NX_RUNTIME_SESSION_SESSION_SPACE_H
#define NX_RUNTIME_SESSION_SESSION_SPACE_H

#include "base/vec.h"
#include "format/xspace_writer.h"

struct nx_session_space;

/* warning: shown as a stat of the host's plane; NULL for none. */
struct nx_session_space *nx_session_space_new(const char *folder, const char *warning);
void nx_session_space_free(struct nx_session_space *space);

/* What has ended since the last reading; at the end also what never did. Times are nanoseconds
 * since 1970. */
NX_MUST_CHECK enum nx_status nx_session_space_read(struct nx_session_space *space, bool is_end,
						   struct nx_bytes *out, struct nx_error *err);

/* A whole session as XProf saves one: times count from the first event, and the plane "Task
 * Environment" has the start and the stop. */
struct nx_session_target {
	void (*write)(void *context, const void *data, size_t len);
	void *context;
	const char *hostname;
	uint64_t start_ns; /* since 1970; an earlier event moves it; UINT64_MAX: unknown */
	uint64_t stop_ns;
	uint64_t max_bytes;
};

/* What the events say, for those who want numbers instead of a profile. */
struct nx_session_summary {
	uint64_t event_count;
	uint64_t step_count, step_sum_ns, step_min_ns, step_max_ns;
	uint64_t busy_ns; /* of all cores */
	unsigned core_count;
};

/* LIMIT if the space would exceed max_bytes: nothing was written then. summary may be NULL; without
 * a write function, only the summary is made. */
NX_MUST_CHECK enum nx_status nx_session_space_save(struct nx_session_space *space,
						   const struct nx_session_target *target,
						   struct nx_session_summary *summary,
						   struct nx_error *err);

#endif
