/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporary: an unlinked file in $TMPDIR (or /var/tmp, else /tmp) for what does not fit into
 * memory. It vanishes with its descriptor.
 */
#ifndef NX_BASE_TEMPORARY_H
#define NX_BASE_TEMPORARY_H

#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

struct nx_temporary {
	int fd; /* -1: not open */
	char directory[256];
};

NX_MUST_CHECK enum nx_status nx_temporary_open(struct nx_temporary *file, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_temporary_write(const struct nx_temporary *file, const void *data,
						size_t len, uint64_t offset, struct nx_error *err);
/* All len bytes; they must have been written. */
NX_MUST_CHECK enum nx_status nx_temporary_read(const struct nx_temporary *file, void *data,
					       size_t len, uint64_t offset, struct nx_error *err);
void nx_temporary_close(struct nx_temporary *file);

#endif
