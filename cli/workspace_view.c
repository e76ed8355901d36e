/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workspace_view.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/suggest.h"
#include "cli/terminal.h"
#include "query/duckdb.h"
#include "store/archive.h"

enum nx_status nx_workspace_view_open(struct nx_workspace **ws, const char *data_path,
				      bool is_read_only, struct nx_error *err)
{
	struct nx_workspace_options how = {.path = data_path, .is_read_only = is_read_only};
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	*ws = NULL;
	if (!data_path)
		st = nx_workspace_default_path(&arena, &how.path, err);
	if (!st && access(how.path, F_OK) < 0 && errno == ENOENT)
		st = data_path ? nx_fail(err, NX_NOT_FOUND,
					 "there is no workspace %s; check --data-path", data_path)
			       : NX_OK;
	else if (!st)
		st = nx_workspace_open(ws, &how, err);
	nx_arena_release(&arena);
	return st;
}

enum nx_status nx_workspace_view_fetch(const struct nx_workspace *ws,
				       const struct nx_profile_record *record, struct nx_error *err)
{
	struct nx_workspace_options how = {.path = nx_workspace_path(ws)};
	struct nx_workspace *writable;
	char size[NX_COUNT_TEXT_MAX];
	enum nx_status st = nx_workspace_open(&writable, &how, err);

	if (st)
		return st;
	nx_say("fetching %s (%s) from %s", record->name,
	       nx_size_text(record->archive.size_bytes, size), record->archive.place);
	st = nx_archive_fetch(writable, record->name, err);
	nx_workspace_close(writable);
	return st;
}

static enum nx_status find_profile(struct nx_workspace *ws, const char *word,
				   struct nx_arena *arena, const char **path, struct nx_error *err)
{
	const struct nx_profile_record *record;
	struct nx_catalogue catalogue = {0};
	enum nx_status st = nx_catalogue_load(&catalogue, ws, err);

	if (!st)
		st = nx_catalogue_match(&catalogue, word, &record, err);
	if (!st && record->state == NX_PROFILE_ARCHIVED)
		st = nx_workspace_view_fetch(ws, record, err);
	if (!st && record->state != NX_PROFILE_READY && record->state != NX_PROFILE_ARCHIVED)
		st = nx_fail(err, NX_NOT_FOUND, "the profile %s cannot be opened: %s", record->name,
			     *record->reason ? record->reason : "it is still being processed");
	else if (!st)
		*path = nx_workspace_profile_path(ws, arena, record->name);
	else if (st == NX_NOT_FOUND)
		st = nx_workspace_view_refuse(&catalogue, word, err);
	nx_catalogue_release(&catalogue);
	return st;
}

enum nx_status nx_workspace_view_resolve(const char *data_path, const char *word,
					 struct nx_arena *arena, const char **path,
					 struct nx_error *err)
{
	struct nx_workspace *ws;
	struct stat info;
	bool is_path = !stat(word, &info);
	const char *home;
	enum nx_status st;

	assert(word && arena);
	*path = word;
	/* what looks like a path is one, even if it is missing; with --data-path a plain name
	 * means a profile, even if there is a folder of that name */
	if (strchr(word, '/') ||
	    (!data_path && (is_path || nx_workspace_default_path(arena, &home, NULL))))
		return NX_OK;
	st = nx_workspace_view_open(&ws, data_path, true, err);
	if (st)
		return st;
	if (!ws)
		return nx_fail(err, NX_NOT_FOUND,
			       "there is no folder '%.200s' and no profile of that name: the "
			       "workspace is empty; fill it with 'view --ingest-only'",
			       word);
	st = find_profile(ws, word, arena, path, err);
	nx_workspace_close(ws);
	return st == NX_NOT_FOUND && is_path ? NX_OK : st;
}

/* --- patterns -------------------------------------------------------------- */

static void match_folders(const char *pattern, struct nx_arena *arena,
			  struct nx_profile_paths *paths)
{
	glob_t found = {0};

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			nx_vec_push(paths, nx_arena_copy_text(arena, found.gl_pathv[i]));
	globfree(&found);
}

static enum nx_status match_names(const char *data_path, const char *pattern,
				  struct nx_arena *arena, struct nx_profile_paths *paths,
				  struct nx_error *err)
{
	struct nx_catalogue catalogue = {0};
	struct nx_workspace *ws;
	enum nx_status st = nx_workspace_view_open(&ws, data_path, true, err);

	if (!st && ws)
		st = nx_catalogue_load(&catalogue, ws, err);
	for (size_t i = 0; !st && i < catalogue.records.len; i++) {
		const struct nx_profile_record *record = &catalogue.records.items[i];

		bool is_wanted = (record->state == NX_PROFILE_READY ||
				  record->state == NX_PROFILE_ARCHIVED) &&
				 !fnmatch(pattern, record->name, 0);

		if (is_wanted && record->state == NX_PROFILE_ARCHIVED)
			st = nx_workspace_view_fetch(ws, record, err);
		if (is_wanted && !st)
			nx_vec_push(paths, nx_workspace_profile_path(ws, arena, record->name));
	}
	nx_catalogue_release(&catalogue);
	nx_workspace_close(ws);
	return st;
}

static enum nx_status expand_word(const char *data_path, const char *word, struct nx_arena *arena,
				  struct nx_profile_paths *paths, struct nx_error *err)
{
	size_t before = paths->len;
	const char *path;
	enum nx_status st = NX_OK;

	if (!strpbrk(word, "*?[")) {
		st = nx_workspace_view_resolve(data_path, word, arena, &path, err);
		if (!st)
			nx_vec_push(paths, path);
		return st;
	}
	if (strchr(word, '/'))
		match_folders(word, arena, paths);
	else
		st = match_names(data_path, word, arena, paths, err);
	if (!st && paths->len == before)
		st = nx_fail(err, NX_NOT_FOUND,
			     "no profile matches '%.200s'; 'list' shows all profiles", word);
	return st;
}

enum nx_status nx_workspace_view_expand(const char *data_path, const char *words,
					struct nx_arena *arena, struct nx_profile_paths *paths,
					struct nx_error *err)
{
	char *rest = nx_arena_copy_text(arena, words), *word;
	enum nx_status st = NX_OK;

	while (!st && (word = strsep(&rest, ",")))
		st = *word ? expand_word(data_path, word, arena, paths, err)
			   : nx_fail(err, NX_USAGE, "a name is missing in '%.200s'", words);
	return st;
}

enum nx_status nx_workspace_view_ask(const char *path,
				     enum nx_status (*fn)(void *context,
							  const struct nx_query_engine *engine,
							  struct nx_error *err),
				     void *context, struct nx_error *err)
{
	struct nx_profile_folder folder = {0};
	struct nx_duckdb_options how = {0};
	struct nx_query_engine engine;
	struct nx_duckdb *db = NULL;
	enum nx_status st = nx_profile_folder_open(&folder, path, err);

	if (!st)
		st = nx_duckdb_open(&db, &folder, &how, err);
	if (!st) {
		engine = nx_duckdb_as_engine(db);
		st = fn(context, &engine, err);
	}
	nx_duckdb_close(db);
	nx_profile_folder_release(&folder);
	return st;
}

enum nx_status nx_workspace_view_refuse(const struct nx_catalogue *catalogue, const char *name,
					struct nx_error *err)
{
	const char *near =
		nx_suggest_member(catalogue->records.items, catalogue->records.len, name, name);
	char hint[NX_HINT_MAX];

	return nx_fail(err, NX_NOT_FOUND, "there is no profile '%.200s'%s", name,
		       nx_hint(near, "; 'list' shows all profiles", hint));
}

enum nx_status nx_workspace_view_refuse_table(const struct nx_profile_folder *folder,
					      const char *name, const char *remedy,
					      struct nx_error *err)
{
	const char *near = nx_suggest_member(folder->tables.items, folder->tables.len, name, name);
	char hint[NX_HINT_MAX];

	if (nx_profile_folder_check_lost(folder, name, err))
		return NX_NOT_FOUND;
	return nx_fail(err, NX_NOT_FOUND, "there is no table '%.100s'%s", name,
		       nx_hint(near, remedy, hint));
}
