/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_file: --processing-status-file, by which batch programs learn how
 * processing went without reading our words:
 *
 *	{"status_code": 0, "status": "success", "message": "",
 *	 "profiles": [{"name": "bert.ntff", "type": "device", "status": "success",
 *	               "message": ""}]}
 *
 * status_code is the exit code, -1 as long as there is none: a run that was
 * killed never looks like a success. status is processing, success or failed.
 * The file is replaced as a whole whenever something changes, so that whoever
 * polls it reads valid JSON. A zeroed struct, and one without a path, writes
 * nothing.
 */
#ifndef NX_CLI_STATUS_FILE_H
#define NX_CLI_STATUS_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "store/profile_record.h"

struct nx_status_entry {
	const char *name;
	enum nx_profile_kind kind;
	bool is_done;
	enum nx_status status;
	const char *message;
};

struct nx_status_file {
	const char *path; /* borrowed; NULL: no file */
	struct nx_arena arena;
	struct nx_status_entries NX_VEC_BODY(struct nx_status_entry) entries;
};

/* Writes the first state, so that a path that cannot be written is told at once. */
NX_MUST_CHECK enum nx_status nx_status_file_begin(struct nx_status_file *file, const char *path,
						  struct nx_error *err);
/* A profile is begun, and over. One that was not begun is entered by its end. */
void nx_status_file_enter(struct nx_status_file *file, const char *name, enum nx_profile_kind kind);
void nx_status_file_leave(struct nx_status_file *file, const char *name, enum nx_profile_kind kind,
			  enum nx_status status, const char *message);
/*
 * The run ends with status, for which err has the sentence; profiles that are
 * not over end with it. Returns status, or why the file could not be written.
 * Releases; a second call only returns status.
 */
NX_MUST_CHECK enum nx_status nx_status_file_end(struct nx_status_file *file, enum nx_status status,
						struct nx_error *err);

#endif
