/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_space: the files of a profiler session (spans.pb and ntrace.pb) as an XSpace, whole or
 * piece by piece while the session runs: each reading continues where the last one stopped. Planes
 * are host threads, the runtime and each core; times are nanoseconds since 1970.
 *
 * Runs inside another program: call it through nx_heap_guarded.
 */
#ifndef NX_PLUGIN_SESSION_SPACE_H
#define NX_PLUGIN_SESSION_SPACE_H

#include "base/vec.h"
#include "format/xspace_writer.h"

struct nx_session_space;

/* warning: shown as a stat of the host's plane; NULL for none. */
struct nx_session_space *nx_session_space_new(const char *folder, const char *warning);
void nx_session_space_free(struct nx_session_space *space);

/* What has ended since the last reading; at the end also what never did. */
NX_MUST_CHECK enum nx_status nx_session_space_read(struct nx_session_space *space, bool is_end,
						   struct nx_bytes *out, struct nx_error *err);

#endif
