/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "query/watchdog.h"

/* A query that misses the first calls to stop, as an engine does that is just beginning. */
struct query {
	_Atomic int stop_count;
	int deaf_count;
};

static void stop(void *context)
{
	atomic_fetch_add(&((struct query *)context)->stop_count, 1);
}

static enum nx_status run_until_stopped(struct query *q, struct nx_error *err)
{
	while (atomic_load(&q->stop_count) <= q->deaf_count)
		usleep(1000);
	return nx_fail(err, NX_CANCELLED, "interrupted");
}

static void a_query_that_ends_is_left_alone(void **state)
{
	struct query q = {0};
	struct nx_watch watch = {stop, &q, -1, 0};
	struct nx_watchdog dog;

	(void)state;
	assert_int_equal(nx_watchdog_begin(&dog, &watch, NULL), NX_OK);
	assert_int_equal(nx_watchdog_end(&dog, NX_OK, NULL), NX_OK);
	watch.timeout_ms = UINT32_MAX;
	assert_int_equal(nx_watchdog_begin(&dog, &watch, NULL), NX_OK);
	assert_int_equal(nx_watchdog_end(&dog, NX_FORMAT, NULL), NX_FORMAT);
	assert_int_equal(q.stop_count, 0);
}

static void the_time_limit_stops_and_is_named(void **state)
{
	struct query q = {.deaf_count = 3};
	struct nx_watch watch = {stop, &q, -1, 10};
	struct nx_watchdog dog;
	struct nx_error err;
	enum nx_status st;

	(void)state;
	assert_int_equal(nx_watchdog_begin(&dog, &watch, &err), NX_OK);
	st = run_until_stopped(&q, &err);
	assert_int_equal(nx_watchdog_end(&dog, st, &err), NX_LIMIT);
	assert_string_equal(err.message,
			    "the query was stopped after 0.01 s, the time limit; ask for less, or "
			    "raise it with --timeout");
}

static void a_byte_in_the_pipe_stops(void **state)
{
	struct query q = {.deaf_count = 2};
	struct nx_watch watch = {stop, &q, -1, 0};
	struct nx_watchdog dog;
	struct nx_error err;
	enum nx_status st;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	watch.stop_fd = ends[0];
	assert_int_equal(nx_watchdog_begin(&dog, &watch, &err), NX_OK);
	assert_int_equal(write(ends[1], "", 1), 1);
	st = run_until_stopped(&q, &err);
	assert_int_equal(nx_watchdog_end(&dog, st, &err), NX_CANCELLED);
	assert_string_equal(err.message, "interrupted");
	close(ends[0]);
	close(ends[1]);
}

static void a_failure_of_its_own_is_kept_after_the_limit(void **state)
{
	struct query q = {0};
	struct nx_watch watch = {stop, &q, -1, 1};
	struct nx_watchdog dog;

	(void)state;
	assert_int_equal(nx_watchdog_begin(&dog, &watch, NULL), NX_OK);
	(void)run_until_stopped(&q, NULL);
	assert_int_equal(nx_watchdog_end(&dog, NX_NO_SPACE, NULL), NX_NO_SPACE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_that_ends_is_left_alone),
		cmocka_unit_test(the_time_limit_stops_and_is_named),
		cmocka_unit_test(a_byte_in_the_pipe_stops),
		cmocka_unit_test(a_failure_of_its_own_is_kept_after_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
