/* SPDX-License-Identifier: Apache-2.0 */
/* Cleans up after killed processes: finishes what it can, removes the rest. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/durable.h"
#include "store/workspace_internal.h"

/* --- recovery -------------------------------------------------------------- */

struct recovery {
	struct nx_workspace *ws;
	struct nx_arena arena;
};

/*
 * On a file system that cannot swap names, a process may be killed after it moved the old version
 * to the trash and before it put the new one in place. The new one is complete (its state is ready
 * only after every file was synced), so finish the step.
 */
static enum nx_status finish_replacement(struct nx_workspace *ws, const char *id, const char *name,
					 struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX];

	nx_profile_folder_name(name, folder);
	if (nx_rename_new(ws->staging, id, ws->profiles, folder) < 0 && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot put profile '%s' in place", name);
	return nx_durable_sync_folder(ws->profiles, ws->path, err);
}

static enum nx_status recover_entry(void *context, const char *id, struct nx_error *err)
{
	struct recovery *recovery = context;
	struct nx_workspace *ws = recovery->ws;
	struct nx_profile_record r;
	enum nx_status st = NX_OK;
	struct stat in_trash;

	if (nx_slice_ends(nx_slice_text(id), ".lock"))
		return NX_OK;
	if (nx_profile_folder_read(ws->staging, id, &recovery->arena, &r, NULL) ||
	    r.state != NX_PROFILE_READY || nx_staging_is_alive(ws, id)) {
		nx_profile_record_release(&r);
		return NX_OK;
	}
	/* After a swap the folder holds the old version, which has another id. */
	if (strcmp(r.id, id) != 0)
		st = nx_staging_discard(ws, id, err);
	else if (fstatat(ws->trash, id, &in_trash, AT_SYMLINK_NOFOLLOW) == 0 &&
		 !nx_profile_name_check(nx_slice_text(r.begun_as), NULL) &&
		 !nx_profile_exists(ws, r.begun_as))
		st = finish_replacement(ws, id, r.begun_as, err);
	nx_profile_record_release(&r);
	return st;
}

enum nx_status nx_workspace_recover(struct nx_workspace *ws, struct nx_error *err)
{
	struct recovery recovery = {.ws = ws};
	enum nx_status st;

	if (ws->profiles < 0 || ws->staging < 0 || ws->trash < 0)
		return NX_OK;
	st = nx_durable_each(ws->staging, ws->path, recover_entry, &recovery, err);

	nx_arena_release(&recovery.arena);
	return st;
}

/* --- collection ------------------------------------------------------------ */

struct collection {
	struct nx_workspace *ws;
	bool is_dry_run;
	struct nx_arena *arena;
	struct nx_leftovers *leftovers;
	struct nx_version_ids ids; /* what the trash held while we had the lock */
};

static void note(struct collection *c, const char *name, const char *what, uint64_t size_bytes)
{
	nx_vec_push(c->leftovers,
		    ((struct nx_leftover){nx_arena_copy_text(c->arena, name), what, size_bytes}));
}

/* A lock file without its folder: its process was killed between making the two, or ended. */
static enum nx_status collect_lock(struct collection *c, const char *name)
{
	char id[NX_VERSION_ID_MAX];
	size_t len = strlen(name) - strlen(".lock");
	struct stat st;

	/* A listing may still name a file that was removed meanwhile. */
	if (fstatat(c->ws->staging, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return NX_OK;
	if (len < sizeof(id)) {
		memcpy(id, name, len);
		id[len] = '\0';
		if (fstatat(c->ws->staging, id, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
		    nx_staging_is_alive(c->ws, id))
			return NX_OK;
	}
	note(c, name, "temporary file", 0);
	if (!c->is_dry_run)
		unlinkat(c->ws->staging, name, 0);
	return NX_OK;
}

static enum nx_status collect_staged(void *context, const char *id, struct nx_error *err)
{
	struct collection *c = context;
	struct nx_profile_record r;
	bool has_record;

	if (nx_slice_ends(nx_slice_text(id), ".lock"))
		return collect_lock(c, id);
	if (nx_staging_is_alive(c->ws, id))
		return NX_OK;
	has_record = !nx_profile_folder_read(c->ws->staging, id, c->arena, &r, NULL);
	if (has_record && strcmp(r.id, id) != 0)
		note(c, r.begun_as, "replaced or deleted",
		     nx_durable_tree_bytes(c->ws->staging, id));
	else
		note(c, has_record && *r.begun_as ? r.begun_as : id,
		     has_record && r.state == NX_PROFILE_FAILED ? "failed" : "unfinished",
		     nx_durable_tree_bytes(c->ws->staging, id));
	nx_profile_record_release(&r);
	if (c->is_dry_run)
		return NX_OK;
	nx_vec_push(&c->ids, nx_arena_copy_text(c->arena, id));
	return nx_staging_discard(c->ws, id, err);
}

static enum nx_status collect_trash(void *context, const char *id, struct nx_error *err)
{
	struct collection *c = context;
	struct nx_profile_record r;
	bool has_record = !nx_profile_folder_read(c->ws->trash, id, c->arena, &r, NULL);

	(void)err;
	note(c, has_record && *r.begun_as ? r.begun_as : id, "replaced or deleted",
	     nx_durable_tree_bytes(c->ws->trash, id));
	nx_vec_push(&c->ids, nx_arena_copy_text(c->arena, id));
	nx_profile_record_release(&r);
	return NX_OK;
}

/* The record of a profile, half written when its process was killed. */
static enum nx_status collect_aside(void *context, const char *folder, struct nx_error *err)
{
	static const char aside[] = NX_PROFILE_RECORD_FILE NX_DURABLE_ASIDE_SUFFIX;
	struct collection *c = context;
	struct stat st;
	int fd = nx_durable_open_folder(c->ws->profiles, folder);

	(void)err;
	if (fd < 0)
		return NX_OK;
	if (fstatat(fd, aside, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		note(c, nx_arena_printf(c->arena, "%s/%s", folder, aside), "temporary file",
		     (uint64_t)st.st_size);
		if (!c->is_dry_run)
			unlinkat(fd, aside, 0);
	}
	close(fd);
	return NX_OK;
}

static enum nx_status collect_locked(struct collection *c, struct nx_error *err)
{
	struct nx_workspace *ws = c->ws;
	enum nx_status st = NX_OK;

	if (ws->trash >= 0)
		st = nx_durable_each(ws->trash, ws->path, collect_trash, c, err);
	if (!st && ws->staging >= 0)
		st = nx_durable_each(ws->staging, ws->path, collect_staged, c, err);
	if (!st && ws->profiles >= 0)
		st = nx_durable_each(ws->profiles, ws->path, collect_aside, c, err);
	if (!st)
		st = nx_uploads_collect(ws, c->is_dry_run, c->arena, c->leftovers, &c->ids, err);
	return st;
}

enum nx_status nx_workspace_collect(struct nx_workspace *ws, bool is_dry_run,
				    struct nx_arena *arena, struct nx_leftovers *leftovers,
				    struct nx_error *err)
{
	struct collection c = {
		.ws = ws, .is_dry_run = is_dry_run, .arena = arena, .leftovers = leftovers};
	int lock = is_dry_run ? nx_workspace_lock_shared(ws) : -1;
	enum nx_status st = NX_OK;

	if (!is_dry_run)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	st = collect_locked(&c, err);
	nx_workspace_unlock(lock);
	/* Without the lock, as it may take long; but only what was there under the lock: a process
	 * that replaces a profile may need what it moves there now. */
	for (size_t i = 0; !st && !is_dry_run && i < c.ids.len; i++)
		st = nx_durable_remove_tree(ws->trash, c.ids.items[i], ws->path, err);
	nx_vec_release(&c.ids);
	return st;
}
