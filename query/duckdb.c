/* SPDX-License-Identifier: Apache-2.0 */
#include "query/duckdb.h"

#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#include "query/duckdb_internal.h"
#include "query/sql_text.h"

#define LEAST_MEMORY_BYTES (UINT64_C(64) << 20)
#define USUAL_STATEMENT_BYTES ((size_t)1 << 20)

/* --- opening and locking --------------------------------------------------- */

uint64_t nx_duckdb_memory_default(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 2
						    : UINT64_C(2) << 30;

	return half > LEAST_MEMORY_BYTES ? half : LEAST_MEMORY_BYTES;
}

static enum nx_status run_all(struct nx_duckdb *db, const char *const *statements, size_t count,
			      struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < count && !st; i++)
		st = nx_duckdb_run(db, statements[i], err);
	return st;
}

static enum nx_status set_limits(struct nx_duckdb *db, uint32_t thread_count, struct nx_error *err)
{
	static const char *const settings[] = {
		"SET errors_as_json = true",
		"SET temp_directory = ''",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET allow_persistent_secrets = false",
	};
	char memory[64], threads[64];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const char *const sizes[] = {memory, threads};
	enum nx_status st = run_all(db, settings, sizeof(settings) / sizeof(settings[0]), err);

	if (!thread_count)
		thread_count = processors > 0 ? (uint32_t)processors : 1;
	snprintf(memory, sizeof(memory), "SET memory_limit = '%llu bytes'",
		 (unsigned long long)db->memory_limit_bytes);
	snprintf(threads, sizeof(threads), "SET threads = %u", thread_count);
	return st ? st : run_all(db, sizes, 2, err);
}

/* 'a', 'b' after "[" or other items. */
static void append_list(struct nx_bytes *sql, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sql->items[sql->len - 1] != '[')
			nx_sql_append(sql, ", ");
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(texts[i]));
	}
}

static enum nx_status run_bytes(struct nx_duckdb *db, struct nx_bytes *sql, struct nx_error *err)
{
	nx_bytes_append_zeros(sql, 1);
	return nx_duckdb_run(db, (const char *)sql->items, err);
}

/* Allows the files one by one, because a folder would allow links and other files in it too. */
static enum nx_status shut_files(struct nx_duckdb *db, const struct nx_profile_folder *profile,
				 const char *writable_path, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st;

	nx_sql_append(&sql, "SET allowed_paths = [");
	append_list(&sql, &writable_path, writable_path ? 1 : 0);
	for (size_t i = 0; i < profile->tables.len; i++)
		append_list(&sql, profile->tables.items[i].files,
			    profile->tables.items[i].file_count);
	nx_sql_append(&sql, "]");
	st = run_bytes(db, &sql, err);
	nx_vec_release(&sql);
	return st ? st : nx_duckdb_run(db, "SET enable_external_access = false", err);
}

static enum nx_status make_view(struct nx_duckdb *db, const struct nx_folder_table *table,
				struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st;

	nx_sql_append(&sql, "CREATE VIEW ");
	nx_sql_append_name(&sql, NX_SQL_DUCKDB, table->name);
	nx_sql_append(&sql, " AS SELECT * FROM read_parquet([");
	append_list(&sql, table->files, table->file_count);
	nx_sql_append(&sql, "], hive_partitioning = false)");
	st = run_bytes(db, &sql, err);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status make_views(struct nx_duckdb *db, struct nx_profile_folder *profile,
				 struct nx_error *err)
{
	struct nx_error reason = {0};
	size_t usable_count = 0;

	for (size_t i = 0; i < profile->tables.len; i++) {
		struct nx_folder_table *table = &profile->tables.items[i];

		if (!table->fault && make_view(db, table, &reason))
			table->fault = nx_arena_copy_text(&profile->arena, reason.message);
		usable_count += !table->fault;
	}
	if (usable_count)
		return NX_OK;
	return nx_fail(err, NX_FORMAT, "no table of %s can be read: %s: %s", profile->path,
		       profile->tables.items[0].name, profile->tables.items[0].fault);
}

static enum nx_status connect_and_lock(struct nx_duckdb *db, struct nx_profile_folder *profile,
				       const struct nx_duckdb_options *options,
				       struct nx_error *err)
{
	enum nx_status st;

	if (db->api->duckdb_open(NULL, &db->database) ||
	    db->api->duckdb_connect(db->database, &db->connection))
		return nx_fail(err, NX_LIMIT, "DuckDB does not start; is there enough memory?");
	st = set_limits(db, options->thread_count, err);
	if (!st)
		st = shut_files(db, profile, options->writable_path, err);
	if (!st)
		st = make_views(db, profile, err);
	return st ? st : nx_duckdb_run(db, "SET lock_configuration = true", err);
}

enum nx_status nx_duckdb_open(struct nx_duckdb **out, struct nx_profile_folder *profile,
			      const struct nx_duckdb_options *options, struct nx_error *err)
{
	const struct nx_duckdb_api *api;
	struct nx_duckdb *db;
	enum nx_status st = nx_duckdb_load(&api, options->library_path, err);

	assert(profile->tables.len);
	*out = NULL;
	if (st)
		return st;
	db = nx_heap_alloc(sizeof(*db));
	*db = (struct nx_duckdb){.api = api, .profile = profile};
	db->memory_limit_bytes = options->memory_limit_bytes ? options->memory_limit_bytes
							     : nx_duckdb_memory_default();
	db->statement_limit_bytes = options->statement_limit_bytes ? options->statement_limit_bytes
								   : USUAL_STATEMENT_BYTES;
	st = connect_and_lock(db, profile, options, err);
	if (st)
		nx_duckdb_close(db);
	else
		*out = db;
	return st;
}

void nx_duckdb_close(struct nx_duckdb *db)
{
	if (!db)
		return;
	if (db->connection)
		db->api->duckdb_disconnect(&db->connection);
	if (db->database)
		db->api->duckdb_close(&db->database);
	nx_heap_free(db);
}

/* --- asking ---------------------------------------------------------------- */

/* Runs head + statement + tail; the statement itself was checked. */
static enum nx_status start_wrapped(struct nx_duckdb *db, const char *head,
				    struct nx_slice statement, const char *tail, int type,
				    struct nx_row_stream **out, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_duckdb_task task = {.user_sql = statement, .user_at = strlen(head), .type = type};
	enum nx_status st;

	nx_sql_append(&sql, head);
	nx_bytes_append(&sql, statement.data, statement.len);
	nx_sql_append(&sql, tail);
	nx_bytes_append_zeros(&sql, 1);
	task.sql = (const char *)sql.items;
	st = nx_duckdb_start(db, &task, out, err);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status check(struct nx_duckdb *db, struct nx_slice statement, struct nx_error *err)
{
	if (statement.len > db->statement_limit_bytes)
		return nx_fail(err, NX_LIMIT, "the statement is longer than %zu kB",
			       db->statement_limit_bytes >> 10);
	atomic_store(&db->is_stopped, false);
	return nx_duckdb_check(db, statement, err);
}

/* Replaces EXPLAIN by blanks, so that positions in messages stay those of the user's text. */
static struct nx_slice blank_explain(struct nx_slice sql, struct nx_slice rest,
				     struct nx_bytes *copy)
{
	nx_bytes_append(copy, sql.data, sql.len);
	for (size_t i = 0; i < sql.len - rest.len; i++)
		if (copy->items[i] != '\n')
			copy->items[i] = ' ';
	return nx_slice_of(copy->items, copy->len);
}

enum nx_status nx_duckdb_query(struct nx_duckdb *db, struct nx_slice sql,
			       struct nx_row_stream **out, struct nx_error *err)
{
	static const char *const heads[] = {"", "EXPLAIN ", "EXPLAIN ANALYZE "};
	struct nx_slice rest = sql;
	enum nx_sql_explain explain = nx_sql_take_explain(&rest);
	int type = explain == NX_SQL_RUN ? DUCKDB_SELECT : DUCKDB_EXPLAIN;
	struct nx_bytes copy = {0};
	enum nx_status st;

	*out = NULL;
	sql = blank_explain(sql, rest, &copy);
	st = check(db, sql, err);
	if (!st)
		st = start_wrapped(db, heads[explain], sql, "", type, out, err);
	nx_vec_release(&copy);
	return st;
}

enum nx_status nx_duckdb_write_parquet(struct nx_duckdb *db, struct nx_slice sql, const char *path,
				       struct nx_error *err)
{
	struct nx_bytes tail = {0};
	struct nx_row_stream *rows;
	uint64_t count;
	enum nx_status st = check(db, sql, err);

	/* the line break ends a comment after the statement */
	nx_sql_append(&tail, "\n) TO ");
	nx_sql_append_text(&tail, NX_SQL_DUCKDB, nx_slice_text(path));
	nx_sql_append(&tail, " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)");
	nx_bytes_append_zeros(&tail, 1);
	if (!st)
		st = start_wrapped(db, "COPY (", sql, (const char *)tail.items, DUCKDB_COPY, &rows,
				   err);
	if (!st) {
		st = nx_row_stream_count_rest(rows, &count, err);
		nx_row_stream_close(rows);
	}
	nx_vec_release(&tail);
	return st;
}

void nx_duckdb_stop(struct nx_duckdb *db)
{
	atomic_store(&db->is_stopped, true);
	db->api->duckdb_interrupt(db->connection);
}

static enum nx_status ask_engine(void *context, struct nx_slice sql, struct nx_row_stream **out,
				 struct nx_error *err)
{
	return nx_duckdb_query(context, sql, out, err);
}

struct nx_query_engine nx_duckdb_as_engine(struct nx_duckdb *db)
{
	return (struct nx_query_engine){NX_SQL_DUCKDB, ask_engine, db};
}

const char *nx_duckdb_version(const struct nx_duckdb *db)
{
	return db->api->duckdb_library_version();
}
