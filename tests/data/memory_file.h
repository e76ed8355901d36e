/* SPDX-License-Identifier: Apache-2.0 */
/* memory_file: bytes that have a path, for code that opens files, without touching a disk. */
#ifndef NX_TESTS_MEMORY_FILE_H
#define NX_TESTS_MEMORY_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

struct nx_memory_file {
	int fd;
	char path[32];
};

/* False when the system has no room for it. */
static inline bool nx_memory_file_open(struct nx_memory_file *file, struct nx_slice bytes)
{
	file->fd = memfd_create("capture", MFD_CLOEXEC);
	if (file->fd < 0)
		return false;
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	if (nx_write_all(file->fd, bytes))
		return true;
	close(file->fd);
	return false;
}

static inline void nx_memory_file_close(struct nx_memory_file *file)
{
	close(file->fd);
}

#endif
