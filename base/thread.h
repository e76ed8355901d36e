/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread: the only place that starts threads.
 *
 * A thread starts with all signals blocked except faults (SIGSEGV, SIGBUS and the like). The struct
 * must not move until the thread is joined; a zeroed struct is not running.
 */
#ifndef NX_BASE_THREAD_H
#define NX_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct nx_thread {
	bool is_running; /* started and not joined; for the thread that starts and joins it */
	pthread_t id;
	void (*run)(void *context);
	void *context;
};

/* The name, of at most 15 characters, is what debuggers show. LIMIT if the system refuses. */
NX_MUST_CHECK enum nx_status nx_thread_start(struct nx_thread *thread, const char *name,
					     void (*run)(void *context), void *context,
					     struct nx_error *err);
/* A mutex under which memory may be allocated, in a program that goes on when memory is full. */
void nx_lock(pthread_mutex_t *lock);
void nx_unlock(pthread_mutex_t *lock);

/* Waits for its end; does nothing if it is not running. */
void nx_thread_join(struct nx_thread *thread);

/*
 * Calls run for each index below count, all at the same time, and returns when all have ended. If
 * one thread cannot be started, run is called for none: its callers may wait for each other.
 */
NX_MUST_CHECK enum nx_status nx_threads_run(const char *name, size_t count,
					    void (*run)(void *context, size_t index), void *context,
					    struct nx_error *err);

#endif
