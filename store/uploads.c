/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/catalogue.h"
#include "store/durable.h"
#include "store/upload.h"
#include "store/workspace_internal.h"

#define SOURCES_SHOWN 16
/* An upload without a new byte for this long is abandoned. */
#define PATIENCE_MS (UINT64_C(24) * 3600 * 1000)

/* Calls fn for each upload that can be read. */
typedef enum nx_status (*upload_fn)(void *context, const struct nx_upload *u, struct nx_error *err);

static enum nx_status each_upload(struct nx_workspace *ws, struct nx_arena *arena, upload_fn fn,
				  void *context, struct nx_error *err)
{
	struct nx_upload_ids ids = {0};
	enum nx_status st = nx_uploads_list(ws, arena, &ids, err);

	for (size_t i = 0; !st && i < ids.len; i++) {
		struct nx_upload u;

		/* a damaged one has no name */
		if (!nx_upload_load(ws, ids.items[i], arena, &u, NULL))
			st = fn(context, &u, err);
		nx_upload_release(&u);
	}
	nx_vec_release(&ids);
	return st;
}

/* --- listing -------------------------------------------------------------------------- */

struct adding {
	struct nx_workspace *ws;
	struct nx_catalogue *catalogue;
};

static struct nx_profile_record record_of(const struct nx_upload *u)
{
	struct nx_profile_record r = {
		.name = u->name,
		.begun_as = u->name,
		.id = u->id,
		.key = "",
		.recipe = "",
		.kind = nx_upload_is_system(u) ? NX_PROFILE_SYSTEM : NX_PROFILE_DEVICE,
		.state = NX_PROFILE_UPLOADING,
		.reason = "",
		.schema_version = "",
		.store_version = NX_STORE_VERSION,
		.created_ms = u->created_ms,
		.size_bytes = nx_upload_received(u),
		.label = u->label,
	};

	for (size_t i = 0; i < u->files.len && r.sources.len < SOURCES_SHOWN; i++)
		if (u->files.items[i].role != NX_UPLOAD_SOURCE)
			nx_vec_push(&r.sources, ((struct nx_profile_source){
							.path = u->files.items[i].path,
							.size_bytes = u->files.items[i].size_bytes,
						}));
	return r;
}

/*
 * Whether a record is of the same profile as the upload: the one that its process keeps in staging,
 * or the finished profile, which is not ready before its source code is there.
 */
static bool is_same(const struct nx_profile_record *r, const struct nx_upload *u,
		    const char *folder)
{
	if (strcmp(r->name, u->name) != 0 || r->state == NX_PROFILE_DAMAGED ||
	    r->state == NX_PROFILE_UPLOADING)
		return false;
	return r->state != NX_PROFILE_READY ||
	       (r->sources.len && !strncmp(r->sources.items[0].path, folder, strlen(folder)));
}

static void drop_same(const struct adding *a, const struct nx_upload *u)
{
	const char *folder = nx_upload_path(a->ws, &a->catalogue->arena, u->id, "");
	struct nx_profile_records *records = &a->catalogue->records;
	size_t kept = 0;

	for (size_t i = 0; i < records->len; i++) {
		if (is_same(&records->items[i], u, folder))
			nx_profile_record_release(&records->items[i]);
		else
			records->items[kept++] = records->items[i];
	}
	records->len = kept;
}

static enum nx_status add_record(void *context, const struct nx_upload *u, struct nx_error *err)
{
	struct adding *a = context;
	struct nx_profile_record r = record_of(u);

	(void)err;
	if (u->state != NX_UPLOAD_RECEIVING)
		drop_same(a, u);
	if (u->state == NX_UPLOAD_FAILED) {
		r.state = NX_PROFILE_FAILED;
		r.reason = u->reason;
	} else if (u->state == NX_UPLOAD_COMPLETE && nx_upload_is_busy(a->ws, u->id)) {
		r.state = NX_PROFILE_PROCESSING;
	} else if (u->state == NX_UPLOAD_COMPLETE) {
		r.state = NX_PROFILE_UNFINISHED;
		r.reason = "the server ended before it was processed; it goes on when 'view' "
			   "serves this workspace again";
	}
	nx_vec_push(&a->catalogue->records, r);
	return NX_OK;
}

enum nx_status nx_uploads_add_records(struct nx_workspace *ws, struct nx_catalogue *catalogue,
				      struct nx_error *err)
{
	struct adding a = {ws, catalogue};

	return each_upload(ws, &catalogue->arena, add_record, &a, err);
}

/* --- removal -------------------------------------------------------------------------- */

struct discarding {
	struct nx_workspace *ws;
	const char *name;
	struct nx_arena *arena;
	struct nx_version_ids *ids;
	bool *is_alive;
};

static enum nx_status to_trash(struct nx_workspace *ws, const char *id, struct nx_arena *arena,
			       struct nx_version_ids *ids, struct nx_error *err)
{
	const char *path = nx_upload_path(ws, arena, id, "");

	if (renameat(AT_FDCWD, path, ws->trash, id) < 0 && errno != ENOENT)
		return nx_fail_errno(err, errno, "cannot remove %s", path);
	nx_vec_push(ids, nx_arena_copy_text(arena, id));
	return NX_OK;
}

static enum nx_status discard(void *context, const struct nx_upload *u, struct nx_error *err)
{
	struct discarding *d = context;

	if (strcmp(u->name, d->name) != 0)
		return NX_OK;
	if (nx_upload_is_busy(d->ws, u->id)) {
		*d->is_alive = true;
		return NX_OK;
	}
	return to_trash(d->ws, u->id, d->arena, d->ids, err);
}

enum nx_status nx_uploads_discard(struct nx_workspace *ws, const char *name, struct nx_arena *arena,
				  struct nx_version_ids *ids, bool *is_alive, struct nx_error *err)
{
	struct discarding d = {ws, name, arena, ids, is_alive};

	return each_upload(ws, arena, discard, &d, err);
}

void nx_upload_forget_tries(struct nx_workspace *ws, const char *name)
{
	struct nx_version_ids dead = {0};
	struct nx_arena arena = {0};
	bool is_alive;
	int lock;

	if (nx_workspace_lock(ws, &lock, NULL))
		return;
	(void)!nx_staging_find(ws, name, &arena, &dead, &is_alive, NULL);
	for (size_t i = 0; i < dead.len; i++)
		(void)!nx_staging_discard(ws, dead.items[i], NULL);
	nx_workspace_unlock(lock);
	for (size_t i = 0; i < dead.len; i++)
		nx_workspace_empty_trash(ws, dead.items[i]);
	nx_vec_release(&dead);
	nx_arena_release(&arena);
}

/* --- collection ----------------------------------------------------------------------- */

/* Without a record, the age of its folder. */
static uint64_t age_ms(struct nx_workspace *ws, const char *id, struct nx_arena *arena,
		       const char **name)
{
	uint64_t now_ms = nx_now_ms(), changed_ms = now_ms;
	struct nx_upload u;
	struct stat st;

	if (!nx_upload_load(ws, id, arena, &u, NULL)) {
		changed_ms = u.changed_ms;
		*name = u.name;
	} else if (!stat(nx_upload_path(ws, arena, id, ""), &st)) {
		changed_ms = (uint64_t)st.st_mtim.tv_sec * 1000;
		*name = id;
	}
	nx_upload_release(&u);
	return now_ms > changed_ms ? now_ms - changed_ms : 0;
}

enum nx_status nx_uploads_collect(struct nx_workspace *ws, bool is_dry_run, struct nx_arena *arena,
				  struct nx_leftovers *leftovers, struct nx_version_ids *trash_ids,
				  struct nx_error *err)
{
	struct nx_upload_ids ids = {0};
	enum nx_status st = nx_uploads_list(ws, arena, &ids, err);

	for (size_t i = 0; !st && i < ids.len; i++) {
		const char *id = ids.items[i], *name = id;
		uint64_t age = age_ms(ws, id, arena, &name);

		if (age < PATIENCE_MS || nx_upload_is_busy(ws, id))
			continue;
		nx_vec_push(
			leftovers,
			((struct nx_leftover){
				nx_arena_copy_text(arena, name),
				"abandoned upload",
				nx_durable_tree_bytes(AT_FDCWD, nx_upload_path(ws, arena, id, "")),
			}));
		if (!is_dry_run)
			st = to_trash(ws, id, arena, trash_ids, err);
	}
	nx_vec_release(&ids);
	return st;
}
