/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable: files and folders that are still there after a power cut.
 *
 * A rename is atomic for everyone who looks, but the disk may keep the rename
 * and lose the bytes. What has to survive is therefore written aside, synced,
 * renamed, and the folder is synced behind it. Everything works relative to an
 * open folder, so that a workspace may be moved or linked while in use; shown
 * is its path for the sentence of a failure.
 *
 * Links are never followed and never synced.
 */
#ifndef NX_STORE_DURABLE_H
#define NX_STORE_DURABLE_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

/* Where a file is written before it gets its name; left over only by a kill. */
#define NX_DURABLE_ASIDE_SUFFIX ".aside"

/* The old content or the new one, never a mixture and never nothing. */
NX_MUST_CHECK enum nx_status nx_durable_write(int folder, const char *name, struct nx_slice bytes,
					      const char *shown, struct nx_error *err);

/* Appends a whole file; LIMIT beyond max_bytes, FORMAT when it is no regular file. */
NX_MUST_CHECK enum nx_status nx_durable_read(int folder, const char *name, size_t max_bytes,
					     struct nx_bytes *bytes, const char *shown,
					     struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_durable_sync_folder(int folder, const char *shown,
						    struct nx_error *err);
/* Every file and folder below, then the folder itself; size_bytes is what the files hold. */
NX_MUST_CHECK enum nx_status nx_durable_sync_tree(int folder, const char *shown,
						  uint64_t *size_bytes, struct nx_error *err);

/* What the files below hold; what cannot be read counts nothing. */
uint64_t nx_durable_tree_bytes(int parent, const char *name);
/* A file, a link, or a folder with all it holds. That it is gone already is no failure. */
NX_MUST_CHECK enum nx_status nx_durable_remove_tree(int parent, const char *name, const char *shown,
						    struct nx_error *err);

/* fn receives every entry but . and ..; stops at its first failure. */
typedef enum nx_status (*nx_durable_entry_fn)(void *context, const char *name,
					      struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_durable_each(int folder, const char *shown, nx_durable_entry_fn fn,
					     void *context, struct nx_error *err);

#endif
