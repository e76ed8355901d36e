/* SPDX-License-Identifier: Apache-2.0 */
/* path: parts of a path, as text, without file system access. Results borrow from the path. */
#ifndef NX_BASE_PATH_H
#define NX_BASE_PATH_H

#include "base/bare/slice.h"

/* What follows the last slash: "b.c" of "a/b.c" and of "b.c", "" of "a/". */
const char *nx_path_name(const char *path);
/* The last part, also when slashes follow it: "b" of "a/b//", "/" of "/". */
struct nx_slice nx_path_last(const char *path);
/* What precedes the last slash: "a" of "a/b", "/" of "/b", "." of "b". */
struct nx_slice nx_path_folder(const char *path);
/* The last part without its suffix: "b" of "a/b.c"; a leading dot does not start a suffix. */
struct nx_slice nx_path_stem(const char *path);

/*
 * Whether a name that somebody else chose stays inside the folder it is appended to: relative, no
 * part is empty, "." or "..", or longer than 255 bytes, and there are no control characters.
 */
bool nx_path_is_inside(struct nx_slice name);

#endif
