/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_file: --processing-status-file, which reports to batch programs how processing went:
 *
 *	{"status_code": 0, "status": "success", "message": "",
 *	 "profiles": [{"name": "bert.ntff", "type": "device", "status": "success",
 *	               "message": ""}]}
 *
 * status_code is the exit code, -1 until there is one: a run that was killed never looks like a
 * success. The file is replaced atomically at each change, so that a program that polls it always
 * reads valid JSON. A zeroed struct, and one without a path, writes nothing.
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

/* Writes the first state, so that a path that is not writable is reported at once. */
NX_MUST_CHECK enum nx_status nx_status_file_begin(struct nx_status_file *file, const char *path,
						  struct nx_error *err);
/* Processing of a profile starts, and ends. leave also adds a profile that was not entered. */
void nx_status_file_enter(struct nx_status_file *file, const char *name, enum nx_profile_kind kind);
void nx_status_file_leave(struct nx_status_file *file, const char *name, enum nx_profile_kind kind,
			  enum nx_status status, const char *message);
/*
 * The run ends with status and the message in err; profiles still in progress
 * end with it too. Returns status, or why the file could not be written.
 * Releases; a second call only returns status.
 */
NX_MUST_CHECK enum nx_status nx_status_file_end(struct nx_status_file *file, enum nx_status status,
						struct nx_error *err);

#endif
