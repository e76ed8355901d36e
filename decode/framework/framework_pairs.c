/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/framework/framework_pairs.h"
#include <assert.h>

/* The bucket or link that leads to the latest of that key; it holds 0 if there is none. */
static uint32_t *link_to(struct nx_framework_pairs *pairs, uint64_t key)
{
	uint32_t *link = &pairs->buckets[(key ^ key >> 32) % NX_FRAMEWORK_BUCKETS];

	while (*link && pairs->places.items[*link - 1].key != key)
		link = &pairs->places.items[*link - 1].next;
	return link;
}

static uint32_t take_place(struct nx_framework_pairs *pairs)
{
	uint32_t place = pairs->first_free;

	if (place) {
		pairs->first_free = pairs->places.items[place - 1].next;
		return place;
	}
	nx_vec_push(&pairs->places, ((struct nx_framework_pair){0}));
	return (uint32_t)pairs->places.len;
}

bool nx_framework_pairs_push(struct nx_framework_pairs *pairs, uint64_t key,
			     const struct nx_framework_event *event)
{
	uint32_t *bucket = &pairs->buckets[(key ^ key >> 32) % NX_FRAMEWORK_BUCKETS];
	struct nx_framework_pair *pair;
	uint32_t place;

	static_assert(NX_FRAMEWORK_OPEN_MAX < UINT32_MAX, "places are counted from one");
	if (!pairs->first_free && pairs->places.len == NX_FRAMEWORK_OPEN_MAX)
		return false;
	if (event->name.len > NX_FRAMEWORK_OPEN_BYTES_MAX - pairs->text_bytes)
		return false;
	place = take_place(pairs);
	pair = &pairs->places.items[place - 1];
	*pair = (struct nx_framework_pair){.key = key, .event = *event, .next = *bucket};
	pair->text = nx_heap_alloc(event->name.len);
	if (event->name.len)
		memcpy(pair->text, event->name.data, event->name.len);
	pair->event.name.data = pair->text;
	pairs->text_bytes += event->name.len;
	*bucket = place;
	return true;
}

struct nx_framework_event *nx_framework_pairs_top(struct nx_framework_pairs *pairs, uint64_t key)
{
	uint32_t place = *link_to(pairs, key);

	return place ? &pairs->places.items[place - 1].event : NULL;
}

void nx_framework_pairs_drop(struct nx_framework_pairs *pairs, uint64_t key)
{
	uint32_t *link = link_to(pairs, key);
	uint32_t place = *link;
	struct nx_framework_pair *pair;

	assert(place);
	pair = &pairs->places.items[place - 1];
	*link = pair->next;
	pairs->text_bytes -= pair->event.name.len;
	nx_heap_free(pair->text);
	pair->text = NULL;
	pair->next = pairs->first_free;
	pairs->first_free = place;
}

struct nx_framework_event *nx_framework_pairs_next(struct nx_framework_pairs *pairs, size_t *at)
{
	while (*at < pairs->places.len) {
		struct nx_framework_pair *pair = &pairs->places.items[(*at)++];

		if (pair->text)
			return &pair->event;
	}
	return NULL;
}

void nx_framework_pairs_release(struct nx_framework_pairs *pairs)
{
	for (size_t i = 0; i < pairs->places.len; i++)
		nx_heap_free(pairs->places.items[i].text);
	nx_vec_release(&pairs->places);
	*pairs = (struct nx_framework_pairs){0};
}
