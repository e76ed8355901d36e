/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/stream.h"

#include <assert.h>
#include <microhttpd.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"

struct nx_streams {
	pthread_mutex_t lock; /* taken before a stream's own */
	struct nx_stream *first;
	bool is_stopped;
};

struct nx_stream {
	pthread_mutex_t lock;
	pthread_cond_t drained;
	struct nx_streams *all;
	struct nx_stream *previous, *next;
	unsigned reference_count;
	struct nx_bytes bytes;
	size_t sent; /* of bytes */
	bool is_over, is_broken, is_gone;
	struct MHD_Connection *suspended; /* waits for bytes */
};

struct nx_streams *nx_streams_new(void)
{
	struct nx_streams *all = nx_heap_alloc(sizeof(*all));

	*all = (struct nx_streams){0};
	pthread_mutex_init(&all->lock, NULL);
	return all;
}

void nx_streams_free(struct nx_streams *all)
{
	if (!all)
		return;
	assert(!all->first);
	pthread_mutex_destroy(&all->lock);
	nx_heap_free(all);
}

struct nx_stream *nx_stream_new(struct nx_streams *all)
{
	struct nx_stream *s = nx_heap_alloc(sizeof(*s));

	*s = (struct nx_stream){.all = all, .reference_count = 1};
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->drained, NULL);
	nx_lock(&all->lock);
	s->is_gone = all->is_stopped;
	s->next = all->first;
	if (s->next)
		s->next->previous = s;
	all->first = s;
	nx_unlock(&all->lock);
	return s;
}

struct nx_stream *nx_stream_hold(struct nx_stream *s)
{
	nx_lock(&s->lock);
	s->reference_count++;
	nx_unlock(&s->lock);
	return s;
}

/* The list's lock is held until it is unlinked, so that stopping meets no freed stream. */
void nx_stream_release(struct nx_stream *s)
{
	struct nx_streams *all = s->all;
	bool is_last;

	nx_lock(&all->lock);
	nx_lock(&s->lock);
	assert(s->reference_count);
	is_last = !--s->reference_count;
	nx_unlock(&s->lock);
	if (is_last && s->previous)
		s->previous->next = s->next;
	else if (is_last)
		all->first = s->next;
	if (is_last && s->next)
		s->next->previous = s->previous;
	nx_unlock(&all->lock);
	if (!is_last)
		return;
	nx_vec_release(&s->bytes);
	pthread_cond_destroy(&s->drained);
	pthread_mutex_destroy(&s->lock);
	nx_heap_free(s);
}

static void wake_reader(struct nx_stream *s)
{
	if (s->suspended)
		MHD_resume_connection(s->suspended);
	s->suspended = NULL;
}

static size_t unsent(const struct nx_stream *s)
{
	assert(s->sent <= s->bytes.len);
	return s->bytes.len - s->sent;
}

static void add(struct nx_stream *s, const void *data, size_t len)
{
	if (s->sent == s->bytes.len)
		s->sent = s->bytes.len = 0;
	nx_bytes_append(&s->bytes, data, len);
	wake_reader(s);
}

enum nx_status nx_stream_write(struct nx_stream *s, const void *data, size_t len,
			       struct nx_error *err)
{
	bool is_gone;

	nx_lock(&s->lock);
	while (!s->is_gone && unsent(s) && unsent(s) + len > NX_STREAM_BYTES_MAX)
		pthread_cond_wait(&s->drained, &s->lock);
	is_gone = s->is_gone;
	if (!is_gone)
		add(s, data, len);
	nx_unlock(&s->lock);
	return is_gone ? nx_fail(err, NX_CANCELLED, "the client disconnected") : NX_OK;
}

bool nx_stream_offer(struct nx_stream *s, const void *data, size_t len)
{
	bool fits;

	nx_lock(&s->lock);
	fits = !s->is_gone && !s->is_over && unsent(s) + len <= NX_STREAM_BYTES_MAX;
	if (fits)
		add(s, data, len);
	nx_unlock(&s->lock);
	return fits;
}

void nx_stream_end(struct nx_stream *s, bool is_broken)
{
	nx_lock(&s->lock);
	s->is_over = true;
	s->is_broken = is_broken;
	wake_reader(s);
	nx_unlock(&s->lock);
}

bool nx_stream_is_gone(struct nx_stream *s)
{
	bool is_gone;

	nx_lock(&s->lock);
	is_gone = s->is_gone;
	nx_unlock(&s->lock);
	return is_gone;
}

void nx_stream_leave(struct nx_stream *s)
{
	nx_lock(&s->lock);
	s->is_gone = true;
	wake_reader(s);
	pthread_cond_broadcast(&s->drained);
	nx_unlock(&s->lock);
}

void nx_streams_stop(struct nx_streams *all)
{
	nx_lock(&all->lock);
	all->is_stopped = true;
	for (struct nx_stream *s = all->first; s; s = s->next)
		nx_stream_leave(s);
	nx_unlock(&all->lock);
}

ssize_t nx_stream_read(struct nx_stream *s, struct MHD_Connection *connection, char *to,
		       size_t room)
{
	ssize_t got = 0;

	nx_lock(&s->lock);
	if (s->is_gone) {
		got = -2;
	} else if (unsent(s)) {
		got = (ssize_t)(room < unsent(s) ? room : unsent(s));
		memcpy(to, s->bytes.items + s->sent, (size_t)got);
		s->sent += (size_t)got;
		if (unsent(s) < NX_STREAM_BYTES_MAX / 2)
			pthread_cond_broadcast(&s->drained);
	} else if (s->is_over) {
		got = s->is_broken ? -2 : -1;
	} else {
		/* under the lock, so that the next writer finds it suspended */
		MHD_suspend_connection(connection);
		s->suspended = connection;
	}
	nx_unlock(&s->lock);
	return got;
}
