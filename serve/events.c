/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/events.h"

#include <pthread.h>
#include <time.h>

#include "base/arena.h"
#include "base/progress.h"
#include "store/workspace_watch.h"

#define LOOK_MS 1000
#define COMMENT_NS (UINT64_C(15) * 1000000000)

struct nx_events {
	struct nx_workspace *ws;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	struct listeners NX_VEC_BODY(struct nx_stream *) listeners;
	uint64_t fingerprint;
	uint64_t commented_ns;
	bool looks_now, is_stopped;
};

/* --- telling, with the lock held -------------------------------------------------------- */

static void tell_all(struct nx_events *e, const void *text, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->listeners.len; i++) {
		struct nx_stream *stream = e->listeners.items[i];

		if (nx_stream_offer(stream, text, len)) {
			e->listeners.items[kept++] = stream;
			continue;
		}
		nx_stream_end(stream, true);
		nx_stream_release(stream);
	}
	e->listeners.len = kept;
}

static void append_event(struct nx_bytes *text, const char *event, struct nx_slice data)
{
	nx_bytes_append(text, "event: ", 7);
	nx_bytes_append(text, event, strlen(event));
	nx_bytes_append(text, "\ndata: ", 7);
	nx_bytes_append(text, data.data, data.len);
	nx_bytes_append(text, "\n\n", 2);
}

static void tell_event(struct nx_events *e, const char *event, struct nx_slice data)
{
	struct nx_bytes text = {0};

	append_event(&text, event, data);
	tell_all(e, text.items, text.len);
	nx_vec_release(&text);
}

static void look(struct nx_events *e)
{
	uint64_t fingerprint, now_ns = nx_now_ns();

	e->looks_now = false;
	if (!e->listeners.len)
		return;
	/* A slow disk must not hold up who tells; another look never runs beside this one. */
	pthread_mutex_unlock(&e->lock);
	fingerprint = nx_workspace_fingerprint(e->ws);
	pthread_mutex_lock(&e->lock);
	if (fingerprint != e->fingerprint)
		tell_event(e, "profiles", nx_slice_text("{}"));
	e->fingerprint = fingerprint;
	if (now_ns - e->commented_ns < COMMENT_NS)
		return;
	tell_all(e, ":\n\n", 3);
	e->commented_ns = now_ns;
}

/* --- the thread --------------------------------------------------------------------------- */

static struct timespec in_ms(unsigned ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *watch(void *context)
{
	struct nx_events *e = context;

	pthread_mutex_lock(&e->lock);
	while (!e->is_stopped) {
		struct timespec next = in_ms(LOOK_MS);

		while (!e->is_stopped && !e->looks_now &&
		       !pthread_cond_timedwait(&e->changed, &e->lock, &next))
			continue;
		if (!e->is_stopped)
			look(e);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

enum nx_status nx_events_new(struct nx_events **events, struct nx_workspace *ws,
			     struct nx_error *err)
{
	struct nx_events *e = nx_heap_alloc(sizeof(*e));
	pthread_condattr_t clock;

	*e = (struct nx_events){.ws = ws, .commented_ns = nx_now_ns()};
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&e->changed, &clock);
	pthread_condattr_destroy(&clock);
	if (pthread_create(&e->thread, NULL, watch, e)) {
		pthread_cond_destroy(&e->changed);
		pthread_mutex_destroy(&e->lock);
		nx_heap_free(e);
		return nx_fail(err, NX_LIMIT, "the system gives the server no more threads");
	}
	*events = e;
	return NX_OK;
}

void nx_events_free(struct nx_events *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->is_stopped = true;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	for (size_t i = 0; i < e->listeners.len; i++)
		nx_stream_release(e->listeners.items[i]);
	nx_vec_release(&e->listeners);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	nx_heap_free(e);
}

/* --- for others ----------------------------------------------------------------------------- */

/* Whoever comes asks for the list when told, so what the first one sees is what changes are
 * compared with. */
static void welcome(struct nx_events *e, struct nx_stream *stream)
{
	struct nx_bytes text = {0};

	append_event(&text, "profiles", nx_slice_text("{}"));
	(void)nx_stream_offer(stream, text.items, text.len);
	nx_vec_release(&text);
	nx_vec_push(&e->listeners, stream);
}

enum nx_status nx_events_listen(struct nx_events *e, struct nx_stream *stream, struct nx_error *err)
{
	uint64_t fingerprint = nx_workspace_fingerprint(e->ws);
	bool is_full;

	pthread_mutex_lock(&e->lock);
	is_full = e->listeners.len >= NX_EVENTS_LISTENERS_MAX;
	if (!is_full && !e->listeners.len)
		e->fingerprint = fingerprint;
	if (!is_full)
		welcome(e, stream);
	pthread_mutex_unlock(&e->lock);
	if (!is_full)
		return NX_OK;
	nx_stream_release(stream);
	return nx_fail(err, NX_CANCELLED, "too many listen to events; ask again in a minute");
}

void nx_events_tell(struct nx_events *e, const char *event, struct nx_slice data)
{
	pthread_mutex_lock(&e->lock);
	tell_event(e, event, data);
	pthread_mutex_unlock(&e->lock);
}

void nx_events_look(struct nx_events *e)
{
	pthread_mutex_lock(&e->lock);
	e->looks_now = true;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
}
