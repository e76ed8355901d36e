/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "serve/job_queue.h"

static atomic_int done;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void run(void *job)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	atomic_fetch_add(&done, *(int *)job);
}

static void every_job_is_done_before_the_end(void **state)
{
	static int jobs[1000];
	struct nx_job_queue *queue;
	int sum = 0;

	(void)state;
	atomic_store(&done, 0);
	assert_int_equal(nx_job_queue_new(&queue, 4, 1000, run, NULL), NX_OK);
	for (int i = 0; i < 1000; i++) {
		jobs[i] = i;
		sum += i;
		assert_true(nx_job_queue_add(queue, &jobs[i]));
	}
	nx_job_queue_stop(queue);
	assert_int_equal(atomic_load(&done), sum);
	assert_false(nx_job_queue_add(queue, &jobs[0]));
	nx_job_queue_free(queue);
	nx_job_queue_free(NULL);
}

static void who_comes_too_late_is_told(void **state)
{
	struct nx_job_queue *queue;
	int one = 1, taken = 0;

	(void)state;
	atomic_store(&done, 0);
	assert_int_equal(nx_job_queue_new(&queue, 1, 3, run, NULL), NX_OK);
	pthread_mutex_lock(&gate);
	for (int i = 0; i < 10; i++)
		taken += nx_job_queue_add(queue, &one);
	/* three wait, and one more if the thread took the first in time */
	assert_true(taken == 3 || taken == 4);
	pthread_mutex_unlock(&gate);
	nx_job_queue_stop(queue);
	assert_int_equal(atomic_load(&done), taken);
	nx_job_queue_free(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_is_done_before_the_end),
		cmocka_unit_test(who_comes_too_late_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
