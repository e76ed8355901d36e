/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/insight_cache.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"

struct kept {
	struct nx_arena arena;
	const char *id;
	struct nx_slice answer;
};

struct nx_insight_cache {
	pthread_mutex_t lock;
	struct kept kept[NX_INSIGHT_CACHE_MAX];
	size_t next; /* the place that is used next */
};

struct nx_insight_cache *nx_insight_cache_new(void)
{
	struct nx_insight_cache *cache = nx_heap_alloc(sizeof(*cache));

	memset(cache, 0, sizeof(*cache));
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void nx_insight_cache_free(struct nx_insight_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < NX_INSIGHT_CACHE_MAX; i++)
		nx_arena_release(&cache->kept[i].arena);
	pthread_mutex_destroy(&cache->lock);
	nx_heap_free(cache);
}

/* With the lock held. */
static const struct kept *find(const struct nx_insight_cache *cache, const char *id)
{
	for (size_t i = 0; i < NX_INSIGHT_CACHE_MAX; i++)
		if (cache->kept[i].id && !strcmp(cache->kept[i].id, id))
			return &cache->kept[i];
	return NULL;
}

bool nx_insight_cache_get(struct nx_insight_cache *cache, const char *id, struct nx_bytes *answer)
{
	const struct kept *kept;

	pthread_mutex_lock(&cache->lock);
	kept = find(cache, id);
	if (kept)
		nx_bytes_append(answer, kept->answer.data, kept->answer.len);
	pthread_mutex_unlock(&cache->lock);
	return kept != NULL;
}

void nx_insight_cache_put(struct nx_insight_cache *cache, const char *id, struct nx_slice answer)
{
	struct kept *kept;

	pthread_mutex_lock(&cache->lock);
	if (!find(cache, id)) {
		kept = &cache->kept[cache->next];
		cache->next = (cache->next + 1) % NX_INSIGHT_CACHE_MAX;
		nx_arena_release(&kept->arena);
		*kept = (struct kept){0};
		kept->id = nx_arena_copy_text(&kept->arena, id);
		kept->answer = nx_slice_of(nx_arena_copy(&kept->arena, answer), answer.len);
	}
	pthread_mutex_unlock(&cache->lock);
}
