/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one statement in DuckDB and streams its rows. */
#include <assert.h>

#include "query/duckdb_internal.h"

struct stream {
	struct nx_row_stream rows; /* first, so that one is the other */
	struct nx_duckdb *db;
	struct nx_arena arena; /* columns and readers */
	struct duckdb_result result;
	bool has_result;
	struct nx_slice user_sql; /* a copy */
	size_t user_at;

	struct nx_duckdb_reader *readers;
	struct nx_value *values;
	duckdb_chunk chunk;
	bool is_over;		  /* asking for another chunk would be an error */
	uint64_t chunk_rows, row; /* row: the next one of the chunk */
	struct nx_arena chunk_arena;
};

static void stream_close(struct nx_row_stream *rows)
{
	struct stream *s = (struct stream *)rows;
	const struct nx_duckdb_api *api = s->db->api;

	if (s->chunk)
		api->duckdb_destroy_data_chunk(&s->chunk);
	if (s->has_result)
		api->duckdb_destroy_result(&s->result);
	nx_arena_release(&s->chunk_arena);
	nx_arena_release(&s->arena);
	nx_heap_free(s);
}

static enum nx_status fail(struct stream *s, const char *words, struct nx_error *err)
{
	return nx_duckdb_fail(s->db, words, s->user_sql, s->user_at, err);
}

/* chunk_rows stays 0 after the last chunk. */
static enum nx_status next_chunk(struct stream *s, struct nx_error *err)
{
	const struct nx_duckdb_api *api = s->db->api;
	const char *words;

	nx_arena_release(&s->chunk_arena);
	s->row = s->chunk_rows = 0;
	if (s->is_over)
		return NX_OK;
	do {
		if (s->chunk)
			api->duckdb_destroy_data_chunk(&s->chunk);
		if (atomic_load(&s->db->is_stopped))
			return nx_fail(err, NX_CANCELLED, "the query was interrupted");
		s->chunk = api->duckdb_fetch_chunk(s->result);
		if (!s->chunk) {
			s->is_over = true;
			words = api->duckdb_result_error(&s->result);
			return words ? fail(s, words, err) : NX_OK;
		}
		s->chunk_rows = api->duckdb_data_chunk_get_size(s->chunk);
	} while (!s->chunk_rows);
	return NX_OK;
}

static enum nx_status stream_next(struct nx_row_stream *rows, const struct nx_value **row,
				  struct nx_error *err)
{
	struct stream *s = (struct stream *)rows;
	const struct nx_duckdb_api *api = s->db->api;
	enum nx_status st;

	assert(s->row <= s->chunk_rows);
	*row = NULL;
	if (s->row == s->chunk_rows) {
		st = next_chunk(s, err);
		if (st || !s->chunk_rows)
			return st;
		for (size_t c = 0; c < rows->column_count; c++)
			nx_duckdb_reader_turn(&s->readers[c], api,
					      api->duckdb_data_chunk_get_vector(s->chunk, c));
	}
	for (size_t c = 0; c < rows->column_count; c++)
		nx_duckdb_reader_get(&s->readers[c], api, s->row, &s->chunk_arena, &s->values[c]);
	s->row++;
	*row = s->values;
	return NX_OK;
}

static enum nx_status stream_count_rest(struct nx_row_stream *rows, uint64_t *count,
					struct nx_error *err)
{
	struct stream *s = (struct stream *)rows;
	enum nx_status st = NX_OK;

	*count = s->chunk_rows - s->row;
	while (!st && s->chunk_rows) {
		st = next_chunk(s, err);
		*count += s->chunk_rows;
	}
	return st;
}

static const struct nx_row_stream_ops stream_ops = {stream_next, stream_count_rest, stream_close};

/* --- starting -------------------------------------------------------------- */

static enum nx_status describe_column(struct stream *s, struct nx_column *column, size_t index,
				      struct nx_error *err)
{
	const struct nx_duckdb_api *api = s->db->api;
	duckdb_logical type = api->duckdb_column_logical_type(&s->result, index);
	const char *name = api->duckdb_column_name(&s->result, index);
	enum nx_status st = nx_duckdb_reader_init(&s->readers[index], api, type, &s->arena, err);

	api->duckdb_destroy_logical_type(&type);
	column->name = nx_arena_copy_text(&s->arena, name ? name : "");
	column->kind = s->readers[index].kind;
	return st ? nx_fail(err, st, "the column '%.100s' %s", column->name, err->message) : NX_OK;
}

static enum nx_status describe_columns(struct stream *s, struct nx_error *err)
{
	size_t count = s->db->api->duckdb_column_count(&s->result);
	struct nx_column *columns = NX_NEW_ARRAY(&s->arena, struct nx_column, count);
	struct nx_error reason;
	enum nx_status st = NX_OK;

	s->readers = NX_NEW_ARRAY(&s->arena, struct nx_duckdb_reader, count);
	s->values = NX_NEW_ARRAY(&s->arena, struct nx_value, count);
	s->rows.columns = columns;
	s->rows.column_count = count;
	for (size_t i = 0; i < count && !st; i++)
		st = describe_column(s, &columns[i], i, err ? err : &reason);
	return st;
}

static enum nx_status execute(struct stream *s, duckdb_prepared prepared, struct nx_error *err)
{
	const struct nx_duckdb_api *api = s->db->api;
	duckdb_pending pending = NULL;
	enum nx_status st = NX_OK;

	if (api->duckdb_pending_prepared_streaming(prepared, &pending))
		st = fail(s, api->duckdb_pending_error(pending), err);
	if (!st) {
		s->has_result = true;
		if (api->duckdb_execute_pending(pending, &s->result))
			st = fail(s, api->duckdb_result_error(&s->result), err);
	}
	api->duckdb_destroy_pending(&pending);
	return st;
}

static enum nx_status prepare(struct stream *s, duckdb_extracted statement, int type,
			      struct nx_error *err)
{
	const struct nx_duckdb_api *api = s->db->api;
	duckdb_prepared prepared = NULL;
	enum nx_status st;

	if (api->duckdb_prepare_extracted_statement(s->db->connection, statement, 0, &prepared))
		st = fail(s, api->duckdb_prepare_error(prepared), err);
	else if (type && api->duckdb_prepared_statement_type(prepared) != type)
		st = nx_fail(err, NX_PERMISSION, "only queries (SELECT) are allowed here");
	else
		st = execute(s, prepared, err);
	api->duckdb_destroy_prepare(&prepared);
	return st;
}

enum nx_status nx_duckdb_parse(struct nx_duckdb *db, const struct nx_duckdb_task *task,
			       duckdb_extracted *statement, struct nx_error *err)
{
	const struct nx_duckdb_api *api = db->api;
	uint64_t count = api->duckdb_extract_statements(db->connection, task->sql, statement);
	const char *words = count ? NULL : api->duckdb_extract_statements_error(*statement);

	if (count == 1)
		return NX_OK;
	if (words)
		return nx_duckdb_fail(db, words, task->user_sql, task->user_at, err);
	if (!count)
		return nx_fail(err, NX_USAGE, "there is no SQL to run");
	return nx_fail(err, NX_USAGE,
		       "this is more than one statement to DuckDB; end each with ';', and give "
		       "PIVOT its list of values: PIVOT ... ON x IN (...)");
}

enum nx_status nx_duckdb_start(struct nx_duckdb *db, const struct nx_duckdb_task *task,
			       struct nx_row_stream **out, struct nx_error *err)
{
	struct stream *s = nx_heap_alloc(sizeof(*s));
	duckdb_extracted statement = NULL;
	enum nx_status st;

	*s = (struct stream){.rows.ops = &stream_ops, .db = db, .user_at = task->user_at};
	s->user_sql = nx_slice_of(nx_arena_copy(&s->arena, task->user_sql), task->user_sql.len);
	*out = NULL;
	st = nx_duckdb_parse(db, task, &statement, err);
	if (!st)
		st = prepare(s, statement, task->type, err);
	db->api->duckdb_destroy_extracted(&statement);
	if (!st)
		st = describe_columns(s, err);
	if (st)
		stream_close(&s->rows);
	else
		*out = &s->rows;
	return st;
}

enum nx_status nx_duckdb_run(struct nx_duckdb *db, const char *sql, struct nx_error *err)
{
	struct nx_duckdb_task task = {.sql = sql};
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st = nx_duckdb_start(db, &task, &rows, err);

	if (st)
		return st;
	do
		st = nx_row_stream_next(rows, &row, err);
	while (!st && row);
	nx_row_stream_close(rows);
	return st;
}
