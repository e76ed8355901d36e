/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_starts: STARTs that wait for their STOP, found by event type and tracking id; of one key the
 * newest is taken first. A zeroed struct is valid and empty.
 */
#ifndef NX_DECODE_NTRACE_OPEN_STARTS_H
#define NX_DECODE_NTRACE_OPEN_STARTS_H

#include "base/vec.h"
#include "format/ntrace.h"

struct nx_open_start {
	uint64_t event_type, tracking_id;
	uint64_t start_ns;
	uint64_t thread_id;
	uint64_t id;
	uint64_t at; /* of its message in the file */
	int32_t nc_idx;
	uint32_t worker_gid;
	uint32_t name;
	uint32_t next; /* below it in its pile, or the next free one; 1-based, 0 = none */
	uint8_t source;
	uint8_t lead_bytes; /* as of struct nx_ntrace_head */
	bool is_open, is_queued;
};

struct nx_open_starts {
	struct nx_open_start_list NX_VEC_BODY(struct nx_open_start) starts;
	uint32_t free;	 /* first of the unused ones, 1-based */
	uint32_t *slots; /* hash table of 1-based indexes */
	size_t slot_count;
	size_t used; /* slots in use: keys */
	size_t open_count;
};

/* Copies start; true when its key was open already. */
bool nx_open_starts_put(struct nx_open_starts *open, const struct nx_open_start *start);
/* Removes the newest of the key; false if there is none. */
bool nx_open_starts_take(struct nx_open_starts *open, uint64_t event_type, uint64_t tracking_id,
			 struct nx_open_start *out);
/* Sorts what is still open by place in the file, at starts.items; put nothing after this. */
size_t nx_open_starts_sort(struct nx_open_starts *open);
void nx_open_starts_release(struct nx_open_starts *open);

#endif
