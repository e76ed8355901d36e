/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_cache: recent answers that took long to find: the hits of searches, kept because users
 * scroll and zoom after a search, and insights, which never change.
 *
 *	answer = nx_answer_cache_take(cache, profile->record.id, key);
 *	if (!answer) ... find it ... answer = nx_answer_cache_put(cache, id, key, &found);
 *	...
 *	nx_answer_cache_return(cache, answer);
 *
 * Safe from any thread. The least recently used are dropped when there are too many or they are too
 * large; an answer in use stays valid. The id of a profile changes when it is stored again.
 */
#ifndef NX_SERVE_ANSWER_CACHE_H
#define NX_SERVE_ANSWER_CACHE_H

#include "query/hit_set.h"

struct nx_answer_cache;

struct nx_answer {
	struct nx_hit_set hits;
	struct nx_bytes text;
};

struct nx_answer_cache *nx_answer_cache_new(size_t count_max, uint64_t bytes_max);
void nx_answer_cache_free(struct nx_answer_cache *cache);

/* NULL if it is not cached. */
struct nx_answer *nx_answer_cache_take(struct nx_answer_cache *cache, const char *profile_id,
				       const char *key);
/* Takes over what the answer holds. */
struct nx_answer *nx_answer_cache_put(struct nx_answer_cache *cache, const char *profile_id,
				      const char *key, struct nx_answer *answer);
void nx_answer_cache_return(struct nx_answer_cache *cache, struct nx_answer *answer); /* or NULL */

#endif
