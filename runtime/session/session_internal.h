/* SPDX-License-Identifier: Apache-2.0 */
/* session_internal: what reading and writing a session's events share. */
#ifndef NX_RUNTIME_SESSION_SESSION_INTERNAL_H
#define NX_RUNTIME_SESSION_SESSION_INTERNAL_H

#include "base/map.h"
#include "runtime/session/session_space.h"

#define NX_SESSION_MAX_CORES 256
#define NX_SESSION_HOST_PLANE 0
#define NX_SESSION_RUNTIME_PLANE 1
#define NX_SESSION_FIRST_CORE_PLANE 2
#define NX_SESSION_COUNTER_LINE 0 /* no thread has this id */

struct nx_session_event {
	uint32_t plane; /* NX_SESSION_HOST_PLANE and so on */
	int64_t line;	/* thread id */
	uint64_t start_ns, end_ns;
	const char *name;
	struct nx_xspace_attribute *stats;
	size_t stat_count, stat_room;
	uint64_t key; /* of one that is open: what ends it */
	bool is_step;
};

struct nx_session_events NX_VEC_BODY(struct nx_session_event);

struct nx_session_name { /* a definition of spans.pb */
	const char *text, *file;
	uint64_t line;
};

struct nx_session_space {
	const char *folder, *warning;
	uint64_t spans_at, trace_at; /* where the next reading starts */
	struct nx_map name_ids;	     /* of definitions -> index */
	struct nx_space_names NX_VEC_BODY(struct nx_session_name) names;
	struct nx_map thread_ids;
	struct nx_space_texts NX_VEC_BODY(const char *) thread_names;
	struct nx_session_events open;
	struct nx_arena arena;	/* names */
	struct nx_arena events; /* those of this reading, and those that are still open */
	uint64_t lost_count;
	struct nx_session_events done; /* of this piece */
	struct nx_arena piece;	       /* what is not needed after it */
	struct nx_bytes input;	       /* a piece of a file */
	uint64_t last_ns;	       /* of all events so far */
	struct nx_session_summary summary;
	uint8_t has_core[NX_SESSION_MAX_CORES];
	/* of the space that is being written */
	struct nx_map planes, lines; /* numbers -> handles of the writer */
	int64_t next_lane_id;
};

/* Reads the next piece of both files: what ended in it is in done. False if there was none. */
bool nx_session_events_next(struct nx_session_space *s);
/* Moves what is open to done, as unfinished. */
void nx_session_events_end(struct nx_session_space *s);
/* Forgets done, but not what is open. */
void nx_session_events_forget(struct nx_session_space *s);

#endif
