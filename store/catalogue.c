/* SPDX-License-Identifier: Apache-2.0 */
#include "store/catalogue.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/durable.h"
#include "store/workspace_internal.h"

#define SHOWN_MATCHES 4

struct loading {
	struct nx_catalogue *catalogue;
	struct nx_workspace *workspace;
};

static void mark_damaged(struct nx_arena *arena, struct nx_profile_record *r,
			 const struct nx_error *why)
{
	nx_profile_record_release(r);
	*r = (struct nx_profile_record){
		.begun_as = "",
		.id = "",
		.key = "",
		.schema_version = "",
		.label = "",
		.state = NX_PROFILE_DAMAGED,
		.reason = nx_arena_printf(arena,
					  "%s; process the capture again with --force, or "
					  "delete the profile",
					  why->message),
	};
}

static enum nx_status add_finished(void *context, const char *folder, struct nx_error *err)
{
	struct loading *l = context;
	struct nx_arena *arena = &l->catalogue->arena;
	struct nx_slice text = nx_slice_text(folder);
	struct nx_slice name = nx_profile_name_without_version(text);
	struct nx_profile_record r;
	struct nx_error why = {0};

	(void)err;
	/* Skip foreign files and names that no command accepts. */
	if (name.len == text.len || nx_profile_name_check(name, NULL))
		return NX_OK;
	if (nx_profile_folder_read(l->workspace->profiles, folder, arena, &r, &why)) {
		/* Another process may have removed it after it was listed. */
		if (!nx_profile_exists(l->workspace, nx_arena_copy(arena, name))) {
			nx_profile_record_release(&r);
			return NX_OK;
		}
		mark_damaged(arena, &r, &why);
	} else {
		/* Only finished profiles get here, whatever a damaged file says. */
		r.state = nx_profile_record_is_away(&r) ? NX_PROFILE_ARCHIVED : NX_PROFILE_READY;
		r.reason = "";
	}
	r.name = nx_arena_copy(arena, name);
	nx_vec_push(&l->catalogue->records, r);
	return NX_OK;
}

static const char *unfinished_reason(struct nx_arena *arena, const struct nx_profile_record *r)
{
	if (!r->sources.len)
		return "processing ended before it was finished; process the capture again, or "
		       "remove what is left with gc";
	return nx_arena_printf(arena,
			       "processing ended before it was finished; process %s again, or "
			       "remove what is left with gc",
			       r->sources.items[0].path);
}

static enum nx_status add_staged(void *context, const char *id, struct nx_error *err)
{
	struct loading *l = context;
	struct nx_arena *arena = &l->catalogue->arena;
	struct nx_profile_record r;

	(void)err;
	if (nx_slice_ends(nx_slice_text(id), ".lock"))
		return NX_OK;
	/* Without a readable record there is no name to show; gc knows it by its id. The id of
	 * a replaced version is not the folder's. */
	if (nx_profile_folder_read(l->workspace->staging, id, arena, &r, NULL) ||
	    strcmp(r.id, id) != 0 || nx_profile_name_check(nx_slice_text(r.begun_as), NULL)) {
		nx_profile_record_release(&r);
		return NX_OK;
	}
	r.name = r.begun_as;
	if (r.state != NX_PROFILE_FAILED) {
		bool is_alive = nx_staging_is_alive(l->workspace, id);

		r.state = is_alive ? NX_PROFILE_PROCESSING : NX_PROFILE_UNFINISHED;
		r.reason = is_alive ? "" : unfinished_reason(arena, &r);
	}
	nx_vec_push(&l->catalogue->records, r);
	return NX_OK;
}

static int compare_newest_first(const void *a, const void *b)
{
	const struct nx_profile_record *x = a, *y = b;

	if (x->created_ms != y->created_ms)
		return x->created_ms > y->created_ms ? -1 : 1;
	return strcmp(x->name, y->name);
}

enum nx_status nx_catalogue_load(struct nx_catalogue *catalogue, struct nx_workspace *ws,
				 struct nx_error *err)
{
	struct loading l = {catalogue, ws};
	enum nx_status st = NX_OK;
	int lock;

	*catalogue = (struct nx_catalogue){0};
	/* A listing is not atomic: it could miss a profile that is renamed meanwhile. */
	lock = nx_workspace_lock_shared(ws);
	if (ws->profiles >= 0)
		st = nx_durable_each(ws->profiles, ws->path, add_finished, &l, err);
	if (!st && ws->staging >= 0)
		st = nx_durable_each(ws->staging, ws->path, add_staged, &l, err);
	nx_workspace_unlock(lock);
	if (!st)
		st = nx_uploads_add_records(ws, catalogue, err);
	if (catalogue->records.len)
		qsort(catalogue->records.items, catalogue->records.len,
		      sizeof(*catalogue->records.items), compare_newest_first);
	return st;
}

void nx_catalogue_release(struct nx_catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->records.len; i++)
		nx_profile_record_release(&catalogue->records.items[i]);
	nx_vec_release(&catalogue->records);
	nx_arena_release(&catalogue->arena);
}

/* --- finding --------------------------------------------------------------- */

const struct nx_profile_record *nx_catalogue_find(const struct nx_catalogue *catalogue,
						  const char *name)
{
	struct nx_slice wanted = nx_profile_name_without_version(nx_slice_text(name));
	const struct nx_profile_record *other = NULL;

	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (!nx_slice_is(wanted, r->name))
			continue;
		if (r->state == NX_PROFILE_READY || r->state == NX_PROFILE_ARCHIVED ||
		    r->state == NX_PROFILE_DAMAGED)
			return r;
		if (!other)
			other = r;
	}
	return other;
}

const struct nx_profile_record *nx_catalogue_find_key(const struct nx_catalogue *catalogue,
						      const char *key)
{
	const struct nx_profile_record *named = nx_catalogue_find(catalogue, key);

	for (size_t i = 0; !named && i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if ((r->state == NX_PROFILE_READY || r->state == NX_PROFILE_ARCHIVED) &&
		    !strcmp(r->key, key))
			return r;
	}
	return named;
}

static bool begins_with(const char *text, struct nx_slice word)
{
	return word.len && strlen(text) >= word.len && memcmp(text, word.data, word.len) == 0;
}

/* The records whose key or id is the word, or, if not in full, that begin with it. */
static size_t collect_matches(const struct nx_catalogue *catalogue, struct nx_slice word,
			      bool in_full, const struct nx_profile_record *found[SHOWN_MATCHES])
{
	size_t count = 0;

	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];
		bool is_match = in_full ? word.len && (nx_slice_is(word, r->key) ||
						       nx_slice_is(word, r->id))
					: begins_with(r->name, word) || begins_with(r->key, word) ||
						  begins_with(r->id, word);

		if (!is_match)
			continue;
		if (count < SHOWN_MATCHES)
			found[count] = r;
		count++;
	}
	return count;
}

static enum nx_status refuse_several(const struct nx_profile_record *const *found, size_t count,
				     const char *word, struct nx_error *err)
{
	char names[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && i < SHOWN_MATCHES && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.100s",
					 i ? ", " : "", found[i]->name);
	return nx_fail(err, NX_USAGE, "'%.100s' could be %s%s; write the name in full", word, names,
		       count > SHOWN_MATCHES ? " or others" : "");
}

enum nx_status nx_catalogue_match(const struct nx_catalogue *catalogue, const char *word,
				  const struct nx_profile_record **record, struct nx_error *err)
{
	const struct nx_profile_record *found[SHOWN_MATCHES];
	struct nx_slice wanted = nx_profile_name_without_version(nx_slice_text(word));
	size_t count;

	*record = nx_catalogue_find(catalogue, word);
	if (*record)
		return NX_OK;
	count = collect_matches(catalogue, wanted, true, found);
	if (!count)
		count = collect_matches(catalogue, wanted, false, found);
	if (count > 1)
		return refuse_several(found, count, word, err);
	if (!count)
		return nx_fail(err, NX_NOT_FOUND, "there is no profile '%.100s'", word);
	*record = found[0];
	return NX_OK;
}
