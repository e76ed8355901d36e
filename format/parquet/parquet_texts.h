/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_texts: the distinct texts of a column in a row group, numbered in the order of first
 * appearance. They are stored as PLAIN writes them, so the dictionary page needs no work.
 *
 * Most texts of a profile are interned: the same address comes again and again. A small cache by
 * address finds them without hashing; it still compares the bytes, so reusing a buffer for several
 * texts is safe. Such a buffer is detected, and its texts bypass the cache.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_TEXTS_H
#define NX_FORMAT_PARQUET_PARQUET_TEXTS_H

#include "base/bare/bits.h"
#include "base/bare/slice.h"
#include "base/vec.h"

struct nx_parquet_recent {
	const uint8_t *data; /* only compared, never dereferenced */
	uint32_t len;
	uint32_t id;
};

/* A zeroed struct is valid and empty. */
struct nx_parquet_texts {
	struct nx_bytes plain; /* of each text: 4 bytes of length, the bytes */
	struct nx_parquet_offsets NX_VEC_BODY(uint32_t) offsets; /* in plain, by id */
	struct nx_parquet_slot { /* what a lookup needs, in one place */
		uint32_t hash;
		uint32_t number; /* id + 1, 0 for none */
	} * slots;
	size_t slot_count;
	const uint8_t *reused; /* an address whose text changed: bypass the cache */
	bool is_waiting;       /* the last text of plain has no number yet */
	uint32_t waiting_hash;
	uint32_t waiting_offset;
	struct nx_parquet_recent *recent; /* the cache, in pairs; grows with the texts */
	unsigned recent_bits;
	struct nx_bytes mended; /* a text that was not UTF-8 */
};

void nx_parquet_texts_release(struct nx_parquet_texts *texts);
/* Removes all texts and keeps the memory for the next group. */
void nx_parquet_texts_clear(struct nx_parquet_texts *texts);

/* The slow path, on a cache miss. */
uint32_t nx_parquet_texts_id_slowly(struct nx_parquet_texts *texts, struct nx_slice text);

/*
 * Two steps for texts that differ from row to row, to hide the latency of memory: the first copies
 * the text and prefetches its slot, the second finds its number before the next text. No other text
 * may be looked up in between.
 */
void nx_parquet_texts_defer(struct nx_parquet_texts *texts, struct nx_slice text);
uint32_t nx_parquet_texts_settle(struct nx_parquet_texts *texts);

static inline struct nx_slice nx_parquet_text_of(const struct nx_parquet_texts *texts, uint32_t id)
{
	const uint8_t *at = texts->plain.items + texts->offsets.items[id];

	return nx_slice_of(at + 4, nx_load32(at));
}

/* The pair of entries for a text: two texts with the same slot do not evict each other. */
static inline struct nx_parquet_recent *nx_parquet_recent_of(const struct nx_parquet_texts *texts,
							     struct nx_slice text)
{
	uint64_t mixed = ((uint64_t)(uintptr_t)text.data + text.len) * 0x9e3779b97f4a7c15u;

	return &texts->recent[mixed >> (64 - texts->recent_bits) & ~(uint64_t)1];
}

/* Texts are short: a call to memcmp would cost more than the comparison. */
static inline bool nx_parquet_text_is(const uint8_t *a, struct nx_slice b)
{
	size_t i = 0;

	if (b.len < 4)
		return !b.len || memcmp(a, b.data, b.len) == 0;
	if (b.len < 8)
		return nx_load32(a) == nx_load32(b.data) &&
		       nx_load32(a + b.len - 4) == nx_load32(b.data + b.len - 4);
	for (; i + 8 <= b.len; i += 8)
		if (nx_load64(a + i) != nx_load64(b.data + i))
			return false;
	return nx_load64(a + b.len - 8) == nx_load64(b.data + b.len - 8);
}

static inline bool nx_parquet_recent_is(const struct nx_parquet_texts *texts,
					const struct nx_parquet_recent *recent,
					struct nx_slice text)
{
	struct nx_slice known;

	if (recent->data != text.data || recent->len != text.len)
		return false;
	known = nx_parquet_text_of(texts, recent->id);
	return known.len == text.len && nx_parquet_text_is(known.data, text);
}

/* The number of a text, which may be new. */
static inline uint32_t nx_parquet_texts_id(struct nx_parquet_texts *texts, struct nx_slice text)
{
	const struct nx_parquet_recent *pair;

	/* Before the first text there may be no cache. */
	if (!texts->offsets.len || text.data == texts->reused)
		return nx_parquet_texts_id_slowly(texts, text);
	pair = nx_parquet_recent_of(texts, text);
	if (nx_parquet_recent_is(texts, &pair[0], text))
		return pair[0].id;
	if (nx_parquet_recent_is(texts, &pair[1], text))
		return pair[1].id;
	return nx_parquet_texts_id_slowly(texts, text);
}

#endif
