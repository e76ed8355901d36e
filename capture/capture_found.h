/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_found: what a run has left in its output folder.
 *
 * A runtime writes one folder per process, <instance>_pid_<pid>, perhaps with
 * another per session inside; other files are ignored, so a run may write into
 * a folder that is full of other things. Only what was written since a given time
 * counts: many runs may share the folder.
 */
#ifndef NX_CAPTURE_CAPTURE_FOUND_H
#define NX_CAPTURE_CAPTURE_FOUND_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_captured_folder {
	const char *path; /* from the output folder on: "i-0123_pid_45" */
	uint64_t event_count;
	uint64_t ntff_count, neff_count;
	uint64_t size_bytes; /* of all its files */
	bool has_events;     /* ntrace.pb is there */
	bool has_no_end;     /* a process that was killed, or still runs */
};

struct nx_capture_found {
	struct nx_captured_folder *items; /* by path */
	size_t len, cap;
	struct nx_captured_folder total;
	uint64_t older_count; /* folders without new files */
};

/* The time stamp that a file written now gets; call it before a run. */
uint64_t nx_capture_now_ns(void);

/* NOT_FOUND, PERMISSION... when the folder cannot be read; a damaged file in it only loses its own
 * counts. */
NX_MUST_CHECK enum nx_status nx_capture_found_scan(struct nx_capture_found *found,
						   const char *folder, uint64_t since_ns,
						   struct nx_arena *arena, struct nx_error *err);
void nx_capture_found_release(struct nx_capture_found *found);

#endif
