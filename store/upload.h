/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upload: files being uploaded into a workspace, and upload.json, which describes them.
 *
 *	uploads/<id>/upload.json	name, files, their sizes and roles
 *	uploads/<id>/capture/<path>	what the profile is made from
 *	uploads/<id>/source/<path>	source code to store with it
 *
 * The size of a file on disk says how much of it has arrived, so a killed server loses only what
 * was in flight. A process that makes a profile from an upload holds a lock on its folder; a
 * process that writes a file holds a lock on that file.
 *
 * Texts of an upload live in the arena it was read into.
 */
#ifndef NX_STORE_UPLOAD_H
#define NX_STORE_UPLOAD_H

#include "store/workspace.h"

#define NX_UPLOAD_FILES_MAX 20000u
#define NX_UPLOAD_FILE_BYTES_MAX (UINT64_C(256) << 30)
#define NX_UPLOAD_BYTES_MAX (UINT64_C(512) << 30)
#define NX_UPLOAD_RECORD_BYTES_MAX ((size_t)8 << 20)
#define NX_UPLOADS_MAX 1000u /* at a time, finished or not */

/* X(name, word in upload.json and in requests) */
#define NX_UPLOAD_ROLE_MAP(X)                                                                      \
	X(NEFF, "neff")                                                                            \
	X(NTFF, "ntff")                                                                            \
	X(DIRECTORY, "directory")                                                                  \
	X(SOURCE, "source")

enum nx_upload_role {
#define NX_UPLOAD_ROLE_ENUM(name, text) NX_UPLOAD_##name,
	NX_UPLOAD_ROLE_MAP(NX_UPLOAD_ROLE_ENUM)
#undef NX_UPLOAD_ROLE_ENUM
};

#define NX_UPLOAD_STATE_MAP(X)                                                                     \
	X(RECEIVING, "receiving")                                                                  \
	X(COMPLETE, "complete") /* to be processed, or being processed */                          \
	X(FAILED, "failed")	/* processing failed; the reason says why */

enum nx_upload_state {
#define NX_UPLOAD_STATE_ENUM(name, text) NX_UPLOAD_##name,
	NX_UPLOAD_STATE_MAP(NX_UPLOAD_STATE_ENUM)
#undef NX_UPLOAD_STATE_ENUM
};

struct nx_upload_file {
	const char *path; /* relative, checked */
	enum nx_upload_role role;
	uint64_t size_bytes;
	uint64_t received_bytes; /* set by nx_upload_load from the disk */
};

struct nx_upload {
	const char *id;
	const char *name;  /* of the profile it becomes */
	const char *label; /* the user's folder; "" for none */
	bool force;	   /* replace a profile of that name */
	enum nx_upload_state state;
	const char *reason;
	uint64_t created_ms;
	uint64_t changed_ms;	/* when its last byte arrived; set by nx_upload_load */
	uint64_t counted_bytes; /* received; set by nx_upload_load_summary */
	struct nx_upload_files NX_VEC_BODY(struct nx_upload_file) files;
};

/* Frees the list, not the texts. A zeroed upload is valid. */
void nx_upload_release(struct nx_upload *u);

/* --- upload.json, and the request that begins an upload ------------------------------- */

/* USAGE if the request is invalid, LIMIT if it is too large. The caller always releases. */
NX_MUST_CHECK enum nx_status nx_upload_read(struct nx_slice json, struct nx_arena *arena,
					    struct nx_upload *u, struct nx_error *err);
void nx_upload_write(const struct nx_upload *u, struct nx_bytes *bytes);
uint64_t nx_upload_size(const struct nx_upload *u);	/* declared */
uint64_t nx_upload_received(const struct nx_upload *u); /* received so far */
bool nx_upload_is_system(const struct nx_upload *u);	/* a directory, not single files */

/* --- on the disk ------------------------------------------------------------------------ */

/*
 * Creates the folder and sets id, state and created_ms. MISMATCH if the name is taken and force is
 * not set, NO_SPACE if the files do not fit, LIMIT if too many uploads are unfinished.
 */
NX_MUST_CHECK enum nx_status nx_upload_begin(struct nx_workspace *ws, struct nx_upload *u,
					     struct nx_arena *arena, struct nx_error *err);
/* NOT_FOUND if there is none. The caller always releases. */
NX_MUST_CHECK enum nx_status nx_upload_load(struct nx_workspace *ws, const char *id,
					    struct nx_arena *arena, struct nx_upload *u,
					    struct nx_error *err);
/* The same with at most 16 files, and how much was received in all, as it was counted: for lists,
 * which must not look at 20,000 files of each upload. */
NX_MUST_CHECK enum nx_status nx_upload_load_summary(struct nx_workspace *ws, const char *id,
						    struct nx_arena *arena, struct nx_upload *u,
						    struct nx_error *err);
/* Without looking at the files: received_bytes and changed_ms are not set. */
NX_MUST_CHECK enum nx_status nx_upload_load_record(struct nx_workspace *ws, const char *id,
						   struct nx_arena *arena, struct nx_upload *u,
						   struct nx_error *err);
/* Counts bytes that were received for a file. */
void nx_upload_count(struct nx_workspace *ws, const char *id, uint64_t bytes);
/* Stores a new state or reason. */
NX_MUST_CHECK enum nx_status nx_upload_save(struct nx_workspace *ws, const struct nx_upload *u,
					    struct nx_error *err);
/* Removes everything. OK if it is already gone. */
NX_MUST_CHECK enum nx_status nx_upload_remove(struct nx_workspace *ws, const char *id,
					      struct nx_error *err);

/* Opens a file for appending and locks it; MISMATCH if another writer holds the lock. */
NX_MUST_CHECK enum nx_status nx_upload_open_file(struct nx_workspace *ws, const struct nx_upload *u,
						 size_t file, int *fd, uint64_t *received_bytes,
						 struct nx_error *err);
/* Whether more_bytes fit on the disk with a reserve. */
NX_MUST_CHECK enum nx_status nx_upload_check_space(struct nx_workspace *ws, uint64_t more_bytes,
						   struct nx_error *err);

/* Locks the upload for processing until the descriptor is closed; MISMATCH if it is locked. */
NX_MUST_CHECK enum nx_status nx_upload_lock(struct nx_workspace *ws, const char *id, int *fd,
					    struct nx_error *err);

/* Whether a process is making a profile of that name. */
bool nx_upload_has_live_try(struct nx_workspace *ws, const char *name);
/* Removes what a failed or killed process left in staging under the name of an upload. */
void nx_upload_forget_tries(struct nx_workspace *ws, const char *name);
bool nx_upload_is_busy(const struct nx_workspace *ws,
		       const char *id); /* a process holds that lock */

/* "…/uploads/<id>/<below>" */
const char *nx_upload_path(const struct nx_workspace *ws, struct nx_arena *arena, const char *id,
			   const char *below);

struct nx_upload_ids NX_VEC_BODY(const char *);
/* All uploads, in no order; the caller releases. */
NX_MUST_CHECK enum nx_status nx_uploads_list(const struct nx_workspace *ws, struct nx_arena *arena,
					     struct nx_upload_ids *ids, struct nx_error *err);

#endif
