/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to finished profiles: a new name, the end, marks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/durable.h"
#include "store/uploads_internal.h"
#include "store/workspace_internal.h"

static enum nx_status fail_missing(const struct nx_workspace *ws, const char *name,
				   struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND, "there is no profile '%s' in %s", name, ws->path);
}

static enum nx_status rename_locked(struct nx_workspace *ws, const char *name, const char *new_name,
				    struct nx_error *err)
{
	char from[NX_PROFILE_FOLDER_MAX], to[NX_PROFILE_FOLDER_MAX];

	if (!nx_profile_exists(ws, name))
		return fail_missing(ws, name, err);
	if (!strcmp(name, new_name))
		return NX_OK;
	nx_profile_folder_name(name, from);
	nx_profile_folder_name(new_name, to);
	if (nx_rename_new(ws->profiles, from, ws->profiles, to) == 0)
		return nx_durable_sync_folder(ws->profiles, ws->path, err);
	if (errno == EEXIST || errno == ENOTEMPTY)
		return nx_fail(err, NX_USAGE,
			       "there is a profile '%s' already; choose another name or delete it "
			       "first",
			       new_name);
	return nx_fail_errno(err, errno, "cannot rename profile '%s'", name);
}

enum nx_status nx_workspace_rename(struct nx_workspace *ws, const char *name, const char *new_name,
				   struct nx_error *err)
{
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock;

	if (!st)
		st = nx_profile_name_check(nx_slice_text(new_name), err);
	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	st = rename_locked(ws, name, new_name, err);
	nx_workspace_unlock(lock);
	return st;
}

/* --- removal --------------------------------------------------------------- */

struct removal {
	struct nx_workspace *ws;
	const char *name;
	struct nx_arena arena;
	struct nx_version_ids ids; /* in the trash, to be emptied */
};

/* A missing one is not an error: an unfinished profile may have the name. */
static enum nx_status discard_finished(struct removal *removal, struct nx_error *err)
{
	struct nx_workspace *ws = removal->ws;
	char folder[NX_PROFILE_FOLDER_MAX], id[NX_VERSION_ID_MAX];

	nx_profile_folder_name(removal->name, folder);
	nx_version_id_make(id);
	if (renameat(ws->profiles, folder, ws->trash, id) < 0)
		return errno == ENOENT ? NX_OK
				       : nx_fail_errno(err, errno, "cannot delete profile '%s'",
						       removal->name);
	nx_vec_push(&removal->ids, nx_arena_copy_text(&removal->arena, id));
	return nx_durable_sync_folder(ws->profiles, ws->path, err);
}

static enum nx_status remove_locked(struct removal *removal, struct nx_error *err)
{
	struct nx_version_ids staged = {0};
	bool is_alive = false;
	enum nx_status st = nx_staging_find(removal->ws, removal->name, &removal->arena, &staged,
					    &is_alive, err);

	if (!st)
		st = discard_finished(removal, err);
	if (!st)
		st = nx_uploads_discard(removal->ws, removal->name, &removal->arena, &removal->ids,
					&is_alive, err);
	for (size_t i = 0; !st && i < staged.len; i++) {
		st = nx_staging_discard(removal->ws, staged.items[i], err);
		if (!st)
			nx_vec_push(&removal->ids, staged.items[i]);
	}
	nx_vec_release(&staged);
	if (st || removal->ids.len)
		return st;
	if (is_alive)
		return nx_fail(err, NX_USAGE,
			       "profile '%s' is being processed; end that process first",
			       removal->name);
	return fail_missing(removal->ws, removal->name, err);
}

enum nx_status nx_workspace_remove(struct nx_workspace *ws, const char *name, struct nx_error *err)
{
	struct removal removal = {.ws = ws, .name = name};
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock;

	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	st = remove_locked(&removal, err);
	nx_workspace_unlock(lock);
	for (size_t i = 0; i < removal.ids.len; i++)
		nx_workspace_empty_trash(ws, removal.ids.items[i]);
	nx_vec_release(&removal.ids);
	nx_arena_release(&removal.arena);
	return st;
}

/* --- marks ----------------------------------------------------------------- */

#define NOTED_MS 10000

struct change {
	const struct nx_profile_marks *marks; /* NULL: it was opened */
};

static void apply(struct nx_profile_record *r, const struct change *change)
{
	if (!change->marks) {
		r->opened_ms = nx_now_ms();
		return;
	}
	if (change->marks->is_favourite)
		r->is_favourite = *change->marks->is_favourite;
	if (change->marks->label)
		r->label = change->marks->label;
}

/* Whether it was opened a moment ago: a viewer opens it again and again. */
static bool is_noted(const struct nx_profile_record *r, const struct change *change)
{
	uint64_t now_ms = nx_now_ms();

	return !change->marks && r->opened_ms <= now_ms && now_ms - r->opened_ms < NOTED_MS;
}

static enum nx_status rewrite_locked(struct nx_workspace *ws, const char *name,
				     const struct change *change, struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	struct nx_profile_record r;
	struct nx_arena arena = {0};
	enum nx_status st;
	int fd = -1;

	nx_profile_folder_name(name, folder);
	if (!nx_profile_exists(ws, name))
		return fail_missing(ws, name, err);
	st = nx_profile_folder_read(ws->profiles, folder, &arena, &r, err);
	/* Members that only a newer program knows would be lost. */
	if (!st && r.store_version > NX_STORE_VERSION)
		st = nx_fail(err, NX_VERSION,
			     "profile '%s' was stored by a newer program; update neuron-explorer",
			     name);
	if (!st) {
		fd = openat(ws->profiles, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			st = nx_fail_errno(err, errno, "cannot open profile '%s'", name);
	}
	if (!st && !is_noted(&r, change)) {
		apply(&r, change);
		st = nx_profile_folder_write(fd, folder, &r, err);
	}
	if (fd >= 0)
		close(fd);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status rewrite(struct nx_workspace *ws, const char *name,
			      const struct change *change, struct nx_error *err)
{
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock;

	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	st = rewrite_locked(ws, name, change, err);
	nx_workspace_unlock(lock);
	return st;
}

enum nx_status nx_workspace_touch(struct nx_workspace *ws, const char *name, struct nx_error *err)
{
	enum nx_status st;

	if (ws->is_read_only)
		return NX_OK;
	st = rewrite(ws, name, &(struct change){0}, err);
	/* When it was opened is a convenience: no reason not to open it. */
	return st == NX_PERMISSION || st == NX_NO_SPACE || st == NX_IO || st == NX_VERSION ? NX_OK
											   : st;
}

enum nx_status nx_workspace_mark(struct nx_workspace *ws, const char *name,
				 const struct nx_profile_marks *marks, struct nx_error *err)
{
	if (marks->label && strlen(marks->label) > NX_PROFILE_LABEL_MAX)
		return nx_fail(err, NX_USAGE, "a folder's name may have %d characters",
			       NX_PROFILE_LABEL_MAX);
	if (marks->label && strpbrk(marks->label, " \t\r\n"))
		return nx_fail(err, NX_USAGE, "a folder's name may not contain blanks");
	return rewrite(ws, name, &(struct change){marks}, err);
}
