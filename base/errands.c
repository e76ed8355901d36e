/* SPDX-License-Identifier: Apache-2.0 */
#include "base/errands.h"
#include "base/arena.h"
#include "base/vec.h"
#include "base/workers.h"
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct errand {
	nx_errand_fn fn;
	void *context;
};

struct nx_errands {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* any of what follows */
	NX_VEC(struct errand) all;
	size_t done_count;
	bool is_closing;
	bool has_thread, may_have_thread;
	pthread_t thread;
};

/* Called and left with the lock held. */
static void do_next(struct nx_errands *e)
{
	struct errand errand = e->all.items[e->done_count];

	pthread_mutex_unlock(&e->lock);
	errand.fn(errand.context);
	pthread_mutex_lock(&e->lock);
	e->done_count++;
	pthread_cond_broadcast(&e->changed);
}

static void *run(void *argument)
{
	struct nx_errands *e = argument;

	pthread_mutex_lock(&e->lock);
	while (!e->is_closing) {
		if (e->done_count < e->all.len)
			do_next(e);
		else
			pthread_cond_wait(&e->changed, &e->lock);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

struct nx_errands *nx_errands_new(void)
{
	struct nx_errands *e = nx_heap_alloc(sizeof(*e));

	*e = (struct nx_errands){.may_have_thread = nx_workers_default_count(2) > 1};
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->changed, NULL);
	return e;
}

static void start_thread(struct nx_errands *e)
{
	sigset_t all, old;

	/* Signals are for the threads of the program, which know what to do with them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	e->has_thread = pthread_create(&e->thread, NULL, run, e) == 0;
	e->may_have_thread = false;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

size_t nx_errands_add(struct nx_errands *e, nx_errand_fn fn, void *context)
{
	size_t number;

	pthread_mutex_lock(&e->lock);
	number = e->all.len;
	nx_vec_push(&e->all, ((struct errand){fn, context}));
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	if (e->may_have_thread)
		start_thread(e);
	return number;
}

void nx_errands_await(struct nx_errands *e, size_t number)
{
	pthread_mutex_lock(&e->lock);
	assert(number < e->all.len);
	while (e->done_count <= number) {
		if (e->has_thread)
			pthread_cond_wait(&e->changed, &e->lock);
		else
			do_next(e);
	}
	pthread_mutex_unlock(&e->lock);
}

void nx_errands_free(struct nx_errands *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->is_closing = true;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	if (e->has_thread)
		pthread_join(e->thread, NULL);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	nx_vec_release(&e->all);
	nx_heap_free(e);
}
