/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/hbm_places.h"

#include <assert.h>

#define ALL_CATEGORIES (UINT64_C(1) << 32) /* beyond any category */

static struct nx_hbm_place *place_of(struct nx_hbm_places *p, uint32_t instance,
				     const struct nx_hbm_sample *sample)
{
	const uint64_t words[] = {instance, sample->device_idx, sample->hbm_idx};
	uint64_t key = nx_hash_words(words, 3), index;

	if (!nx_map_get(&p->index, key, &index)) {
		index = p->places.len;
		nx_map_put(&p->index, key, index);
		nx_vec_push(&p->places, ((struct nx_hbm_place){0}));
	}
	return &p->places.items[index];
}

/* Moves *bytes by as much as what the core has taken differs from the last time. */
static void follow(struct nx_hbm_places *p, const struct nx_hbm_sample *sample, uint64_t category,
		   uint64_t now, uint64_t *bytes)
{
	const uint64_t words[] = {sample->process, (uint64_t)sample->nc_idx, category};
	uint64_t key = nx_hash_words(words, 3), before = 0;

	nx_map_get(&p->taken, key, &before);
	nx_map_put(&p->taken, key, now);
	if (now >= before)
		*bytes += now - before;
	else /* what a core seems to have put elsewhere may come out here */
		*bytes -= before - now < *bytes ? before - now : *bytes;
}

const struct nx_hbm_place *nx_hbm_places_add(struct nx_hbm_places *p, uint32_t instance,
					     const struct nx_hbm_sample *sample, unsigned purpose)
{
	struct nx_hbm_place *place = place_of(p, instance, sample);

	assert(purpose < NX_HBM_PURPOSES);
	follow(p, sample, ALL_CATEGORIES, sample->total_bytes, &place->total_bytes);
	follow(p, sample, sample->category, sample->category_bytes, &place->bytes[purpose]);
	return place;
}

void nx_hbm_places_release(struct nx_hbm_places *p)
{
	nx_vec_release(&p->places);
	nx_map_release(&p->index);
	nx_map_release(&p->taken);
}
