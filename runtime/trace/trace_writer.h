/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_writer: what a thread needs to write to rings: a lane in each, and the thread's number.
 *
 * A thread gets its writer with its first event, which takes a lock once, and gives it back when it
 * ends. The next thread continues its counts. Writers are never freed.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_WRITER_H
#define NX_RUNTIME_TRACE_TRACE_WRITER_H

#include "runtime/trace/trace_ring.h"

#define NX_TRACE_MAX_CORES 128
#define NX_TRACE_SPAN_LANE NX_TRACE_MAX_CORES /* one lane per core, and one for spans */

struct nx_trace_writer {
	struct nx_trace_lane lanes[NX_TRACE_MAX_CORES + 1];
	uint32_t thread_id; /* as the system numbers threads */
	uint32_t depth;	    /* for the owner of the spans */
	uint64_t mark;	    /* for the owner of the spans */
	bool is_used;
	struct nx_trace_writer *next;
};

extern _Thread_local struct nx_trace_writer *nx_trace_writer_mine
	__attribute__((tls_model("initial-exec")));

/* The thread's first event; NULL if there is no memory. */
struct nx_trace_writer *nx_trace_writer_enter(void);

static inline struct nx_trace_writer *nx_trace_writer_get(void)
{
	struct nx_trace_writer *writer = nx_trace_writer_mine;

	return __builtin_expect(writer != NULL, 1) ? writer : nx_trace_writer_enter();
}

/* Frees writers of threads that ended without saying so. Calls the system for each thread. */
void nx_trace_writer_reap(void);
/* In the child after a fork: forgets all writers. */
void nx_trace_writer_abandon(void);

#endif
