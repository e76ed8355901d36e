/* SPDX-License-Identifier: Apache-2.0 */
#include "base/workers.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"

#define LOOKS_MAX 256u /* jobs that are compared before one is chosen */

struct nx_workers {
	const char *name;
	size_t waiting_max;
	unsigned thread_max;
	pthread_mutex_t lock;
	pthread_cond_t added; /* or stopping */
	pthread_cond_t ended;
	struct nx_job *first, *last;
	size_t waiting_count;
	unsigned thread_count, idle_count;
	bool is_stopping;
	struct nx_thread threads[NX_WORKERS_MAX];
	uint64_t clients[NX_WORKERS_MAX]; /* of the jobs that run; 0: none */
};

unsigned nx_workers_default_count(unsigned most)
{
	cpu_set_t allowed;
	int count = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		count = CPU_COUNT(&allowed);
	return count < 1 ? 1 : (unsigned)count < most ? (unsigned)count : most;
}

static unsigned count_running(const struct nx_workers *w, uint64_t client)
{
	unsigned count = 0;

	for (unsigned i = 0; client && i < w->thread_max; i++)
		count += w->clients[i] == client;
	return count;
}

/* The next job for a thread; NULL if all that wait are of clients that have their share. */
static struct nx_job *choose_job(const struct nx_workers *w)
{
	struct nx_job *best = NULL;
	unsigned least = w->thread_max > 1 && !w->is_stopping ? w->thread_max - 1 : UINT_MAX;
	unsigned looks = LOOKS_MAX;

	for (struct nx_job *job = w->first; job && least && looks; job = job->next, looks--) {
		unsigned running = count_running(w, job->client);

		if (running < least) {
			best = job;
			least = running;
		}
	}
	return best;
}

/* False if it has half of the queue already. */
static bool has_room(const struct nx_workers *w, const struct nx_job *added)
{
	size_t count = 0;

	if (!w->waiting_max || added->is_continued)
		return true;
	if (w->waiting_count >= w->waiting_max)
		return false;
	if (!added->client || w->waiting_count < w->waiting_max / 2)
		return true;
	for (const struct nx_job *job = w->first; job; job = job->next)
		count += job->client == added->client;
	return count < w->waiting_max / 2;
}

static void note_client(struct nx_workers *w, uint64_t old, uint64_t new)
{
	unsigned i = 0;

	while (i < w->thread_max && w->clients[i] != old)
		i++;
	if (i < w->thread_max) /* else it runs on a thread that awaits it */
		w->clients[i] = new;
}

/* Takes the job out of the queue and runs it; called and left with the lock held. */
static void run_job(struct nx_workers *w, struct nx_job *job)
{
	struct nx_job **at = &w->first, *before = NULL;
	bool is_detached = job->is_detached;
	uint64_t client = job->client;

	for (; *at != job; at = &(*at)->next)
		before = *at;
	*at = job->next;
	if (w->last == job)
		w->last = before;
	w->waiting_count--;
	job->state = NX_JOB_RUNNING;
	if (client)
		note_client(w, 0, client);
	pthread_mutex_unlock(&w->lock);
	job->run(job->context);
	pthread_mutex_lock(&w->lock);
	if (client) {
		note_client(w, client, 0);
		/* another job of the client may be the only one that waits */
		pthread_cond_signal(&w->added);
	}
	if (is_detached)
		return;
	job->state = NX_JOB_IDLE;
	pthread_cond_broadcast(&w->ended);
}

static void work(void *opaque)
{
	struct nx_workers *w = opaque;
	struct nx_job *job;

	pthread_mutex_lock(&w->lock);
	while (w->first || !w->is_stopping) {
		job = choose_job(w);
		if (job) {
			run_job(w, job);
			continue;
		}
		w->idle_count++;
		pthread_cond_wait(&w->added, &w->lock);
		w->idle_count--;
	}
	pthread_mutex_unlock(&w->lock);
}

struct nx_workers *nx_workers_new(const char *name, unsigned thread_max, size_t waiting_max)
{
	struct nx_workers *w = nx_heap_alloc(sizeof(*w));

	assert(name && thread_max <= NX_WORKERS_MAX);
	*w = (struct nx_workers){
		.name = name, .thread_max = thread_max, .waiting_max = waiting_max};
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->added, NULL);
	pthread_cond_init(&w->ended, NULL);
	return w;
}

/* Under the lock. */
static enum nx_status add_thread(struct nx_workers *w, struct nx_error *err)
{
	enum nx_status st = nx_thread_start(&w->threads[w->thread_count], w->name, work, w, err);

	w->thread_count += !st;
	return st;
}

enum nx_status nx_workers_start(struct nx_workers *w, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(w->thread_max);
	pthread_mutex_lock(&w->lock);
	if (!w->thread_count)
		st = add_thread(w, err);
	pthread_mutex_unlock(&w->lock);
	return st;
}

bool nx_workers_add(struct nx_workers *w, struct nx_job *job)
{
	bool is_taken;

	assert(job->run);
	pthread_mutex_lock(&w->lock);
	assert(job->is_detached || job->state == NX_JOB_IDLE);
	is_taken = !w->is_stopping && has_room(w, job);
	if (is_taken) {
		job->next = NULL;
		job->state = NX_JOB_WAITING;
		if (w->last)
			w->last->next = job;
		else
			w->first = job;
		w->last = job;
		/* If no thread can start, the job only takes longer. */
		if (++w->waiting_count > w->idle_count && w->thread_count < w->thread_max)
			(void)!add_thread(w, NULL);
		pthread_cond_signal(&w->added);
	}
	pthread_mutex_unlock(&w->lock);
	return is_taken;
}

void nx_workers_await(struct nx_workers *w, struct nx_job *job)
{
	assert(!job->is_detached);
	pthread_mutex_lock(&w->lock);
	if (job->state == NX_JOB_WAITING)
		run_job(w, job);
	while (job->state != NX_JOB_IDLE)
		pthread_cond_wait(&w->ended, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

void nx_workers_stop(struct nx_workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_stopping = true;
	pthread_cond_broadcast(&w->added);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->thread_count; i++)
		nx_thread_join(&w->threads[i]);
}

void nx_workers_free(struct nx_workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	for (struct nx_job *job = w->first; job; job = job->next)
		job->state = NX_JOB_IDLE;
	w->first = w->last = NULL;
	pthread_mutex_unlock(&w->lock);
	nx_workers_stop(w);
	pthread_cond_destroy(&w->ended);
	pthread_cond_destroy(&w->added);
	pthread_mutex_destroy(&w->lock);
	nx_heap_free(w);
}

/* --- sharing items out ------------------------------------------------------- */

struct share {
	nx_worker_fn fn;
	void *context;
	size_t item_count;
	atomic_size_t next_item;
};

struct part {
	struct nx_job job;
	struct share *share;
	unsigned worker;
};

static void take_items(void *opaque)
{
	const struct part *p = opaque;
	struct share *s = p->share;

	for (;;) {
		size_t item = atomic_fetch_add(&s->next_item, 1);

		if (item >= s->item_count)
			return;
		s->fn(s->context, item, p->worker);
	}
}

void nx_workers_share(struct nx_workers *w, nx_worker_fn fn, void *context, size_t item_count)
{
	struct share share = {.fn = fn, .context = context, .item_count = item_count};
	struct part parts[NX_WORKERS_MAX + 1];

	for (unsigned i = 0; i <= w->thread_max; i++) {
		parts[i] = (struct part){{.run = take_items, .context = &parts[i]}, &share, i};
		if (i)
			(void)nx_workers_add(w, &parts[i].job);
	}
	take_items(&parts[0]);
	for (unsigned i = 1; i <= w->thread_max; i++)
		nx_workers_await(w, &parts[i].job);
}
