/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_source: source code stored with a profile, in the folder source/ of the profile's folder.
 * It holds regular files only; links are neither created nor followed.
 */
#ifndef NX_STORE_PROFILE_SOURCE_H
#define NX_STORE_PROFILE_SOURCE_H

#include "store/workspace.h"

#define NX_SOURCE_FOLDER "source"
#define NX_SOURCE_FILES_MAX 50000u
#define NX_SOURCE_BYTES_MAX (UINT64_C(1) << 30)
#define NX_SOURCE_FILE_BYTES_MAX (UINT64_C(64) << 20)

struct nx_source_file {
	const char *path; /* below source/ */
	uint64_t size_bytes;
};
struct nx_source_files NX_VEC_BODY(struct nx_source_file);

/* All files of a profile, sorted by path, possibly none; NOT_FOUND without the profile. */
NX_MUST_CHECK enum nx_status nx_profile_source_list(struct nx_workspace *ws, const char *name,
						    struct nx_arena *arena,
						    struct nx_source_files *files,
						    struct nx_error *err);
/* Opens one of them for reading. */
NX_MUST_CHECK enum nx_status nx_profile_source_open(struct nx_workspace *ws, const char *name,
						    const char *path, int *fd, uint64_t *size_bytes,
						    struct nx_error *err);
/*
 * Adds the files of another folder to a finished profile, in one step. They are hard links, so the
 * disk stores them once.
 */
NX_MUST_CHECK enum nx_status nx_profile_source_attach(struct nx_workspace *ws, const char *name,
						      const char *folder, struct nx_error *err);

/*
 * Unpacks a tar archive, compressed with gzip or not, into an open folder: regular files only.
 * FORMAT if it is damaged or a path leads out of the folder, LIMIT if it holds too much.
 */
NX_MUST_CHECK enum nx_status nx_source_unpack(const char *archive, int folder, const char *scratch,
					      struct nx_error *err);

#endif
