/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable: files and folders that survive a power cut.
 *
 * A rename is atomic for every reader, but the disk may keep the rename and lose the bytes. So what
 * has to survive is written to a temporary name, synced and renamed, and then the folder is synced.
 * All paths are relative to an open folder, so a workspace may be moved or linked while in use;
 * "shown" is the path that error messages print.
 *
 * Links are never followed and never synced.
 */
#ifndef NX_STORE_DURABLE_H
#define NX_STORE_DURABLE_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

/* The temporary name of a file until it is complete; only a kill leaves one behind. */
#define NX_DURABLE_ASIDE_SUFFIX ".aside"

/* Readers see the old content or the new, never a mixture and never nothing. */
NX_MUST_CHECK enum nx_status nx_durable_write(int folder, const char *name, struct nx_slice bytes,
					      const char *shown, struct nx_error *err);

/* Appends a whole file; LIMIT beyond max_bytes, FORMAT if it is not a regular file. */
NX_MUST_CHECK enum nx_status nx_durable_read(int folder, const char *name, size_t max_bytes,
					     struct nx_bytes *bytes, const char *shown,
					     struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_durable_sync_folder(int folder, const char *shown,
						    struct nx_error *err);
/* Syncs every file and folder below, then the folder itself; size_bytes sums the files. */
NX_MUST_CHECK enum nx_status nx_durable_sync_tree(int folder, const char *shown,
						  uint64_t *size_bytes, struct nx_error *err);

/* Sums the sizes of the files below; unreadable ones count as 0. */
uint64_t nx_durable_tree_bytes(int parent, const char *name);
/* Removes a file, a link, or a folder with its contents. OK if it is already gone. */
NX_MUST_CHECK enum nx_status nx_durable_remove_tree(int parent, const char *name, const char *shown,
						    struct nx_error *err);

/* Opens a folder, not a link to one; -1 with errno if it fails. */
int nx_durable_open_folder(int parent, const char *name);
/* After that failed: the sentence says so if it is a link. */
enum nx_status nx_durable_fail_open(int errno_value, int parent, const char *name,
				    const char *shown, struct nx_error *err);
/* Closes a descriptor unless it is -1. */
void nx_durable_close(int fd);
/* The same for one that holds a lock, which a child that was forked meanwhile would keep. */
void nx_durable_unlock(int fd);

/* Calls fn with every entry except . and ..; stops at the first failure. */
typedef enum nx_status (*nx_durable_entry_fn)(void *context, const char *name,
					      struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_durable_each(int folder, const char *shown, nx_durable_entry_fn fn,
					     void *context, struct nx_error *err);

/* The tables of a profile lie in a workspace or in a folder that the user chose. */
#define NX_TABLES_PLACE_OPTION "--data-path (a workspace) or --output-file (a folder)"

#endif
