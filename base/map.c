/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <assert.h>

#include "base/arena.h"
#include "base/bare/bits.h"

#define SMALLEST_CAPACITY ((size_t)16)
static_assert((SMALLEST_CAPACITY & (SMALLEST_CAPACITY - 1)) == 0, "slots are found with a mask");

/* An empty slot has key 0; the real key 0 lives in one more slot behind the
 * table, whose key field says whether it is there. */
struct nx_map_entry {
	uint64_t key;
	uint64_t value;
};

/* hash is odd in a used slot, 0 in an empty one. */
struct nx_text_map_entry {
	struct nx_slice key;
	uint64_t value;
	uint64_t hash;
};

/* Full avalanche, so that packed ids and aligned addresses spread over the table. */
static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	return x;
}

/* The address of the table salts its hash: a file cannot prepare keys that collide. */
static inline uint64_t salt_of(const void *entries)
{
	return (uint64_t)(uintptr_t)entries >> 4;
}

static void *new_entries(size_t count, size_t size)
{
	void *entries = nx_heap_alloc(count * size);

	memset(entries, 0, count * size);
	return entries;
}

static size_t grown(size_t cap)
{
	return cap ? cap * 2 : SMALLEST_CAPACITY;
}

/* The slot of key, or the empty one where it belongs. */
static struct nx_map_entry *find(struct nx_map_entry *entries, size_t cap, uint64_t key)
{
	size_t i;

	if (!key)
		return &entries[cap];
	i = mix(key + salt_of(entries)) & (cap - 1);
	while (entries[i].key && entries[i].key != key)
		i = (i + 1) & (cap - 1);
	return &entries[i];
}

static void grow(struct nx_map *map)
{
	size_t cap = grown(map->cap);
	struct nx_map_entry *entries = new_entries(cap + 1, sizeof(*entries));

	for (size_t i = 0; i < map->cap; i++) {
		if (map->entries[i].key)
			*find(entries, cap, map->entries[i].key) = map->entries[i];
	}
	if (map->cap)
		entries[cap] = map->entries[map->cap];
	nx_heap_free(map->entries);
	map->entries = entries;
	map->cap = cap;
}

void nx_map_put(struct nx_map *map, uint64_t key, uint64_t value)
{
	struct nx_map_entry *entry;

	if (map->len >= map->cap / 4 * 3)
		grow(map);
	entry = find(map->entries, map->cap, key);
	if (!entry->key) {
		entry->key = key ? key : 1;
		map->len++;
	}
	entry->value = value;
}

bool nx_map_get(const struct nx_map *map, uint64_t key, uint64_t *value)
{
	const struct nx_map_entry *entry;

	if (!map->len)
		return false;
	entry = find(map->entries, map->cap, key);
	if (!entry->key)
		return false;
	if (value)
		*value = entry->value;
	return true;
}

/* Closes the gap at slot, so that no search ends before its key. */
static void close_gap(struct nx_map *map, size_t slot)
{
	size_t mask = map->cap - 1;

	for (size_t i = (slot + 1) & mask; map->entries[i].key; i = (i + 1) & mask) {
		size_t home = mix(map->entries[i].key + salt_of(map->entries)) & mask;

		if (((i - home) & mask) < ((i - slot) & mask))
			continue;
		map->entries[slot] = map->entries[i];
		slot = i;
	}
	map->entries[slot] = (struct nx_map_entry){0};
}

bool nx_map_take(struct nx_map *map, uint64_t key, uint64_t *value)
{
	struct nx_map_entry *entry;

	if (!map->len)
		return false;
	entry = find(map->entries, map->cap, key);
	if (!entry->key)
		return false;
	if (value)
		*value = entry->value;
	map->len--;
	if (key)
		close_gap(map, (size_t)(entry - map->entries));
	else
		*entry = (struct nx_map_entry){0};
	return true;
}

void nx_map_release(struct nx_map *map)
{
	nx_heap_free(map->entries);
	*map = (struct nx_map){0};
}

static uint64_t hash_text(struct nx_slice key, uint64_t salt)
{
	uint64_t hash = salt ^ key.len;
	uint64_t tail = 0;
	size_t i = 0;

	for (; key.len - i >= 8; i += 8)
		hash = mix(hash ^ nx_load64(key.data + i));
	if (i < key.len)
		memcpy(&tail, key.data + i, key.len - i);
	return mix(hash ^ tail) | 1;
}

static struct nx_text_map_entry *find_text(struct nx_text_map_entry *entries, size_t cap,
					   struct nx_slice key, uint64_t hash)
{
	/* Bit 0 of a hash is always set: leave it out of the position. */
	size_t i = (hash >> 1) & (cap - 1);

	while (entries[i].hash && !(entries[i].hash == hash && nx_slice_equal(entries[i].key, key)))
		i = (i + 1) & (cap - 1);
	return &entries[i];
}

static void grow_text(struct nx_text_map *map)
{
	size_t cap = grown(map->cap);
	struct nx_text_map_entry *entries = new_entries(cap, sizeof(*entries));

	for (size_t i = 0; i < map->cap; i++) {
		struct nx_text_map_entry entry = map->entries[i];

		if (!entry.hash)
			continue;
		entry.hash = hash_text(entry.key, salt_of(entries));
		*find_text(entries, cap, entry.key, entry.hash) = entry;
	}
	nx_heap_free(map->entries);
	map->entries = entries;
	map->cap = cap;
}

void nx_text_map_put(struct nx_text_map *map, struct nx_slice key, uint64_t value)
{
	struct nx_text_map_entry *entry;
	uint64_t hash;

	if (map->len >= map->cap / 4 * 3)
		grow_text(map);
	hash = hash_text(key, salt_of(map->entries));
	entry = find_text(map->entries, map->cap, key, hash);
	if (!entry->hash) {
		entry->key = key;
		entry->hash = hash;
		map->len++;
	}
	entry->value = value;
}

bool nx_text_map_get(const struct nx_text_map *map, struct nx_slice key, uint64_t *value)
{
	const struct nx_text_map_entry *entry;
	uint64_t hash;

	if (!map->len)
		return false;
	hash = hash_text(key, salt_of(map->entries));
	entry = find_text(map->entries, map->cap, key, hash);
	if (!entry->hash)
		return false;
	if (value)
		*value = entry->value;
	return true;
}

void nx_text_map_release(struct nx_text_map *map)
{
	nx_heap_free(map->entries);
	*map = (struct nx_text_map){0};
}

const char *nx_text_pool_copy(struct nx_text_pool *pool, struct nx_slice text)
{
	uint64_t known;
	const char *copy;

	if (text.len == 0)
		return "";
	if (nx_text_map_get(&pool->copies, text, &known))
		return (const char *)(uintptr_t)known;
	copy = nx_arena_copy(pool->arena, text);
	nx_text_map_put(&pool->copies, nx_slice_of(copy, text.len), (uint64_t)(uintptr_t)copy);
	return copy;
}

void nx_text_pool_release(struct nx_text_pool *pool)
{
	nx_text_map_release(&pool->copies);
}

uint64_t nx_hash_words(const uint64_t *words, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = mix(hash ^ words[i]);
	return hash;
}

uint64_t nx_fnv1a(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return hash;
}
