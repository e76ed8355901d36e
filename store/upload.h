/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upload: files on their way into a workspace, and upload.json, which says what they
 * are to become.
 *
 *	uploads/<id>/upload.json	name, files, their sizes and roles
 *	uploads/<id>/capture/<path>	what the profile is made from
 *	uploads/<id>/source/<path>	source code that is kept with it
 *
 * How much of a file has arrived is what its size says, so a killed server loses
 * nothing but what was still on its way. Whoever makes a profile of an upload holds a
 * lock on its folder meanwhile; whoever writes a file holds one on that.
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
#define NX_UPLOADS_MAX 1000u /* at once, finished or not */

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
	uint64_t received_bytes; /* by nx_upload_load, from the disk */
};

struct nx_upload {
	const char *id;
	const char *name;  /* of the profile it becomes */
	const char *label; /* the user's folder for it; "" for none */
	bool force;	   /* replace a profile of that name */
	enum nx_upload_state state;
	const char *reason;
	uint64_t created_ms;
	uint64_t changed_ms; /* when something of it arrived last; by nx_upload_load */
	struct nx_upload_files NX_VEC_BODY(struct nx_upload_file) files;
};

/* Frees the list, not the texts. A zeroed upload is valid. */
void nx_upload_release(struct nx_upload *u);

/* --- upload.json, and the request that begins an upload ------------------------------- */

/* USAGE for what no upload can be, LIMIT for what is too much. The caller releases, also then. */
NX_MUST_CHECK enum nx_status nx_upload_read(struct nx_slice json, struct nx_arena *arena,
					    struct nx_upload *u, struct nx_error *err);
void nx_upload_write(const struct nx_upload *u, struct nx_bytes *bytes);
uint64_t nx_upload_size(const struct nx_upload *u);	/* that it is to have */
uint64_t nx_upload_received(const struct nx_upload *u); /* that has arrived */
bool nx_upload_is_system(const struct nx_upload *u);	/* a directory, not single files */

/* --- on the disk ------------------------------------------------------------------------ */

/*
 * Makes the folder and sets id, state and created_ms. MISMATCH when the name is taken and force
 * is not set, NO_SPACE when the files will not fit, LIMIT when too many others are unfinished.
 */
NX_MUST_CHECK enum nx_status nx_upload_begin(struct nx_workspace *ws, struct nx_upload *u,
					     struct nx_arena *arena, struct nx_error *err);
/* NOT_FOUND without it. The caller releases, also then. */
NX_MUST_CHECK enum nx_status nx_upload_load(struct nx_workspace *ws, const char *id,
					    struct nx_arena *arena, struct nx_upload *u,
					    struct nx_error *err);
/* Another state or reason. */
NX_MUST_CHECK enum nx_status nx_upload_save(struct nx_workspace *ws, const struct nx_upload *u,
					    struct nx_error *err);
/* All of it. That it is gone already is no failure. */
NX_MUST_CHECK enum nx_status nx_upload_remove(struct nx_workspace *ws, const char *id,
					      struct nx_error *err);

/* Open for writing at its end, with the lock of its writer: MISMATCH when it has another. */
NX_MUST_CHECK enum nx_status nx_upload_open_file(struct nx_workspace *ws, const struct nx_upload *u,
						 size_t file, int *fd, uint64_t *received_bytes,
						 struct nx_error *err);
/* Whether more_bytes fit onto the disk and leave it a little room. */
NX_MUST_CHECK enum nx_status nx_upload_check_space(struct nx_workspace *ws, uint64_t more_bytes,
						   struct nx_error *err);

/* The right to make a profile of it, until the descriptor is closed; MISMATCH when taken. */
NX_MUST_CHECK enum nx_status nx_upload_lock(struct nx_workspace *ws, const char *id, int *fd,
					    struct nx_error *err);

/* What a process that failed or was ended left in staging under the name of an upload. */
void nx_upload_forget_tries(struct nx_workspace *ws, const char *name);
bool nx_upload_is_busy(const struct nx_workspace *ws, const char *id); /* somebody has that right */

/* "…/uploads/<id>/<below>" */
const char *nx_upload_path(const struct nx_workspace *ws, struct nx_arena *arena, const char *id,
			   const char *below);

struct nx_upload_ids NX_VEC_BODY(const char *);
/* All there are, in no order; the caller releases. */
NX_MUST_CHECK enum nx_status nx_uploads_list(const struct nx_workspace *ws, struct nx_arena *arena,
					     struct nx_upload_ids *ids, struct nx_error *err);

#endif
