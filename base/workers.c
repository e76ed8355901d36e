/* SPDX-License-Identifier: Apache-2.0 */
#include "base/workers.h"
#include "base/arena.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

struct thread {
	struct nx_workers *workers;
	unsigned number;
	pthread_t id;
};

struct nx_workers {
	pthread_mutex_t lock;
	pthread_cond_t begun;
	pthread_cond_t ended;
	uint64_t job; /* counts the calls of run; a thread joins each once */
	unsigned busy_count;
	bool is_closing;
	nx_worker_fn fn;
	void *context;
	size_t item_count;
	atomic_size_t next_item;
	unsigned thread_count;
	struct thread threads[NX_WORKERS_MAX];
};

unsigned nx_workers_default_count(unsigned most)
{
	cpu_set_t allowed;
	int count = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		count = CPU_COUNT(&allowed);
	return count < 1 ? 1 : (unsigned)count < most ? (unsigned)count : most;
}

static void take_items(struct nx_workers *w, unsigned worker)
{
	for (;;) {
		size_t item = atomic_fetch_add(&w->next_item, 1);

		if (item >= w->item_count)
			return;
		w->fn(w->context, item, worker);
	}
}

static void *work(void *argument)
{
	struct thread *self = argument;
	struct nx_workers *w = self->workers;
	uint64_t seen = 0;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (w->job == seen && !w->is_closing)
			pthread_cond_wait(&w->begun, &w->lock);
		if (w->is_closing)
			break;
		seen = w->job;
		pthread_mutex_unlock(&w->lock);
		take_items(w, self->number);
		pthread_mutex_lock(&w->lock);
		if (--w->busy_count == 0)
			pthread_cond_signal(&w->ended);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct nx_workers *nx_workers_new(unsigned count)
{
	struct nx_workers *w = nx_heap_alloc(sizeof(*w));
	sigset_t all, old;

	assert(count >= 1 && count <= NX_WORKERS_MAX);
	*w = (struct nx_workers){0};
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->begun, NULL);
	pthread_cond_init(&w->ended, NULL);
	/* Signals are for the threads of the program, which know what to do with them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (unsigned i = 0; i + 1 < count; i++) {
		struct thread *t = &w->threads[i];

		*t = (struct thread){.workers = w, .number = i + 1};
		if (pthread_create(&t->id, NULL, work, t) != 0)
			break;
		w->thread_count++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return w;
}

void nx_workers_free(struct nx_workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_closing = true;
	pthread_cond_broadcast(&w->begun);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->thread_count; i++)
		pthread_join(w->threads[i].id, NULL);
	pthread_cond_destroy(&w->ended);
	pthread_cond_destroy(&w->begun);
	pthread_mutex_destroy(&w->lock);
	nx_heap_free(w);
}

void nx_workers_run(struct nx_workers *w, nx_worker_fn fn, void *context, size_t item_count)
{
	pthread_mutex_lock(&w->lock);
	w->fn = fn;
	w->context = context;
	w->item_count = item_count;
	atomic_store(&w->next_item, 0);
	w->busy_count = w->thread_count;
	w->job++;
	pthread_cond_broadcast(&w->begun);
	pthread_mutex_unlock(&w->lock);
	take_items(w, 0);
	pthread_mutex_lock(&w->lock);
	while (w->busy_count)
		pthread_cond_wait(&w->ended, &w->lock);
	pthread_mutex_unlock(&w->lock);
}
