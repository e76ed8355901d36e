/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/unit/query/duckdb_fixture.h"

static int begin(void **state)
{
	int st = fixture_begin(state);

	if (st)
		return st;
	fixture_make(*state, "Instruction_0.parquet",
		     "SELECT i * 10 AS start_ts, i * 10 + 1 + i % 7 AS end_ts, 'op' || (i % 3) AS "
		     "opcode, ['Tensor', 'Vector'][1 + i % 2] AS engine, i AS bytes FROM range(0, "
		     "500) t(i)");
	fixture_make(
		*state, "Instruction_1.parquet",
		"SELECT i * 10 AS start_ts, i * 10 + 1 + i % 7 AS end_ts, 'op' || (i % 3) AS "
		"opcode, ['Tensor', 'Vector'][1 + i % 2] AS engine, i AS bytes FROM range(500, "
		"1000) t(i)");
	fixture_make(*state, "a \"b.parquet", "SELECT 1 AS one");
	fixture_make(*state, "secret.csv", "SELECT 'secret' AS word");
	return 0;
}

static int begin_open(void **state)
{
	int st = begin(state);

	if (!st)
		fixture_open(*state, NULL);
	return st;
}

/* --- tables ---------------------------------------------------------------- */

static void parts_are_one_table(void **state)
{
	assert_answer(*state, "SELECT count(*), min(start_ts), max(start_ts) FROM Instruction",
		      "1000|0|9990");
	assert_answer(*state, "SELECT * FROM \"a \"\"b\"", "1");
	assert_answer(*state, "SHOW TABLES", "Instruction\na \"b");
	assert_answer(*state, "SELECT column_name, column_type FROM (DESCRIBE Instruction) LIMIT 1",
		      "start_ts|BIGINT");
}

static void a_folder_named_like_a_pattern_is_only_a_folder(void **state)
{
	struct duckdb_fixture *f = *state;
	char pattern[128];

	snprintf(pattern, sizeof(pattern), "%s/run=[1]*", f->path);
	assert_int_equal(nx_make_directories(pattern, NULL), NX_OK);
	fixture_make(f, "run=[1]*/T.parquet", "SELECT 5 AS x");
	assert_int_equal(nx_profile_folder_open(&f->folder, pattern, &f->err), NX_OK);
	assert_int_equal(
		nx_duckdb_open(&f->db, &f->folder, &(struct nx_duckdb_options){0}, &f->err), NX_OK);
	assert_answer(f, "SELECT * FROM T", "5");
}

static void a_damaged_file_spoils_only_its_table(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_output out;
	char path[128];

	snprintf(path, sizeof(path), "%s/Dma.parquet", f->path);
	assert_int_equal(nx_output_open(&out, path, NULL), NX_OK);
	nx_output_write(&out, "PAR1 and then nothing that makes sense PAR1", 43);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	fixture_open(f, NULL);
	assert_answer(f, "SELECT count(*) FROM Instruction", "1000");
	assert_non_null(nx_profile_folder_find(&f->folder, "Dma")->fault);
	assert_refused(f, "SELECT * FROM Dma", NX_FORMAT, NULL);
	assert_non_null(strstr(f->err.message, "the table Dma cannot be read: "));
}

static void nothing_readable_is_an_error(void **state)
{
	struct duckdb_fixture *f = *state;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/Empty.parquet", f->path);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(nx_profile_folder_open(&f->folder, f->path, &f->err), NX_OK);
	assert_int_equal(nx_duckdb_open(&f->db, &f->folder, &(struct nx_duckdb_options){0},
					&f->err),
			 NX_FORMAT);
	assert_null(f->db);
	assert_non_null(strstr(f->err.message, "can be read: Empty: "));
}

/* --- the lock -------------------------------------------------------------- */

static const char *const forbidden[] = {
	"SELECT * FROM read_csv('/etc/passwd')",
	"SELECT * FROM read_text('/etc/passwd')",
	"SELECT * FROM read_blob('secret.csv')",
	"SELECT * FROM read_json('/etc/passwd')",
	"SELECT * FROM read_ndjson_objects('/etc/passwd')",
	"SELECT * FROM read_duckdb('/tmp/x.db', table_name := 't')",
	"SELECT * FROM sniff_csv('/etc/passwd')",
	"SELECT * FROM glob('/*')",
	"SELECT * FROM read_parquet('/etc/passwd')",
	"SELECT * FROM parquet_metadata('/etc/passwd')",
	"SELECT * FROM 'https://example.invalid/x.parquet'",
	"SELECT * FROM read_parquet('https://example.invalid/x.parquet')",
	"SELECT * FROM read_parquet('s3://bucket/x.parquet')",
	"SELECT (SELECT content FROM read_text('/etc/passwd'))",
	"WITH x AS (SELECT * FROM system.main.\"Read_Text\"('/etc/passwd')) SELECT * FROM x",
	"EXPLAIN SELECT * FROM read_text('/etc/passwd')",
	"COPY Instruction TO '/tmp/nx-must-not-be'",
	"COPY (SELECT 1) TO 'Instruction_0.parquet' (FORMAT parquet, USE_TMP_FILE false)",
	"EXPLAIN COPY (SELECT 1) TO '/tmp/nx-must-not-be'",
	"EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/nx-must-not-be'",
	"EXPORT DATABASE '/tmp/nx-must-not-be'",
	"IMPORT DATABASE '/tmp/nx-must-not-be'",
	"ATTACH '/tmp/nx-must-not-be'",
	"ATTACH ':memory:' AS m",
	"DETACH memory",
	"INSTALL httpfs",
	"LOAD httpfs",
	"LOAD '/tmp/evil.so'",
	"SET enable_external_access = true",
	"SET lock_configuration = false",
	"SET GLOBAL threads = 8",
	"RESET memory_limit",
	"PRAGMA enable_external_access = true",
	"PRAGMA memory_limit = '100GB'",
	"PRAGMA enable_profiling",
	"PRAGMA database_list",
	"SET VARIABLE x = 1",
	"CREATE TABLE t (i INTEGER)",
	"CREATE TEMP TABLE t AS SELECT 1",
	"CREATE OR REPLACE VIEW Instruction AS SELECT 1",
	"CREATE MACRO m(x) AS x",
	"CREATE SECRET s (TYPE http)",
	"DROP VIEW Instruction",
	"INSERT INTO Instruction VALUES (1)",
	"UPDATE Instruction SET bytes = 0",
	"DELETE FROM Instruction",
	"ALTER VIEW Instruction RENAME TO x",
	"CALL enable_logging(storage := 'file', storage_path := '/tmp/nx-must-not-be')",
	"SELECT * FROM enable_logging(storage := 'file', storage_path := '/tmp/nx-must-not-be')",
	"SELECT * FROM enable_profiling(save_location := '/tmp/nx-must-not-be')",
	"SELECT * FROM query('SELECT * FROM ena' || 'ble_logging()')",
	"SELECT * FROM query_table('Instruction')",
	"SELECT * FROM json_execute_serialized_sql('{}')",
	"FROM checkpoint()",
	"WITH RECURSIVE r AS (SELECT 1 UNION ALL FROM glob('*')) FROM r",
	"SELECT [x FOR x IN (SELECT list(file) FROM glob('*'))]",
	"SELECT 1 UNION SELECT 2 ORDER BY (SELECT file FROM glob('*'))",
	"SELECT 1 LIMIT (SELECT count(*) FROM glob('*'))",
	"SELECT * FROM range(1) JOIN (VALUES ((FROM glob('*')))) ON EXISTS (FROM glob('*'))",
	"SUMMARIZE FROM glob('*')",
	"DESCRIBE FROM glob('*')",
	"PIVOT (FROM glob('*')) ON file IN ('x') USING count(*)",
	"FROM duckdb_secrets()",
	"PREPARE p AS SELECT 1",
	"EXECUTE p",
	"BEGIN TRANSACTION",
	"CHECKPOINT",
	"VACUUM",
	"USE memory",
};

static void everything_but_reading_the_profile_is_refused(void **state)
{
	struct duckdb_fixture *f = *state;
	enum nx_status st;

	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		const char *got = fixture_ask(f, forbidden[i], &st);

		if (st != NX_PERMISSION)
			fail_msg("%s: %d, %s", forbidden[i], (int)st, got);
	}
	assert_int_not_equal(access("/tmp/nx-must-not-be", F_OK), 0);
	assert_answer(f, "SELECT count(*), sum(bytes) FROM Instruction", "1000|499500");
}

/* The check has to see through all ways in which one statement can hide in another. */
static void several_statements_are_refused(void **state)
{
	static const char *const several[] = {
		"SELECT 1; SELECT 2",
		"SELECT 1; COPY (SELECT 1) TO '/tmp/nx-must-not-be'",
		"EXPLAIN SELECT 1; COPY (SELECT 1) TO '/tmp/nx-must-not-be'",
		"EXPLAIN /* /* */ SELECT 1; -- */ ANALYZE COPY (SELECT 1) TO '/tmp/nx-must-not-be'",
		"EXPLAIN (ANALYZE) COPY (SELECT 1) TO '/tmp/nx-must-not-be'",
		"PIVOT Instruction ON engine USING count(*)",
	};
	struct duckdb_fixture *f = *state;
	enum nx_status st;

	for (size_t i = 0; i < sizeof(several) / sizeof(several[0]); i++) {
		fixture_ask(f, several[i], &st);
		assert_true(st == NX_USAGE || st == NX_PERMISSION);
	}
	assert_int_not_equal(access("/tmp/nx-must-not-be", F_OK), 0);
}

static void files_of_the_folder_are_no_tables(void **state)
{
	struct duckdb_fixture *f = *state;
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT * FROM '%s/secret.csv'", f->path);
	assert_refused(f, sql, NX_PERMISSION, NULL);
	snprintf(sql, sizeof(sql), "SELECT * FROM '%s/Instruction_0.parquet/../secret.csv'",
		 f->path);
	assert_refused(f, sql, NX_PERMISSION, NULL);
	snprintf(sql, sizeof(sql), "SELECT * FROM read_parquet('%s/*.parquet')", f->path);
	assert_refused(f, sql, NX_PERMISSION, NULL);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM '%s/Instruction_0.parquet'", f->path);
	assert_answer(f, sql, "500");
}

static void a_link_out_of_the_folder_is_no_table(void **state)
{
	struct duckdb_fixture *f = *state;
	char path[128], sql[256];

	snprintf(path, sizeof(path), "%s/Out.parquet", f->path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	fixture_open(f, NULL);
	assert_refused(f, "SELECT * FROM Out", NX_FORMAT, NULL);
	snprintf(sql, sizeof(sql), "SELECT * FROM read_parquet('%s')", path);
	assert_refused(f, sql, NX_PERMISSION, NULL);
}

static void questions_of_every_form_are_allowed(void **state)
{
	static const char *const allowed[] = {
		"FROM Instruction LIMIT 1",
		"TABLE Instruction",
		"VALUES (1)",
		"SUMMARIZE Instruction",
		"DESCRIBE Instruction",
		"EXPLAIN SELECT 1",
		"explain analyze SELECT count(*) FROM Instruction",
		"PIVOT Instruction ON engine IN ('Tensor') USING count(*)",
		"UNPIVOT Instruction ON start_ts, end_ts INTO NAME n VALUE v",
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL FROM r WHERE n < 0) FROM r",
		"SELECT unnest([1, 2]), row_number() OVER () FROM range(3)",
		"SELECT list_transform([1, 2], lambda x: x + 1)",
		"SELECT a.* FROM Instruction a ASOF JOIN Instruction b ON a.start_ts >= b.end_ts",
		"SELECT * FROM duckdb_columns()",
		"SELECT * FROM generate_series(1, 3) USING SAMPLE 1",
		"-- a comment\nSELECT 1 -- another",
	};
	struct duckdb_fixture *f = *state;
	enum nx_status st;

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		const char *got = fixture_ask(f, allowed[i], &st);

		if (st)
			fail_msg("%s: %s", allowed[i], got);
	}
}

/* --- wrong questions ------------------------------------------------------- */

static void errors_name_the_place(void **state)
{
	struct duckdb_fixture *f = *state;

	assert_refused(f, "SELECT *\nFORM x", NX_USAGE,
		       "syntax error at or near \"x\" (line 2, column 6)");
	assert_refused(f, "SELECT * FROM Instrction", NX_NOT_FOUND,
		       "there is no table 'Instrction' (line 1, column 15); did you mean "
		       "'Instruction'?");
	assert_refused(f, "EXPLAIN\nSELECT * FROM Instrction", NX_NOT_FOUND,
		       "there is no table 'Instrction' (line 2, column 15); did you mean "
		       "'Instruction'?");
	assert_refused(f, "EXPLAIN SELECT * FORM x", NX_USAGE,
		       "syntax error at or near \"x\" (line 1, column 23)");
	assert_refused(f, "SELECT startts FROM Instruction", NX_NOT_FOUND, NULL);
	assert_non_null(strstr(f->err.message, "there is no column 'startts' (line 1, column 8); "
					       "near it are: start_ts"));
	assert_refused(f, "SELECT * FROM '/etc/passwd'", NX_NOT_FOUND, NULL);
	assert_refused(f, "SELECT 'x'::INT", NX_USAGE, NULL);
	assert_refused(f, "", NX_USAGE, "there is no SQL to run");
	assert_refused(f, "-- nothing", NX_USAGE, "there is no SQL to run");
	assert_answer(f, "SELECT 1", "1");
}

static void a_zero_byte_is_refused(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_row_stream *rows;

	assert_int_equal(nx_duckdb_query(f->db, nx_slice_of("SELECT 1\0", 9), &rows, &f->err),
			 NX_USAGE);
	assert_null(rows);
}

static void an_error_in_a_late_row_is_reported(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_row_stream *rows;
	const struct nx_value *row = NULL;
	uint64_t row_count = 0;
	enum nx_status st;

	/* The engine runs ahead of its reader: a slow reader may see the error before any row. */
	st = nx_duckdb_query(f->db,
			     nx_slice_text("SELECT CASE WHEN i = 3000000 THEN error('late') ELSE "
					   "'x' END FROM range(4000000) t(i)"),
			     &rows, &f->err);
	if (!st) {
		while (!(st = nx_row_stream_next(rows, &row, &f->err)) && row)
			row_count++;
		nx_row_stream_close(rows);
	}
	assert_int_equal(st, NX_USAGE);
	assert_non_null(strstr(f->err.message, "late"));
	assert_true(row_count <= 3000000);
}

static void too_much_memory_is_refused(void **state)
{
	struct duckdb_fixture *f = *state;

	fixture_open(f, &(struct nx_duckdb_options){.memory_limit_bytes = 40000000,
						    .thread_count = 1});
	assert_refused(
		f, "SELECT count(*) FROM (SELECT DISTINCT i, hash(i) FROM range(20000000) t(i))",
		NX_LIMIT,
		"the query needs more memory than the limit of 40.0 MB; ask for less, or "
		"raise it with --memory-limit");
	assert_answer(f, "SELECT 1", "1");
}

static void a_long_statement_is_refused(void **state)
{
	struct duckdb_fixture *f = *state;

	fixture_open(f, &(struct nx_duckdb_options){.statement_limit_bytes = 1024});
	assert_answer(f, "SELECT 1", "1");
	assert_int_equal(nx_duckdb_query(f->db, nx_slice_of(f, 1025), &(struct nx_row_stream *){0},
					 &f->err),
			 NX_LIMIT);
	assert_string_equal(f->err.message, "the statement is longer than 1 kB");
}

static void *stop_soon(void *context)
{
	for (int i = 0; i < 50; i++) {
		usleep(10000);
		nx_duckdb_stop(context);
	}
	return NULL;
}

static void a_query_can_be_stopped(void **state)
{
	struct duckdb_fixture *f = *state;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, stop_soon, f->db), 0);
	assert_refused(f, "SELECT count(*) FROM range(1000000000) a, range(1000000) b",
		       NX_CANCELLED, "the query was interrupted");
	pthread_join(thread, NULL);
	assert_answer(f, "SELECT 1", "1");
}

/* --- streams --------------------------------------------------------------- */

static void rows_can_be_counted_without_reading(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_row_stream *rows;
	const struct nx_value *row;
	uint64_t count;

	assert_int_equal(nx_duckdb_query(f->db, nx_slice_text("SELECT * FROM range(100000)"), &rows,
					 &f->err),
			 NX_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(nx_row_stream_next(rows, &row, &f->err), NX_OK);
	assert_int_equal(row[0].i64, 2);
	assert_int_equal(nx_row_stream_count_rest(rows, &count, &f->err), NX_OK);
	assert_int_equal(count, 99997);
	assert_int_equal(nx_row_stream_next(rows, &row, &f->err), NX_OK);
	assert_null(row);
	nx_row_stream_close(rows);
}

static void a_stream_may_be_closed_early(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_row_stream *rows;
	const struct nx_value *row;

	assert_int_equal(nx_duckdb_query(f->db, nx_slice_text("SELECT * FROM range(10000000)"),
					 &rows, &f->err),
			 NX_OK);
	assert_int_equal(nx_row_stream_next(rows, &row, &f->err), NX_OK);
	nx_row_stream_close(rows);
	assert_answer(f, "SELECT count(*) FROM range(10) WHERE false", "0");
	assert_answer(f, "SELECT 1 WHERE false", "");
}

static void an_answer_can_become_a_file(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_duckdb_options options = {.thread_count = 1};
	char path[128], sql[256];

	snprintf(path, sizeof(path), "%s/out", f->path);
	options.writable_path = path;
	fixture_open(f, &options);
	assert_int_equal(nx_duckdb_write_parquet(
				 f->db, nx_slice_text("SELECT bytes FROM Instruction -- all"), path,
				 &f->err),
			 NX_OK);
	snprintf(sql, sizeof(sql), "SELECT sum(bytes) FROM read_parquet('%s')", path);
	assert_answer(f, sql, "499500");
	assert_int_equal(nx_duckdb_write_parquet(f->db, nx_slice_text("SELECT 1"), "/tmp/nx-x",
						 &f->err),
			 NX_PERMISSION);
	assert_int_equal(
		nx_duckdb_write_parquet(f->db, nx_slice_text("SELECT 1) TO '/tmp/nx-x'; SELECT (1"),
					path, &f->err),
		NX_USAGE);
	assert_int_not_equal(access("/tmp/nx-x", F_OK), 0);
}

#define OPENED(name) cmocka_unit_test_setup_teardown(name, begin_open, fixture_end)
#define CLOSED(name) cmocka_unit_test_setup_teardown(name, begin, fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OPENED(parts_are_one_table),
		CLOSED(a_folder_named_like_a_pattern_is_only_a_folder),
		CLOSED(a_damaged_file_spoils_only_its_table),
		cmocka_unit_test_setup_teardown(nothing_readable_is_an_error, fixture_begin,
						fixture_end),
		OPENED(everything_but_reading_the_profile_is_refused),
		OPENED(several_statements_are_refused),
		OPENED(files_of_the_folder_are_no_tables),
		CLOSED(a_link_out_of_the_folder_is_no_table),
		OPENED(questions_of_every_form_are_allowed),
		OPENED(errors_name_the_place),
		OPENED(a_zero_byte_is_refused),
		OPENED(an_error_in_a_late_row_is_reported),
		CLOSED(too_much_memory_is_refused),
		CLOSED(a_long_statement_is_refused),
		OPENED(a_query_can_be_stopped),
		OPENED(rows_can_be_counted_without_reading),
		OPENED(a_stream_may_be_closed_early),
		CLOSED(an_answer_can_become_a_file),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
