/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/open_profiles.h"

#include <pthread.h>
#include <sys/stat.h>

#include "serve/open_profiles_internal.h"
#include "store/timeline/timeline_sink.h"

struct nx_open_profiles {
	struct nx_workspace *workspace;
	pthread_mutex_t lock;
	struct nx_held_profiles NX_VEC_BODY(struct nx_held_profile *) profiles;
	uint64_t use_count;
};

struct nx_open_profiles *nx_open_profiles_new(struct nx_workspace *workspace)
{
	struct nx_open_profiles *all = nx_heap_alloc(sizeof(*all));

	*all = (struct nx_open_profiles){.workspace = workspace};
	pthread_mutex_init(&all->lock, NULL);
	return all;
}

static void close_profile(struct nx_held_profile *p)
{
	nx_held_profile_release_parts(p);
	nx_timeline_close(p->open.timeline);
	nx_profile_folder_release(&p->open.folder);
	nx_profile_record_release(&p->open.record);
	pthread_mutex_destroy(&p->lock);
	nx_arena_release(&p->arena);
	nx_heap_free(p);
}

void nx_open_profiles_free(struct nx_open_profiles *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->profiles.len; i++)
		close_profile(all->profiles.items[i]);
	nx_vec_release(&all->profiles);
	pthread_mutex_destroy(&all->lock);
	nx_heap_free(all);
}

/* --- what is on disk ------------------------------------------------------------------- */

/*
 * A profile that is stored again gets another folder, and one that is marked or opened
 * another profile.json; as long as neither changed there is no need to read anything.
 */
static bool look(const char *path, struct nx_arena *arena, struct nx_profile_sight *sight)
{
	struct stat folder, record;

	if (stat(path, &folder) ||
	    stat(nx_arena_printf(arena, "%s/" NX_PROFILE_RECORD_FILE, path), &record))
		return false;
	*sight = (struct nx_profile_sight){
		.folder_inode = folder.st_ino,
		.record_inode = record.st_ino,
		.record_ns = (int64_t)record.st_mtim.tv_sec * 1000000000 + record.st_mtim.tv_nsec,
	};
	return true;
}

static bool is_same_sight(const struct nx_profile_sight *a, const struct nx_profile_sight *b)
{
	return a->folder_inode == b->folder_inode && a->record_inode == b->record_inode &&
	       a->record_ns == b->record_ns;
}

static enum nx_status open_timeline(struct nx_held_profile *p, struct nx_error *err)
{
	const char *path = nx_arena_printf(&p->arena, "%s/" NX_TIMELINE_FILE, p->open.path);
	struct stat file;

	if (stat(path, &file))
		return NX_OK;
	return nx_timeline_open(&p->open.timeline, path, err);
}

/* A profile without any rows has no tables, which is no reason not to show it. */
static enum nx_status open_folder(struct nx_held_profile *p, struct nx_error *err)
{
	enum nx_status st = nx_profile_folder_open(&p->open.folder, p->open.path, err);

	return st == NX_NOT_FOUND ? NX_OK : st;
}

static enum nx_status open_profile(struct nx_open_profiles *all, const char *name,
				   const struct nx_profile_sight *sight,
				   struct nx_held_profile **out, struct nx_error *err)
{
	struct nx_held_profile *p = nx_heap_alloc(sizeof(*p));
	enum nx_status st;

	*p = (struct nx_held_profile){.all = all, .sight = *sight, .holder_count = 1};
	pthread_mutex_init(&p->lock, NULL);
	p->open.name = nx_arena_copy_text(&p->arena, name);
	p->open.path = nx_workspace_profile_path(all->workspace, &p->arena, name);
	st = nx_workspace_load(all->workspace, name, &p->arena, &p->open.record, err);
	if (!st)
		st = open_folder(p, err);
	if (!st)
		st = open_timeline(p, err);
	if (st)
		close_profile(p);
	else
		*out = p;
	return st;
}

/* --- taking and returning --------------------------------------------------------------- */

static void forget(struct nx_open_profiles *all, size_t idx)
{
	struct nx_held_profile *p = all->profiles.items[idx];

	all->profiles.items[idx] = all->profiles.items[--all->profiles.len];
	p->is_forgotten = true;
	if (!p->holder_count)
		close_profile(p);
}

/* Marking or opening a profile changes its record, not its id: what is open stays valid. */
static bool is_still_good(struct nx_open_profiles *all, struct nx_held_profile *p,
			  const struct nx_profile_sight *sight)
{
	struct nx_profile_record record = {0};
	struct nx_arena arena = {0};
	bool is_good = is_same_sight(&p->sight, sight);

	if (!is_good)
		is_good = !nx_workspace_load(all->workspace, p->open.name, &arena, &record, NULL) &&
			  !strcmp(record.id, p->open.record.id);
	nx_profile_record_release(&record);
	nx_arena_release(&arena);
	if (is_good)
		p->sight = *sight;
	return is_good;
}

static struct nx_held_profile *find(struct nx_open_profiles *all, const char *name,
				    const struct nx_profile_sight *sight)
{
	for (size_t i = 0; i < all->profiles.len; i++) {
		struct nx_held_profile *p = all->profiles.items[i];

		if (strcmp(p->open.name, name) != 0)
			continue;
		if (is_still_good(all, p, sight))
			return p;
		forget(all, i);
		return NULL;
	}
	return NULL;
}

static void make_room(struct nx_open_profiles *all)
{
	while (all->profiles.len >= NX_OPEN_PROFILES_MAX) {
		size_t oldest = SIZE_MAX;

		for (size_t i = 0; i < all->profiles.len; i++)
			if (!all->profiles.items[i]->holder_count &&
			    (oldest == SIZE_MAX || all->profiles.items[i]->last_use <
							   all->profiles.items[oldest]->last_use))
				oldest = i;
		if (oldest == SIZE_MAX)
			return; /* all are held: exceed the limit rather than fail */
		forget(all, oldest);
	}
}

/* Opening maps files and reads their directories only, so the lock may be held meanwhile. */
static enum nx_status take_locked(struct nx_open_profiles *all, const char *name,
				  struct nx_held_profile **out, struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *path = nx_workspace_profile_path(all->workspace, &arena, name);
	struct nx_profile_sight sight = {0};
	bool is_there = look(path, &arena, &sight);
	enum nx_status st = NX_OK;

	*out = is_there ? find(all, name, &sight) : NULL;
	if (*out)
		(*out)->holder_count++;
	else
		st = open_profile(all, name, &sight, out, err);
	if (!st && (*out)->holder_count == 1 && !(*out)->last_use) {
		make_room(all);
		nx_vec_push(&all->profiles, *out);
	}
	if (!st)
		(*out)->last_use = ++all->use_count;
	nx_arena_release(&arena);
	return st;
}

enum nx_status nx_open_profiles_take(struct nx_open_profiles *all, const char *name,
				     struct nx_open_profile **profile, struct nx_error *err)
{
	struct nx_held_profile *found = NULL;
	enum nx_status st;

	*profile = NULL;
	pthread_mutex_lock(&all->lock);
	st = take_locked(all, name, &found, err);
	pthread_mutex_unlock(&all->lock);
	if (!st)
		*profile = &found->open;
	return st;
}

void nx_open_profiles_return(struct nx_open_profile *profile)
{
	struct nx_held_profile *p = (struct nx_held_profile *)profile;
	struct nx_open_profiles *all;

	if (!p)
		return;
	all = p->all;
	pthread_mutex_lock(&all->lock);
	p->holder_count--;
	if (p->is_forgotten && !p->holder_count)
		close_profile(p);
	pthread_mutex_unlock(&all->lock);
}
