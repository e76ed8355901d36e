/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework_names: what a framework trace calls its processes and threads.
 *
 * From the metadata events process_name, thread_name and the two sort indices,
 * and from ids that are texts themselves. Bounded, because a file may name more
 * threads than it has. Set the arena, zero the rest; nx_framework_names_release
 * frees the index, the texts live with the arena.
 */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_NAMES_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#define NX_FRAMEWORK_NAMES_MAX 16384
#define NX_FRAMEWORK_NO_STREAM UINT32_MAX

struct nx_framework_name {
	uint64_t pid;
	uint64_t thread_id; /* 0 of a process */
	const char *text;   /* NULL when only its place is known */
	int64_t sort_index; /* 0 when not given */
	uint32_t stream_id; /* of a thread called "stream 7"; NX_FRAMEWORK_NO_STREAM */
	bool is_thread;
	bool is_told; /* text comes from metadata, not from the id */
};

struct nx_framework_names {
	struct nx_arena *arena;
	struct NX_VEC_BODY(struct nx_framework_name) list;
	struct nx_map index; /* hash of what is named -> position in list */
};

/* NULL when the trace does not name it. */
const struct nx_framework_name *nx_framework_names_process(const struct nx_framework_names *names,
							   uint64_t pid);
const struct nx_framework_name *nx_framework_names_thread(const struct nx_framework_names *names,
							  uint64_t pid, uint64_t thread_id);
void nx_framework_names_release(struct nx_framework_names *names);

/* The entry to fill in, a new one if need be; NULL when there are too many. */
struct nx_framework_name *nx_framework_names_take(struct nx_framework_names *names, bool is_thread,
						  uint64_t pid, uint64_t thread_id);
/* Sets the text where there is none; metadata replaces what came from an id. */
void nx_framework_name_set(struct nx_framework_names *names, struct nx_framework_name *name,
			   struct nx_slice text, bool is_told);

/* N of "stream N", white space around it allowed; NX_FRAMEWORK_NO_STREAM otherwise. */
uint32_t nx_framework_stream_of(struct nx_slice text);

#endif
