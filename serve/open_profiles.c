/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/open_profiles.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/thread.h"
#include "store/timeline/timeline_sink.h"

struct sight { /* detects a change on disk */
	uint64_t folder_inode, record_inode;
	int64_t record_ns;
};

struct held_codes {
	const char *table, *column, *path;
	pthread_mutex_t making; /* held while they are made */
	struct nx_column_codes codes;
	bool is_open; /* under the profile's lock */
};

struct held_profile {
	struct nx_open_profile open; /* first: what handlers see */
	struct nx_open_profiles *all;
	struct nx_arena arena;
	struct sight sight;
	unsigned holder_count; /* these under the list's lock */
	bool is_forgotten;
	uint64_t last_use;
	pthread_mutex_t lock; /* of all below */
	struct nx_held_tables NX_VEC_BODY(struct nx_stored_table *) tables;
	struct nx_held_code_list NX_VEC_BODY(struct held_codes *) codes;
	struct nx_arena parts_arena;
};

struct nx_open_profiles {
	struct nx_workspace *workspace;
	pthread_mutex_t lock;
	struct nx_held_profiles NX_VEC_BODY(struct held_profile *) profiles;
	uint64_t use_count;
};

struct nx_open_profiles *nx_open_profiles_new(struct nx_workspace *workspace)
{
	struct nx_open_profiles *all = nx_heap_alloc(sizeof(*all));

	*all = (struct nx_open_profiles){.workspace = workspace};
	pthread_mutex_init(&all->lock, NULL);
	return all;
}

static void close_profile(struct held_profile *p)
{
	for (size_t i = 0; i < p->codes.len; i++) {
		nx_column_codes_close(&p->codes.items[i]->codes);
		pthread_mutex_destroy(&p->codes.items[i]->making);
	}
	for (size_t i = 0; i < p->tables.len; i++)
		nx_stored_table_close(p->tables.items[i]);
	nx_vec_release(&p->codes);
	nx_vec_release(&p->tables);
	nx_arena_release(&p->parts_arena);
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
	for (size_t i = 0; i < all->profiles.len; i++) {
		assert(!all->profiles.items[i]->holder_count);
		close_profile(all->profiles.items[i]);
	}
	nx_vec_release(&all->profiles);
	pthread_mutex_destroy(&all->lock);
	nx_heap_free(all);
}

/* --- what is on disk ------------------------------------------------------------------- */

/* A profile that is stored again gets another folder, and one that is marked or opened another
 * profile.json. While neither changed, nothing is read. */
static bool look(const char *path, struct nx_arena *arena, struct sight *sight)
{
	struct stat folder, record;

	if (stat(path, &folder) ||
	    stat(nx_arena_printf(arena, "%s/" NX_PROFILE_RECORD_FILE, path), &record))
		return false;
	*sight = (struct sight){
		.folder_inode = folder.st_ino,
		.record_inode = record.st_ino,
		.record_ns = (int64_t)record.st_mtim.tv_sec * 1000000000 + record.st_mtim.tv_nsec,
	};
	return true;
}

static enum nx_status open_profile(struct nx_open_profiles *all, const char *name,
				   const struct sight *sight, struct held_profile **out,
				   struct nx_error *err)
{
	struct held_profile *p = nx_heap_alloc(sizeof(*p));
	const char *timeline_path;
	struct stat file;
	enum nx_status st;

	*p = (struct held_profile){.all = all, .sight = *sight, .holder_count = 1};
	pthread_mutex_init(&p->lock, NULL);
	p->open.name = nx_arena_copy_text(&p->arena, name);
	p->open.path = nx_workspace_profile_path(all->workspace, &p->arena, name);
	st = nx_workspace_load(all->workspace, name, &p->arena, &p->open.record, err);
	timeline_path = nx_arena_printf(&p->arena, "%s/" NX_TIMELINE_FILE, p->open.path);
	if (!st) {
		st = nx_profile_folder_open(&p->open.folder, p->open.path, err);
		/* a profile without rows has no tables, but it can be shown */
		st = st == NX_NOT_FOUND ? NX_OK : st;
	}
	if (!st && !stat(timeline_path, &file))
		st = nx_timeline_open(&p->open.timeline, timeline_path, err);
	if (st)
		close_profile(p);
	else
		*out = p;
	return st;
}

/* --- taking and returning --------------------------------------------------------------- */

static void forget(struct nx_open_profiles *all, size_t idx)
{
	struct held_profile *p = all->profiles.items[idx];

	all->profiles.items[idx] = all->profiles.items[--all->profiles.len];
	p->is_forgotten = true;
	if (!p->holder_count)
		close_profile(p);
}

static bool is_damaged(struct held_profile *p)
{
	bool is = p->open.timeline && nx_timeline_is_damaged(p->open.timeline);

	nx_lock(&p->lock);
	for (size_t i = 0; !is && i < p->tables.len; i++)
		is = nx_stored_table_is_damaged(p->tables.items[i]);
	for (size_t i = 0; !is && i < p->codes.len; i++)
		is = p->codes.items[i]->is_open &&
		     nx_file_is_damaged(&p->codes.items[i]->codes.file);
	nx_unlock(&p->lock);
	return is;
}

enum nx_status nx_open_profile_check(struct nx_open_profile *profile, struct nx_error *err)
{
	if (!is_damaged((struct held_profile *)profile))
		return NX_OK;
	return nx_fail(err, NX_FORMAT,
		       "a file of profile '%s' became shorter or unreadable; store the profile "
		       "again",
		       profile->name);
}

/* Marking or opening a profile changes its record but not its id: what is open stays valid. */
static bool is_still_good(struct nx_open_profiles *all, struct held_profile *p,
			  const struct sight *sight)
{
	struct nx_profile_record record = {0};
	struct nx_arena arena = {0};
	bool is_good = p->sight.folder_inode == sight->folder_inode &&
		       p->sight.record_inode == sight->record_inode &&
		       p->sight.record_ns == sight->record_ns;

	if (is_damaged(p))
		return false;
	if (!is_good)
		is_good = !nx_workspace_load(all->workspace, p->open.name, &arena, &record, NULL) &&
			  !strcmp(record.id, p->open.record.id);
	nx_profile_record_release(&record);
	nx_arena_release(&arena);
	if (is_good)
		p->sight = *sight;
	return is_good;
}

static struct held_profile *find(struct nx_open_profiles *all, const char *name,
				 const struct sight *sight)
{
	for (size_t i = 0; i < all->profiles.len; i++) {
		struct held_profile *p = all->profiles.items[i];

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
				  struct held_profile **out, struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *path = nx_workspace_profile_path(all->workspace, &arena, name);
	struct sight sight = {0};
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
	struct held_profile *found = NULL;
	enum nx_status st;

	*profile = NULL;
	nx_lock(&all->lock);
	st = take_locked(all, name, &found, err);
	nx_unlock(&all->lock);
	if (!st)
		*profile = &found->open;
	return st;
}

void nx_open_profiles_return(struct nx_open_profile *profile)
{
	struct held_profile *p = (struct held_profile *)profile;
	struct nx_open_profiles *all;

	if (!p)
		return;
	all = p->all;
	nx_lock(&all->lock);
	assert(p->holder_count);
	p->holder_count--;
	if (p->is_forgotten && !p->holder_count)
		close_profile(p);
	nx_unlock(&all->lock);
}

/* --- parts that are opened on demand ----------------------------------------------------- */

enum nx_status nx_open_profile_timeline(const struct nx_open_profile *profile,
					const struct nx_timeline **timeline, struct nx_error *err)
{
	*timeline = profile->timeline;
	if (*timeline)
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "profile '%s' has no timeline; store it again to get one",
		       profile->name);
}

static enum nx_status open_table(struct held_profile *p, const char *name,
				 struct nx_stored_table **out, struct nx_error *err)
{
	const struct nx_folder_table *table = nx_profile_folder_find(&p->open.folder, name);
	struct nx_stored_table *stored;
	enum nx_status st;

	st = nx_profile_folder_check_lost(&p->open.folder, name, err);
	if (st)
		return st;
	if (!table)
		return nx_fail(err, NX_NOT_FOUND, "profile '%s' has no table '%.100s'",
			       p->open.name, name);
	stored = NX_NEW(&p->parts_arena, struct nx_stored_table);
	st = nx_stored_table_open(stored, table, err);
	if (st) {
		nx_stored_table_close(stored);
		return st;
	}
	nx_vec_push(&p->tables, stored);
	*out = stored;
	return NX_OK;
}

enum nx_status nx_open_profile_table(struct nx_open_profile *profile, const char *name,
				     const struct nx_stored_table **table, struct nx_error *err)
{
	struct held_profile *p = (struct held_profile *)profile;
	struct nx_stored_table *stored = NULL;
	enum nx_status st = NX_OK;

	nx_lock(&p->lock);
	for (size_t i = 0; !stored && i < p->tables.len; i++)
		if (!strcasecmp(p->tables.items[i]->name, name))
			stored = p->tables.items[i];
	if (!stored)
		st = open_table(p, name, &stored, err);
	nx_unlock(&p->lock);
	*table = stored;
	return st;
}

/* --- colours ------------------------------------------------------------------------------ */

/* Names of tables are names of files, but a column's may be anything. */
static bool is_harmless_name(const char *name)
{
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
	       strlen(name);
}

/* The file name contains the profile's id, because a newer profile may be at the same path. */
static struct held_codes *find_codes(struct held_profile *p, const char *table, const char *column)
{
	struct held_codes *c;

	for (size_t i = 0; i < p->codes.len; i++)
		if (!strcmp(p->codes.items[i]->table, table) &&
		    !strcmp(p->codes.items[i]->column, column))
			return p->codes.items[i];
	c = NX_NEW(&p->parts_arena, struct held_codes);
	c->table = nx_arena_copy_text(&p->parts_arena, table);
	c->column = nx_arena_copy_text(&p->parts_arena, column);
	c->path = nx_arena_printf(&p->parts_arena, "%s/codes/%s.%s.%016llx.u32", p->open.path,
				  table, column,
				  (unsigned long long)nx_fnv1a(NX_FNV_SEED, p->open.record.id,
							       strlen(p->open.record.id)));
	pthread_mutex_init(&c->making, NULL);
	nx_vec_push(&p->codes, c);
	return c;
}

/* A file with another number of rows belongs to another version of the profile. */
static bool open_made(struct held_profile *p, struct held_codes *c,
		      const struct nx_stored_table *stored)
{
	bool is_open;

	nx_lock(&p->lock);
	if (!c->is_open && !nx_column_codes_open(&c->codes, c->path, NULL)) {
		if (c->codes.row_count == stored->row_count)
			c->is_open = true;
		else
			nx_column_codes_close(&c->codes);
	}
	is_open = c->is_open;
	nx_unlock(&p->lock);
	return is_open;
}

static enum nx_status make_codes(struct held_profile *p, struct held_codes *c,
				 const struct nx_stored_table *stored, size_t field,
				 struct nx_request *request, struct nx_error *err)
{
	char folder[4096];
	enum nx_status st = NX_OK;

	snprintf(folder, sizeof(folder), "%s/codes", p->open.path);
	nx_lock(&c->making);
	if (!open_made(p, c, stored)) {
		st = nx_make_directories(folder, err);
		if (!st)
			st = nx_column_codes_make(stored, field, c->path, nx_request_is_wanted,
						  request, err);
		if (!st && !open_made(p, c, stored))
			st = nx_fail(err, NX_IO, "the colours of %s by %s cannot be read back",
				     c->table, c->column);
	}
	nx_unlock(&c->making);
	return st;
}

enum nx_status nx_open_profile_codes(struct nx_open_profile *profile, const char *table,
				     const char *column, struct nx_request *request,
				     const struct nx_column_codes **codes, struct nx_error *err)
{
	struct held_profile *p = (struct held_profile *)profile;
	const struct nx_stored_table *stored;
	struct held_codes *c;
	size_t field;
	enum nx_status st = nx_open_profile_table(profile, table, &stored, err);

	*codes = NULL;
	if (st)
		return st;
	assert(stored);
	if (!nx_stored_table_find(stored, column, &field) ||
	    !is_harmless_name(stored->fields[field].name))
		return nx_fail(err, NX_NOT_FOUND, "the table %s has no column '%.100s'",
			       stored->name, column);
	nx_lock(&p->lock);
	c = find_codes(p, stored->name, stored->fields[field].name);
	nx_unlock(&p->lock);
	if (!open_made(p, c, stored)) {
		if (!request)
			return NX_OK;
		st = make_codes(p, c, stored, field, request, err);
	}
	if (!st)
		*codes = &c->codes;
	return st;
}
