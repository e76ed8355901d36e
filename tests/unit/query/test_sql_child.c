/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/resource.h>

#include "query/sql_child.h"
#include "tests/unit/query/duckdb_fixture.h"

static const struct nx_sql_child_options small = {
	.program = "/proc/self/exe",
	.memory_limit_bytes = 128 << 20,
	.row_bytes_max = 1 << 20,
	.thread_count = 1,
};

static struct nx_sql_child *opened(struct duckdb_fixture *f,
				   const struct nx_sql_child_options *options)
{
	struct nx_sql_child *child;

	fixture_make(f, "T.parquet", "SELECT 42::BIGINT AS a, 'x' AS b");
	assert_int_equal(nx_sql_child_start(&child, options, &f->err), NX_OK);
	if (nx_sql_child_open(child, f->path, &f->err))
		fail_msg("%s", f->err.message);
	return child;
}

/* The number of rows; the status in *st. */
static uint64_t ask(struct nx_sql_child *child, const char *sql, enum nx_status *st,
		    struct nx_error *err)
{
	struct nx_row_stream *rows;
	uint64_t count = 0;

	*st = nx_sql_child_query(child, nx_slice_text(sql), &rows, err);
	if (!*st)
		*st = nx_row_stream_count_rest(rows, &count, err);
	nx_row_stream_close(rows);
	return count;
}

static void rows_arrive_in_order(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_sql_child *child = opened(f, &small);
	struct nx_row_stream *rows;
	const struct nx_value *row;
	int64_t i = 0;

	/* more than one message takes */
	assert_int_equal(nx_sql_child_query(child,
					    nx_slice_text("SELECT range AS n, [NULL, 'y'] AS l "
							  "FROM range(100000)"),
					    &rows, &f->err),
			 NX_OK);
	assert_int_equal(rows->column_count, 2);
	assert_string_equal(rows->columns[0].name, "n");
	for (; !nx_row_stream_next(rows, &row, &f->err) && row; i++) {
		assert_int_equal(row[0].i64, i);
		assert_int_equal(row[1].list.count, 2);
	}
	assert_int_equal(i, 100000);
	nx_row_stream_close(rows);
	nx_sql_child_close(child);
}

static void rows_may_be_left_unread(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_sql_child *child = opened(f, &small);
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st;

	assert_int_equal(nx_sql_child_query(child, nx_slice_text("SELECT * FROM range(100000000)"),
					    &rows, &f->err),
			 NX_OK);
	assert_int_equal(nx_row_stream_next(rows, &row, &f->err), NX_OK);
	nx_row_stream_close(rows);
	assert_int_equal(ask(child, "SELECT * FROM T", &st, &f->err), 1);
	assert_int_equal(st, NX_OK);
	nx_sql_child_close(child);
}

static void errors_are_those_of_the_engine(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_sql_child *child = opened(f, &small);
	struct nx_sql_child *other;
	enum nx_status st;

	ask(child, "SELECT c FROM T", &st, &f->err);
	assert_int_equal(st, NX_NOT_FOUND);
	assert_non_null(strstr(f->err.message, "c"));
	ask(child, "COPY T TO '/tmp/nx-x'", &st, &f->err);
	assert_int_equal(st, NX_PERMISSION);
	assert_int_equal(ask(child, "SELECT a FROM T", &st, &f->err), 1);
	nx_sql_child_close(child);
	assert_int_equal(nx_sql_child_start(&other, &small, &f->err), NX_OK);
	assert_int_equal(nx_sql_child_open(other, "/nonexistent", &f->err), NX_NOT_FOUND);
	nx_sql_child_close(other);
}

static void assert_within_memory(struct nx_sql_child *child, const char *sql, struct nx_error *err)
{
	enum nx_status st;

	ask(child, sql, &st, err);
	if (st != NX_LIMIT || !strstr(err->message, "memory"))
		fail_msg("%s: %d, %s", sql, (int)st, err->message);
}

/* DuckDB itself does not count these. */
static void memory_is_limited(void **state)
{
	static const char *const hungry[] = {
		"SELECT len(range(600000000))",
		"SELECT length(repeat('x', 1000000000))",
		"SELECT len(list(repeat('x', 1000000) || range)) FROM range(2000)",
	};
	struct duckdb_fixture *f = *state;
	struct rusage used;

	for (size_t i = 0; i < sizeof(hungry) / sizeof(hungry[0]); i++) {
		struct nx_sql_child *child = opened(f, &small);

		assert_within_memory(child, hungry[i], &f->err);
		nx_sql_child_close(child);
	}
	assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
#ifndef __SANITIZE_ADDRESS__
	assert_in_range(used.ru_maxrss, 1, 512 << 10);
#endif
}

static void a_row_is_limited(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_sql_child *child = opened(f, &small);
	enum nx_status st;

	ask(child, "SELECT repeat('x', 2000000)", &st, &f->err);
	assert_int_equal(st, NX_LIMIT);
	assert_string_equal(f->err.message, "a row of the answer is larger than 1 MB; ask for "
					    "shorter values");
	assert_int_equal(ask(child, "SELECT a FROM T", &st, &f->err), 1);
	nx_sql_child_close(child);
}

static void processor_time_is_limited(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_sql_child_options brief = small;
	struct nx_sql_child *child;
	enum nx_status st;

	brief.processor_seconds = 1;
	child = opened(f, &brief);
	ask(child, "SELECT sum(sqrt(range)) FROM range(1000000000000)", &st, &f->err);
	assert_int_equal(st, NX_LIMIT);
	assert_string_equal(f->err.message,
			    "the query was stopped after 1 s of processor time, the "
			    "limit; ask for less");
	assert_false(nx_sql_child_is_alive(child));
	ask(child, "SELECT a FROM T", &st, &f->err);
	assert_int_equal(st, NX_LIMIT);
	nx_sql_child_close(child);
}

static void *stop_it(void *child)
{
	usleep(20000); /* it may also stop before the query begins: the end is the same */
	nx_sql_child_stop(child);
	return NULL;
}

static void a_query_can_be_stopped(void **state)
{
	struct duckdb_fixture *f = *state;
	struct nx_sql_child *child = opened(f, &small);
	pthread_t thread;
	enum nx_status st;

	assert_int_equal(pthread_create(&thread, NULL, stop_it, child), 0);
	ask(child, "SELECT sum(sqrt(range)) FROM range(1000000000000)", &st, &f->err);
	assert_int_equal(st, NX_CANCELLED);
	pthread_join(thread, NULL);
	nx_sql_child_close(child);
}

int main(int argc, char **argv)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)
	const struct CMUnitTest tests[] = {
		CASE(rows_arrive_in_order),
		CASE(rows_may_be_left_unread),
		CASE(errors_are_those_of_the_engine),
		CASE(memory_is_limited),
		CASE(a_row_is_limited),
		CASE(processor_time_is_limited),
		CASE(a_query_can_be_stopped),
	};

	if (argc > 1 && !strcmp(argv[1], NX_SQL_CHILD_ARGUMENT))
		return nx_sql_child_serve(argc > 2 ? argv[2] : NULL);
	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
