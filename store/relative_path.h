/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relative_path: a path that somebody else chose, for a file below a folder of ours.
 *
 *	st = nx_relative_path_check(path, err);
 *	fd = nx_relative_path_open(folder, path, O_WRONLY | O_CREAT, true);
 *
 * The check is about the words: UTF-8 without control characters, not absolute, no
 * empty part, no . and no .., at most NX_RELATIVE_PATH_DEPTH parts. Opening is about
 * the disk: it goes part by part and follows no link, so that what lies there cannot
 * lead out of the folder either.
 */
#ifndef NX_STORE_RELATIVE_PATH_H
#define NX_STORE_RELATIVE_PATH_H

#include "base/bare/slice.h"
#include "base/error.h"

#define NX_RELATIVE_PATH_DEPTH 16
#define NX_RELATIVE_PATH_BYTES 1024 /* with the end */

/* USAGE with the rule that was broken. */
NX_MUST_CHECK enum nx_status nx_relative_path_check(struct nx_slice path, struct nx_error *err);

/* A descriptor, or -1 with errno; ELOOP or ENOTDIR where a link lies. The path has been checked.
 * Missing folders on the way are made if wanted. */
int nx_relative_path_open(int folder, const char *path, int flags, bool makes_folders);

#endif
