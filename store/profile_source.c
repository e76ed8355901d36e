/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/durable.h"
#include "store/relative_path.h"
#include "store/workspace_internal.h"

#define ROOTS_MAX 8
#define COPY_BYTES ((size_t)1 << 20)
#define ATTACHING NX_SOURCE_FOLDER NX_DURABLE_ASIDE_SUFFIX

static enum nx_status open_profile(struct nx_workspace *ws, const char *name, int *fd,
				   struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);

	*fd = -1;
	if (st)
		return st;
	nx_profile_folder_name(name, folder);
	*fd = ws->profiles < 0 ? -1 : nx_durable_open_folder(ws->profiles, folder);
	if (*fd >= 0)
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "there is no profile '%s'", name);
}

/* --- listing ------------------------------------------------------------------------------ */

struct listing {
	int folder;
	unsigned depth;
	const char *prefix;
	struct nx_arena *arena;
	struct nx_source_files *files;
};

static enum nx_status list_entry(void *context, const char *name, struct nx_error *err);

static enum nx_status list_below(const struct listing *outer, const char *name, const char *path,
				 struct nx_error *err)
{
	struct listing below = *outer;
	enum nx_status st;

	below.folder = nx_durable_open_folder(outer->folder, name);
	below.prefix = nx_arena_printf(outer->arena, "%s/", path);
	if (below.folder < 0 || ++below.depth > NX_RELATIVE_PATH_DEPTH) {
		nx_durable_close(below.folder);
		return NX_OK;
	}
	st = nx_durable_each(below.folder, "the source code", list_entry, &below, err);
	close(below.folder);
	return st;
}

static enum nx_status list_entry(void *context, const char *name, struct nx_error *err)
{
	const struct listing *l = context;
	const char *path = nx_arena_printf(l->arena, "%s%s", l->prefix, name);
	struct stat st;

	if (l->files->len >= NX_SOURCE_FILES_MAX ||
	    fstatat(l->folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return NX_OK;
	if (S_ISDIR(st.st_mode))
		return list_below(l, name, path, err);
	if (S_ISREG(st.st_mode) && !nx_relative_path_check(nx_slice_text(path), NULL))
		nx_vec_push(l->files, ((struct nx_source_file){path, (uint64_t)st.st_size}));
	return NX_OK;
}

static int compare_paths(const void *a, const void *b)
{
	const struct nx_source_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

enum nx_status nx_profile_source_list(struct nx_workspace *ws, const char *name,
				      struct nx_arena *arena, struct nx_source_files *files,
				      struct nx_error *err)
{
	struct listing l = {.prefix = "", .arena = arena, .files = files};
	int profile;
	enum nx_status st = open_profile(ws, name, &profile, err);

	if (st)
		return st;
	l.folder = nx_durable_open_folder(profile, NX_SOURCE_FOLDER);
	if (l.folder >= 0) {
		st = nx_durable_each(l.folder, "the source code", list_entry, &l, err);
		close(l.folder);
	}
	close(profile);
	if (files->len)
		qsort(files->items, files->len, sizeof(*files->items), compare_paths);
	return st;
}

/* --- one file ------------------------------------------------------------------------------ */

static enum nx_status fail_missing(const char *path, struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND, "this profile has no source file '%.500s'", path);
}

/* Closes profile. */
static enum nx_status open_file(int profile, const char *path, int *fd, uint64_t *size_bytes,
				struct nx_error *err)
{
	int folder = nx_durable_open_folder(profile, NX_SOURCE_FOLDER);
	struct stat st;

	close(profile);
	if (folder >= 0) {
		*fd = nx_relative_path_open(folder, path, O_RDONLY, false);
		close(folder);
	}
	if (*fd >= 0 && !fstat(*fd, &st) && S_ISREG(st.st_mode)) {
		*size_bytes = (uint64_t)st.st_size;
		return NX_OK;
	}
	nx_durable_close(*fd);
	*fd = -1;
	return fail_missing(path, err);
}

enum nx_status nx_profile_source_open(struct nx_workspace *ws, const char *name, const char *path,
				      int *fd, uint64_t *size_bytes, struct nx_error *err)
{
	int profile;

	*fd = -1;
	if (nx_relative_path_check(nx_slice_text(path), NULL))
		return fail_missing(path, err);
	if (open_profile(ws, name, &profile, err))
		return NX_NOT_FOUND;
	return open_file(profile, path, fd, size_bytes, err);
}

enum nx_status nx_folder_source_open(const char *folder, const char *path, int *fd,
				     uint64_t *size_bytes, struct nx_error *err)
{
	int profile;

	*fd = -1;
	if (nx_relative_path_check(nx_slice_text(path), NULL))
		return fail_missing(path, err);
	profile = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return profile < 0 ? fail_missing(path, err)
			   : open_file(profile, path, fd, size_bytes, err);
}

/* --- attaching ------------------------------------------------------------------------------ */

struct linking {
	int from, to;
	unsigned depth;
	uint64_t *file_count;
};

static enum nx_status link_entry(void *context, const char *name, struct nx_error *err);

static enum nx_status link_below(const struct linking *outer, const char *name,
				 struct nx_error *err)
{
	struct linking below = *outer;
	enum nx_status st = NX_OK;

	if (++below.depth > NX_RELATIVE_PATH_DEPTH)
		return NX_OK;
	if (mkdirat(outer->to, name, 0777) < 0 && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot keep the source code's folder %s", name);
	below.from = nx_durable_open_folder(outer->from, name);
	below.to = nx_durable_open_folder(outer->to, name);
	if (below.from >= 0 && below.to >= 0)
		st = nx_durable_each(below.from, "the source code", link_entry, &below, err);
	nx_durable_close(below.from);
	nx_durable_close(below.to);
	return st;
}

static enum nx_status link_entry(void *context, const char *name, struct nx_error *err)
{
	const struct linking *l = context;
	struct stat st;

	if (fstatat(l->from, name, &st, AT_SYMLINK_NOFOLLOW))
		return NX_OK;
	if (S_ISDIR(st.st_mode))
		return link_below(l, name, err);
	if (!S_ISREG(st.st_mode) || ++*l->file_count > NX_SOURCE_FILES_MAX)
		return NX_OK;
	if (linkat(l->from, name, l->to, name, 0) < 0 && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot keep the source file %s", name);
	return NX_OK;
}

static enum nx_status attach_to(int profile, int from, struct nx_error *err)
{
	uint64_t file_count = 0, size_bytes;
	struct linking l = {.from = from, .file_count = &file_count};
	enum nx_status st =
		nx_durable_remove_tree(profile, ATTACHING, "the profile's source code", err);

	if (!st && mkdirat(profile, ATTACHING, 0777) < 0)
		st = nx_fail_errno(err, errno, "cannot keep the source code");
	l.to = st ? -1 : nx_durable_open_folder(profile, ATTACHING);
	if (l.to < 0)
		return st ? st : nx_fail_errno(err, errno, "cannot keep the source code");
	st = nx_durable_each(from, "the source code", link_entry, &l, err);
	if (!st)
		st = nx_durable_sync_tree(l.to, "the source code", &size_bytes, err);
	close(l.to);
	if (!st)
		st = nx_durable_remove_tree(profile, NX_SOURCE_FOLDER, "the profile", err);
	if (!st && renameat(profile, ATTACHING, profile, NX_SOURCE_FOLDER) < 0)
		st = nx_fail_errno(err, errno, "cannot keep the source code");
	return st ? st : nx_durable_sync_folder(profile, "the profile", err);
}

enum nx_status nx_profile_source_attach(struct nx_workspace *ws, const char *name,
					const char *folder, struct nx_error *err)
{
	int profile, from;
	enum nx_status st = open_profile(ws, name, &profile, err);

	if (st)
		return st;
	from = nx_durable_open_folder(AT_FDCWD, folder);
	if (from < 0)
		st = nx_fail_errno(err, errno, "cannot open %s", folder);
	else
		st = attach_to(profile, from, err);
	nx_durable_close(from);
	close(profile);
	return st;
}

/* --- copying ------------------------------------------------------------------------------ */

struct copying {
	int roots[ROOTS_MAX];
	size_t root_count;
	int target; /* -1 until something was found */
	const char *folder;
	struct nx_source_copied *copied;
};

/* Opens a regular file that is not too large; -1 if there is none. */
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

/* Tries ever shorter ends of the path. */
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
	folder = nx_durable_open_folder(AT_FDCWD, c->folder);
	if (folder < 0)
		return nx_fail_errno(err, errno, "cannot open %s", c->folder);
	if (!mkdirat(folder, NX_SOURCE_FOLDER, 0777) || errno == EEXIST)
		c->target = nx_durable_open_folder(folder, NX_SOURCE_FOLDER);
	close(folder);
	if (c->target < 0)
		return nx_fail_errno(err, errno, "cannot make %s/" NX_SOURCE_FOLDER, c->folder);
	return NX_OK;
}

static enum nx_status copy_one(struct copying *c, int from, const char *path, struct nx_error *err)
{
	uint64_t left = NX_SOURCE_FILE_BYTES_MAX; /* it may grow while it is read */
	enum nx_status st = open_target(c, err);
	ssize_t n;
	int to;

	if (st)
		return st;
	to = nx_relative_path_open(c->target, path, O_WRONLY | O_CREAT | O_TRUNC, true);
	do {
		n = to < 0 ? -1 : sendfile(to, from, NULL, left < COPY_BYTES ? left : COPY_BYTES);
		if (n > 0)
			left -= (uint64_t)n;
	} while ((n > 0 && left) || (n < 0 && to >= 0 && errno == EINTR));
	if (n < 0)
		st = nx_fail_errno(err, errno, "cannot keep the source file %s", path);
	nx_durable_close(to);
	return st;
}

/* A capture also names built-in code such as "<string>", and a hostile one anything at all. */
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
	nx_durable_close(c.target);
	return st;
}
