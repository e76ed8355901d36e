/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
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

struct uploads NX_VEC_BODY(struct nx_upload);

/* Loads all uploads that can be read; a damaged one has no name. Release even after a failure. */
static enum nx_status load_all(struct nx_workspace *ws, struct nx_arena *arena, struct uploads *all,
			       struct nx_error *err)
{
	struct nx_upload_ids ids = {0};
	enum nx_status st = nx_uploads_list(ws, arena, &ids, err);

	for (size_t i = 0; !st && i < ids.len; i++) {
		struct nx_upload u;

		if (nx_upload_load_summary(ws, ids.items[i], arena, &u, NULL))
			nx_upload_release(&u);
		else
			nx_vec_push(all, u);
	}
	nx_vec_release(&ids);
	return st;
}

static void release_all(struct uploads *all)
{
	for (size_t i = 0; i < all->len; i++)
		nx_upload_release(&all->items[i]);
	nx_vec_release(all);
}

/* --- listing -------------------------------------------------------------------------- */

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
		.run = "",
		.archive = {.place = ""},
		.schema_version = "",
		.store_version = NX_STORE_VERSION,
		.created_ms = u->created_ms,
		.size_bytes = u->counted_bytes,
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

static void drop_same(const struct nx_workspace *ws, struct nx_catalogue *catalogue,
		      const struct nx_upload *u)
{
	const char *folder = nx_upload_path(ws, &catalogue->arena, u->id, "");
	struct nx_profile_records *records = &catalogue->records;
	size_t kept = 0;

	assert(u->state != NX_UPLOAD_RECEIVING);
	for (size_t i = 0; i < records->len; i++) {
		if (is_same(&records->items[i], u, folder))
			nx_profile_record_release(&records->items[i]);
		else
			records->items[kept++] = records->items[i];
	}
	records->len = kept;
}

enum nx_status nx_uploads_add_records(struct nx_workspace *ws, struct nx_catalogue *catalogue,
				      struct nx_error *err)
{
	struct uploads all = {0};
	enum nx_status st = load_all(ws, &catalogue->arena, &all, err);

	for (size_t i = 0; !st && i < all.len; i++) {
		const struct nx_upload *u = &all.items[i];
		struct nx_profile_record r = record_of(u);

		if (u->state != NX_UPLOAD_RECEIVING)
			drop_same(ws, catalogue, u);
		if (u->state == NX_UPLOAD_FAILED) {
			r.state = NX_PROFILE_FAILED;
			r.reason = u->reason;
		} else if (u->state == NX_UPLOAD_COMPLETE && nx_upload_is_busy(ws, u->id)) {
			r.state = NX_PROFILE_PROCESSING;
		} else if (u->state == NX_UPLOAD_COMPLETE) {
			r.state = NX_PROFILE_UNFINISHED;
			r.reason = "the server ended before it was processed; it goes on when "
				   "'view' serves this workspace again";
		}
		nx_vec_push(&catalogue->records, r);
	}
	release_all(&all);
	return st;
}

/* --- removal -------------------------------------------------------------------------- */

static enum nx_status to_trash(struct nx_workspace *ws, const char *id, struct nx_arena *arena,
			       struct nx_version_ids *ids, struct nx_error *err)
{
	int uploads = nx_uploads_open(ws);
	int failure = renameat(uploads, id, ws->trash, id) < 0 ? errno : 0;

	nx_durable_close(uploads);
	if (failure && failure != ENOENT)
		return nx_fail_errno(err, failure, "cannot remove the upload %s", id);
	nx_vec_push(ids, nx_arena_copy_text(arena, id));
	return NX_OK;
}

enum nx_status nx_uploads_discard(struct nx_workspace *ws, const char *name, struct nx_arena *arena,
				  struct nx_version_ids *ids, bool *is_alive, struct nx_error *err)
{
	struct uploads all = {0};
	enum nx_status st = load_all(ws, arena, &all, err);

	for (size_t i = 0; !st && i < all.len; i++) {
		if (strcmp(all.items[i].name, name) != 0)
			continue;
		if (nx_upload_is_busy(ws, all.items[i].id))
			*is_alive = true;
		else
			st = to_trash(ws, all.items[i].id, arena, ids, err);
	}
	release_all(&all);
	return st;
}

bool nx_upload_has_live_try(struct nx_workspace *ws, const char *name)
{
	struct nx_version_ids dead = {0};
	struct nx_arena arena = {0};
	bool is_alive = false;

	(void)!nx_staging_find(ws, name, &arena, &dead, &is_alive, NULL);
	nx_vec_release(&dead);
	nx_arena_release(&arena);
	return is_alive;
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
static uint64_t age_ms(struct nx_workspace *ws, int uploads, const char *id, struct nx_arena *arena,
		       const char **name)
{
	uint64_t now_ms = nx_now_ms(), changed_ms = now_ms;
	struct nx_upload u;
	struct stat st;

	if (!nx_upload_load_summary(ws, id, arena, &u, NULL)) {
		changed_ms = u.changed_ms;
		*name = u.name;
	} else if (!fstatat(uploads, id, &st, AT_SYMLINK_NOFOLLOW)) {
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
	int uploads = nx_uploads_open(ws);
	enum nx_status st = nx_uploads_list(ws, arena, &ids, err);

	for (size_t i = 0; !st && i < ids.len; i++) {
		const char *id = ids.items[i], *name = id;
		uint64_t age = age_ms(ws, uploads, id, arena, &name);

		if (age < PATIENCE_MS || nx_upload_is_busy(ws, id))
			continue;
		nx_vec_push(leftovers, ((struct nx_leftover){
					       nx_arena_copy_text(arena, name),
					       "abandoned upload",
					       nx_durable_tree_bytes(uploads, id),
				       }));
		if (!is_dry_run)
			st = to_trash(ws, id, arena, trash_ids, err);
	}
	nx_durable_close(uploads);
	nx_vec_release(&ids);
	return st;
}
