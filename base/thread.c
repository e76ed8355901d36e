/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <assert.h>
#include <signal.h>
#include <string.h>

#include "base/arena.h"

#define NAME_MAX_LEN 15 /* of the kernel */

static void *begin(void *opaque)
{
	const struct nx_thread *thread = opaque;

	thread->run(thread->context);
	return NULL;
}

/* A blocked SIGBUS would end the process without calling its handler. */
static void block_signals(sigset_t *old)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, old);
}

enum nx_status nx_thread_start(struct nx_thread *thread, const char *name,
			       void (*run)(void *context), void *context, struct nx_error *err)
{
	sigset_t old;
	int failure;

	assert(!thread->is_running && run);
	assert(strlen(name) <= NAME_MAX_LEN);
	*thread = (struct nx_thread){.run = run, .context = context};
	block_signals(&old);
	failure = pthread_create(&thread->id, NULL, begin, thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (failure)
		return nx_fail(err, NX_LIMIT, "the system refuses to start a thread (%s): %s", name,
			       strerror(failure));
	thread->is_running = true;
	(void)pthread_setname_np(thread->id, name);
	return NX_OK;
}

void nx_thread_join(struct nx_thread *thread)
{
	if (thread->is_running)
		pthread_join(thread->id, NULL);
	thread->is_running = false;
}

/* --- groups ------------------------------------------------------------------ */

struct group {
	void (*run)(void *context, size_t index);
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t decided;
	bool is_complete, is_given_up;
};

struct member {
	struct group *group;
	size_t index;
	struct nx_thread thread;
};

static void run_member(void *opaque)
{
	const struct member *m = opaque;
	struct group *g = m->group;
	bool may_run;

	pthread_mutex_lock(&g->lock);
	while (!g->is_complete && !g->is_given_up)
		pthread_cond_wait(&g->decided, &g->lock);
	may_run = g->is_complete;
	pthread_mutex_unlock(&g->lock);
	if (may_run)
		g->run(g->context, m->index);
}

enum nx_status nx_threads_run(const char *name, size_t count,
			      void (*run)(void *context, size_t index), void *context,
			      struct nx_error *err)
{
	struct group g = {.run = run,
			  .context = context,
			  .lock = PTHREAD_MUTEX_INITIALIZER,
			  .decided = PTHREAD_COND_INITIALIZER};
	struct member *members;
	enum nx_status st = NX_OK;

	assert(run);
	if (count == 1)
		return run(context, 0), NX_OK;
	members = nx_heap_alloc((count + 1) * sizeof(*members));
	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){.group = &g, .index = i};
	for (size_t i = 0; i < count && !st; i++)
		st = nx_thread_start(&members[i].thread, name, run_member, &members[i], err);
	pthread_mutex_lock(&g.lock);
	g.is_complete = !st;
	g.is_given_up = st;
	pthread_cond_broadcast(&g.decided);
	pthread_mutex_unlock(&g.lock);
	for (size_t i = 0; i < count; i++)
		nx_thread_join(&members[i].thread);
	pthread_cond_destroy(&g.decided);
	pthread_mutex_destroy(&g.lock);
	nx_heap_free(members);
	return st;
}

void nx_lock(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	nx_heap_hold();
}

void nx_unlock(pthread_mutex_t *lock)
{
	nx_heap_unhold();
	pthread_mutex_unlock(lock);
}
