/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/events.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/thread.h"
#include "base/timer.h"
#include "store/workspace.h"

#define LOOK_MS 1000
#define COMMENT_NS (UINT64_C(15) * 1000000000)

struct nx_events {
	struct nx_workspace *ws;
	pthread_mutex_t lock;
	pthread_cond_t looked;
	struct nx_timer *timer;
	struct nx_workers *workers;
	struct nx_alarm ticking;
	struct nx_job looking;
	struct listeners NX_VEC_BODY(struct nx_stream *) listeners;
	uint64_t fingerprint;
	uint64_t commented_ns;
	bool is_looking; /* the job waits or runs */
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
	assert(!memchr(data.data, '\n', data.len));
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

/* --- the workspace ------------------------------------------------------------------------ */

/* Compares the workspace with its last state; a job of the workers. */
static void look(void *context)
{
	struct nx_events *e = context;
	uint64_t fingerprint, now_ns = nx_now_ns();

	/* Without the lock: a slow disk must not delay other events. */
	fingerprint = nx_workspace_fingerprint(e->ws);
	nx_lock(&e->lock);
	if (fingerprint != e->fingerprint)
		tell_event(e, "profiles", nx_slice_text("{}"));
	e->fingerprint = fingerprint;
	if (now_ns - e->commented_ns >= COMMENT_NS) {
		tell_all(e, ":\n\n", 3);
		e->commented_ns = now_ns;
	}
	/* From now on the job may be added again, and after that the events may be freed. */
	e->is_looking = false;
	pthread_cond_broadcast(&e->looked);
	nx_unlock(&e->lock);
}

/* One look at a time. If the workers refuse it, the next tick tries again. */
void nx_events_look(struct nx_events *e)
{
	nx_lock(&e->lock);
	if (e->listeners.len && !e->is_looking)
		e->is_looking = nx_workers_add(e->workers, &e->looking);
	nx_unlock(&e->lock);
}

static void tick(void *context)
{
	struct nx_events *e = context;

	nx_events_look(e);
	nx_timer_set(e->timer, &e->ticking, LOOK_MS);
}

struct nx_events *nx_events_new(struct nx_workspace *ws, struct nx_timer *timer,
				struct nx_workers *workers)
{
	struct nx_events *e = nx_heap_alloc(sizeof(*e));

	assert(ws && timer && workers);
	*e = (struct nx_events){
		.ws = ws, .timer = timer, .workers = workers, .commented_ns = nx_now_ns()};
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->looked, NULL);
	/* detached: others would count as running for a moment after look has returned */
	e->looking = (struct nx_job){.run = look, .context = e, .is_detached = true};
	e->ticking = (struct nx_alarm){.ring = tick, .context = e};
	nx_timer_set(timer, &e->ticking, LOOK_MS);
	return e;
}

void nx_events_free(struct nx_events *e)
{
	if (!e)
		return;
	nx_timer_clear(e->timer, &e->ticking);
	nx_lock(&e->lock);
	while (e->is_looking)
		pthread_cond_wait(&e->looked, &e->lock);
	nx_unlock(&e->lock);
	for (size_t i = 0; i < e->listeners.len; i++)
		nx_stream_release(e->listeners.items[i]);
	nx_vec_release(&e->listeners);
	pthread_cond_destroy(&e->looked);
	pthread_mutex_destroy(&e->lock);
	nx_heap_free(e);
}

/* --- for others ----------------------------------------------------------------------------- */

enum nx_status nx_events_listen(struct nx_events *e, struct nx_stream *stream, struct nx_error *err)
{
	uint64_t fingerprint = nx_workspace_fingerprint(e->ws);
	struct nx_bytes text = {0};
	bool is_full;

	append_event(&text, "profiles", nx_slice_text("{}"));
	nx_lock(&e->lock);
	is_full = e->listeners.len >= NX_EVENTS_LISTENERS_MAX;
	/* a new listener fetches the list, so later changes are relative to what it is now */
	if (!is_full && !e->listeners.len)
		e->fingerprint = fingerprint;
	if (!is_full) {
		(void)nx_stream_offer(stream, text.items, text.len);
		nx_vec_push(&e->listeners, stream);
	}
	nx_unlock(&e->lock);
	nx_vec_release(&text);
	if (!is_full)
		return NX_OK;
	nx_stream_release(stream);
	return nx_fail(err, NX_CANCELLED,
		       "too many clients listen to events; try again in a minute");
}

void nx_events_tell(struct nx_events *e, const char *event, struct nx_slice data)
{
	nx_lock(&e->lock);
	tell_event(e, event, data);
	nx_unlock(&e->lock);
}
