/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_keeping: the runtime's part of continuous recording, on behalf of libnxprofiler.so.1.
 *
 * The profiler asks once; recording begins with nrt_init, ends with nrt_close, and begins again
 * with the next nrt_init, until the profiler ends it.
 */
#ifndef NX_RUNTIME_NRT_TRACE_KEEPING_H
#define NX_RUNTIME_NRT_TRACE_KEEPING_H

#include "runtime/trace/trace_share.h"

/* For the profiler. */
NX_MUST_CHECK enum nx_status nx_trace_keep(const struct nx_trace_share_keep *keep,
					   struct nx_error *err);
void nx_trace_keep_stop(void);
void nx_trace_keep_take(bool waits_for_session);
void nx_trace_keep_look(struct nx_trace_share_state *state);
bool nx_trace_keep_snapshot(struct nx_trace_share_snapshot *snapshot);

/* For nrt_init and nrt_close: do nothing unless the profiler asked. */
void nx_trace_keeping_begin(void);
void nx_trace_keeping_end(void);
/* In the child after a fork: nobody asked. */
void nx_trace_keeping_abandon(void);

#endif
