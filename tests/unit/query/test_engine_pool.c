/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "query/engine_pool.h"
#include "tests/unit/query/duckdb_fixture.h"

static const struct nx_engine_pool_options one = {
	.engine_max = 1, .memory_limit_bytes = 128 << 20, .idle_ms = 60000, .patience_ms = 20000};

static struct nx_timer *timer;

static int make_timer(void **state)
{
	(void)state;
	return nx_timer_new(&timer, NULL);
}

static int free_timer(void **state)
{
	(void)state;
	nx_timer_free(timer);
	return 0;
}

static int64_t ask(struct nx_sql_child *child, const char *sql, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row = NULL;
	int64_t value = -1;

	if (!nx_sql_child_query(child, nx_slice_text(sql), &rows, err) &&
	    !nx_row_stream_next(rows, &row, err) && row)
		value = row[0].i64;
	nx_row_stream_close(rows);
	return value;
}

static struct duckdb_fixture *made(void **state)
{
	struct duckdb_fixture *f = *state;

	fixture_make(f, "T.parquet", "SELECT 42::BIGINT AS a");
	return f;
}

static void an_engine_is_kept_for_the_next_question(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool *pool = nx_engine_pool_new(timer, &one);
	struct nx_engine_wish wish = {.path = f->path, .id = "1"};
	struct nx_sql_child *first, *second;

	assert_int_equal(nx_engine_pool_open_count(pool), 0);
	assert_int_equal(nx_engine_pool_take(pool, &wish, &first, &f->err), NX_OK);
	assert_int_equal(ask(first, "SELECT a FROM T", &f->err), 42);
	nx_engine_pool_return(pool, first, true);
	assert_int_equal(nx_engine_pool_take(pool, &wish, &second, &f->err), NX_OK);
	assert_ptr_equal(first, second);
	nx_engine_pool_return(pool, second, false);
	assert_int_equal(nx_engine_pool_open_count(pool), 0);
	nx_engine_pool_return(pool, NULL, true);
	nx_engine_pool_free(pool);
}

static void a_profile_stored_again_gets_another(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool *pool = nx_engine_pool_new(timer, &one);
	struct nx_engine_wish wish = {.path = f->path, .id = "1"};
	struct nx_sql_child *engine;

	assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
	nx_engine_pool_return(pool, engine, true);
	fixture_make(f, "T.parquet", "SELECT 43::BIGINT AS a");
	wish.id = "2";
	assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
	assert_int_equal(ask(engine, "SELECT a FROM T", &f->err), 43);
	assert_int_equal(nx_engine_pool_open_count(pool), 1);
	nx_engine_pool_return(pool, engine, true);
	nx_engine_pool_free(pool);
}

static bool refuse(void *context)
{
	++*(int *)context;
	return false;
}

static void who_waits_may_leave_or_lose_patience(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool_options hasty = one;
	struct nx_engine_pool *pool;
	int asked_count = 0;
	struct nx_engine_wish wish = {.path = f->path, .id = "1"};
	struct nx_engine_wish leaver = {f->path, "1", refuse, &asked_count};
	struct nx_sql_child *engine, *other;

	hasty.patience_ms = 150;
	pool = nx_engine_pool_new(timer, &hasty);
	assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
	assert_int_equal(nx_engine_pool_take(pool, &leaver, &other, &f->err), NX_CANCELLED);
	assert_null(other);
	assert_int_equal(asked_count, 1);
	assert_int_equal(nx_engine_pool_take(pool, &wish, &other, &f->err), NX_LIMIT);
	nx_engine_pool_return(pool, engine, true);
	/* those who left are not waited for */
	assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
	nx_engine_pool_return(pool, engine, true);
	nx_engine_pool_free(pool);
}

static void a_profile_that_cannot_be_opened_leaves_its_place(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool *pool = nx_engine_pool_new(timer, &one);
	struct nx_engine_wish nowhere = {.path = "/nonexistent", .id = "1"};
	struct nx_engine_wish wish = {.path = f->path, .id = "1"};
	struct nx_sql_child *engine;

	assert_int_equal(nx_engine_pool_take(pool, &nowhere, &engine, &f->err), NX_NOT_FOUND);
	assert_int_equal(nx_engine_pool_open_count(pool), 0);
	assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
	nx_engine_pool_return(pool, engine, true);
	nx_engine_pool_free(pool);
}

static void idle_engines_are_closed(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool_options short_lived = one;
	struct nx_engine_pool *pool;
	struct nx_engine_wish wish = {.path = f->path, .id = "1"};
	struct nx_sql_child *engine;

	short_lived.idle_ms = 20;
	pool = nx_engine_pool_new(timer, &short_lived);
	assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
	nx_engine_pool_return(pool, engine, true);
	for (int i = 0; i < 500 && nx_engine_pool_open_count(pool); i++)
		usleep(10000);
	assert_int_equal(nx_engine_pool_open_count(pool), 0);
	nx_engine_pool_free(pool);
}

struct crowd {
	struct nx_engine_pool *pool;
	const char *path;
	_Atomic int busy_count, most_busy, right_count;
};

static void *visit(void *context)
{
	struct crowd *c = context;
	struct nx_error err;
	struct nx_sql_child *engine;

	for (int i = 0; i < 5; i++) {
		struct nx_engine_wish wish = {.path = c->path, .id = i % 2 ? "1" : "2"};
		int busy;

		if (nx_engine_pool_take(c->pool, &wish, &engine, &err))
			continue;
		busy = atomic_fetch_add(&c->busy_count, 1) + 1;
		if (busy > atomic_load(&c->most_busy))
			atomic_store(&c->most_busy, busy);
		atomic_fetch_add(&c->right_count, ask(engine, "SELECT a FROM T", &err) == 42);
		atomic_fetch_sub(&c->busy_count, 1);
		nx_engine_pool_return(c->pool, engine, i % 3 != 0);
	}
	return NULL;
}

static void a_crowd_is_served_by_few(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool_options two = one;
	struct crowd c = {.path = f->path};
	pthread_t threads[8];

	two.engine_max = 2;
	two.patience_ms = 60000;
	c.pool = nx_engine_pool_new(timer, &two);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, visit, &c), 0);
	for (size_t i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(c.right_count, 40);
	assert_true(c.most_busy <= 2);
	nx_engine_pool_free(c.pool);
}

/* The system may end an idle engine when memory is full. */
static void an_engine_that_ended_is_replaced(void **state)
{
	struct duckdb_fixture *f = made(state);
	struct nx_engine_pool *pool = nx_engine_pool_new(timer, &one);
	struct nx_engine_wish wish = {.path = f->path, .id = "1"};
	struct nx_sql_child *engine;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(nx_engine_pool_take(pool, &wish, &engine, &f->err), NX_OK);
		assert_int_equal(ask(engine, "SELECT a FROM T", &f->err), 42);
		if (i == 1)
			nx_sql_child_stop(engine);
		nx_engine_pool_return(pool, engine, true);
		assert_int_equal(nx_engine_pool_open_count(pool), i != 1);
	}
	nx_engine_pool_free(pool);
}

int main(int argc, char **argv)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)
	const struct CMUnitTest tests[] = {
		CASE(an_engine_is_kept_for_the_next_question),
		CASE(a_profile_stored_again_gets_another),
		CASE(who_waits_may_leave_or_lose_patience),
		CASE(a_profile_that_cannot_be_opened_leaves_its_place),
		CASE(idle_engines_are_closed),
		CASE(a_crowd_is_served_by_few),
		CASE(an_engine_that_ended_is_replaced),
	};

	/* the engines of the pool are this program again */
	if (argc > 1 && !strcmp(argv[1], NX_SQL_CHILD_ARGUMENT))
		return nx_sql_child_serve(argc > 2 ? argv[2] : NULL);
	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, make_timer, free_timer);
}
