/* SPDX-License-Identifier: Apache-2.0 */
/* disk: where a folder's file system is mounted, and sentences for when it is full. */
#ifndef NX_BASE_DISK_H
#define NX_BASE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Whether this process cannot write so many more bytes; false if that is not known. */
bool nx_disk_lacks(const char *folder, uint64_t size_bytes);

/*
 * NO_SPACE: "WHAT: the disk at /mnt is full, which has the folder /mnt/out; free some space, or
 * REMEDY". The path is that of a folder or of a file in it.
 */
enum nx_status nx_disk_fail_full(struct nx_error *err, const char *path, const char *what,
				 const char *remedy);

#endif
