/* SPDX-License-Identifier: Apache-2.0 */
#include "store/ingest.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/durable.h"
#include "store/parquet_folder.h"
#include "store/staging.h"
#include "store/timeline/timeline_sink.h"

#define HIDDEN_PREFIX ".neuron-explorer-"

struct nx_ingest {
	struct nx_arena arena;
	const char *folder; /* of the user's; NULL in a workspace */
	const char *path;   /* where files are made */
	int lock;	    /* of the user's folder while it is in use, or -1 */
	struct nx_profile_record record;
	struct nx_staging *staging;
	struct nx_parquet_folder *tables;
	struct nx_timeline_sink *timeline;
	uint64_t row_count;
};

/* --- a folder of the user's ------------------------------------------------ */

/* Removes what killed processes left: no process holds its lock. */
static void remove_leftovers(const struct nx_ingest *in)
{
	DIR *folder = opendir(in->folder);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = nx_slice_starts(nx_slice_text(entry->d_name), HIDDEN_PREFIX)
				 ? nx_durable_open_folder(dirfd(folder), entry->d_name)
				 : -1;

		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
			(void)!nx_durable_remove_tree(dirfd(folder), entry->d_name, in->folder,
						      NULL);
		nx_durable_close(fd);
	}
	if (folder)
		closedir(folder);
}

/* False if another process took it for a leftover before it was locked. Without locks in the file
 * system no other process can lock it to remove it, so that is not a failure. */
static bool lock_hidden(struct nx_ingest *in)
{
	in->lock = open(in->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in->lock >= 0)
		(void)!flock(in->lock, LOCK_SH);
	if (in->lock >= 0 && !access(in->path, F_OK))
		return true;
	nx_durable_close(in->lock);
	in->lock = -1;
	return false;
}

/* Inside the folder, so that renaming stays on one file system. */
static enum nx_status make_hidden(struct nx_ingest *in, struct nx_error *err)
{
	if (mkdir(in->folder, 0777) && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot make the folder %s", in->folder);
	remove_leftovers(in);
	for (int tries = 0; tries < 100; tries++) {
		char *path = nx_arena_printf(&in->arena, "%s/" HIDDEN_PREFIX "XXXXXX", in->folder);

		if (!mkdtemp(path))
			break;
		in->path = path;
		if (lock_hidden(in))
			return NX_OK;
	}
	return nx_fail_errno(err, errno, "cannot write into the folder %s", in->folder);
}

static enum nx_status move_out(void *context, const char *name, struct nx_error *err)
{
	struct nx_ingest *in = context;
	const char *target = nx_arena_printf(&in->arena, "%s/%s", in->folder, name);

	if (name[0] != '.' && renameat(in->lock, name, AT_FDCWD, target))
		return nx_fail_errno(err, errno, "cannot put %s in place", target);
	return NX_OK;
}

/* --- begin ----------------------------------------------------------------- */

static enum nx_status begin_staging(struct nx_ingest *in, const struct nx_ingest_target *target,
				    struct nx_error *err)
{
	enum nx_status st = NX_OK;

	in->record.name = nx_arena_copy_text(&in->arena, target->name);
	in->record.kind = target->kind;
	in->record.is_simulated = target->is_simulated;
	in->record.has_rank = target->has_rank;
	in->record.rank = target->rank;
	in->record.core = target->core;
	in->record.clock = target->clock;
	in->record.clock.collective = nx_arena_copy_text(
		&in->arena, target->clock.collective ? target->clock.collective : "");
	in->record.key = nx_arena_copy_text(&in->arena, target->key ? target->key : "");
	in->record.recipe = nx_arena_copy_text(&in->arena, target->recipe ? target->recipe : "");
	in->record.schema_version = NX_SCHEMA_VERSION;
	in->record.run = nx_arena_copy_text(&in->arena, target->run ? target->run : "");
	for (size_t i = 0; i < target->session_count; i++)
		nx_vec_push(&in->record.sessions, target->sessions[i]);
	for (size_t i = 0; i < target->source_count && !st; i++)
		st = nx_profile_record_add_source(&in->record, target->sources[i], &in->arena, err);
	if (!st)
		st = nx_staging_begin(&in->staging, target->workspace, &in->record, target->force,
				      err);
	if (!st)
		in->path = nx_staging_path(in->staging);
	return st;
}

static void release(struct nx_ingest *in)
{
	nx_durable_close(in->lock);
	nx_profile_record_release(&in->record);
	nx_arena_release(&in->arena);
	nx_heap_free(in);
}

/* Removes what is not in place yet. */
static void throw_away(struct nx_ingest *in, const char *reason)
{
	if (in->staging) {
		nx_vec_clear(&in->record.tables); /* the folder keeps none */
		nx_staging_fail(in->staging, reason);
	} else if (in->path) {
		(void)!nx_durable_remove_tree(AT_FDCWD, in->path, in->path, NULL);
	}
	release(in);
}

enum nx_status nx_ingest_begin(struct nx_ingest **ingest, const struct nx_ingest_target *target,
			       struct nx_error *err)
{
	struct nx_ingest *in = nx_heap_alloc(sizeof(*in));
	struct nx_error unheard = {0};
	enum nx_status st;

	assert(!target->folder != !target->workspace);
	memset(in, 0, sizeof(*in));
	in->lock = -1;
	if (!err)
		err = &unheard;
	if (target->folder) {
		in->folder = nx_arena_copy_text(&in->arena, target->folder);
		st = make_hidden(in, err);
	} else {
		st = begin_staging(in, target, err);
	}
	if (!st)
		st = nx_parquet_folder_open(&in->tables, in->path, err);
	if (!st)
		st = nx_timeline_sink_open(&in->timeline,
					   nx_arena_printf(&in->arena, "%s/" NX_TIMELINE_FILE,
							   in->path),
					   nx_parquet_folder_sink(in->tables), err);
	if (!st) {
		*ingest = in;
		return NX_OK;
	}
	if (in->tables)
		(void)!nx_parquet_folder_close(in->tables, NULL);
	throw_away(in, err->message);
	return st;
}

const char *nx_ingest_path(const struct nx_ingest *ingest)
{
	return ingest->path;
}

struct nx_table_sink *nx_ingest_sink(struct nx_ingest *ingest)
{
	return nx_timeline_sink_borrow(ingest->timeline);
}

/* --- end ------------------------------------------------------------------- */

static void count_tables(struct nx_ingest *in)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		enum nx_schema_table_id table = (enum nx_schema_table_id)i;
		uint64_t rows = nx_parquet_folder_row_count(in->tables, table);

		in->row_count += rows;
		if (rows)
			nx_profile_record_add_table(&in->record, nx_schema_tables[i].name, rows);
	}
}

static uint64_t bytes_of(const struct nx_ingest *in)
{
	DIR *folder = opendir(in->path);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (folder && (entry = readdir(folder)))
		if (!fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	if (folder)
		closedir(folder);
	return bytes;
}

static enum nx_status put_in_place(struct nx_ingest *in, struct nx_error *err)
{
	enum nx_status st;

	if (in->staging) {
		st = nx_staging_commit(in->staging, err);
		release(in);
		return st;
	}
	st = nx_durable_each(in->lock, in->path, move_out, in, err);
	throw_away(in, "");
	return st;
}

enum nx_status nx_ingest_end(struct nx_ingest *in, enum nx_status st,
			     struct nx_ingest_counts *counts, struct nx_error *err)
{
	struct nx_error own = {0}, unheard = {0};
	enum nx_status closed;

	assert(in->timeline && in->tables);
	if (!err)
		err = &unheard;
	count_tables(in);
	closed = nx_timeline_sink_close(in->timeline, &own);
	if (!closed)
		closed = nx_parquet_folder_close(in->tables, &own);
	else
		(void)!nx_parquet_folder_close(in->tables, NULL);
	if (!st && closed) {
		st = closed;
		*err = own;
	}
	if (st) {
		throw_away(in, err->message);
		return st;
	}
	if (counts)
		*counts = (struct nx_ingest_counts){in->row_count, bytes_of(in)};
	return put_in_place(in, err);
}
