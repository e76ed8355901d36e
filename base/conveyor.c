/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conveyor.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/workers.h"

#define MAX_THREADS 8
/* Two more than threads: one is filled while another waits to be taken up. */
#define MAX_ITEMS (MAX_THREADS + 2)

struct place {
	struct nx_conveyor *conveyor;
	struct nx_job job;
	void *item;
};

struct nx_conveyor {
	nx_item_fn work, done;
	void *context;
	struct nx_workers *workers;
	struct place places[MAX_ITEMS];
	size_t place_count;
	uint8_t *items;
	uint64_t put_count;
	uint64_t done_count; /* handed back; under the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static void work(void *opaque)
{
	const struct place *place = opaque;

	place->conveyor->work(place->conveyor->context, place->item);
}

struct nx_conveyor *nx_conveyor_new(size_t item_size, nx_item_fn work_fn, nx_item_fn done,
				    void *context)
{
	struct nx_conveyor *c = nx_heap_alloc(sizeof(*c));
	unsigned threads = nx_workers_default_count(MAX_THREADS);

	assert(item_size && work_fn && done);
	*c = (struct nx_conveyor){.work = work_fn, .done = done, .context = context};
	c->workers = nx_workers_new("nx-conveyor", threads, 0);
	c->place_count = threads + 2;
	c->items = nx_heap_alloc(c->place_count * item_size);
	memset(c->items, 0, c->place_count * item_size);
	for (size_t i = 0; i < c->place_count; i++) {
		struct place *place = &c->places[i];

		*place = (struct place){.conveyor = c, .item = c->items + i * item_size};
		place->job = (struct nx_job){.run = work, .context = place};
	}
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	return c;
}

/* Hands the oldest item back. */
static void take_back(struct nx_conveyor *c)
{
	struct place *place = &c->places[c->done_count % c->place_count];

	nx_workers_await(c->workers, &place->job);
	c->done(c->context, place->item);
	pthread_mutex_lock(&c->lock);
	c->done_count++;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void *nx_conveyor_take(struct nx_conveyor *c)
{
	if (c->put_count - c->done_count == c->place_count)
		take_back(c);
	return c->places[c->put_count % c->place_count].item;
}

void nx_conveyor_put(struct nx_conveyor *c)
{
	assert(c->put_count - c->done_count < c->place_count);
	(void)nx_workers_add(c->workers, &c->places[c->put_count++ % c->place_count].job);
}

void nx_conveyor_await_turn(struct nx_conveyor *c, const void *item)
{
	pthread_mutex_lock(&c->lock);
	while (c->places[c->done_count % c->place_count].item != item)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void nx_conveyor_finish(struct nx_conveyor *c, nx_item_fn release)
{
	while (c->done_count < c->put_count)
		take_back(c);
	for (size_t i = 0; release && i < c->place_count; i++)
		release(c->context, c->places[i].item);
	nx_workers_free(c->workers);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	nx_heap_free(c->items);
	nx_heap_free(c);
}
