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
/* The same for a profile's folder, in a workspace or not. */
NX_MUST_CHECK enum nx_status nx_folder_source_open(const char *folder, const char *path, int *fd,
						   uint64_t *size_bytes, struct nx_error *err);
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

/*
 * Copies the source files that a capture names from the user's folders into folder/source, created
 * on demand, so that they are still there when the checkout has moved on.
 *
 * A capture records where a file was at compile time, "/home/build/app/model.py". Below each root
 * the longest suffix of that path that exists wins: home/build/app/model.py, then
 * build/app/model.py, down to model.py. Only these paths are tried; no folder is searched and no
 * link below a root is followed. In the profile the file keeps the capture's path, without the
 * leading slash. NOT_FOUND if a root does not exist.
 */
struct nx_source_copied {
	size_t found_count, missing_count; /* missing includes files over a limit */
	uint64_t size_bytes;
};

NX_MUST_CHECK enum nx_status nx_source_copy(const char *folder, const char *const *roots,
					    size_t root_count, const char *const *names,
					    size_t name_count, struct nx_source_copied *copied,
					    struct nx_error *err);

#endif
