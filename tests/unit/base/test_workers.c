/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "base/workers.h"

#define ITEMS 1000

/* The linker sends the library's pthread_create here. */
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument);

static unsigned threads_left = 1000; /* that the system grants */

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument)
{
	if (!threads_left)
		return 11;
	threads_left--;
	return __real_pthread_create(id, attributes, fn, argument);
}

struct job {
	unsigned worker_count;
	unsigned done[ITEMS]; /* each item is one worker's alone */
	unsigned per_worker[NX_WORKERS_MAX];
};

static void do_item(void *context, size_t item, unsigned worker)
{
	struct job *job = context;

	job->done[item]++;
	job->per_worker[worker]++;
}

static void check_job(unsigned worker_count, size_t item_count)
{
	struct nx_workers *workers = nx_workers_new(worker_count);
	struct job job = {0};
	unsigned sum = 0;

	for (unsigned round = 1; round <= 50; round++) {
		nx_workers_run(workers, do_item, &job, item_count);
		for (size_t i = 0; i < ITEMS; i++)
			assert_int_equal(job.done[i], i < item_count ? round : 0);
	}
	for (unsigned i = 0; i < NX_WORKERS_MAX; i++) {
		assert_true(i < worker_count || !job.per_worker[i]);
		sum += job.per_worker[i];
	}
	assert_int_equal(sum, 50 * item_count);
	nx_workers_free(workers);
}

static void each_item_is_done_once_by_any_number_of_workers(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 8; count++)
		check_job(count, ITEMS);
	check_job(NX_WORKERS_MAX, 10);
	check_job(4, 0);
	check_job(4, 1);
}

static void without_threads_the_caller_does_it_all(void **state)
{
	(void)state;
	threads_left = 2;
	check_job(8, 100);
	threads_left = 0;
	check_job(8, 100);
	threads_left = 1000;
}

static void idle_workers_end(void **state)
{
	(void)state;
	nx_workers_free(nx_workers_new(4));
	nx_workers_free(NULL);
}

static void the_default_is_between_one_and_the_most(void **state)
{
	(void)state;
	assert_int_equal(nx_workers_default_count(1), 1);
	assert_in_range(nx_workers_default_count(4), 1, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_item_is_done_once_by_any_number_of_workers),
		cmocka_unit_test(without_threads_the_caller_does_it_all),
		cmocka_unit_test(idle_workers_end),
		cmocka_unit_test(the_default_is_between_one_and_the_most),
	};

	return cmocka_run_group_tests_name("base/workers", tests, NULL, NULL);
}
