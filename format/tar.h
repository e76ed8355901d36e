/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar: the archive inside a NEFF. Reads ustar, GNU long names and PAX records;
 * writes plain ustar (times zero, owner nobody), as current compilers do.
 */
#ifndef NX_FORMAT_TAR_H
#define NX_FORMAT_TAR_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_tar_reader {
	struct nx_slice archive;
	size_t at;
	struct nx_arena *arena; /* for names that need joining */
	bool is_truncated;	/* the archive ended inside a member */
};

struct nx_tar_member {
	struct nx_slice name; /* without a leading "./" */
	struct nx_slice bytes;
};

/*
 * The next regular file; *found is false at the end. FORMAT for a damaged header. A member that
 * the end of the archive cuts is returned as far as it goes, and is_truncated is set.
 */
NX_MUST_CHECK enum nx_status nx_tar_next(struct nx_tar_reader *tar, struct nx_tar_member *member,
					 bool *found, struct nx_error *err);

void nx_tar_append(struct nx_bytes *archive, struct nx_slice name, struct nx_slice bytes);
/* The same without the member's bytes, which the caller writes, followed by padding. */
void nx_tar_append_header(struct nx_bytes *archive, struct nx_slice name, uint64_t size_bytes);
size_t nx_tar_padding(uint64_t size_bytes);
void nx_tar_finish(struct nx_bytes *archive); /* two empty blocks */

#endif
