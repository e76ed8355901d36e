/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map: hash tables from a number or a text to a number. A zeroed struct is valid and empty.
 * The text table borrows its keys: they must outlive it (arena or mapped file).
 */
#ifndef NX_BASE_MAP_H
#define NX_BASE_MAP_H

#include "base/arena.h"
#include "base/bare/slice.h"

struct nx_map_entry;

struct nx_map {
	struct nx_map_entry *entries;
	size_t len;
	size_t cap;
};

/* Replaces an older value of the same key. */
void nx_map_put(struct nx_map *map, uint64_t key, uint64_t value);
bool nx_map_get(const struct nx_map *map, uint64_t key, uint64_t *value);
/* Removes the key; false if it is not there. */
bool nx_map_take(struct nx_map *map, uint64_t key, uint64_t *value);
void nx_map_release(struct nx_map *map);

struct nx_text_map_entry;

struct nx_text_map {
	struct nx_text_map_entry *entries;
	size_t len;
	size_t cap;
};

void nx_text_map_put(struct nx_text_map *map, struct nx_slice key, uint64_t value);
bool nx_text_map_get(const struct nx_text_map *map, struct nx_slice key, uint64_t *value);
void nx_text_map_release(struct nx_text_map *map);

/* One copy of each text, in the arena; the copies outlive the pool. "" for an empty text. */
struct nx_text_pool {
	struct nx_arena *arena;
	struct nx_text_map copies;
};

const char *nx_text_pool_copy(struct nx_text_pool *pool, struct nx_slice text);
void nx_text_pool_release(struct nx_text_pool *pool);

/* Many numbers as one key, well spread. */
uint64_t nx_hash_words(const uint64_t *words, size_t count);

/* FNV-1a, the hash that device profiles use for packet ids; start with NX_FNV_SEED. */
#define NX_FNV_SEED UINT64_C(14695981039346656037)
uint64_t nx_fnv1a(uint64_t hash, const void *data, size_t len);

#endif
