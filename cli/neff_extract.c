/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks an archive that somebody else made. Folders are opened one by one, relative to each other
 * and without following links, so neither a name in the archive nor a link in the target can lead
 * outside.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "cli/neff_view.h"

#define TEMPORARY_NAME ".neuron-explorer-extract"

static enum nx_status check_names(const struct nx_neff *neff, const char *folder,
				  struct nx_error *err)
{
	for (size_t i = 0; i < neff->member_count; i++) {
		struct nx_slice name = neff->members[i].name;

		if (!nx_path_is_inside(name))
			return nx_fail(
				err, NX_FORMAT,
				"member '%.*s' has a name that could lead out of %s; nothing "
				"was written",
				(int)(name.len < 200 ? name.len : 200), (const char *)name.data,
				folder);
	}
	return NX_OK;
}

/* The folder of a member; -1 and errno if it does not exist and is not made. */
static int open_parent(int root, char *path, bool make)
{
	int at = dup(root);

	for (char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		int next, saved_errno;

		*slash = '\0';
		if (make)
			(void)mkdirat(at, path, 0777);
		next = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		saved_errno = errno;
		*slash = '/';
		close(at);
		errno = saved_errno;
		at = next;
	}
	return at;
}

static enum nx_status check_absent(const struct nx_neff *neff, int root, const char *folder,
				   struct nx_arena *scratch, struct nx_error *err)
{
	for (size_t i = 0; i < neff->member_count; i++) {
		char *path = nx_arena_copy(scratch, neff->members[i].name);
		int parent = open_parent(root, path, false);
		struct stat st;
		bool exists = parent >= 0 &&
			      fstatat(parent, nx_path_name(path), &st, AT_SYMLINK_NOFOLLOW) == 0;

		if (parent >= 0)
			close(parent);
		if (exists)
			return nx_fail(
				err, NX_USAGE,
				"%s/%.200s exists already; choose another folder, or --force "
				"to replace it",
				folder, path);
	}
	return NX_OK;
}

static int write_beside(int parent, const char *name, struct nx_slice bytes)
{
	int fd, failed, saved_errno;

	assert(!strchr(name, '/'));
	(void)unlinkat(parent, TEMPORARY_NAME, 0);
	fd = openat(parent, TEMPORARY_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0666);
	if (fd < 0)
		return -1;
	failed = nx_write_all(fd, bytes) ? 0 : -1;
	saved_errno = errno;
	if (close(fd) < 0 && !failed) {
		failed = -1;
		saved_errno = errno;
	}
	if (!failed && renameat(parent, TEMPORARY_NAME, parent, name) < 0) {
		failed = -1;
		saved_errno = errno;
	}
	if (failed)
		(void)unlinkat(parent, TEMPORARY_NAME, 0);
	errno = saved_errno;
	return failed;
}

static enum nx_status write_members(const struct nx_neff *neff, int root, const char *folder,
				    struct nx_arena *scratch, struct nx_error *err)
{
	for (size_t i = 0; i < neff->member_count; i++) {
		char *path = nx_arena_copy(scratch, neff->members[i].name);
		int parent = open_parent(root, path, true), failed, saved_errno;

		if (parent < 0)
			return nx_fail_errno(err, errno, "cannot make the folder of %s/%.200s",
					     folder, path);
		failed = write_beside(parent, nx_path_name(path), neff->members[i].bytes);
		saved_errno = errno;
		close(parent);
		if (failed)
			return nx_fail_errno(err, saved_errno, "cannot write %s/%.200s", folder,
					     path);
	}
	return NX_OK;
}

enum nx_status nx_neff_extract(const struct nx_neff *neff, const char *folder, bool force,
			       struct nx_error *err)
{
	struct nx_arena scratch = {0};
	enum nx_status st = check_names(neff, folder, err);
	int root;

	if (!st)
		st = nx_make_directories(folder, err);
	if (st)
		return st;
	root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return nx_fail_errno(err, errno, "cannot open the folder %s", folder);
	if (!force)
		st = check_absent(neff, root, folder, &scratch, err);
	if (!st)
		st = write_members(neff, root, folder, &scratch, err);
	close(root);
	nx_arena_release(&scratch);
	return st;
}
