/* SPDX-License-Identifier: Apache-2.0 */
#include "query/profile_folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/schema.h"

#define SUFFIX ".parquet"
#define WHOLE UINT64_MAX /* the part number of a table in one file */

struct found_file {
	const char *table, *name;
	uint64_t part;
};

struct found_files NX_VEC_BODY(struct found_file);

/* "Instruction_12" is part 12 of "Instruction". */
static struct found_file file_of(struct nx_arena *arena, const char *name)
{
	struct nx_slice stem = nx_slice_of(name, strlen(name) - strlen(SUFFIX));
	size_t digits = stem.len;
	uint64_t part;

	while (digits && stem.data[digits - 1] >= '0' && stem.data[digits - 1] <= '9')
		digits--;
	if (digits < 2 || stem.data[digits - 1] != '_' ||
	    !nx_slice_to_u64(nx_slice_part(stem, digits, stem.len), &part))
		return (struct found_file){nx_arena_copy(arena, stem), name, WHOLE};
	return (struct found_file){nx_arena_copy(arena, nx_slice_part(stem, 0, digits - 1)), name,
				   part};
}

static int compare(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;
	int by_table = strcasecmp(x->table, y->table);

	if (by_table)
		return by_table;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return strcmp(x->name, y->name);
}

static enum nx_status list_files(struct nx_profile_folder *folder, struct found_files *files,
				 struct nx_error *err)
{
	DIR *dir = opendir(folder->path);
	const struct dirent *entry;

	if (!dir)
		return nx_fail_errno(err, errno, "cannot list %s", folder->path);
	while ((entry = readdir(dir))) {
		struct nx_slice name = nx_slice_text(entry->d_name);

		if (name.data[0] == '.' || name.len <= strlen(SUFFIX) ||
		    !nx_slice_ends(name, SUFFIX))
			continue;
		nx_vec_push(files, file_of(&folder->arena, nx_arena_copy(&folder->arena, name)));
	}
	closedir(dir);
	if (files->len)
		qsort(files->items, files->len, sizeof(*files->items), compare);
	return NX_OK;
}

/* The file with links resolved; NULL, and the fault set, if queries may not read it. */
static const char *resolve_file(struct nx_profile_folder *folder, const char *name,
				const char **fault)
{
	char *path = nx_arena_printf(&folder->arena, "%s/%s", folder->path, name);
	char resolved[PATH_MAX];
	size_t len = strlen(folder->path);
	struct stat st;

	if (!realpath(path, resolved) || stat(resolved, &st) < 0) {
		*fault = nx_arena_printf(&folder->arena, "%s cannot be opened: %s", name,
					 strerror(errno));
		return NULL;
	}
	if (strncmp(resolved, folder->path, len) != 0 ||
	    (resolved[len] != '/' && strcmp(folder->path, "/") != 0)) {
		*fault = nx_arena_printf(&folder->arena,
					 "%s is a link out of the profile; copy the file into it",
					 name);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		*fault = nx_arena_printf(&folder->arena, "%s is not a file", name);
		return NULL;
	}
	return nx_arena_copy_text(&folder->arena, resolved);
}

static const char *fault_of_parts(struct nx_arena *arena, const struct found_file *files,
				  size_t count)
{
	assert(count);
	for (size_t i = 0; i < count; i++) {
		if (count == 1 && files[i].part == WHOLE)
			return NULL;
		if (files[i].part == WHOLE || strcmp(files[i].table, files[0].table) != 0)
			return nx_arena_printf(arena,
					       "%s and %s name the same table; remove or rename "
					       "one of them",
					       files[0].name, files[i].name);
		if (files[i].part != i)
			return nx_arena_printf(arena, "part %zu is missing: there is no %s_%zu%s",
					       i, files[0].table, i, SUFFIX);
	}
	return NULL;
}

static void add_table(struct nx_profile_folder *folder, const struct found_file *files,
		      size_t count)
{
	struct nx_folder_table table = {
		.name = files[0].table,
		.files = NX_NEW_ARRAY(&folder->arena, const char *, count),
		.fault = fault_of_parts(&folder->arena, files, count),
	};

	for (size_t i = 0; i < count && !table.fault; i++) {
		const char *path = resolve_file(folder, files[i].name, &table.fault);

		if (path)
			table.files[table.file_count++] = path;
	}
	nx_vec_push(&folder->tables, table);
}

static enum nx_status resolve(const char *profile, struct nx_arena *arena, const char **path,
			      struct nx_error *err)
{
	char resolved[PATH_MAX];
	struct stat st;

	if (!realpath(profile, resolved) || stat(resolved, &st) < 0)
		return nx_fail_errno(err, errno, "cannot open the profile %s", profile);
	if (!S_ISDIR(st.st_mode))
		return nx_fail(err, NX_USAGE,
			       "%s is a file; a profile is the folder that holds its Parquet files",
			       profile);
	*path = nx_arena_copy_text(arena, resolved);
	return NX_OK;
}

enum nx_status nx_profile_folder_open(struct nx_profile_folder *folder, const char *profile,
				      struct nx_error *err)
{
	struct found_files files = {0};
	enum nx_status st;

	*folder = (struct nx_profile_folder){0};
	st = resolve(profile, &folder->arena, &folder->path, err);
	if (!st)
		st = list_files(folder, &files, err);
	for (size_t i = 0, count; !st && i < files.len; i += count) {
		for (count = 1; i + count < files.len; count++)
			if (strcasecmp(files.items[i].table, files.items[i + count].table) != 0)
				break;
		add_table(folder, &files.items[i], count);
	}
	if (!st && !files.len)
		st = nx_fail(err, NX_NOT_FOUND,
			     "%s holds no Parquet files, so there is nothing to query; name the "
			     "folder of a profile with -d",
			     folder->path);
	nx_vec_release(&files);
	return st;
}

void nx_profile_folder_release(struct nx_profile_folder *folder)
{
	nx_vec_release(&folder->tables);
	nx_arena_release(&folder->arena);
	*folder = (struct nx_profile_folder){0};
}

const struct nx_folder_table *nx_profile_folder_find(const struct nx_profile_folder *folder,
						     const char *name)
{
	for (size_t i = 0; i < folder->tables.len; i++)
		if (!strcasecmp(folder->tables.items[i].name, name))
			return &folder->tables.items[i];
	return NULL;
}

/* Whether the folder has another table of such profiles. */
static bool has_scope(const struct nx_profile_folder *folder, uint8_t scope)
{
	for (size_t i = 0; i < folder->tables.len; i++) {
		const struct nx_schema_table *table =
			nx_schema_find_table(nx_slice_text(folder->tables.items[i].name));

		if (table && table->scope == scope)
			return true;
	}
	return false;
}

static const char *published_name(const struct nx_profile_folder *folder, const char *name)
{
	for (size_t i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (!strcasecmp(nx_schema_tables[i].name, name) &&
		    has_scope(folder, nx_schema_tables[i].scope))
			return nx_schema_tables[i].name;
	return NULL;
}

enum nx_status nx_profile_folder_check_lost(const struct nx_profile_folder *folder,
					    const char *name, struct nx_error *err)
{
	const struct nx_folder_table *table = nx_profile_folder_find(folder, name);
	const char *known = table ? table->name : published_name(folder, name);
	bool is_lost = known && !table;

	for (size_t i = 0; table && i < table->file_count; i++)
		is_lost = is_lost || (access(table->files[i], F_OK) && errno == ENOENT);
	if (!is_lost)
		return NX_OK;
	return nx_fail(
		err, NX_NOT_FOUND,
		"the table %s is not in the profile's folder any more: its file was moved or "
		"deleted; put it back, or process the capture again with 'view --force'",
		known);
}
