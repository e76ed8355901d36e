/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upload_plan: the files of an upload: those that the user named, and all files below the folders
 * that the user named.
 */
#ifndef NX_CLI_UPLOAD_PLAN_H
#define NX_CLI_UPLOAD_PLAN_H

#include "store/upload.h"

struct nx_planned_file {
	const char *local; /* on this machine */
	const char *path;  /* its name in the upload */
	enum nx_upload_role role;
	uint64_t size_bytes;
};

struct nx_upload_plan {
	struct nx_arena arena;
	struct nx_planned_files NX_VEC_BODY(struct nx_planned_file) files;
	uint64_t size_bytes;
};

/* A file; for role source also a folder or an archive, for role directory a folder alone. Skips
 * links below a folder and, in source code, names that begin with a dot. */
NX_MUST_CHECK enum nx_status nx_upload_plan_add(struct nx_upload_plan *plan, const char *path,
						enum nx_upload_role role, struct nx_error *err);
void nx_upload_plan_release(struct nx_upload_plan *plan);

/* The request that begins the upload. */
void nx_upload_plan_describe(const struct nx_upload_plan *plan, const char *name,
			     const char *folder, bool force, struct nx_bytes *json);

#endif
