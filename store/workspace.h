/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace: the folder that holds all processed profiles (--data-path).
 *
 *	profiles/global/<name>@latest/	a finished profile: its tables and profile.json
 *	staging/<id>/, <id>.lock	a profile in the making; its process holds the lock
 *	trash/<id>/			on its way out
 *	uploads/<id>/			files on their way in (store/upload.h)
 *	lock				held while something changes its place
 *
 * There is no index: the folders are the catalogue, and each change is one
 * rename. A kill at any moment leaves the state before it or the state behind
 * it (docs/design/workspace.md has the table). Any number of processes and
 * threads may use a workspace at once; those that only read never wait longer than a second.
 *
 * nx_catalogue lists, nx_staging adds, the functions below change and tidy.
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
	bool is_read_only;	   /* makes nothing, not even the folder; NOT_FOUND without it */
	uint32_t lock_patience_ms; /* how long a change waits for another one; 0: half a minute */
};

/* $XDG_DATA_HOME/neuron-explorer, or ~/.local/share/neuron-explorer. NOT_FOUND without both. */
NX_MUST_CHECK enum nx_status nx_workspace_default_path(struct nx_arena *arena, const char **path,
						       struct nx_error *err);

/* Makes the folder (mode 0700) unless read only, and ends what a killed process left half done. */
NX_MUST_CHECK enum nx_status nx_workspace_open(struct nx_workspace **out,
					       const struct nx_workspace_options *how,
					       struct nx_error *err);
void nx_workspace_close(struct nx_workspace *ws);
const char *nx_workspace_path(const struct nx_workspace *ws); /* absolute, borrowed */

/* The folder of a finished profile, whether it exists or not. */
const char *nx_workspace_profile_path(const struct nx_workspace *ws, struct nx_arena *arena,
				      const char *name);

/*
 * The finished profile of that name, for reading its tables: NOT_FOUND, FORMAT
 * when its profile.json is damaged, VERSION when its tables are older (upgrade.h)
 * or newer than this program. The caller releases the record.
 */
NX_MUST_CHECK enum nx_status nx_workspace_load(struct nx_workspace *ws, const char *name,
					       struct nx_arena *arena,
					       struct nx_profile_record *record,
					       struct nx_error *err);

/* USAGE when the new name is taken or not allowed. */
NX_MUST_CHECK enum nx_status nx_workspace_rename(struct nx_workspace *ws, const char *name,
						 const char *new_name, struct nx_error *err);
/* Also what is left of a failed or unfinished one; refuses one that is being processed. */
NX_MUST_CHECK enum nx_status nx_workspace_remove(struct nx_workspace *ws, const char *name,
						 struct nx_error *err);

/* Notes that the profile was opened now; a workspace that cannot be written is no failure. */
NX_MUST_CHECK enum nx_status nx_workspace_touch(struct nx_workspace *ws, const char *name,
						struct nx_error *err);

struct nx_profile_marks { /* what the user says of a profile; NULL leaves it as it is */
	const bool *is_favourite;
	const char *label; /* at most NX_PROFILE_LABEL_MAX characters without blanks; "" for none */
};
#define NX_PROFILE_LABEL_MAX 100
NX_MUST_CHECK enum nx_status nx_workspace_mark(struct nx_workspace *ws, const char *name,
					       const struct nx_profile_marks *marks,
					       struct nx_error *err);

/* What nobody can reach any more, and how much of the disk it takes. */
struct nx_leftover {
	const char *name; /* of the profile, or of a file */
	const char *what; /* "unfinished", "failed", "replaced or deleted", "temporary file",
			     "abandoned upload" */
	uint64_t size_bytes;
};
struct nx_leftovers NX_VEC_BODY(struct nx_leftover);

/* Removes leftovers, or only finds them. Texts are made in the arena; the caller releases. */
NX_MUST_CHECK enum nx_status nx_workspace_collect(struct nx_workspace *ws, bool is_dry_run,
						  struct nx_arena *arena,
						  struct nx_leftovers *leftovers,
						  struct nx_error *err);

#endif
