/* SPDX-License-Identifier: Apache-2.0 */
#include "store/staging.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/documents.h"
#include "store/durable.h"
#include "store/workspace_internal.h"

struct nx_staging {
	struct nx_workspace *ws;
	struct nx_profile_record *record;
	struct nx_arena arena;
	char id[NX_VERSION_ID_MAX];
	const char *path;
	int folder, lock;
	bool force;
	const char *given_label;
	const char *expected_id; /* of the version to replace; NULL: any */
};

void nx_version_id_make(char id[NX_VERSION_ID_MAX])
{
	time_t now = time(NULL);
	char when[20] = "";
	uint64_t random;
	struct tm t;

	/* Ids made in the same second differ only here; if even that fails, mkdir notices. */
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint64_t)getpid() << 32 ^ (uint64_t)clock();
	if (!gmtime_r(&now, &t) || !strftime(when, sizeof(when), "%Y%m%dt%H%M%S", &t))
		when[0] = '\0';
	snprintf(id, NX_VERSION_ID_MAX, "%s-%016llx", when, (unsigned long long)random);
}

static void lock_name(const char *id, char name[NX_VERSION_ID_MAX + 8])
{
	snprintf(name, NX_VERSION_ID_MAX + 8, "%s.lock", id);
}

bool nx_staging_is_alive(const struct nx_workspace *ws, const char *id)
{
	char name[NX_VERSION_ID_MAX + 8];
	bool is_alive;
	int fd;

	if (strlen(id) >= NX_VERSION_ID_MAX)
		return false;
	lock_name(id, name);
	fd = openat(ws->staging, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) /* if it cannot be checked, assume that it is alive */
		return errno != ENOENT;
	is_alive = flock(fd, LOCK_SH | LOCK_NB) < 0;
	close(fd);
	return is_alive;
}

enum nx_status nx_staging_discard(struct nx_workspace *ws, const char *id, struct nx_error *err)
{
	char name[NX_VERSION_ID_MAX + 8];
	enum nx_status st = NX_OK;

	if (renameat(ws->staging, id, ws->trash, id) < 0 && errno != ENOENT) {
		/* The trash already holds the version that this one replaced. */
		if (errno == EEXIST || errno == ENOTEMPTY)
			st = nx_durable_remove_tree(ws->staging, id, ws->path, err);
		else
			st = nx_fail_errno(err, errno, "cannot remove %s/staging/%s", ws->path, id);
	}
	if (!st && strlen(id) < NX_VERSION_ID_MAX) {
		lock_name(id, name);
		unlinkat(ws->staging, name, 0);
	}
	return st;
}

void nx_workspace_empty_trash(struct nx_workspace *ws, const char *id)
{
	(void)!nx_durable_remove_tree(ws->trash, id, ws->path, NULL);
}

struct search {
	const struct nx_workspace *ws;
	const char *name;
	struct nx_arena *arena;
	struct nx_version_ids *dead;
	bool *is_alive;
};

static enum nx_status look_at_staged(void *context, const char *id, struct nx_error *err)
{
	struct search *search = context;
	struct nx_profile_record r;
	bool is_same;

	(void)err;
	if (nx_slice_ends(nx_slice_text(id), ".lock"))
		return NX_OK;
	is_same = !nx_profile_folder_read(search->ws->staging, id, search->arena, &r, NULL) &&
		  !strcmp(r.begun_as, search->name);
	nx_profile_record_release(&r);
	if (is_same && nx_staging_is_alive(search->ws, id))
		*search->is_alive = true;
	else if (is_same)
		nx_vec_push(search->dead, nx_arena_copy_text(search->arena, id));
	return NX_OK;
}

enum nx_status nx_staging_find(const struct nx_workspace *ws, const char *name,
			       struct nx_arena *arena, struct nx_version_ids *dead, bool *is_alive,
			       struct nx_error *err)
{
	struct search search = {ws, name, arena, dead, is_alive};

	*is_alive = false;
	return nx_durable_each(ws->staging, ws->path, look_at_staged, &search, err);
}

/* --- beginning ------------------------------------------------------------- */

static enum nx_status refuse_taken(const char *name, struct nx_error *err)
{
	return nx_fail(err, NX_USAGE,
		       "there is a profile '%s' already; choose another name with --display-name, "
		       "or replace it with --force",
		       name);
}

/* With the lock held: removes what earlier attempts of the same name left. */
static enum nx_status clear_way(struct nx_staging *s, struct nx_version_ids *dead,
				struct nx_error *err)
{
	const char *name = s->record->name;
	bool is_alive;
	enum nx_status st;

	if (!s->force && nx_profile_exists(s->ws, name))
		return refuse_taken(name, err);
	st = nx_staging_find(s->ws, name, &s->arena, dead, &is_alive, err);
	if (!st && is_alive && !s->force)
		st = nx_fail(err, NX_USAGE,
			     "profile '%s' is being processed by another process; wait for it, "
			     "choose another name with --display-name, or use --force",
			     name);
	for (size_t i = 0; !st && i < dead->len; i++)
		st = nx_staging_discard(s->ws, dead->items[i], err);
	return st;
}

/* With the lock held, so that no process takes the folder for a dead one before it is locked. */
static enum nx_status make_folder(struct nx_staging *s, struct nx_error *err)
{
	char name[NX_VERSION_ID_MAX + 8];

	nx_version_id_make(s->id);
	lock_name(s->id, name);
	s->path = nx_arena_printf(&s->arena, "%s/staging/%s", s->ws->path, s->id);
	s->lock = openat(s->ws->staging, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	/* Wait: a process that lists may be checking at this moment whether we are alive. */
	if (s->lock < 0 || flock(s->lock, LOCK_EX) < 0 || mkdirat(s->ws->staging, s->id, 0777) < 0)
		return nx_fail_errno(err, errno, "cannot make %s", s->path);
	s->folder = nx_durable_open_folder(s->ws->staging, s->id);
	if (s->folder < 0)
		return nx_fail_errno(err, errno, "cannot open %s", s->path);
	return NX_OK;
}

static enum nx_status begin_locked(struct nx_staging *s, struct nx_version_ids *dead,
				   struct nx_error *err)
{
	struct nx_profile_record *r = s->record;
	enum nx_status st = clear_way(s, dead, err);

	if (!st)
		st = make_folder(s, err);
	if (st)
		return st;
	r->begun_as = r->name;
	r->id = s->id;
	r->state = NX_PROFILE_PROCESSING;
	r->reason = "";
	r->store_version = NX_STORE_VERSION;
	r->created_ms = nx_now_ms();
	r->opened_ms = 0;
	st = nx_profile_folder_write(s->folder, s->path, r, err);
	return st ? st : nx_durable_sync_folder(s->ws->staging, s->ws->path, err);
}

static void free_staging(struct nx_staging *s)
{
	nx_durable_close(s->folder);
	nx_durable_unlock(s->lock);
	/* The record outlives the arena. */
	s->record->id = "";
	s->record->reason = "";
	s->record->label = s->given_label;
	nx_arena_release(&s->arena);
	nx_heap_free(s);
}

enum nx_status nx_staging_begin(struct nx_staging **out, struct nx_workspace *ws,
				struct nx_profile_record *record, bool force, struct nx_error *err)
{
	struct nx_staging *s;
	struct nx_version_ids dead = {0};
	enum nx_status st = nx_profile_name_check_new(nx_slice_text(record->name), err);
	int lock;

	if (!st)
		st = nx_workspace_lock(ws, &lock, err);
	if (st)
		return st;
	s = nx_heap_alloc(sizeof(*s));
	*s = (struct nx_staging){.ws = ws,
				 .record = record,
				 .folder = -1,
				 .lock = -1,
				 .force = force,
				 .given_label = record->label};
	st = begin_locked(s, &dead, err);
	nx_workspace_unlock(lock);
	for (size_t i = 0; i < dead.len; i++)
		nx_workspace_empty_trash(ws, dead.items[i]);
	nx_vec_release(&dead);
	if (!st) {
		*out = s;
		return NX_OK;
	}
	if (s->id[0] && !nx_workspace_lock(ws, &lock, NULL)) {
		(void)!nx_staging_discard(ws, s->id, NULL);
		nx_workspace_unlock(lock);
		nx_workspace_empty_trash(ws, s->id);
	}
	free_staging(s);
	return st;
}

void nx_staging_expect(struct nx_staging *s, const char *id)
{
	s->expected_id = nx_arena_copy_text(&s->arena, id);
}

void nx_staging_abandon(struct nx_staging *s)
{
	int lock;

	if (!nx_workspace_lock(s->ws, &lock, NULL)) {
		(void)!nx_staging_discard(s->ws, s->id, NULL);
		nx_workspace_unlock(lock);
		nx_workspace_empty_trash(s->ws, s->id);
	}
	free_staging(s);
}

const char *nx_staging_path(const struct nx_staging *s)
{
	return s->path;
}

/* --- ending ---------------------------------------------------------------- */

int nx_rename_new(int from_folder, const char *from, int to_folder, const char *to)
{
	struct stat st;

	if (renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* This file system cannot do it atomically; the lock keeps our other processes away. */
	if (fstatat(to_folder, to, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from_folder, from, to_folder, to);
}

/*
 * Swaps in one step if the file system can. Otherwise the old version first moves to the trash
 * under our id; nx_workspace_recover recognises that pair and finishes, and readers hold the lock.
 */
static int swap_in(const struct nx_staging *s, const char *folder)
{
	struct nx_workspace *ws = s->ws;
	int failure;

	if (renameat2(ws->staging, s->id, ws->profiles, folder, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (renameat(ws->profiles, folder, ws->trash, s->id) < 0)
		return -1;
	if (renameat(ws->staging, s->id, ws->profiles, folder) == 0)
		return 0;
	failure = errno;
	renameat(ws->trash, s->id, ws->profiles, folder);
	errno = failure;
	return -1;
}

/* The new version keeps the marks and documents of the old one. */
static enum nx_status keep_marks(struct nx_staging *s, const char *folder, struct nx_error *err)
{
	int fd = nx_durable_open_folder(s->ws->profiles, folder);
	enum nx_status st = NX_OK;
	struct nx_profile_record old;

	if (!nx_profile_folder_read(s->ws->profiles, folder, &s->arena, &old, NULL)) {
		s->record->is_favourite = s->record->is_favourite || old.is_favourite;
		if (!s->record->label || !*s->record->label)
			s->record->label = old.label;
		s->record->opened_ms = old.opened_ms;
	}
	nx_profile_record_release(&old);
	if (fd >= 0)
		st = nx_documents_keep(fd, s->folder, s->path, err);
	nx_durable_close(fd);
	return st;
}

static enum nx_status check_expected(struct nx_staging *s, const char *folder, struct nx_error *err)
{
	struct nx_profile_record old;
	bool is_same;

	if (!s->expected_id)
		return NX_OK;
	is_same = !nx_profile_folder_read(s->ws->profiles, folder, &s->arena, &old, NULL) &&
		  !strcmp(old.id, s->expected_id);
	nx_profile_record_release(&old);
	if (is_same)
		return NX_OK;
	return nx_fail(err, NX_USAGE,
		       "profile '%s' was stored again or deleted meanwhile; nothing was changed",
		       s->record->name);
}

static enum nx_status put_in_place(struct nx_staging *s, struct nx_error *err)
{
	bool replaces = nx_profile_exists(s->ws, s->record->name);
	char folder[NX_PROFILE_FOLDER_MAX];
	enum nx_status st = NX_OK;

	assert(s->id[0] && s->folder >= 0 && s->lock >= 0);
	if (replaces && !s->force)
		return refuse_taken(s->record->name, err);
	nx_profile_folder_name(s->record->name, folder);
	st = check_expected(s, folder, err);
	if (!st && replaces)
		st = keep_marks(s, folder, err);
	if (st)
		return st;
	s->record->state = NX_PROFILE_READY;
	st = nx_profile_folder_write(s->folder, s->path, s->record, err);
	if (st)
		return st;
	if ((replaces ? swap_in(s, folder)
		      : nx_rename_new(s->ws->staging, s->id, s->ws->profiles, folder)) < 0)
		return nx_fail_errno(err, errno, "cannot put profile '%s' in place",
				     s->record->name);
	st = nx_durable_sync_folder(s->ws->profiles, s->ws->path, err);
	if (!st)
		st = nx_durable_sync_folder(s->ws->staging, s->ws->path, err);
	if (st)
		return st;
	return nx_staging_discard(s->ws, s->id, err);
}

enum nx_status nx_staging_commit(struct nx_staging *s, struct nx_error *err)
{
	struct nx_error why = {0};
	enum nx_status st = nx_durable_sync_tree(s->folder, s->path, &s->record->size_bytes, &why);
	int lock;

	assert(s);
	if (!st)
		st = nx_workspace_lock(s->ws, &lock, &why);
	if (!st) {
		st = put_in_place(s, &why);
		nx_workspace_unlock(lock);
	}
	if (st) {
		if (err)
			*err = why;
		nx_staging_fail(s, why.message);
		return st;
	}
	nx_workspace_empty_trash(s->ws, s->id);
	free_staging(s);
	return NX_OK;
}

static enum nx_status remove_table(void *context, const char *name, struct nx_error *err)
{
	struct nx_staging *s = context;

	if (!strcmp(name, NX_PROFILE_RECORD_FILE))
		return NX_OK;
	return nx_durable_remove_tree(s->folder, name, s->path, err);
}

void nx_staging_fail(struct nx_staging *s, const char *reason)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	struct stat here, placed;

	assert(s);
	/* If only the last sync failed, the profile is in place already: keep it. */
	nx_profile_folder_name(s->record->name, folder);
	if (fstat(s->folder, &here) == 0 && fstatat(s->ws->profiles, folder, &placed, 0) == 0 &&
	    here.st_ino == placed.st_ino && here.st_dev == placed.st_dev) {
		free_staging(s);
		return;
	}
	(void)!nx_durable_each(s->folder, s->path, remove_table, s, NULL);
	s->record->state = NX_PROFILE_FAILED;
	s->record->reason = reason;
	s->record->size_bytes = 0;
	/* On a full disk even this may fail; the profile is then listed as unfinished. */
	(void)!nx_profile_folder_write(s->folder, s->path, s->record, NULL);
	free_staging(s);
}
