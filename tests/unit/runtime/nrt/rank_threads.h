/* SPDX-License-Identifier: Apache-2.0 */
/* rank_threads: the same function on as many threads as there are ranks. */
#ifndef NX_TESTS_RANK_THREADS_H
#define NX_TESTS_RANK_THREADS_H

#include <pthread.h>
#include <stdint.h>

#define RANK_THREADS_MAX 64

struct rank_thread {
	uint32_t rank, count;
	void (*run)(void *context, uint32_t rank, uint32_t count);
	void *context;
	pthread_t thread;
};

static inline void *rank_thread_main(void *opaque)
{
	struct rank_thread *t = opaque;

	t->run(t->context, t->rank, t->count);
	return NULL;
}

static inline void rank_threads_run(uint32_t count, void (*run)(void *, uint32_t, uint32_t),
				    void *context)
{
	struct rank_thread threads[RANK_THREADS_MAX];

	for (uint32_t i = 0; i < count; i++) {
		threads[i] = (struct rank_thread){i, count, run, context, 0};
		pthread_create(&threads[i].thread, NULL, rank_thread_main, &threads[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i].thread, NULL);
}

#endif
