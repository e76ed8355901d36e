/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/stream.h"

#include <assert.h>
#include <microhttpd.h>
#include <string.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/thread.h"

struct nx_streams {
	pthread_mutex_t lock; /* taken before a stream's own */
	struct nx_stream *first;
	bool is_stopped;
};

struct nx_stream {
	pthread_mutex_t lock;
	struct nx_streams *all;
	struct nx_stream *previous, *next;
	unsigned reference_count;
	struct nx_bytes bytes;
	size_t sent; /* of bytes */
	bool is_over, is_broken, is_gone;
	bool is_answer; /* these have a client and a deadline */
	uint64_t client, begin_ns, sent_bytes;
	void (*on_drained)(void *context); /* NULL: nobody waits */
	void *on_drained_context;
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

static struct nx_stream *make(struct nx_streams *all)
{
	struct nx_stream *s = nx_heap_alloc(sizeof(*s));

	*s = (struct nx_stream){.all = all, .reference_count = 1};
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

/* Under the list's lock. */
static void link_in(struct nx_stream *s)
{
	s->is_gone = s->all->is_stopped;
	s->next = s->all->first;
	if (s->next)
		s->next->previous = s;
	s->all->first = s;
}

struct nx_stream *nx_stream_new(struct nx_streams *all)
{
	struct nx_stream *s = make(all);

	nx_lock(&all->lock);
	link_in(s);
	nx_unlock(&all->lock);
	return s;
}

struct nx_stream *nx_stream_new_answer(struct nx_streams *all, uint64_t client)
{
	struct nx_stream *s = make(all);
	unsigned of_client = 0, count = 0;
	bool fits;

	s->is_answer = true;
	s->client = client;
	s->begin_ns = nx_now_ns();
	nx_lock(&all->lock);
	for (const struct nx_stream *other = all->first; other; other = other->next) {
		count += other->is_answer;
		of_client += other->is_answer && other->client == client;
	}
	fits = count < NX_STREAMS_MAX && of_client < NX_STREAMS_CLIENT_MAX;
	if (fits)
		link_in(s);
	nx_unlock(&all->lock);
	if (fits)
		return s;
	pthread_mutex_destroy(&s->lock);
	nx_heap_free(s);
	return NULL;
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

bool nx_stream_is_full(struct nx_stream *s)
{
	bool is_full;

	nx_lock(&s->lock);
	is_full = unsent(s) >= NX_STREAM_BYTES_MAX;
	nx_unlock(&s->lock);
	return is_full;
}

struct waiter {
	void (*fn)(void *context);
	void *context;
};

/* Under the lock; called without it, because the waiter may use or release the stream. */
static struct waiter take_waiter(struct nx_stream *s)
{
	struct waiter waiter = {s->on_drained, s->on_drained_context};

	if (!s->is_gone && unsent(s) >= NX_STREAM_BYTES_MAX / 2)
		return (struct waiter){0};
	s->on_drained = NULL;
	return waiter;
}

static void call(struct waiter waiter)
{
	if (waiter.fn)
		waiter.fn(waiter.context);
}

void nx_stream_when_drained(struct nx_stream *s, void (*fn)(void *context), void *context)
{
	struct waiter waiter;

	nx_lock(&s->lock);
	assert(!s->on_drained);
	s->on_drained = fn;
	s->on_drained_context = context;
	waiter = take_waiter(s);
	nx_unlock(&s->lock);
	call(waiter);
}

void nx_stream_leave(struct nx_stream *s)
{
	struct waiter waiter;

	nx_lock(&s->lock);
	s->is_gone = true;
	wake_reader(s);
	waiter = take_waiter(s);
	nx_unlock(&s->lock);
	call(waiter);
}

void nx_streams_stop(struct nx_streams *all)
{
	struct nx_stream *held = NULL, *next;

	nx_lock(&all->lock);
	all->is_stopped = true;
	/* Each is left without the list's lock, which its waiter needs, and stays linked because we
	 * hold it; new ones are gone from the beginning. */
	for (next = all->first; next; next = held->next) {
		struct nx_stream *before = held;

		held = nx_stream_hold(next);
		nx_unlock(&all->lock);
		if (before)
			nx_stream_release(before);
		nx_stream_leave(held);
		nx_lock(&all->lock);
	}
	nx_unlock(&all->lock);
	if (held)
		nx_stream_release(held);
}

/* Whether the reader takes less than it has to. */
static bool is_late(const struct nx_stream *s)
{
	uint64_t allowed_ns =
		NX_STREAM_PATIENCE_NS + s->sent_bytes / NX_STREAM_BYTES_PER_SECOND * 1000000000;

	return s->is_answer && nx_now_ns() - s->begin_ns > allowed_ns;
}

ssize_t nx_stream_read(struct nx_stream *s, struct MHD_Connection *connection, char *to,
		       size_t room)
{
	struct waiter waiter = {0};
	ssize_t got = 0;

	nx_lock(&s->lock);
	if (s->is_gone || is_late(s)) {
		got = -2;
	} else if (unsent(s)) {
		got = (ssize_t)(room < unsent(s) ? room : unsent(s));
		memcpy(to, s->bytes.items + s->sent, (size_t)got);
		s->sent += (size_t)got;
		s->sent_bytes += (uint64_t)got;
		waiter = take_waiter(s);
	} else if (s->is_over) {
		got = s->is_broken ? -2 : -1;
	} else {
		/* under the lock, so that the next writer finds it suspended */
		MHD_suspend_connection(connection);
		s->suspended = connection;
	}
	nx_unlock(&s->lock);
	call(waiter);
	return got;
}
