/* SPDX-License-Identifier: Apache-2.0 */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/disk.h"

static int open_unlinked(const char *directory)
{
	char name[sizeof(((struct nx_temporary *)0)->directory) + 32];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Some file systems do not support O_TMPFILE. */
	snprintf(name, sizeof(name), "%s/neuron-spool-XXXXXX", directory);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

enum nx_status nx_temporary_open(struct nx_temporary *file, struct nx_error *err)
{
	const char *chosen = getenv("TMPDIR");
	const char *directories[] = {chosen && *chosen ? chosen : "/var/tmp", "/tmp"};
	size_t count = chosen && *chosen ? 1 : 2;

	file->fd = -1;
	for (size_t i = 0; i < count && file->fd < 0; i++) {
		if (strlen(directories[i]) >= sizeof(file->directory))
			return nx_fail(err, NX_LIMIT,
				       "TMPDIR is too long; set it to a shorter path");
		snprintf(file->directory, sizeof(file->directory), "%s", directories[i]);
		file->fd = open_unlinked(file->directory);
	}
	if (file->fd < 0)
		return nx_fail_errno(err, errno,
				     "cannot create a temporary file in %s; set TMPDIR to a "
				     "directory that can be written",
				     file->directory);
	return NX_OK;
}

static enum nx_status fail_write(const struct nx_temporary *file, int errno_value,
				 struct nx_error *err)
{
	char what[400];

	if (errno_value == ENOSPC || errno_value == EDQUOT) {
		snprintf(what, sizeof(what), "cannot write a temporary file in %s",
			 file->directory);
		return nx_disk_fail_full(err, file->directory, what,
					 "set TMPDIR to a directory on a larger disk");
	}
	return nx_fail_errno(err, errno_value, "cannot write a temporary file in %s",
			     file->directory);
}

enum nx_status nx_temporary_write(const struct nx_temporary *file, const void *data, size_t len,
				  uint64_t offset, struct nx_error *err)
{
	const uint8_t *from = data;

	while (len) {
		ssize_t n = pwrite(file->fd, from, len, (off_t)offset);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return fail_write(file, errno, err);
		}
		from += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return NX_OK;
}

enum nx_status nx_temporary_read(const struct nx_temporary *file, void *data, size_t len,
				 uint64_t offset, struct nx_error *err)
{
	uint8_t *to = data;

	while (len) {
		ssize_t n = pread(file->fd, to, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return nx_fail_errno(err, n ? errno : EIO,
					     "cannot read a temporary file in %s", file->directory);
		to += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return NX_OK;
}

void nx_temporary_close(struct nx_temporary *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
