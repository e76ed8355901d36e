/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"

/* Far more captures in a second than anybody can start. */
#define MAX_SAME_NAME 10000

static const char *name_of_now(struct nx_arena *arena)
{
	char text[32];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	(void)strftime(text, sizeof(text), "%Y_%m_%d_%H_%M_%S", &local);
	return nx_arena_copy_text(arena, text);
}

static enum nx_status find_root(const char *logdir, struct nx_arena *arena, const char **root,
				struct nx_error *err)
{
	const char *path = nx_arena_printf(arena, "%s/plugins/profile", logdir);
	enum nx_status st = nx_make_directories(path, err);
	char *real;

	if (st)
		return st;
	real = realpath(path, NULL);
	if (!real)
		return nx_fail_errno(err, errno, "cannot open the folder %s", path);
	*root = nx_arena_copy_text(arena, real);
	nx_heap_free(real);
	return NX_OK;
}

enum nx_status nx_service_folder_make(const char *logdir, const char *name, struct nx_arena *arena,
				      struct nx_service_folder *folder, struct nx_error *err)
{
	enum nx_status st;

	if (name && (!nx_path_is_inside(nx_slice_text(name)) || strchr(name, '/')))
		return nx_fail(err, NX_USAGE, "'%.100s' cannot be the name of a session's folder",
			       name);
	st = find_root(logdir, arena, &folder->root, err);
	if (st)
		return st;
	name = name ? name : name_of_now(arena);
	for (unsigned i = 1; i <= MAX_SAME_NAME; i++) {
		folder->name = i == 1 ? name : nx_arena_printf(arena, "%s_%u", name, i);
		folder->path = nx_arena_printf(arena, "%s/%s", folder->root, folder->name);
		if (mkdir(folder->path, 0777) == 0)
			return NX_OK;
		if (errno != EEXIST)
			return nx_fail_errno(err, errno, "cannot make the folder %s", folder->path);
	}
	return nx_fail(err, NX_LIMIT, "%s/%s exists %d times; choose another --session-id",
		       folder->root, name, MAX_SAME_NAME);
}

void nx_service_folder_remove(const struct nx_service_folder *folder)
{
	struct nx_slice plugins = nx_path_folder(folder->root);
	char path[PATH_MAX];

	(void)rmdir(folder->path);
	if (rmdir(folder->root) == 0 && snprintf(path, sizeof(path), "%.*s", (int)plugins.len,
						 (const char *)plugins.data) < (int)sizeof(path))
		(void)rmdir(path);
}

const char *nx_service_stem(const char *address, struct nx_arena *arena)
{
	char *stem = nx_arena_copy_text(arena, address), *to = stem;

	for (const char *from = address; *from; from++)
		if (*from != '[' && *from != ']')
			*to++ = *from == ':' || *from == '%' ? '_' : *from;
	*to = '\0';
	return stem;
}
