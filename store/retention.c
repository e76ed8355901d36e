/* SPDX-License-Identifier: Apache-2.0 */
#include "store/retention.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "store/archive.h"
#include "store/durable.h"
#include "store/related_profiles.h"
#include "store/workspace_internal.h"

#define RULES_BYTES_MAX ((size_t)64 << 10)
#define DAY_MS (UINT64_C(86400) * 1000)

/* --- rules ---------------------------------------------------------------------- */

static enum nx_status read_number(const struct nx_json *root, const char *key, bool *is_there,
				  uint64_t *value, struct nx_error *err)
{
	const struct nx_json *member = nx_json_get(root, key);

	*is_there = member != NULL;
	*value = member ? nx_json_as_u64(member, UINT64_MAX) : 0;
	if (*value != UINT64_MAX)
		return NX_OK;
	return nx_fail(err, NX_FORMAT,
		       NX_RETENTION_FILE ": '%s' should be a number, without a fraction", key);
}

enum nx_status nx_retention_read(const struct nx_workspace *ws, struct nx_arena *arena,
				 struct nx_retention *rules, struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	struct nx_json *root = NULL;
	const char *to;
	enum nx_status st = nx_durable_read(ws->root, NX_RETENTION_FILE, RULES_BYTES_MAX, &bytes,
					    ws->path, err);

	*rules = (struct nx_retention){0};
	if (st == NX_NOT_FOUND) {
		nx_vec_release(&bytes);
		return NX_OK;
	}
	if (!st)
		st = nx_json_parse(nx_slice_of(bytes.items, bytes.len), arena, &root, err);
	if (!st && root->kind != NX_JSON_OBJECT)
		st = nx_fail(err, NX_FORMAT, NX_RETENTION_FILE " should be an object");
	if (!st)
		st = read_number(root, "keep_days", &rules->has_days, &rules->keep_days, err);
	if (!st)
		st = read_number(root, "keep_bytes", &rules->has_bytes, &rules->keep_bytes, err);
	if (!st) {
		to = nx_json_as_text(nx_json_get(root, "archive_to"), arena, "");
		rules->archive_to = *to ? to : NULL;
	}
	nx_vec_release(&bytes);
	return st;
}

/* --- choice ------------------------------------------------------------------------ */

static uint64_t used_ms(const struct nx_profile_record *r)
{
	return r->opened_ms > r->created_ms ? r->opened_ms : r->created_ms;
}

static int by_last_use(const void *left, const void *right)
{
	const struct nx_profile_record *const *a = left, *const *b = right;

	if (used_ms(*a) != used_ms(*b))
		return used_ms(*a) < used_ms(*b) ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

static bool is_starred(const struct nx_catalogue *catalogue, const struct nx_profile_record *r)
{
	const struct nx_profile_record *parent = nx_related_parent(catalogue, r);

	return r->is_favourite || (parent && parent->is_favourite);
}

void nx_retention_choose(const struct nx_catalogue *catalogue, const struct nx_retention *rules,
			 uint64_t now_ms, struct nx_retention_records *chosen)
{
	struct nx_retention_records all = {0};
	uint64_t total_bytes = 0;

	/* those that stay count too */
	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (r->state != NX_PROFILE_READY)
			continue;
		total_bytes += r->size_bytes;
		if (!is_starred(catalogue, r))
			nx_vec_push(&all, r);
	}
	if (all.len)
		qsort(all.items, all.len, sizeof(*all.items), by_last_use);
	for (size_t i = 0; i < all.len; i++) {
		uint64_t age_ms =
			now_ms > used_ms(all.items[i]) ? now_ms - used_ms(all.items[i]) : 0;
		bool is_old = rules->has_days && age_ms / DAY_MS >= rules->keep_days;
		bool is_over = rules->has_bytes && total_bytes > rules->keep_bytes;

		if (!is_old && !is_over)
			continue;
		nx_vec_push(chosen, all.items[i]);
		total_bytes -= all.items[i]->size_bytes;
	}
	nx_vec_release(&all);
}

/* --- application --------------------------------------------------------------------- */

static enum nx_status let_go(struct nx_workspace *ws, const struct nx_retention *rules,
			     const struct nx_profile_record *r, struct nx_error *err)
{
	bool was_fetched = r->archive.place && *r->archive.place;
	struct nx_archive_options how = {.to = was_fetched ? r->archive.place : rules->archive_to};

	return how.to ? nx_archive_store(ws, r->name, &how, err)
		      : nx_workspace_remove(ws, r->name, err);
}

enum nx_status nx_retention_apply(struct nx_workspace *ws, const struct nx_retention *rules,
				  bool is_dry_run, struct nx_arena *arena,
				  struct nx_leftovers *leftovers, struct nx_error *err)
{
	struct nx_retention_records chosen = {0};
	struct nx_catalogue catalogue = {0};
	enum nx_status st, failed = NX_OK;

	if (!rules->has_days && !rules->has_bytes)
		return NX_OK;
	st = nx_catalogue_load(&catalogue, ws, err);
	if (!st)
		nx_retention_choose(&catalogue, rules, nx_now_ms(), &chosen);
	for (size_t i = 0; i < chosen.len; i++) {
		const struct nx_profile_record *r = chosen.items[i];
		bool was_fetched = r->archive.place && *r->archive.place;
		struct nx_error one = {0};
		enum nx_status here = is_dry_run ? NX_OK : let_go(ws, rules, r, &one);

		if (here && !failed)
			failed = nx_fail(err, here, "%s", one.message);
		if (!here)
			nx_vec_push(leftovers, ((struct nx_leftover){
						       nx_arena_copy_text(arena, r->name),
						       was_fetched	   ? "fetched copy"
						       : rules->archive_to ? "moved to the archive"
									   : "old profile",
						       r->size_bytes}));
	}
	nx_vec_release(&chosen);
	nx_catalogue_release(&catalogue);
	return st ? st : failed;
}
