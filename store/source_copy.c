/* SPDX-License-Identifier: Apache-2.0 */
#include "store/source_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "store/profile_source.h"
#include "store/relative_path.h"

#define ROOTS_MAX 8
#define COPY_BYTES ((size_t)1 << 20)

struct copying {
	int roots[ROOTS_MAX];
	size_t root_count;
	int target; /* -1 until something was found */
	const char *folder;
	struct nx_source_copied *copied;
};

/* A file of the right name and an acceptable size; -1 if there is none. */
static int open_regular(int root, const char *path, uint64_t *size_bytes)
{
	int fd = nx_relative_path_open(root, path, O_RDONLY, false);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > NX_SOURCE_FILE_BYTES_MAX) {
		close(fd);
		return -1;
	}
	*size_bytes = (uint64_t)st.st_size;
	return fd;
}

static int find(const struct copying *c, const char *path, uint64_t *size_bytes)
{
	for (;;) {
		const char *slash = strchr(path, '/');

		for (size_t i = 0; i < c->root_count; i++) {
			int fd = open_regular(c->roots[i], path, size_bytes);

			if (fd >= 0)
				return fd;
		}
		if (!slash)
			return -1;
		path = slash + 1;
	}
}

static enum nx_status open_target(struct copying *c, struct nx_error *err)
{
	int folder;

	if (c->target >= 0)
		return NX_OK;
	folder = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return nx_fail_errno(err, errno, "cannot open %s", c->folder);
	if (!mkdirat(folder, NX_SOURCE_FOLDER, 0777) || errno == EEXIST)
		c->target = openat(folder, NX_SOURCE_FOLDER,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(folder);
	if (c->target < 0)
		return nx_fail_errno(err, errno, "cannot make %s/" NX_SOURCE_FOLDER, c->folder);
	return NX_OK;
}

static enum nx_status copy_bytes(int from, int to, const char *path, struct nx_error *err)
{
	uint64_t left = NX_SOURCE_FILE_BYTES_MAX; /* it may grow while it is read */
	ssize_t n;

	do {
		n = sendfile(to, from, NULL, left < COPY_BYTES ? left : COPY_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return nx_fail_errno(err, errno, "cannot keep the source file %s", path);
		left -= (uint64_t)n;
	} while (n && left);
	return NX_OK;
}

static enum nx_status copy_one(struct copying *c, int from, const char *path, struct nx_error *err)
{
	enum nx_status st = open_target(c, err);
	int to;

	if (st)
		return st;
	to = nx_relative_path_open(c->target, path, O_WRONLY | O_CREAT | O_TRUNC, true);
	if (to < 0)
		return nx_fail_errno(err, errno, "cannot keep the source file %s", path);
	st = copy_bytes(from, to, path, err);
	close(to);
	return st;
}

/* Captures name built-in code such as "<string>" too, and whatever a hostile one thinks of. */
static enum nx_status take(struct copying *c, const char *name, struct nx_error *err)
{
	uint64_t size_bytes = 0;
	enum nx_status st = NX_OK;
	int from = -1;

	while (*name == '/')
		name++;
	if (!nx_relative_path_check(nx_slice_text(name), NULL) &&
	    c->copied->found_count < NX_SOURCE_FILES_MAX)
		from = find(c, name, &size_bytes);
	if (from >= 0 && size_bytes > NX_SOURCE_BYTES_MAX - c->copied->size_bytes) {
		close(from);
		from = -1;
	}
	if (from < 0) {
		c->copied->missing_count++;
		return NX_OK;
	}
	st = copy_one(c, from, name, err);
	close(from);
	c->copied->found_count++;
	c->copied->size_bytes += size_bytes;
	return st;
}

static enum nx_status open_roots(struct copying *c, const char *const *roots, size_t count,
				 struct nx_error *err)
{
	for (size_t i = 0; i < count && i < ROOTS_MAX; i++) {
		c->roots[i] = open(roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (c->roots[i] < 0)
			return nx_fail_errno(err, errno, "cannot open the source code in %s",
					     roots[i]);
		c->root_count++;
	}
	return NX_OK;
}

enum nx_status nx_source_copy(const char *folder, const char *const *roots, size_t root_count,
			      const char *const *names, size_t name_count,
			      struct nx_source_copied *copied, struct nx_error *err)
{
	struct copying c = {.target = -1, .folder = folder, .copied = copied};
	enum nx_status st = open_roots(&c, roots, root_count, err);

	*copied = (struct nx_source_copied){0};
	for (size_t i = 0; !st && i < name_count; i++)
		st = take(&c, names[i], err);
	for (size_t i = 0; i < c.root_count; i++)
		close(c.roots[i]);
	if (c.target >= 0)
		close(c.target);
	return st;
}
