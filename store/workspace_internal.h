/* SPDX-License-Identifier: Apache-2.0 */
/* workspace_internal: what the files that make up the workspace share. */
#ifndef NX_STORE_WORKSPACE_INTERNAL_H
#define NX_STORE_WORKSPACE_INTERNAL_H

#include "store/workspace.h"

#define NX_VERSION_ID_MAX 40

struct nx_workspace {
	char *path;
	bool is_read_only;
	uint32_t lock_patience_ms;
	/* Open folders; -1 where a read only workspace has none. */
	int root, profiles, staging, trash;
};

struct nx_version_ids NX_VEC_BODY(const char *);

/*
 * The right to move things, as a descriptor that nx_workspace_unlock takes: a
 * new one each time, so that threads of one process exclude each other as well. Every change takes
 * it, ends what a killed process left half done, and does its renames; nothing slow happens
 * meanwhile.
 */
NX_MUST_CHECK enum nx_status nx_workspace_lock(struct nx_workspace *ws, int *lock,
					       struct nx_error *err);
/* For readers: waits a moment for a change to end; -1, which may be unlocked, when it does not. */
int nx_workspace_lock_shared(const struct nx_workspace *ws);
void nx_workspace_unlock(int lock);

/* With the lock held: rolls half-done replacements forward, puts replaced folders away. */
NX_MUST_CHECK enum nx_status nx_workspace_recover(struct nx_workspace *ws, struct nx_error *err);

/* "20261115t231400-0123456789abcdef", new with every call. */
void nx_version_id_make(char id[NX_VERSION_ID_MAX]);
uint64_t nx_now_ms(void);

/* "<name>@latest" */
void nx_profile_folder_name(const char *name, char folder[NX_PROFILE_FOLDER_MAX]);
bool nx_profile_exists(const struct nx_workspace *ws, const char *name);

/* profile.json of a folder in profiles or staging; the sentence of a failure begins with it. */
NX_MUST_CHECK enum nx_status nx_profile_folder_read(int parent, const char *folder,
						    struct nx_arena *arena,
						    struct nx_profile_record *record,
						    struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_profile_folder_write(int folder, const char *shown,
						     const struct nx_profile_record *record,
						     struct nx_error *err);

/* Whether the process that fills staging/<id> still lives. */
bool nx_staging_is_alive(const struct nx_workspace *ws, const char *id);
/* Those of that name in staging: ids of dead ones, made in the arena, and whether one lives. */
NX_MUST_CHECK enum nx_status nx_staging_find(const struct nx_workspace *ws, const char *name,
					     struct nx_arena *arena, struct nx_version_ids *dead,
					     bool *is_alive, struct nx_error *err);
/* With the lock held: staging/<id> goes to trash/<id>, its lock file goes. */
NX_MUST_CHECK enum nx_status nx_staging_discard(struct nx_workspace *ws, const char *id,
						struct nx_error *err);
/* Without the lock: a failure leaves work for collect and is nobody's concern here. */
void nx_workspace_empty_trash(struct nx_workspace *ws, const char *id);

struct nx_staging;
/* commit refuses unless it replaces the version of that id. */
void nx_staging_expect(struct nx_staging *s, const char *id);

/* rename that does not replace; EEXIST in errno when the target is there. */
int nx_rename_new(int from_folder, const char *from, int to_folder, const char *to);

#endif
