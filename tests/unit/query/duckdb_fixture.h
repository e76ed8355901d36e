/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duckdb_fixture: a profile of Parquet files in a folder of its own, made with
 * an unlocked DuckDB, and a locked one that is open on it.
 */
#ifndef NX_TESTS_UNIT_QUERY_DUCKDB_FIXTURE_H
#define NX_TESTS_UNIT_QUERY_DUCKDB_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "query/duckdb_internal.h"

struct duckdb_fixture {
	char path[64];
	struct nx_profile_folder folder;
	struct nx_duckdb *db;
	struct nx_error err;
};

/* "COPY (select) TO 'folder/name'" */
static inline void fixture_make(struct duckdb_fixture *f, const char *name, const char *select)
{
	struct nx_duckdb db = {.profile = &f->folder};
	char sql[4096];

	snprintf(sql, sizeof(sql), "COPY (%s) TO '%s/%s'", select, f->path, name);
	assert_int_equal(nx_duckdb_load(&db.api, NULL, &f->err), NX_OK);
	assert_int_equal(db.api->duckdb_open(NULL, &db.database), 0);
	assert_int_equal(db.api->duckdb_connect(db.database, &db.connection), 0);
	if (nx_duckdb_run(&db, sql, &f->err))
		fail_msg("%s", f->err.message);
	db.api->duckdb_disconnect(&db.connection);
	db.api->duckdb_close(&db.database);
}

static inline int fixture_begin(void **state)
{
	struct duckdb_fixture *f = nx_heap_alloc(sizeof(*f));

	*f = (struct duckdb_fixture){.path = "/tmp/nx-duckdb-XXXXXX"};
	*state = f;
	return mkdtemp(f->path) ? 0 : 1;
}

static inline int fixture_end(void **state)
{
	struct duckdb_fixture *f = *state;
	char command[128];

	nx_duckdb_close(f->db);
	nx_profile_folder_release(&f->folder);
	snprintf(command, sizeof(command), "rm -rf %s", f->path);
	nx_heap_free(f);
	return system(command); /* NOLINT: a path of our own */
}

static inline void fixture_open(struct duckdb_fixture *f, const struct nx_duckdb_options *options)
{
	static const struct nx_duckdb_options usual = {.memory_limit_bytes = 200 << 20,
						       .thread_count = 2};

	if (nx_profile_folder_open(&f->folder, f->path, &f->err) ||
	    nx_duckdb_open(&f->db, &f->folder, options ? options : &usual, &f->err))
		fail_msg("%s", f->err.message);
}

/* The whole answer: cells separated by '|', rows by line breaks; or the error. */
static inline const char *fixture_ask(struct duckdb_fixture *f, const char *sql,
				      enum nx_status *status)
{
	static struct nx_bytes text;
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st = nx_duckdb_query(f->db, nx_slice_text(sql), &rows, &f->err);

	nx_vec_clear(&text);
	while (!st && !(st = nx_row_stream_next(rows, &row, &f->err)) && row) {
		if (text.len)
			nx_bytes_append(&text, "\n", 1);
		for (size_t i = 0; i < rows->column_count; i++) {
			nx_bytes_append(&text, "|", i ? 1 : 0);
			nx_value_append_text(&row[i], &text);
		}
	}
	nx_row_stream_close(rows);
	nx_bytes_append_zeros(&text, 1);
	*status = st;
	return st ? f->err.message : (const char *)text.items;
}

static inline void assert_answer(struct duckdb_fixture *f, const char *sql, const char *expected)
{
	enum nx_status st;
	const char *got = fixture_ask(f, sql, &st);

	if (st)
		fail_msg("%s: %s", sql, got);
	assert_string_equal(got, expected);
}

static inline void assert_refused(struct duckdb_fixture *f, const char *sql, enum nx_status status,
				  const char *message)
{
	enum nx_status st;
	const char *got = fixture_ask(f, sql, &st);

	if (st != status)
		fail_msg("%s: %d, %s", sql, (int)st, got);
	if (message)
		assert_string_equal(got, message);
}

/* Where the library could not be had there is nothing to test: says so and returns true. */
static inline bool fixture_is_impossible(void)
{
	const struct nx_duckdb_api *api;
	struct nx_error err;

	if (!nx_duckdb_load(&api, NULL, &err))
		return false;
	printf("1..0 # SKIP %s\n", err.message);
	return true;
}

#endif
