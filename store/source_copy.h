/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_copy: copies the source files that a capture names from the user's folders into a
 * profile's folder, so that they are still there when the checkout has moved on.
 *
 * A capture records where a file was at compile time, "/home/build/app/model.py". Below each root
 * the longest suffix of that path that exists wins: home/build/app/model.py, then
 * build/app/model.py, down to model.py. Only these paths are tried; no folder is searched and no
 * link below a root is followed. In the profile the file keeps the capture's path, without the
 * leading slash.
 */
#ifndef NX_STORE_SOURCE_COPY_H
#define NX_STORE_SOURCE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct nx_source_copied {
	size_t found_count, missing_count; /* missing includes files over a limit */
	uint64_t size_bytes;
};

/* Copies into folder/source, created on demand. NOT_FOUND if a root does not exist. */
NX_MUST_CHECK enum nx_status nx_source_copy(const char *folder, const char *const *roots,
					    size_t root_count, const char *const *names,
					    size_t name_count, struct nx_source_copied *copied,
					    struct nx_error *err);

#endif
