/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/errands.h"

#define ERRANDS 50

/* The linker sends the library's pthread_create here. */
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument);

static bool has_threads;
static unsigned thread_count;

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument)
{
	if (!has_threads)
		return 11;
	thread_count++;
	return __real_pthread_create(id, attributes, fn, argument);
}

struct errand {
	unsigned *turn; /* shared: errands are done one after another */
	unsigned done_at;
};

static void do_errand(void *context)
{
	struct errand *errand = context;

	errand->done_at = ++*errand->turn;
}

static void check_order(void)
{
	struct nx_errands *errands = nx_errands_new();
	struct errand all[ERRANDS];
	unsigned turn = 0;

	for (unsigned i = 0; i < ERRANDS; i++) {
		all[i] = (struct errand){.turn = &turn};
		assert_int_equal(nx_errands_add(errands, do_errand, &all[i]), i);
	}
	nx_errands_await(errands, 10);
	for (unsigned i = 0; i <= 10; i++)
		assert_int_equal(all[i].done_at, i + 1);
	nx_errands_await(errands, 3); /* long done */
	nx_errands_await(errands, ERRANDS - 1);
	assert_int_equal(turn, ERRANDS);
	assert_int_equal(all[ERRANDS - 1].done_at, ERRANDS);
	/* one more when all are done */
	all[0].done_at = 0;
	nx_errands_await(errands, nx_errands_add(errands, do_errand, &all[0]));
	assert_int_equal(all[0].done_at, ERRANDS + 1);
	nx_errands_free(errands);
}

static void errands_are_done_in_order(void **state)
{
	(void)state;
	has_threads = true;
	thread_count = 0;
	check_order();
	assert_true(thread_count <= 1);
}

static void without_threads_awaiting_does_them(void **state)
{
	struct nx_errands *errands = nx_errands_new();
	unsigned turn = 0;
	struct errand first = {.turn = &turn}, second = {.turn = &turn};

	(void)state;
	has_threads = false;
	nx_errands_add(errands, do_errand, &first);
	nx_errands_add(errands, do_errand, &second);
	assert_int_equal(turn, 0);
	nx_errands_await(errands, 0);
	assert_int_equal(first.done_at, 1);
	nx_errands_free(errands);
	assert_int_equal(second.done_at, 0); /* dropped */
	check_order();
}

static void freeing_does_not_wait_for_what_is_not_begun(void **state)
{
	(void)state;
	has_threads = true;
	for (unsigned round = 0; round < 200; round++) {
		struct nx_errands *errands = nx_errands_new();
		struct errand all[ERRANDS];
		unsigned turn = 0;

		for (unsigned i = 0; i < ERRANDS; i++) {
			all[i] = (struct errand){.turn = &turn};
			nx_errands_add(errands, do_errand, &all[i]);
		}
		nx_errands_free(errands);
		for (unsigned i = 0; i < ERRANDS; i++) /* the first ones, whole, and no others */
			assert_int_equal(all[i].done_at, i < turn ? i + 1 : 0);
	}
	nx_errands_free(nx_errands_new());
	nx_errands_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errands_are_done_in_order),
		cmocka_unit_test(without_threads_awaiting_does_them),
		cmocka_unit_test(freeing_does_not_wait_for_what_is_not_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
