/* SPDX-License-Identifier: Apache-2.0 */
#include "store/relative_path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

#define PART_BYTES_MAX 255u

static bool is_text(struct nx_slice path)
{
	for (size_t i = 0; i < path.len;) {
		size_t len = path.data[i] < 0x80
				     ? 1
				     : nx_utf8_length(path.data + i, path.data + path.len);

		if (!len || path.data[i] < ' ' || path.data[i] == 0x7f)
			return false;
		i += len;
	}
	return true;
}

static bool is_allowed_part(struct nx_slice part)
{
	return part.len && part.len <= PART_BYTES_MAX && !nx_slice_is(part, ".") &&
	       !nx_slice_is(part, "..");
}

/* The part at the start of a path that is not empty; moves past it and its slash. */
static struct nx_slice take_part(struct nx_slice *path)
{
	const uint8_t *slash = memchr(path->data, '/', path->len);
	size_t len = slash ? (size_t)(slash - path->data) : path->len;
	struct nx_slice part = nx_slice_part(*path, 0, len);

	*path = nx_slice_part(*path, len + (slash ? 1 : 0), path->len);
	return part;
}

enum nx_status nx_relative_path_check(struct nx_slice path, struct nx_error *err)
{
	bool ends_in_slash = nx_slice_ends(path, "/");
	struct nx_slice left = path;
	unsigned depth = 0;

	if (!path.len || path.len >= NX_RELATIVE_PATH_BYTES)
		return nx_fail(err, NX_USAGE, "a path should have 1 to %d bytes",
			       NX_RELATIVE_PATH_BYTES - 1);
	if (!is_text(path))
		return nx_fail(err, NX_USAGE,
			       "a path should be UTF-8 text without control characters");
	if (path.data[0] == '/' || ends_in_slash)
		return nx_fail(err, NX_USAGE,
			       "the path '%.*s' should neither begin nor end with a slash",
			       (int)path.len, (const char *)path.data);
	while (left.len) {
		if (!is_allowed_part(take_part(&left)))
			return nx_fail(err, NX_USAGE,
				       "the path '%.*s' has a part that is empty, '.', '..' or "
				       "longer than %u bytes",
				       (int)path.len, (const char *)path.data, PART_BYTES_MAX);
		if (++depth > NX_RELATIVE_PATH_DEPTH)
			return nx_fail(err, NX_USAGE,
				       "the path '%.*s' has more than %d parts; leave the outer "
				       "folders out",
				       (int)path.len, (const char *)path.data,
				       NX_RELATIVE_PATH_DEPTH);
	}
	return NX_OK;
}

static void close_but(int fd, int kept)
{
	int failure = errno;

	if (fd != kept)
		close(fd);
	errno = failure;
}

int nx_relative_path_open(int folder, const char *path, int flags, bool makes_folders)
{
	struct nx_slice left = nx_slice_text(path);
	char name[PART_BYTES_MAX + 1];
	int here = folder, fd;

	assert(folder >= 0 && *path);
	for (;;) {
		struct nx_slice part = take_part(&left);
		int next;

		assert(is_allowed_part(part));
		memcpy(name, part.data, part.len);
		name[part.len] = '\0';
		if (!left.len)
			break;
		if (makes_folders && mkdirat(here, name, 0777) < 0 && errno != EEXIST)
			next = -1;
		else
			next = openat(here, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close_but(here, folder);
		if (next < 0)
			return -1;
		here = next;
	}
	/* Non-blocking, or a pipe of that name would wait for a writer. */
	fd = openat(here, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
	close_but(here, folder);
	return fd;
}
