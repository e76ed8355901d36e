/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace: the folder that holds all processed profiles (--data-path).
 *
 *	profiles/global/<name>@latest/	a finished profile: its tables and profile.json
 *	staging/<id>/, <id>.lock	a profile being written; its process holds the lock
 *	trash/<id>/			being deleted
 *	uploads/<id>/			files being uploaded (store/upload.h)
 *	lock				held while something moves
 *
 * There is no index: the folders are the catalogue, and each change is one rename. A kill at any
 * moment leaves the state before or after the change (docs/design/workspace.md has the table). Any
 * number of processes and threads may use a workspace at once; readers never wait longer than a
 * second.
 *
 * nx_catalogue lists, nx_staging adds, the functions below change and clean up.
 */
#ifndef NX_STORE_WORKSPACE_H
#define NX_STORE_WORKSPACE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "store/profile_name.h"
#include "store/profile_record.h"

struct nx_workspace;

struct nx_workspace_options {
	const char *path;
	bool is_read_only;	   /* creates nothing; NOT_FOUND if the folder does not exist */
	uint32_t lock_patience_ms; /* how long a change waits for the lock; 0: half a minute */
};

/* $XDG_DATA_HOME/neuron-explorer, or ~/.local/share/neuron-explorer. NOT_FOUND if neither is set.
 */
NX_MUST_CHECK enum nx_status nx_workspace_default_path(struct nx_arena *arena, const char **path,
						       struct nx_error *err);

/* Creates the folder (mode 0700) unless read only, and completes what a killed process left. */
NX_MUST_CHECK enum nx_status nx_workspace_open(struct nx_workspace **out,
					       const struct nx_workspace_options *how,
					       struct nx_error *err);
void nx_workspace_close(struct nx_workspace *ws);
const char *nx_workspace_path(const struct nx_workspace *ws); /* absolute, borrowed */

/* The folder of a finished profile, whether it exists or not. */
const char *nx_workspace_profile_path(const struct nx_workspace *ws, struct nx_arena *arena,
				      const char *name);

/*
 * Loads the finished profile of that name: NOT_FOUND, FORMAT if its profile.json is damaged,
 * VERSION if its tables are older or newer than this program reads. The caller releases the record.
 */
NX_MUST_CHECK enum nx_status nx_workspace_load(struct nx_workspace *ws, const char *name,
					       struct nx_arena *arena,
					       struct nx_profile_record *record,
					       struct nx_error *err);

/* USAGE if the new name is taken or invalid. */
NX_MUST_CHECK enum nx_status nx_workspace_rename(struct nx_workspace *ws, const char *name,
						 const char *new_name, struct nx_error *err);
/* Also deletes failed and unfinished profiles; refuses one that is being processed. */
NX_MUST_CHECK enum nx_status nx_workspace_remove(struct nx_workspace *ws, const char *name,
						 struct nx_error *err);

/* Records that the profile was opened now; a read-only workspace is not an error. */
NX_MUST_CHECK enum nx_status nx_workspace_touch(struct nx_workspace *ws, const char *name,
						struct nx_error *err);

struct nx_profile_marks { /* notes of the user; NULL leaves one as it is */
	const bool *is_favourite;
	const char *label; /* at most NX_PROFILE_LABEL_MAX characters, no spaces; "" for none */
};
#define NX_PROFILE_LABEL_MAX 100
NX_MUST_CHECK enum nx_status nx_workspace_mark(struct nx_workspace *ws, const char *name,
					       const struct nx_profile_marks *marks,
					       struct nx_error *err);

/* Something that can no longer be reached, and its size on disk. */
struct nx_leftover {
	const char *name; /* of the profile, or of a file */
	const char *what; /* "unfinished", "failed", "replaced or deleted", "temporary file",
			     "abandoned upload" */
	uint64_t size_bytes;
};
struct nx_leftovers NX_VEC_BODY(struct nx_leftover);

/* Removes leftovers, or only lists them. Texts live in the arena; the caller releases. */
NX_MUST_CHECK enum nx_status nx_workspace_collect(struct nx_workspace *ws, bool is_dry_run,
						  struct nx_arena *arena,
						  struct nx_leftovers *leftovers,
						  struct nx_error *err);

/*
 * A number that differs after every change that a list of profiles would show. It is computed from
 * the names and times of all profiles and uploads: one stat for each, on any file system.
 */
uint64_t nx_workspace_fingerprint(const struct nx_workspace *ws);

#endif
