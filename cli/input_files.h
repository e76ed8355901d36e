/* SPDX-License-Identifier: Apache-2.0 */
/* input_files: the files given with -n and -s, looked at before anything is read. */
#ifndef NX_CLI_INPUT_FILES_H
#define NX_CLI_INPUT_FILES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

/* The two files and the options they were given with, for the message; a path may be NULL. */
struct nx_input_files {
	const char *neff_path, *session_path;
	const char *neff_option, *session_option;
};

/* FORMAT if one is of the other's kind. A file that cannot be read is left to its reader. */
NX_MUST_CHECK enum nx_status nx_input_files_check(const struct nx_input_files *files,
						  struct nx_error *err);

struct nx_session_paths NX_VEC_BODY(const char *);
/*
 * The session files whose paths begin with this one, sorted: "out/profile" stands for
 * out/profile_rank_0.ntff and its like. None if a file or folder has that very name.
 */
void nx_session_paths_find(const char *prefix, struct nx_arena *arena,
			   struct nx_session_paths *paths);

#endif
