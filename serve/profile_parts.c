/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a profile that are opened on demand: tables and colours. */
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "serve/open_profiles_internal.h"

enum nx_status nx_open_profile_timeline(const struct nx_open_profile *profile,
					const struct nx_timeline **timeline, struct nx_error *err)
{
	*timeline = profile->timeline;
	if (*timeline)
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "profile '%s' has no timeline; store it again to get one",
		       profile->name);
}

/* --- tables ------------------------------------------------------------------------------ */

static enum nx_status open_table(struct nx_held_profile *p, const char *name,
				 struct nx_stored_table **out, struct nx_error *err)
{
	const struct nx_folder_table *table = nx_profile_folder_find(&p->open.folder, name);
	struct nx_stored_table *stored;
	enum nx_status st;

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
	struct nx_held_profile *p = (struct nx_held_profile *)profile;
	struct nx_stored_table *stored = NULL;
	enum nx_status st = NX_OK;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; !stored && i < p->tables.len; i++)
		if (!strcasecmp(p->tables.items[i]->name, name))
			stored = p->tables.items[i];
	if (!stored)
		st = open_table(p, name, &stored, err);
	pthread_mutex_unlock(&p->lock);
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
static struct nx_held_codes *find_codes(struct nx_held_profile *p, const char *table,
					const char *column)
{
	struct nx_held_codes *c;

	for (size_t i = 0; i < p->codes.len; i++)
		if (!strcmp(p->codes.items[i]->table, table) &&
		    !strcmp(p->codes.items[i]->column, column))
			return p->codes.items[i];
	c = NX_NEW(&p->parts_arena, struct nx_held_codes);
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
static bool open_made(struct nx_held_profile *p, struct nx_held_codes *c,
		      const struct nx_stored_table *stored)
{
	bool is_open;

	pthread_mutex_lock(&p->lock);
	if (!c->is_open && !nx_column_codes_open(&c->codes, c->path, NULL)) {
		if (c->codes.row_count == stored->row_count)
			c->is_open = true;
		else
			nx_column_codes_close(&c->codes);
	}
	is_open = c->is_open;
	pthread_mutex_unlock(&p->lock);
	return is_open;
}

static enum nx_status make_codes(struct nx_held_profile *p, struct nx_held_codes *c,
				 const struct nx_stored_table *stored, size_t field,
				 struct nx_request *request, struct nx_error *err)
{
	char folder[4096];
	enum nx_status st = NX_OK;

	snprintf(folder, sizeof(folder), "%s/codes", p->open.path);
	pthread_mutex_lock(&c->making);
	if (!open_made(p, c, stored)) {
		st = nx_make_directories(folder, err);
		if (!st)
			st = nx_column_codes_make(stored, field, c->path, nx_request_is_wanted,
						  request, err);
		if (!st && !open_made(p, c, stored))
			st = nx_fail(err, NX_IO, "the colours of %s by %s cannot be read back",
				     c->table, c->column);
	}
	pthread_mutex_unlock(&c->making);
	return st;
}

enum nx_status nx_open_profile_codes(struct nx_open_profile *profile, const char *table,
				     const char *column, struct nx_request *request,
				     const struct nx_column_codes **codes, struct nx_error *err)
{
	struct nx_held_profile *p = (struct nx_held_profile *)profile;
	const struct nx_stored_table *stored;
	struct nx_held_codes *c;
	size_t field;
	enum nx_status st = nx_open_profile_table(profile, table, &stored, err);

	*codes = NULL;
	if (st)
		return st;
	if (!nx_stored_table_find(stored, column, &field) ||
	    !is_harmless_name(stored->fields[field].name))
		return nx_fail(err, NX_NOT_FOUND, "the table %s has no column '%.100s'",
			       stored->name, column);
	pthread_mutex_lock(&p->lock);
	c = find_codes(p, stored->name, stored->fields[field].name);
	pthread_mutex_unlock(&p->lock);
	if (!open_made(p, c, stored)) {
		if (!request)
			return NX_OK;
		st = make_codes(p, c, stored, field, request, err);
	}
	if (!st)
		*codes = &c->codes;
	return st;
}

void nx_held_profile_release_parts(struct nx_held_profile *p)
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
}
