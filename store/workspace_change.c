/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of finished profiles: rename, delete, mark. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/durable.h"
#include "store/workspace_internal.h"

static enum nx_status fail_missing(const struct nx_workspace *ws, const char *name,
				   struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND, "there is no profile '%s' in %s", name, ws->path);
}

enum nx_status nx_workspace_rename(struct nx_workspace *ws, const char *name, const char *new_name,
				   struct nx_error *err)
{
	char from[NX_PROFILE_FOLDER_MAX], to[NX_PROFILE_FOLDER_MAX];
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock = -1;

	if (!st)
		st = nx_profile_name_check_new(nx_slice_text(new_name), err);
	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	nx_profile_folder_name(name, from);
	nx_profile_folder_name(new_name, to);
	if (!nx_profile_exists(ws, name))
		st = fail_missing(ws, name, err);
	else if (!strcmp(name, new_name))
		st = NX_OK;
	else if (nx_rename_new(ws->profiles, from, ws->profiles, to) == 0)
		st = nx_durable_sync_folder(ws->profiles, ws->path, err);
	else if (errno == EEXIST || errno == ENOTEMPTY)
		st = nx_fail(err, NX_USAGE,
			     "there is a profile '%s' already; choose another name or delete it "
			     "first",
			     new_name);
	else
		st = nx_fail_errno(err, errno, "cannot rename profile '%s'", name);
	nx_workspace_unlock(lock);
	return st;
}

/* --- removal --------------------------------------------------------------- */

/* A missing one is not an error: an unfinished profile may have the name. */
static enum nx_status discard_finished(struct nx_workspace *ws, const char *name,
				       struct nx_arena *arena, struct nx_version_ids *ids,
				       struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX], id[NX_VERSION_ID_MAX];

	nx_profile_folder_name(name, folder);
	nx_version_id_make(id);
	if (renameat(ws->profiles, folder, ws->trash, id) < 0)
		return errno == ENOENT
			       ? NX_OK
			       : nx_fail_errno(err, errno, "cannot delete profile '%s'", name);
	nx_vec_push(ids, nx_arena_copy_text(arena, id));
	return nx_durable_sync_folder(ws->profiles, ws->path, err);
}

/* With the lock held; ids receives what was moved to the trash. */
static enum nx_status discard_all(struct nx_workspace *ws, const char *name, struct nx_arena *arena,
				  struct nx_version_ids *ids, struct nx_error *err)
{
	struct nx_version_ids staged = {0};
	bool is_alive = false;
	enum nx_status st = nx_staging_find(ws, name, arena, &staged, &is_alive, err);

	if (!st)
		st = discard_finished(ws, name, arena, ids, err);
	if (!st)
		st = nx_uploads_discard(ws, name, arena, ids, &is_alive, err);
	for (size_t i = 0; !st && i < staged.len; i++) {
		st = nx_staging_discard(ws, staged.items[i], err);
		if (!st)
			nx_vec_push(ids, staged.items[i]);
	}
	nx_vec_release(&staged);
	if (st || ids->len)
		return st;
	if (is_alive)
		return nx_fail(err, NX_USAGE,
			       "profile '%s' is being processed; end that process first", name);
	return fail_missing(ws, name, err);
}

enum nx_status nx_workspace_remove(struct nx_workspace *ws, const char *name, struct nx_error *err)
{
	struct nx_version_ids ids = {0};
	struct nx_arena arena = {0};
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock;

	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	st = discard_all(ws, name, &arena, &ids, err);
	nx_workspace_unlock(lock);
	for (size_t i = 0; i < ids.len; i++)
		nx_workspace_empty_trash(ws, ids.items[i]);
	nx_vec_release(&ids);
	nx_arena_release(&arena);
	return st;
}

/* --- marks ----------------------------------------------------------------- */

#define NOTED_MS 10000 /* how exactly the time of opening is kept */

/* Rewrites profile.json with new marks, or, if they are NULL, with the time of opening. */
static enum nx_status rewrite(struct nx_workspace *ws, const char *name,
			      const struct nx_profile_marks *marks, struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	struct nx_profile_record r = {0};
	struct nx_arena arena = {0};
	uint64_t now_ms = nx_now_ms();
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock = -1, fd = -1;

	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	nx_profile_folder_name(name, folder);
	if (!nx_profile_exists(ws, name))
		st = fail_missing(ws, name, err);
	else
		st = nx_profile_folder_read(ws->profiles, folder, &arena, &r, err);
	/* Members that only a newer program knows would be lost. */
	if (!st && r.store_version > NX_STORE_VERSION)
		st = nx_fail(err, NX_VERSION,
			     "profile '%s' was stored by a newer program; update neuron-explorer",
			     name);
	/* A viewer opens a profile again and again: once in a while is enough. */
	if (st || (!marks && r.opened_ms <= now_ms && now_ms - r.opened_ms < NOTED_MS))
		goto out;
	if (!marks)
		r.opened_ms = now_ms;
	else if (marks->is_favourite)
		r.is_favourite = *marks->is_favourite;
	if (marks && marks->label)
		r.label = marks->label;
	fd = nx_durable_open_folder(ws->profiles, folder);
	if (fd < 0)
		st = nx_fail_errno(err, errno, "cannot open profile '%s'", name);
	else
		st = nx_profile_folder_write(fd, folder, &r, err);
out:
	nx_durable_close(fd);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
	nx_workspace_unlock(lock);
	return st;
}

enum nx_status nx_workspace_touch(struct nx_workspace *ws, const char *name, struct nx_error *err)
{
	enum nx_status st;

	if (ws->is_read_only)
		return NX_OK;
	st = rewrite(ws, name, NULL, err);
	/* The time of opening is a convenience: without it the profile can still be opened. */
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
	return rewrite(ws, name, marks, err);
}
