/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conveyor.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

#define MAX_THREADS 8
/* Two more than threads: one is filled while another waits to be taken up. */
#define MAX_ITEMS (MAX_THREADS + 2)

enum state { FREE, WAITING, UNDER_WAY, DONE };

struct nx_conveyor {
	size_t item_size, item_count;
	uint8_t *items;
	enum state states[MAX_ITEMS];
	size_t filling; /* item of the owner */
	size_t oldest;	/* item that is handed back next */
	size_t to_do;	/* item that a thread takes up next */
	nx_item_fn work, done;
	void *context;
	pthread_t threads[MAX_THREADS];
	size_t thread_count, thread_max;
	bool is_ending;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static void *item_at(const struct nx_conveyor *c, size_t i)
{
	return c->items + i * c->item_size;
}

struct nx_conveyor *nx_conveyor_new(size_t item_size, nx_item_fn work, nx_item_fn done,
				    void *context)
{
	struct nx_conveyor *c = nx_heap_alloc(sizeof(*c));
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	memset(c, 0, sizeof(*c));
	c->thread_max = cores < 1 ? 1 : cores < MAX_THREADS ? (size_t)cores : MAX_THREADS;
	c->item_size = item_size;
	c->item_count = c->thread_max + 2;
	c->items = nx_heap_alloc(c->item_count * item_size);
	memset(c->items, 0, c->item_count * item_size);
	c->work = work;
	c->done = done;
	c->context = context;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	return c;
}

static void *run_thread(void *opaque)
{
	struct nx_conveyor *c = opaque;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		size_t at = c->to_do;

		if (c->states[at] != WAITING) {
			if (c->is_ending)
				break;
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		c->states[at] = UNDER_WAY;
		c->to_do = (at + 1) % c->item_count;
		pthread_mutex_unlock(&c->lock);
		c->work(c->context, item_at(c, at));
		pthread_mutex_lock(&c->lock);
		c->states[at] = DONE;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Hands the oldest item back. */
static void take_back(struct nx_conveyor *c)
{
	size_t at = c->oldest;

	pthread_mutex_lock(&c->lock);
	while (c->states[at] != DONE)
		pthread_cond_wait(&c->changed, &c->lock);
	c->states[at] = FREE;
	pthread_mutex_unlock(&c->lock);
	c->done(c->context, item_at(c, at));
	pthread_mutex_lock(&c->lock);
	c->oldest = (at + 1) % c->item_count;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static bool is_free(struct nx_conveyor *c, size_t at)
{
	bool result;

	pthread_mutex_lock(&c->lock);
	result = c->states[at] == FREE;
	pthread_mutex_unlock(&c->lock);
	return result;
}

void *nx_conveyor_take(struct nx_conveyor *c)
{
	while (!is_free(c, c->filling))
		take_back(c);
	return item_at(c, c->filling);
}

void nx_conveyor_put(struct nx_conveyor *c)
{
	size_t at = c->filling;

	if (c->thread_count < c->thread_max &&
	    !pthread_create(&c->threads[c->thread_count], NULL, run_thread, c))
		c->thread_count++;
	c->filling = (at + 1) % c->item_count;
	if (!c->thread_count) {
		c->work(c->context, item_at(c, at));
		c->done(c->context, item_at(c, at));
		c->oldest = c->to_do = c->filling;
		return;
	}
	pthread_mutex_lock(&c->lock);
	c->states[at] = WAITING;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void nx_conveyor_await_turn(struct nx_conveyor *c, const void *item)
{
	pthread_mutex_lock(&c->lock);
	while (item_at(c, c->oldest) != item)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void nx_conveyor_finish(struct nx_conveyor *c, nx_item_fn release)
{
	while (c->oldest != c->filling || !is_free(c, c->oldest))
		take_back(c);
	pthread_mutex_lock(&c->lock);
	c->is_ending = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->thread_count; i++)
		pthread_join(c->threads[i], NULL);
	for (size_t i = 0; release && i < c->item_count; i++)
		release(c->context, item_at(c, i));
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	nx_heap_free(c->items);
	nx_heap_free(c);
}
