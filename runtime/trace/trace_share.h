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

#include "runtime/trace/tracer.h"

#define NX_TRACE_SHARE_VERSION 3u
#define NX_TRACE_SHARE_FUNCTION "nrt_private_trace_share"

struct nx_trace_share_session {
	const char *folder; /* exists; the session writes to it */
	bool with_device;
	uint64_t max_events;	  /* per core; 0: the default */
	uint64_t epoch_offset_ns; /* for trace_clock, so that both convert ticks alike */
	const struct nx_trace_filter *filter; /* only its cores count */
};

/* What continuous recording wants of the runtime. */
struct nx_trace_share_keep {
	const struct nx_trace_filter *filter; /* only its cores count */
	struct nx_trace_keeper keeper;
	uint64_t ring_bytes;	  /* for the rings of all cores together */
	uint64_t device_bytes;	  /* for profiles of the device; 0: none */
	uint64_t epoch_offset_ns; /* as above */
};

/* What the runtime adds to the folder of a snapshot, which has ntrace.pb already. */
struct nx_trace_share_snapshot {
	const char *folder;
	const char *final_folder;  /* its name later */
	uint64_t begin_ns, end_ns; /* epoch: device profiles of that time are written */
	uint64_t event_count;
	uint64_t device_count; /* out: profiles of the device that were written */
};

/* What watchdogs look at, without a lock. */
struct nx_trace_share_state {
	uint64_t error_count;  /* executions and collectives that failed, since the process began */
	uint32_t error_status; /* of the latest one */
	uint32_t memory_core;  /* with the most device memory in use */
	uint64_t memory_bytes; /* that much */
	uint64_t recorded_count, lost_count; /* records for the keeper */
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
	/* Begins to give records to a keeper, now or with nrt_init. false: message says why not. */
	bool (*keep)(const struct nx_trace_share_keep *keep, char *message, size_t cap);
	void (*keep_end)(void);
	/* Gives the keeper what is in the rings; if asked, also what a session is about to take. */
	void (*keep_take)(bool waits_for_session);
	struct nx_trace_place (*place)(uint32_t core); /* without a clock */
	void (*look)(struct nx_trace_share_state *state);
	/* false if the runtime is not initialised: then nobody described the folder. */
	bool (*snapshot)(struct nx_trace_share_snapshot *snapshot);
};

typedef const struct nx_trace_share *(*nx_trace_share_fn)(void);

#endif
