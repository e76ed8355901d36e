/* SPDX-License-Identifier: Apache-2.0 */
#include "store/durable.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/file.h"

#define DEPTH_MAX 64u /* each level holds a descriptor */

static enum nx_status fail_change(struct nx_error *err, int errno_value, const char *what,
				  const char *shown, const char *name)
{
	char sentence[400];

	if (errno_value == ENOSPC || errno_value == EDQUOT) {
		snprintf(sentence, sizeof(sentence), "cannot %s %s/%s", what, shown, name);
		return nx_disk_fail_full(err, shown, sentence,
					 "choose another place with --data-path");
	}
	return nx_fail_errno(err, errno_value, "cannot %s %s/%s", what, shown, name);
}

/* Closes in any case; network file systems report a full disk only there. */
static int write_synced(int fd, struct nx_slice bytes)
{
	int failure = 0;

	if (!nx_write_all(fd, bytes) || fsync(fd) < 0)
		failure = errno;
	if (close(fd) < 0 && !failure)
		failure = errno;
	return failure;
}

enum nx_status nx_durable_write(int folder, const char *name, struct nx_slice bytes,
				const char *shown, struct nx_error *err)
{
	char aside[256];
	int fd, failure;

	assert(folder >= 0 && *name && !strchr(name, '/'));
	if (snprintf(aside, sizeof(aside), "%s" NX_DURABLE_ASIDE_SUFFIX, name) >=
	    (int)sizeof(aside))
		return nx_fail(err, NX_LIMIT, "cannot write %s/%.100s...: the name is too long",
			       shown, name);
	fd = openat(folder, aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return fail_change(err, errno, "write", shown, name);
	failure = write_synced(fd, bytes);
	if (!failure && renameat(folder, aside, folder, name) < 0)
		failure = errno;
	if (failure) {
		unlinkat(folder, aside, 0);
		return fail_change(err, failure, "write", shown, name);
	}
	return nx_durable_sync_folder(folder, shown, err);
}

static enum nx_status read_descriptor(int fd, size_t max_bytes, struct nx_bytes *bytes,
				      const char *shown, const char *name, struct nx_error *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return nx_fail_errno(err, errno, "cannot inspect %s/%s", shown, name);
	if (!S_ISREG(st.st_mode))
		return nx_fail(err, NX_FORMAT, "%s/%s is not a file", shown, name);
	if ((uint64_t)st.st_size > max_bytes)
		return nx_fail(err, NX_LIMIT, "%s/%s is larger than %zu bytes", shown, name,
			       max_bytes);
	nx_vec_reserve(bytes, bytes->len + (size_t)st.st_size);
	for (size_t left = (size_t)st.st_size; left; left -= (size_t)n) {
		n = read(fd, bytes->items + bytes->len, left);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return nx_fail_errno(err, errno, "cannot read %s/%s", shown, name);
		else if (n == 0)
			break;
		bytes->len += (size_t)n;
	}
	return NX_OK;
}

enum nx_status nx_durable_read(int folder, const char *name, size_t max_bytes,
			       struct nx_bytes *bytes, const char *shown, struct nx_error *err)
{
	/* Non-blocking, or a pipe of that name would wait for a writer. */
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	enum nx_status st;

	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot open %s/%s", shown, name);
	st = read_descriptor(fd, max_bytes, bytes, shown, name, err);
	close(fd);
	return st;
}

enum nx_status nx_durable_sync_folder(int folder, const char *shown, struct nx_error *err)
{
	/* Some file systems cannot sync a folder because they never delay its changes. */
	if (fsync(folder) < 0 && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return nx_fail_errno(err, errno, "cannot make sure that %s is on the disk", shown);
	return NX_OK;
}

int nx_durable_open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

enum nx_status nx_durable_fail_open(int errno_value, int parent, const char *name,
				    const char *shown, struct nx_error *err)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		return nx_fail(err, NX_PERMISSION,
			       "%s/%s is a link, and links inside a workspace are not followed; "
			       "put the folder itself there",
			       shown, name);
	return nx_fail_errno(err, errno_value, "cannot open %s/%s", shown, name);
}

void nx_durable_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

void nx_durable_unlock(int fd)
{
	if (fd < 0)
		return;
	flock(fd, LOCK_UN);
	close(fd);
}

enum nx_status nx_durable_each(int folder, const char *shown, nx_durable_entry_fn fn, void *context,
			       struct nx_error *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	enum nx_status st = NX_OK;

	if (!entries) {
		st = nx_fail_errno(err, errno, "cannot list %s", shown);
		nx_durable_close(fd);
		return st;
	}
	while (!st && (errno = 0, entry = readdir(entries)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			st = fn(context, entry->d_name, err);
	if (!st && errno)
		st = nx_fail_errno(err, errno, "cannot list %s", shown);
	closedir(entries);
	return st;
}

/* --- trees ----------------------------------------------------------------- */

enum task { MEASURE, SYNC, REMOVE };

struct walk {
	enum task task;
	int folder;
	unsigned depth;
	const char *shown;
	uint64_t size_bytes;
};

static enum nx_status walk_entry(void *context, const char *name, struct nx_error *err);

static enum nx_status walk_folder(struct walk *walk, struct nx_error *err)
{
	enum nx_status st;

	if (walk->depth > DEPTH_MAX)
		return nx_fail(err, NX_LIMIT, "%s has more than %u folders inside each other",
			       walk->shown, DEPTH_MAX);
	st = nx_durable_each(walk->folder, walk->shown, walk_entry, walk, err);
	if (!st && walk->task == SYNC)
		st = nx_durable_sync_folder(walk->folder, walk->shown, err);
	return st;
}

static enum nx_status walk_below(struct walk *walk, const char *name, struct nx_error *err)
{
	struct walk below = *walk;
	enum nx_status st = NX_OK;

	below.folder = nx_durable_open_folder(walk->folder, name);
	below.depth++;
	if (below.folder >= 0)
		st = walk_folder(&below, err);
	else if (walk->task != REMOVE || errno != ENOENT)
		st = nx_fail_errno(err, errno, "cannot open %s/%s", walk->shown, name);
	nx_durable_close(below.folder);
	walk->size_bytes = below.size_bytes;
	if (!st && walk->task == REMOVE && unlinkat(walk->folder, name, AT_REMOVEDIR) < 0 &&
	    errno != ENOENT)
		st = nx_fail_errno(err, errno, "cannot remove %s/%s", walk->shown, name);
	return st;
}

static enum nx_status sync_file(const struct walk *walk, const char *name, struct nx_error *err)
{
	int fd = openat(walk->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int failure = 0;

	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot open %s/%s", walk->shown, name);
	if (fsync(fd) < 0)
		failure = errno;
	close(fd);
	return failure ? fail_change(err, failure, "write", walk->shown, name) : NX_OK;
}

static enum nx_status remove_entry(struct walk *walk, const char *name, struct nx_error *err)
{
	if (unlinkat(walk->folder, name, 0) == 0 || errno == ENOENT)
		return NX_OK;
	/* For a folder Linux reports EISDIR, POSIX asks for EPERM. */
	if (errno != EISDIR && errno != EPERM)
		return nx_fail_errno(err, errno, "cannot remove %s/%s", walk->shown, name);
	return walk_below(walk, name, err);
}

static enum nx_status walk_entry(void *context, const char *name, struct nx_error *err)
{
	struct walk *walk = context;
	struct stat st;

	if (walk->task == REMOVE)
		return remove_entry(walk, name, err);
	if (fstatat(walk->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? NX_OK
				       : nx_fail_errno(err, errno, "cannot inspect %s/%s",
						       walk->shown, name);
	if (S_ISDIR(st.st_mode))
		return walk_below(walk, name, err);
	if (!S_ISREG(st.st_mode))
		return NX_OK;
	walk->size_bytes += (uint64_t)st.st_size;
	return walk->task == SYNC ? sync_file(walk, name, err) : NX_OK;
}

enum nx_status nx_durable_sync_tree(int folder, const char *shown, uint64_t *size_bytes,
				    struct nx_error *err)
{
	struct walk walk = {.task = SYNC, .folder = folder, .shown = shown};
	enum nx_status st = walk_folder(&walk, err);

	*size_bytes = walk.size_bytes;
	return st;
}

uint64_t nx_durable_tree_bytes(int parent, const char *name)
{
	struct walk walk = {.folder = nx_durable_open_folder(parent, name), .shown = name};

	if (walk.folder < 0)
		return 0;
	(void)!walk_folder(&walk, NULL);
	close(walk.folder);
	return walk.size_bytes;
}

enum nx_status nx_durable_remove_tree(int parent, const char *name, const char *shown,
				      struct nx_error *err)
{
	struct walk walk = {.task = REMOVE, .folder = parent, .shown = shown};

	return remove_entry(&walk, name, err);
}
