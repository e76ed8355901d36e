/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_share: how libnxprofiler.so.1 and our libnrt.so.1 in one process share a ring, a clock and
 * a folder.
 *
 * libnrt.so.1 exports one private function that returns this table. The profiler looks it up by
 * name; if it is absent or of another version, it is another runtime, and each works alone.
 * The structs of trace_ring.h are part of the version.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_SHARE_H
#define NX_RUNTIME_TRACE_TRACE_SHARE_H

#include "runtime/trace/trace_filter.h"
#include "runtime/trace/trace_ring.h"
#include "runtime/trace/trace_writer.h"

#define NX_TRACE_SHARE_VERSION 2u
#define NX_TRACE_SHARE_FUNCTION "nrt_private_trace_share"

struct nx_trace_share_session {
	const char *folder; /* exists; the session writes to it */
	bool with_device;
	uint64_t max_events;	  /* per core; 0: the default */
	uint64_t epoch_offset_ns; /* for trace_clock, so that both convert ticks alike */
	const struct nx_trace_filter *filter; /* only its cores count */
};

struct nx_trace_share {
	uint32_t version;
	uint32_t size; /* of this struct */
	struct nx_trace_ring *spans;
	/*
	 * Begins a session, or prepares one that begins with nrt_init. false: message (of cap
	 * bytes) says why not.
	 */
	bool (*begin)(const struct nx_trace_share_session *session, char *message, size_t cap);
	/* Ends it; false if it never began, so that nobody described the folder. */
	bool (*end)(void);
};

typedef const struct nx_trace_share *(*nx_trace_share_fn)(void);

#endif
