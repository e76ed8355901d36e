/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse_at: an LD_PRELOAD library that refuses thread number NX_REFUSE_THREAD and child process
 * number NX_REFUSE_FORK, and all later ones, like a system without resources.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long thread_count, fork_count;

static bool is_refused(const char *variable, atomic_long *count)
{
	const char *at = getenv(variable);

	return at && atomic_fetch_add(count, 1) + 1 >= strtol(at, NULL, 10);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start_routine)(void *),
		   void *arg)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (is_refused("NX_REFUSE_THREAD", &thread_count))
		return EAGAIN;
	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	return create(thread, attr, start_routine, arg);
}

pid_t fork(void)
{
	pid_t (*make)(void);

	if (is_refused("NX_REFUSE_FORK", &fork_count)) {
		errno = EAGAIN;
		return -1;
	}
	*(void **)&make = dlsym(RTLD_NEXT, "fork");
	return make();
}
