/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relative_path: a path that somebody else chose, for a file below one of our folders.
 *
 *	st = nx_relative_path_check(path, err);
 *	fd = nx_relative_path_open(folder, path, O_WRONLY | O_CREAT, true);
 *
 * The check covers the text: UTF-8 without control characters, not absolute, no empty part, no .
 * and no .., at most NX_RELATIVE_PATH_DEPTH parts. Opening covers the disk: it walks part by part
 * and follows no link, so nothing on the disk can lead out of the folder either.
 */
#ifndef NX_STORE_RELATIVE_PATH_H
#define NX_STORE_RELATIVE_PATH_H

#include "base/bare/slice.h"
#include "base/error.h"

#define NX_RELATIVE_PATH_DEPTH 16
#define NX_RELATIVE_PATH_BYTES 1024 /* with the terminating zero */

/* USAGE with the rule that the path breaks. */
NX_MUST_CHECK enum nx_status nx_relative_path_check(struct nx_slice path, struct nx_error *err);

/* Returns a descriptor, or -1 with errno; ELOOP or ENOTDIR if a link is in the way. The path must
 * have passed the check. Creates missing folders on the way if asked to. */
int nx_relative_path_open(int folder, const char *path, int flags, bool makes_folders);

#endif
