/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "tests/unit/granted_threads.h"

#define ITEMS 1000

struct items {
	unsigned done[ITEMS]; /* each item is one worker's alone */
	unsigned per_worker[NX_WORKERS_MAX];
};

static void do_item(void *context, size_t item, unsigned worker)
{
	struct items *items = context;

	items->done[item]++;
	items->per_worker[worker]++;
}

static void check_share(unsigned worker_count, size_t item_count)
{
	struct nx_workers *workers = nx_workers_new("nx-test", worker_count - 1, 0);
	struct items items = {0};
	unsigned sum = 0;

	for (unsigned round = 1; round <= 50; round++) {
		nx_workers_share(workers, do_item, &items, item_count);
		for (size_t i = 0; i < ITEMS; i++)
			assert_int_equal(items.done[i], i < item_count ? round : 0);
	}
	for (unsigned i = 0; i < NX_WORKERS_MAX; i++) {
		assert_true(i < worker_count || !items.per_worker[i]);
		sum += items.per_worker[i];
	}
	assert_int_equal(sum, 50 * item_count);
	nx_workers_free(workers);
}

static void each_item_is_done_once_by_any_number_of_workers(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 8; count++)
		check_share(count, ITEMS);
	check_share(NX_WORKERS_MAX, 10);
	check_share(4, 0);
	check_share(4, 1);
}

static void without_threads_the_caller_does_it_all(void **state)
{
	(void)state;
	threads_left = 2;
	check_share(8, 100);
	threads_left = 0;
	check_share(8, 100);
	threads_left = THREADS_ENOUGH;
}

static void idle_workers_end(void **state)
{
	(void)state;
	nx_workers_free(nx_workers_new("nx-test", 4, 0));
	nx_workers_free(NULL);
}

/* --- jobs ---------------------------------------------------------------------------------- */

#define JOBS 50

struct errand {
	struct nx_job job;
	atomic_uint *turn;
	unsigned done_at;
};

static void do_errand(void *context)
{
	struct errand *e = context;

	e->done_at = atomic_fetch_add(e->turn, 1) + 1;
}

static void add_errands(struct nx_workers *w, struct errand *all, atomic_uint *turn)
{
	for (unsigned i = 0; i < JOBS; i++) {
		all[i] = (struct errand){{.run = do_errand, .context = &all[i]}, turn, 0};
		assert_true(nx_workers_add(w, &all[i].job));
	}
}

static void awaited_jobs_are_done_once(void **state)
{
	(void)state;
	for (unsigned threads = 0; threads <= 4; threads++) {
		struct nx_workers *w = nx_workers_new("nx-test", threads, 0);
		struct errand all[JOBS];
		atomic_uint turn = 0;

		add_errands(w, all, &turn);
		for (unsigned i = JOBS; i-- > 0;) {
			nx_workers_await(w, &all[i].job);
			assert_in_range(all[i].done_at, 1, JOBS);
			nx_workers_await(w, &all[i].job); /* long done */
		}
		assert_int_equal(turn, JOBS);
		/* one more when all are done */
		assert_true(nx_workers_add(w, &all[7].job));
		nx_workers_await(w, &all[7].job);
		assert_int_equal(all[7].done_at, JOBS + 1);
		nx_workers_free(w);
	}
}

static void one_thread_keeps_the_order(void **state)
{
	struct nx_workers *w = nx_workers_new("nx-test", 1, 0);
	struct errand all[JOBS];
	atomic_uint turn = 0;

	(void)state;
	assert_int_equal(nx_workers_start(w, NULL), NX_OK);
	add_errands(w, all, &turn);
	nx_workers_stop(w);
	for (unsigned i = 0; i < JOBS; i++)
		assert_int_equal(all[i].done_at, i + 1);
	assert_false(nx_workers_add(w, &all[0].job));
	nx_workers_free(w);
}

static void without_threads_awaiting_does_the_job_and_free_drops_the_rest(void **state)
{
	struct nx_workers *w = nx_workers_new("nx-test", 4, 0);
	struct errand all[JOBS];
	struct nx_error err;
	atomic_uint turn = 0;

	(void)state;
	threads_left = 0;
	assert_int_equal(nx_workers_start(w, &err), NX_LIMIT);
	add_errands(w, all, &turn);
	assert_int_equal(turn, 0);
	nx_workers_await(w, &all[20].job);
	assert_int_equal(all[20].done_at, 1);
	nx_workers_free(w);
	assert_int_equal(turn, 1);
	threads_left = THREADS_ENOUGH;
}

static void freeing_does_not_wait_for_what_is_not_begun(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct nx_workers *w = nx_workers_new("nx-test", 1, 0);
		struct errand all[JOBS];
		atomic_uint turn = 0;

		add_errands(w, all, &turn);
		nx_workers_free(w);
		for (unsigned i = 0; i < JOBS; i++) /* the first ones, whole, and no others */
			assert_int_equal(all[i].done_at, i < turn ? i + 1 : 0);
	}
}

static atomic_int sum;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

struct detached {
	struct nx_job job;
	int value;
};

static void add_and_free(void *context)
{
	struct detached *d = context;

	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	atomic_fetch_add(&sum, d->value);
	free(d);
}

static struct detached *new_detached(int value)
{
	struct detached *d = calloc(1, sizeof(*d));

	d->job = (struct nx_job){.run = add_and_free, .context = d, .is_detached = true};
	d->value = value;
	return d;
}

static void detached_jobs_are_done_before_the_end(void **state)
{
	struct nx_workers *w = nx_workers_new("nx-test", 4, 1000);

	(void)state;
	atomic_store(&sum, 0);
	assert_int_equal(nx_workers_start(w, NULL), NX_OK);
	for (int i = 0; i < 1000; i++)
		assert_true(nx_workers_add(w, &new_detached(i)->job));
	nx_workers_stop(w);
	assert_int_equal(atomic_load(&sum), 999 * 1000 / 2);
	nx_workers_free(w);
}

static void a_full_queue_refuses(void **state)
{
	struct nx_workers *w = nx_workers_new("nx-test", 1, 3);
	int taken = 0;

	(void)state;
	atomic_store(&sum, 0);
	assert_int_equal(nx_workers_start(w, NULL), NX_OK);
	pthread_mutex_lock(&gate);
	for (int i = 0; i < 10; i++) {
		struct detached *d = new_detached(1);

		if (nx_workers_add(w, &d->job))
			taken++;
		else
			free(d);
	}
	/* three wait, and one more if the thread took the first in time */
	assert_true(taken == 3 || taken == 4);
	pthread_mutex_unlock(&gate);
	nx_workers_stop(w);
	assert_int_equal(atomic_load(&sum), taken);
	nx_workers_free(w);
}

/* --- clients ------------------------------------------------------------------ */

struct fairness {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool may_end;
	unsigned running, most_running;
	char order[16];
	size_t len;
};

struct fair_job {
	struct nx_job job;
	struct fairness *all;
};

static void be_seen(void *context)
{
	struct fair_job *j = context;
	struct fairness *f = j->all;

	pthread_mutex_lock(&f->lock);
	f->running++;
	if (f->running > f->most_running)
		f->most_running = f->running;
	f->order[f->len++] = (char)('0' + j->job.client);
	pthread_cond_broadcast(&f->changed);
	while (!f->may_end)
		pthread_cond_wait(&f->changed, &f->lock);
	f->running--;
	pthread_mutex_unlock(&f->lock);
}

/* One client asks eight times before the other asks once. */
static void a_client_leaves_a_thread_for_others(void **state)
{
	struct fairness f = {.lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER};
	struct nx_workers *w = nx_workers_new("test", 3, 0);
	struct fair_job jobs[9];

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		jobs[i] = (struct fair_job){
			{.run = be_seen, .context = &jobs[i], .client = i < 8 ? 1 : 2}, &f};
		assert_true(nx_workers_add(w, &jobs[i].job));
	}
	pthread_mutex_lock(&f.lock);
	while (f.len < 3)
		pthread_cond_wait(&f.changed, &f.lock);
	assert_int_equal(f.running, 3);
	assert_non_null(memchr(f.order, '2', 3));
	f.may_end = true;
	pthread_cond_broadcast(&f.changed);
	pthread_mutex_unlock(&f.lock);
	nx_workers_stop(w);
	assert_int_equal(f.len, 9);
	nx_workers_free(w);
}

static void a_client_fills_half_of_the_queue(void **state)
{
	struct fairness f = {.may_end = true,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER};
	struct nx_workers *w = nx_workers_new("test", 0, 4);
	struct fair_job jobs[6];
	static const bool is_taken[] = {true, true, false, true, true, false};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		jobs[i] = (struct fair_job){
			{.run = be_seen, .context = &jobs[i], .client = i < 3 ? 1 : 2}, &f};
		assert_int_equal(nx_workers_add(w, &jobs[i].job), is_taken[i]);
	}
	jobs[2].job.is_continued = true;
	assert_true(nx_workers_add(w, &jobs[2].job));
	nx_workers_free(w);
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
		cmocka_unit_test(awaited_jobs_are_done_once),
		cmocka_unit_test(one_thread_keeps_the_order),
		cmocka_unit_test(without_threads_awaiting_does_the_job_and_free_drops_the_rest),
		cmocka_unit_test(freeing_does_not_wait_for_what_is_not_begun),
		cmocka_unit_test(detached_jobs_are_done_before_the_end),
		cmocka_unit_test(a_full_queue_refuses),
		cmocka_unit_test(a_client_leaves_a_thread_for_others),
		cmocka_unit_test(a_client_fills_half_of_the_queue),
		cmocka_unit_test(the_default_is_between_one_and_the_most),
	};

	return cmocka_run_group_tests_name("base/workers", tests, NULL, NULL);
}
