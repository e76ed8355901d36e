/* SPDX-License-Identifier: Apache-2.0 */
/* workspace_internal: shared by the files that implement the workspace. */
#ifndef NX_STORE_WORKSPACE_INTERNAL_H
#define NX_STORE_WORKSPACE_INTERNAL_H

#include "store/workspace.h"

#define NX_VERSION_ID_MAX 40

struct nx_workspace {
	char *path;
	bool is_read_only;
	uint32_t lock_patience_ms;
	/* Open folders; -1 for those that a read-only workspace lacks. */
	int root, profiles, staging, trash;
};

struct nx_version_ids NX_VEC_BODY(const char *);

/*
 * Takes the lock for moving things. The descriptor is new each time, so threads of one process
 * exclude each other too; nx_workspace_unlock closes it. It is -1 after a failure. Every change
 * takes the lock, completes what a killed process left and does its renames; nothing slow happens
 * while it is held.
 */
NX_MUST_CHECK enum nx_status nx_workspace_lock(struct nx_workspace *ws, int *lock,
					       struct nx_error *err);
/* For readers: waits a moment for a change to end; otherwise -1, which unlock accepts. */
int nx_workspace_lock_shared(const struct nx_workspace *ws);
void nx_workspace_unlock(int lock);

/* With the lock held: completes interrupted replacements, moves replaced folders to the trash. */
NX_MUST_CHECK enum nx_status nx_workspace_recover(struct nx_workspace *ws, struct nx_error *err);

/* "20261115t231400-0123456789abcdef", unique for every call. */
void nx_version_id_make(char id[NX_VERSION_ID_MAX]);
uint64_t nx_now_ms(void);

/* "<name>@latest" */
void nx_profile_folder_name(const char *name, char folder[NX_PROFILE_FOLDER_MAX]);
bool nx_profile_exists(const struct nx_workspace *ws, const char *name);

/* The path of profile.json in a folder of profiles or staging, for error messages. */
NX_MUST_CHECK enum nx_status nx_profile_folder_read(int parent, const char *folder,
						    struct nx_arena *arena,
						    struct nx_profile_record *record,
						    struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_profile_folder_write(int folder, const char *shown,
						     const struct nx_profile_record *record,
						     struct nx_error *err);

/* Whether the process that writes staging/<id> is alive. */
bool nx_staging_is_alive(const struct nx_workspace *ws, const char *id);
/* Entries of that name in staging: ids of dead ones, in the arena, and whether one is alive. */
NX_MUST_CHECK enum nx_status nx_staging_find(const struct nx_workspace *ws, const char *name,
					     struct nx_arena *arena, struct nx_version_ids *dead,
					     bool *is_alive, struct nx_error *err);
/* With the lock held: moves staging/<id> to trash/<id> and removes its lock file. */
NX_MUST_CHECK enum nx_status nx_staging_discard(struct nx_workspace *ws, const char *id,
						struct nx_error *err);
/* Without the lock; a failure leaves work for collect and is ignored here. */
void nx_workspace_empty_trash(struct nx_workspace *ws, const char *id);

/* A rename that does not replace; EEXIST in errno if the target exists. */
int nx_rename_new(int from_folder, const char *from, int to_folder, const char *to);

struct nx_catalogue;
/* Adds uploads in progress, being processed or failed; each replaces the record that its process
 * keeps in staging. */
NX_MUST_CHECK enum nx_status nx_uploads_add_records(struct nx_workspace *ws,
						    struct nx_catalogue *catalogue,
						    struct nx_error *err);

/* The folder of uploads, not a link; -1 with errno if there is none. */
int nx_uploads_open(const struct nx_workspace *ws);

/* With the lock held: moves the uploads of that name to the trash and lists them in ids. One that
 * is being processed stays and sets *is_alive. */
NX_MUST_CHECK enum nx_status nx_uploads_discard(struct nx_workspace *ws, const char *name,
						struct nx_arena *arena, struct nx_version_ids *ids,
						bool *is_alive, struct nx_error *err);

/* With the lock held: abandoned and failed uploads, a day after their last byte. */
NX_MUST_CHECK enum nx_status nx_uploads_collect(struct nx_workspace *ws, bool is_dry_run,
						struct nx_arena *arena,
						struct nx_leftovers *leftovers,
						struct nx_version_ids *ids, struct nx_error *err);

#endif
