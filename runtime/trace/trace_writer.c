/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local struct nx_trace_writer *nx_trace_writer_mine;

static struct {
	pthread_mutex_t lock;
	struct nx_trace_writer *first;
	pthread_key_t key; /* its destructor runs when a thread ends */
	bool has_key;
} writers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void leave(struct nx_trace_writer *writer)
{
	for (unsigned i = 0; i <= NX_TRACE_SPAN_LANE; i++)
		nx_trace_lane_leave(&writer->lanes[i]);
	writer->is_used = false;
}

static void thread_ends(void *context)
{
	nx_trace_writer_mine = NULL;
	pthread_mutex_lock(&writers.lock);
	leave(context);
	pthread_mutex_unlock(&writers.lock);
}

static struct nx_trace_writer *find_free(void)
{
	struct nx_trace_writer *writer = writers.first;

	while (writer && writer->is_used)
		writer = writer->next;
	return writer;
}

static struct nx_trace_writer *new_writer(void)
{
	struct nx_trace_writer *writer = mmap(NULL, sizeof(*writer), PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (writer == MAP_FAILED)
		return NULL;
	writer->next = writers.first;
	writers.first = writer;
	return writer;
}

struct nx_trace_writer *nx_trace_writer_enter(void)
{
	struct nx_trace_writer *writer;

	pthread_mutex_lock(&writers.lock);
	if (!writers.has_key)
		writers.has_key = pthread_key_create(&writers.key, thread_ends) == 0;
	writer = find_free();
	if (!writer)
		writer = new_writer();
	if (writer) {
		writer->is_used = true;
		writer->thread_id = (uint32_t)syscall(SYS_gettid);
		writer->depth = 0;
		writer->mark = 0;
	}
	pthread_mutex_unlock(&writers.lock);
	nx_trace_writer_mine = writer;
	if (writer && writers.has_key)
		pthread_setspecific(writers.key, writer);
	return writer;
}

void nx_trace_writer_reap(void)
{
	pthread_mutex_lock(&writers.lock);
	for (struct nx_trace_writer *writer = writers.first; writer; writer = writer->next)
		if (writer->is_used &&
		    syscall(SYS_tgkill, getpid(), (pid_t)writer->thread_id, 0) != 0 &&
		    errno == ESRCH)
			leave(writer);
	pthread_mutex_unlock(&writers.lock);
}

void nx_trace_writer_abandon(void)
{
	/* The lock may be held by a thread of the parent. */
	pthread_mutex_init(&writers.lock, NULL);
	for (struct nx_trace_writer *writer = writers.first; writer; writer = writer->next)
		leave(writer);
	if (nx_trace_writer_mine && writers.has_key)
		pthread_setspecific(writers.key, NULL);
	nx_trace_writer_mine = NULL;
}
