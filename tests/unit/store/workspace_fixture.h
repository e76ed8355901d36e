/* SPDX-License-Identifier: Apache-2.0 */
/* workspace_fixture: a fresh folder per test, and short ways to fill a workspace. */
#ifndef NX_TESTS_UNIT_STORE_WORKSPACE_FIXTURE_H
#define NX_TESTS_UNIT_STORE_WORKSPACE_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/catalogue.h"
#include "store/staging.h"
#include "store/workspace.h"

static char fixture_folder[64];

static inline int enter_folder_in(const char *parent)
{
	snprintf(fixture_folder, sizeof(fixture_folder), "%s/nx-workspace-XXXXXX", parent);
	return mkdtemp(fixture_folder) && chdir(fixture_folder) == 0 ? 0 : -1;
}

static inline int enter_folder(void **state)
{
	(void)state;
	return enter_folder_in("/tmp");
}

static inline int leave_folder(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+rwx '%s' && rm -rf '%s'", fixture_folder,
		 fixture_folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static inline void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline bool has_text(const char *path, const char *text)
{
	struct nx_file file;
	bool is_same;

	if (nx_file_map(&file, path, NULL))
		return false;
	is_same = nx_slice_is(file.bytes, text);
	nx_file_unmap(&file);
	return is_same;
}

static inline bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static inline struct nx_workspace *open_workspace(void)
{
	struct nx_workspace *ws = NULL;
	struct nx_error err = {0};

	if (nx_workspace_open(&ws, &(struct nx_workspace_options){.path = "ws"}, &err))
		fail_msg("%s", err.message);
	return ws;
}

/* A table that says what it belongs to, and a count of it. */
static inline void put_table(const struct nx_staging *s, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/Instruction.parquet", nx_staging_path(s));
	put_file(path, text);
}

static inline enum nx_status store_profile(struct nx_workspace *ws, const char *name,
					   const char *text, bool force, struct nx_error *err)
{
	struct nx_profile_record record = {.name = name, .schema_version = "7.4.0"};
	struct nx_staging *s;
	enum nx_status st = nx_staging_begin(&s, ws, &record, force, err);

	if (st)
		return st;
	put_table(s, text);
	nx_profile_record_add_table(&record, "Instruction", strlen(text));
	st = nx_staging_commit(s, err);
	nx_profile_record_release(&record);
	return st;
}

static inline void must_store(struct nx_workspace *ws, const char *name, const char *text)
{
	struct nx_error err = {0};

	if (store_profile(ws, name, text, true, &err))
		fail_msg("%s", err.message);
}

static inline size_t count_in(const char *folder)
{
	DIR *entries = opendir(folder);
	size_t count = 0;

	assert_non_null(entries);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count - 2;
}

/* The state of a name as a list shows it; -1 when it is not listed. */
static inline int state_of(struct nx_workspace *ws, const char *name)
{
	struct nx_catalogue catalogue;
	const struct nx_profile_record *r;
	int state;

	assert_int_equal(nx_catalogue_load(&catalogue, ws, NULL), NX_OK);
	r = nx_catalogue_find(&catalogue, name);
	state = r ? (int)r->state : -1;
	nx_catalogue_release(&catalogue);
	return state;
}

#endif
