/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_copy: takes the source files that a capture names from folders of the user's
 * into a profile's folder, so that they are still there when the checkout has moved on.
 *
 * A capture says where a file lay when it was compiled, "/home/build/app/model.py". Below
 * each root the longest end of that path is looked for: home/build/app/model.py, then
 * build/app/model.py, down to model.py. Only these paths are tried, no folder is searched,
 * no link below a root is followed. In the profile the file is called as the capture calls
 * it, without the first slash.
 */
#ifndef NX_STORE_SOURCE_COPY_H
#define NX_STORE_SOURCE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct nx_source_copied {
	size_t found_count, missing_count; /* missing: also what is too large or too much */
	uint64_t size_bytes;
};

/* Into folder/source, made when there is something to put there. NOT_FOUND when a root is none. */
NX_MUST_CHECK enum nx_status nx_source_copy(const char *folder, const char *const *roots,
					    size_t root_count, const char *const *names,
					    size_t name_count, struct nx_source_copied *copied,
					    struct nx_error *err);

#endif
