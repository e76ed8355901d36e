/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insight_cache: insights of whole profiles, cached because they take seconds for large ones and
 * never change. The key is the id of the profile, which changes when it is stored again. Safe
 * from any thread.
 */
#ifndef NX_SERVE_INSIGHT_CACHE_H
#define NX_SERVE_INSIGHT_CACHE_H

#include "base/bare/slice.h"
#include "base/vec.h"

#define NX_INSIGHT_CACHE_MAX 32u

struct nx_insight_cache;

struct nx_insight_cache *nx_insight_cache_new(void);
void nx_insight_cache_free(struct nx_insight_cache *cache);

/* Appends the answer; false if it is not cached. */
bool nx_insight_cache_get(struct nx_insight_cache *cache, const char *id, struct nx_bytes *answer);
/* Copies it; drops the oldest if there are too many. */
void nx_insight_cache_put(struct nx_insight_cache *cache, const char *id, struct nx_slice answer);

#endif
