/* SPDX-License-Identifier: Apache-2.0 */
/* Notices that nobody waits for an engine's answer, and stops the engine. */
#include <time.h>

#include "serve/server_internal.h"

#define LOOK_NS 20000000

static void look(struct nx_watchers *w)
{
	for (struct nx_exchange *x = w->first; x; x = x->watched_next)
		if (nx_request_is_cancelled(&x->request))
			x->stop(x->stop_context);
}

/* A socket's end could wake it at once, but a look costs little and engines stop no faster. */
static void *watch(void *context)
{
	struct nx_watchers *w = context;
	const struct timespec pause = {.tv_nsec = LOOK_NS};

	pthread_mutex_lock(&w->lock);
	while (!w->is_stopped) {
		if (!w->first) {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		look(w);
		pthread_mutex_unlock(&w->lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

enum nx_status nx_watchers_begin(struct nx_watchers *w, struct nx_error *err)
{
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->has_thread = !pthread_create(&w->thread, NULL, watch, w);
	return w->has_thread
		       ? NX_OK
		       : nx_fail(err, NX_LIMIT, "the system gives the server no more threads");
}

void nx_watchers_end(struct nx_watchers *w)
{
	if (!w->has_thread)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_stopped = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
}

void nx_request_watch(struct nx_request *request, void (*stop)(void *context), void *context)
{
	struct nx_exchange *x = request->exchange;
	struct nx_watchers *w = x ? &x->server->watchers : NULL;

	if (!x)
		return;
	x->stop = stop;
	x->stop_context = context;
	pthread_mutex_lock(&w->lock);
	x->watched_previous = NULL;
	x->watched_next = w->first;
	if (w->first)
		w->first->watched_previous = x;
	w->first = x;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void nx_request_unwatch(struct nx_request *request)
{
	struct nx_exchange *x = request->exchange;
	struct nx_watchers *w = x ? &x->server->watchers : NULL;

	if (!x)
		return;
	pthread_mutex_lock(&w->lock);
	if (x->watched_previous)
		x->watched_previous->watched_next = x->watched_next;
	else
		w->first = x->watched_next;
	if (x->watched_next)
		x->watched_next->watched_previous = x->watched_previous;
	pthread_mutex_unlock(&w->lock);
}
