/* SPDX-License-Identifier: Apache-2.0 */
/*
 * granted_threads: how many threads the system still grants to the code under test.
 *
 * Link with -Wl,--wrap=pthread_create. Include in one file of a test.
 */
#ifndef NX_TESTS_GRANTED_THREADS_H
#define NX_TESTS_GRANTED_THREADS_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS_ENOUGH 1000u

static atomic_uint threads_left = THREADS_ENOUGH;

int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
			  void *argument)
{
	errno = 0; /* which the real one does not set either */
	if (!atomic_load(&threads_left))
		return EAGAIN;
	atomic_fetch_sub(&threads_left, 1);
	return __real_pthread_create(id, attributes, fn, argument);
}

#endif
