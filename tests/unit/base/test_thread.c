/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/thread.h"
#include "tests/unit/granted_threads.h"

#define MEMBERS 8u

struct seen {
	sigset_t mask;
	char name[16];
};

/* It waits until its starter has named it. */
static void look(void *context)
{
	struct seen *seen = context;

	do
		pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name));
	while (strcmp(seen->name, "fifteen-letters") != 0);
	pthread_sigmask(SIG_BLOCK, NULL, &seen->mask);
}

static void signals_are_blocked_but_faults_are_not(void **state)
{
	struct nx_thread thread = {0};
	struct seen seen;
	sigset_t own;

	(void)state;
	assert_int_equal(nx_thread_start(&thread, "fifteen-letters", look, &seen, NULL), NX_OK);
	assert_true(thread.is_running);
	nx_thread_join(&thread);
	assert_false(thread.is_running);
	nx_thread_join(&thread); /* does nothing */
	assert_true(sigismember(&seen.mask, SIGINT) && sigismember(&seen.mask, SIGTERM));
	assert_true(sigismember(&seen.mask, SIGPROF) && sigismember(&seen.mask, SIGCHLD));
	assert_false(sigismember(&seen.mask, SIGSEGV) || sigismember(&seen.mask, SIGBUS));
	pthread_sigmask(SIG_BLOCK, NULL, &own);
	assert_false(sigismember(&own, SIGINT) || sigismember(&own, SIGPROF));
}

static void a_refused_thread_is_an_error_with_its_code(void **state)
{
	struct nx_thread thread = {0};
	struct nx_error err;

	(void)state;
	threads_left = 0;
	assert_int_equal(nx_thread_start(&thread, "nx-test", look, NULL, &err), NX_LIMIT);
	threads_left = THREADS_ENOUGH;
	assert_string_equal(err.message, "the system refuses to start a thread (nx-test): Resource "
					 "temporarily unavailable");
	assert_false(thread.is_running);
	nx_thread_join(&thread);
}

struct group {
	pthread_barrier_t all_are_there;
	atomic_uint calls[MEMBERS];
};

static void meet(void *context, size_t index)
{
	struct group *g = context;

	atomic_fetch_add(&g->calls[index], 1);
	pthread_barrier_wait(&g->all_are_there);
}

static void members_of_a_group_run_at_the_same_time(void **state)
{
	struct group g = {0};

	(void)state;
	for (unsigned count = 1; count <= MEMBERS; count++) {
		pthread_barrier_init(&g.all_are_there, NULL, count);
		assert_int_equal(nx_threads_run("nx-test", count, meet, &g, NULL), NX_OK);
		pthread_barrier_destroy(&g.all_are_there);
	}
	for (unsigned i = 0; i < MEMBERS; i++)
		assert_int_equal(g.calls[i], MEMBERS - i);
}

/* If one ran all the same, it would wait for the others for ever. */
static void a_group_that_is_not_complete_does_not_run(void **state)
{
	struct nx_error err;
	struct group g = {0};

	(void)state;
	pthread_barrier_init(&g.all_are_there, NULL, MEMBERS);
	for (unsigned granted = 0; granted < MEMBERS; granted++) {
		threads_left = granted;
		assert_int_equal(nx_threads_run("nx-test", MEMBERS, meet, &g, &err), NX_LIMIT);
		assert_non_null(strstr(err.message, "refuses to start a thread"));
	}
	threads_left = THREADS_ENOUGH;
	for (unsigned i = 0; i < MEMBERS; i++)
		assert_int_equal(g.calls[i], 0);
	pthread_barrier_destroy(&g.all_are_there);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_blocked_but_faults_are_not),
		cmocka_unit_test(a_refused_thread_is_an_error_with_its_code),
		cmocka_unit_test(members_of_a_group_run_at_the_same_time),
		cmocka_unit_test(a_group_that_is_not_complete_does_not_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
