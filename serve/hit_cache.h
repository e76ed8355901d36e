/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hit_cache: the hits of the last searches, kept because users scroll and zoom after a search.
 *
 *	hits = nx_hit_cache_take(cache, profile->record.id, search.key);
 *	if (!hits) ... make a set ... hits = nx_hit_cache_put(cache, id, key, &set);
 *	...
 *	nx_hit_cache_return(cache, hits);
 *
 * Safe from any thread. The least recently used are dropped when there are too many or they are too
 * large; a set in use stays valid.
 */
#ifndef NX_SERVE_HIT_CACHE_H
#define NX_SERVE_HIT_CACHE_H

#include "query/hit_set.h"

struct nx_hit_cache;

struct nx_hits {
	struct nx_hit_set set;
};

struct nx_hit_cache *nx_hit_cache_new(size_t count_max, uint64_t bytes_max);
void nx_hit_cache_free(struct nx_hit_cache *cache);

/* NULL if they are not cached. */
struct nx_hits *nx_hit_cache_take(struct nx_hit_cache *cache, const char *profile_id,
				  const char *key);
/* Takes the set over. */
struct nx_hits *nx_hit_cache_put(struct nx_hit_cache *cache, const char *profile_id,
				 const char *key, struct nx_hit_set *set);
void nx_hit_cache_return(struct nx_hit_cache *cache, struct nx_hits *hits); /* hits may be NULL */

#endif
