/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/job_queue.h"

#include <pthread.h>

#include "base/arena.h"

struct nx_job_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*run)(void *job);
	void **waiting; /* a ring */
	size_t first, waiting_count, waiting_max;
	bool is_stopped;
	unsigned thread_count;
	pthread_t threads[];
};

static void *work(void *context)
{
	struct nx_job_queue *q = context;
	void *job;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!q->waiting_count && !q->is_stopped)
			pthread_cond_wait(&q->changed, &q->lock);
		if (!q->waiting_count)
			break;
		job = q->waiting[q->first];
		q->first = (q->first + 1) % q->waiting_max;
		q->waiting_count--;
		pthread_mutex_unlock(&q->lock);
		q->run(job);
		pthread_mutex_lock(&q->lock);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

enum nx_status nx_job_queue_new(struct nx_job_queue **queue, unsigned thread_count,
				size_t waiting_max, void (*run)(void *job), struct nx_error *err)
{
	struct nx_job_queue *q = nx_heap_alloc(sizeof(*q) + thread_count * sizeof(q->threads[0]));

	*q = (struct nx_job_queue){.run = run, .waiting_max = waiting_max};
	q->waiting = nx_heap_alloc(waiting_max * sizeof(q->waiting[0]));
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	while (q->thread_count < thread_count &&
	       !pthread_create(&q->threads[q->thread_count], NULL, work, q))
		q->thread_count++;
	if (!q->thread_count) {
		nx_job_queue_free(q);
		return nx_fail(err, NX_LIMIT, "the system gives the server no more threads");
	}
	*queue = q;
	return NX_OK;
}

bool nx_job_queue_add(struct nx_job_queue *q, void *job)
{
	bool is_taken;

	pthread_mutex_lock(&q->lock);
	is_taken = !q->is_stopped && q->waiting_count < q->waiting_max;
	if (is_taken) {
		q->waiting[(q->first + q->waiting_count++) % q->waiting_max] = job;
		pthread_cond_signal(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return is_taken;
}

void nx_job_queue_stop(struct nx_job_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_stopped = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	for (unsigned i = 0; i < q->thread_count; i++)
		pthread_join(q->threads[i], NULL);
	q->thread_count = 0;
}

void nx_job_queue_free(struct nx_job_queue *q)
{
	if (!q)
		return;
	nx_job_queue_stop(q);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	nx_heap_free(q->waiting);
	nx_heap_free(q);
}
