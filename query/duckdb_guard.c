/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which statements untrusted users may run. DuckDB's settings lock files and the network, but some
 * table functions (enable_logging, enable_profiling) write all the same. So DuckDB's own parser
 * takes each statement apart, and every table function in it must be on a list.
 */
#include "query/duckdb_internal.h"
#include "query/sql_text.h"

#define ALLOWED_FUNCTIONS                                                                          \
	"'range','generate_series','unnest','repeat','repeat_row','json_each','json_tree',"        \
	"'read_parquet','parquet_scan','parquet_schema','parquet_metadata',"                       \
	"'parquet_file_metadata','parquet_kv_metadata','summary','duckdb_columns',"                \
	"'duckdb_functions','duckdb_keywords','duckdb_memory','duckdb_tables','duckdb_types',"     \
	"'duckdb_views','pragma_table_info','pragma_version','icu_calendar_names',"                \
	"'pg_timezone_names'"

/* One row: whether it is not a query, how many statements, the first function not allowed. */
static const char question_head[] =
	"SELECT (s.tree->>'error')::BOOLEAN, coalesce(json_array_length(s.tree, '$.statements'), "
	"0)::BIGINT, (SELECT min(f.name) FROM unnest(json_extract_string(s.tree, "
	"'$..function.function_name')) AS f(name) WHERE lower(f.name) NOT IN (" ALLOWED_FUNCTIONS
	")) FROM (SELECT json_serialize_sql(";
static const char question_tail[] = ") AS tree) s";

static enum nx_status judge(const struct nx_value *row, struct nx_error *err)
{
	if (!row || row[0].kind != NX_VALUE_BOOL || row[1].kind != NX_VALUE_I64)
		return nx_fail(err, NX_UNSUPPORTED,
			       "this DuckDB cannot check SQL; it lacks its JSON part");
	if (row[0].flag)
		return nx_fail(err, NX_PERMISSION,
			       "a profile is only read: ask with SELECT, DESCRIBE, SHOW, SUMMARIZE "
			       "or EXPLAIN");
	if (row[1].i64 != 1)
		return nx_fail(err, NX_PERMISSION, "one statement at a time; end each with ';'");
	if (row[2].kind == NX_VALUE_TEXT)
		return nx_fail(
			err, NX_PERMISSION,
			"the table function %.*s is not allowed here: only the tables of the "
			"profile can be read",
			(int)(row[2].text.len < 100 ? row[2].text.len : 100),
			(const char *)row[2].text.data);
	return NX_OK;
}

static enum nx_status ask(struct nx_duckdb *db, const struct nx_bytes *question,
			  struct nx_error *err)
{
	struct nx_duckdb_task task = {.sql = (const char *)question->items, .type = DUCKDB_SELECT};
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st = nx_duckdb_start(db, &task, &rows, err);

	if (st)
		return st;
	st = nx_row_stream_next(rows, &row, err);
	if (!st)
		st = judge(row, err);
	nx_row_stream_close(rows);
	return st;
}

/* Reports syntax errors with their positions. */
static enum nx_status check_syntax(struct nx_duckdb *db, struct nx_slice statement,
				   struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_duckdb_task task = {.user_sql = statement};
	duckdb_extracted parsed = NULL;
	enum nx_status st;

	nx_bytes_append(&sql, statement.data, statement.len);
	nx_bytes_append_zeros(&sql, 1);
	task.sql = (const char *)sql.items;
	st = nx_duckdb_parse(db, &task, &parsed, err);
	db->api->duckdb_destroy_extracted(&parsed);
	nx_vec_release(&sql);
	return st;
}

enum nx_status nx_duckdb_check(struct nx_duckdb *db, struct nx_slice statement,
			       struct nx_error *err)
{
	struct nx_bytes question = {0};
	enum nx_status st;

	if (statement.len && memchr(statement.data, 0, statement.len))
		return nx_fail(err, NX_USAGE, "the SQL holds a zero byte");
	st = check_syntax(db, statement, err);
	nx_sql_append(&question, question_head);
	nx_sql_append_text(&question, NX_SQL_DUCKDB, statement);
	nx_sql_append(&question, question_tail);
	nx_bytes_append_zeros(&question, 1);
	if (!st)
		st = ask(db, &question, err);
	nx_vec_release(&question);
	return st;
}
