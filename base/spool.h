/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool: sorts any number of fixed-size records in bounded memory.
 *
 * Full buffers become sorted runs in an unlinked temporary file ($TMPDIR or /var/tmp); a set that
 * fits the buffer never touches the disk. The first eight bytes of a record are its key, a native
 * uint64_t; equal keys keep their order. After nx_spool_sort any number of cursors may read at
 * once. A spool may be cut into parts, which are sorted and read separately.
 */
#ifndef NX_BASE_SPOOL_H
#define NX_BASE_SPOOL_H

#include "base/bare/slice.h"
#include "base/error.h"

struct nx_spool;
struct nx_spool_cursor;

/* buffer_bytes bounds the memory of writing; reading uses about as much again. */
struct nx_spool *nx_spool_new(size_t record_size, size_t buffer_bytes);
void nx_spool_free(struct nx_spool *spool);

NX_MUST_CHECK enum nx_status nx_spool_add(struct nx_spool *spool, const void *record,
					  struct nx_error *err);
/* The same without a copy: write the record, key first, at place before the next call for this
 * spool. */
NX_MUST_CHECK enum nx_status nx_spool_place(struct nx_spool *spool, uint64_t key, void **place,
					    struct nx_error *err);
/* The records since the last cut, possibly none, become a part. */
void nx_spool_cut(struct nx_spool *spool);
NX_MUST_CHECK enum nx_status nx_spool_sort(struct nx_spool *spool, struct nx_error *err);
/* For a sorted spool that is read several times and was not cut: merges once instead of in each
 * reading. Meanwhile the temporary file needs twice its size. */
NX_MUST_CHECK enum nx_status nx_spool_merge(struct nx_spool *spool, struct nx_error *err);
/* Calls fn for each record of a part, in order. */
NX_MUST_CHECK enum nx_status nx_spool_each(const struct nx_spool *spool, size_t part,
					   void (*fn)(void *context, const void *record),
					   void *context, struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_spool_cursor_open(struct nx_spool_cursor **cursor,
						  const struct nx_spool *spool,
						  struct nx_error *err);
/* For a spool that was cut: the records before the first cut are part 0. */
NX_MUST_CHECK enum nx_status nx_spool_cursor_open_part(struct nx_spool_cursor **cursor,
						       const struct nx_spool *spool, size_t part,
						       struct nx_error *err);
/* The next record, borrowed until the next call; NULL at the end or on failure. */
const void *nx_spool_cursor_next(struct nx_spool_cursor *cursor);
/* OK unless reading the temporary file failed; check it after NULL. */
NX_MUST_CHECK enum nx_status nx_spool_cursor_close(struct nx_spool_cursor *cursor,
						   struct nx_error *err);

#endif
