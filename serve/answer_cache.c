/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/answer_cache.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"

struct held {
	struct nx_answer answer; /* first: what others see */
	struct nx_arena arena;
	const char *profile_id, *key;
	unsigned holder_count;
	bool is_listed;
	uint64_t size_bytes, last_use;
};

struct nx_answer_cache {
	pthread_mutex_t lock;
	size_t count_max;
	uint64_t bytes_max, bytes, use_count;
	struct nx_held_answers NX_VEC_BODY(struct held *) list;
};

struct nx_answer_cache *nx_answer_cache_new(size_t count_max, uint64_t bytes_max)
{
	struct nx_answer_cache *cache = nx_heap_alloc(sizeof(*cache));

	assert(count_max);
	*cache = (struct nx_answer_cache){.count_max = count_max, .bytes_max = bytes_max};
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

static void free_held(struct held *held)
{
	nx_hit_set_release(&held->answer.hits);
	nx_vec_release(&held->answer.text);
	nx_arena_release(&held->arena);
	nx_heap_free(held);
}

void nx_answer_cache_free(struct nx_answer_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->list.len; i++)
		free_held(cache->list.items[i]);
	nx_vec_release(&cache->list);
	pthread_mutex_destroy(&cache->lock);
	nx_heap_free(cache);
}

/* These two with the lock held. */
static void hold(struct nx_answer_cache *cache, struct held *held)
{
	held->holder_count++;
	held->last_use = ++cache->use_count;
}

static void drop_oldest(struct nx_answer_cache *cache)
{
	struct held *held;
	size_t oldest = 0;

	for (size_t i = 1; i < cache->list.len; i++)
		if (cache->list.items[i]->last_use < cache->list.items[oldest]->last_use)
			oldest = i;
	held = cache->list.items[oldest];
	cache->list.items[oldest] = cache->list.items[--cache->list.len];
	cache->bytes -= held->size_bytes;
	held->is_listed = false;
	if (!held->holder_count)
		free_held(held);
}

struct nx_answer *nx_answer_cache_take(struct nx_answer_cache *cache, const char *profile_id,
				       const char *key)
{
	struct held *found = NULL;

	nx_lock(&cache->lock);
	for (size_t i = 0; i < cache->list.len && !found; i++)
		if (!strcmp(cache->list.items[i]->profile_id, profile_id) &&
		    !strcmp(cache->list.items[i]->key, key))
			found = cache->list.items[i];
	if (found)
		hold(cache, found);
	nx_unlock(&cache->lock);
	return found ? &found->answer : NULL;
}

struct nx_answer *nx_answer_cache_put(struct nx_answer_cache *cache, const char *profile_id,
				      const char *key, struct nx_answer *answer)
{
	struct held *held = nx_heap_alloc(sizeof(*held));

	*held = (struct held){.answer = *answer,
			      .is_listed = true,
			      .size_bytes = answer->hits.size_bytes + answer->text.len};
	*answer = (struct nx_answer){0};
	held->profile_id = nx_arena_copy_text(&held->arena, profile_id);
	held->key = nx_arena_copy_text(&held->arena, key);
	nx_lock(&cache->lock);
	hold(cache, held);
	nx_vec_push(&cache->list, held);
	cache->bytes += held->size_bytes;
	while (cache->list.len > cache->count_max ||
	       (cache->bytes > cache->bytes_max && cache->list.len > 1))
		drop_oldest(cache);
	nx_unlock(&cache->lock);
	return &held->answer;
}

void nx_answer_cache_return(struct nx_answer_cache *cache, struct nx_answer *answer)
{
	struct held *held = (struct held *)answer;
	bool is_over;

	if (!held)
		return;
	nx_lock(&cache->lock);
	assert(held->holder_count);
	is_over = !--held->holder_count && !held->is_listed;
	nx_unlock(&cache->lock);
	if (is_over)
		free_held(held);
}
