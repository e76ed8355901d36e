/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
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

static bool is_wanted(void *context)
{
	return atomic_load((atomic_bool *)context);
}

static void a_query_that_ends_is_left_alone(void **state)
{
	atomic_bool wanted = true;
	struct query q = {0};
	struct nx_watch watch = {stop, &q, is_wanted, &wanted, 0};
	struct nx_watchdog dog;

	nx_watchdog_begin(&dog, *state, &watch);
	usleep(50000);
	assert_int_equal(nx_watchdog_end(&dog, NX_OK, NULL), NX_OK);
	watch.timeout_ms = UINT32_MAX;
	nx_watchdog_begin(&dog, *state, &watch);
	assert_int_equal(nx_watchdog_end(&dog, NX_FORMAT, NULL), NX_FORMAT);
	assert_int_equal(q.stop_count, 0);
}

static void the_time_limit_stops_and_is_named(void **state)
{
	struct query q = {.deaf_count = 3};
	struct nx_watch watch = {.stop = stop, .context = &q, .timeout_ms = 10};
	struct nx_watchdog dog;
	struct nx_error err;
	enum nx_status st;

	nx_watchdog_begin(&dog, *state, &watch);
	st = run_until_stopped(&q, &err);
	assert_int_equal(nx_watchdog_end(&dog, st, &err), NX_LIMIT);
	assert_string_equal(err.message,
			    "the query was stopped after 0.01 s, the time limit; ask for less, or "
			    "raise it with --timeout");
}

static void a_query_that_is_no_longer_wanted_is_stopped(void **state)
{
	atomic_bool wanted = true;
	struct query q = {.deaf_count = 2};
	struct nx_watch watch = {stop, &q, is_wanted, &wanted, 0};
	struct nx_watchdog dog;
	struct nx_error err;
	enum nx_status st;

	nx_watchdog_begin(&dog, *state, &watch);
	atomic_store(&wanted, false);
	st = run_until_stopped(&q, &err);
	assert_int_equal(nx_watchdog_end(&dog, st, &err), NX_CANCELLED);
	assert_string_equal(err.message, "interrupted");
}

static void a_failure_of_its_own_is_kept_after_the_limit(void **state)
{
	struct query q = {0};
	struct nx_watch watch = {.stop = stop, .context = &q, .timeout_ms = 1};
	struct nx_watchdog dog;

	nx_watchdog_begin(&dog, *state, &watch);
	(void)run_until_stopped(&q, NULL);
	assert_int_equal(nx_watchdog_end(&dog, NX_NO_SPACE, NULL), NX_NO_SPACE);
}

static void one_timer_watches_many(void **state)
{
	struct query queries[20] = {0};
	struct nx_watchdog dogs[20];

	for (int i = 0; i < 20; i++)
		nx_watchdog_begin(&dogs[i], *state,
				  &(struct nx_watch){.stop = stop,
						     .context = &queries[i],
						     .timeout_ms = i % 2 ? 1 : UINT32_MAX});
	for (int i = 1; i < 20; i += 2)
		(void)run_until_stopped(&queries[i], NULL);
	for (int i = 0; i < 20; i++)
		assert_int_equal(nx_watchdog_end(&dogs[i], NX_CANCELLED, NULL),
				 i % 2 ? NX_LIMIT : NX_CANCELLED);
	for (int i = 0; i < 20; i += 2)
		assert_int_equal(queries[i].stop_count, 0);
}

static int make_timer(void **state)
{
	return nx_timer_new((struct nx_timer **)state, NULL);
}

static int free_timer(void **state)
{
	nx_timer_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_that_ends_is_left_alone),
		cmocka_unit_test(the_time_limit_stops_and_is_named),
		cmocka_unit_test(a_query_that_is_no_longer_wanted_is_stopped),
		cmocka_unit_test(a_failure_of_its_own_is_kept_after_the_limit),
		cmocka_unit_test(one_timer_watches_many),
	};

	return cmocka_run_group_tests(tests, make_timer, free_timer);
}
