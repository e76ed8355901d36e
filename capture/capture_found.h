/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_found: the captures that a run wrote into its output folder.
 *
 * A runtime writes one folder per process, <instance>_pid_<pid>, with subfolders
 * for later sessions. Other files, and those written before a given time, are
 * ignored: runs may share the folder.
 */
#ifndef NX_CAPTURE_CAPTURE_FOUND_H
#define NX_CAPTURE_CAPTURE_FOUND_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_captured_folder {
	const char *path; /* below the output folder: "i-0123_pid_45" */
	uint64_t event_count;
	uint64_t ntff_count, neff_count;
	uint64_t size_bytes; /* of all its files */
	bool has_events;     /* ntrace.pb is there */
	bool has_no_end;     /* the process was killed or is still running */
	bool was_disk_full;  /* files or events are missing */
};

struct nx_capture_found {
	struct nx_captured_folder *items; /* by path */
	size_t len, cap;
	struct nx_captured_folder total;
	uint64_t older_count; /* folders without new files */
};

/* The time stamp of a file that is written now; call it before a run. */
uint64_t nx_capture_now_ns(void);

/* NOT_FOUND, PERMISSION... if the folder cannot be read. Damaged files are not counted. */
NX_MUST_CHECK enum nx_status nx_capture_found_scan(struct nx_capture_found *found,
						   const char *folder, uint64_t since_ns,
						   struct nx_arena *arena, struct nx_error *err);
void nx_capture_found_release(struct nx_capture_found *found);

#endif
