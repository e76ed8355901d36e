/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet_texts.h"

#include "base/arena.h"
#include "base/json_text.h"
#include "base/utf8.h"

#define FEWEST_SLOTS ((size_t)64)
#define FEWEST_RECENT_BITS 6
#define MOST_RECENT_BITS 13
/* A column of few large groups should not carry the table of its largest one for ever. */
#define MOST_IDLE_SLOTS ((size_t)1 << 16)

void nx_parquet_texts_release(struct nx_parquet_texts *t)
{
	nx_vec_release(&t->plain);
	nx_vec_release(&t->offsets);
	nx_vec_release(&t->hashes);
	nx_vec_release(&t->mended);
	nx_heap_free(t->slots);
	nx_heap_free(t->recent);
	*t = (struct nx_parquet_texts){0};
}

void nx_parquet_texts_clear(struct nx_parquet_texts *t)
{
	nx_vec_clear(&t->plain);
	nx_vec_clear(&t->offsets);
	nx_vec_clear(&t->hashes);
	if (t->slot_count > MOST_IDLE_SLOTS) {
		nx_heap_free(t->slots);
		t->slots = NULL;
		t->slot_count = 0;
	}
	if (t->slots)
		memset(t->slots, 0, t->slot_count * sizeof(*t->slots));
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 32;
}

/* Salted by an address, so that a file cannot prepare texts that collide. */
static uint32_t hash_text(const struct nx_parquet_texts *t, struct nx_slice text)
{
	uint64_t hash = mix((uint64_t)(uintptr_t)t >> 4, text.len), tail = 0;
	size_t i = 0;

	for (; text.len - i >= 8; i += 8)
		hash = mix(hash, nx_load64(text.data + i));
	if (i < text.len)
		memcpy(&tail, text.data + i, text.len - i);
	hash = mix(hash, tail);
	return (uint32_t)(mix(hash, hash >> 29));
}

static void grow_slots(struct nx_parquet_texts *t)
{
	size_t count = t->slot_count ? t->slot_count * 2 : FEWEST_SLOTS;

	nx_heap_free(t->slots);
	t->slots = nx_heap_alloc(count * sizeof(*t->slots));
	memset(t->slots, 0, count * sizeof(*t->slots));
	t->slot_count = count;
	for (size_t id = 0; id < t->hashes.len; id++) {
		size_t at = t->hashes.items[id] & (count - 1);

		while (t->slots[at])
			at = (at + 1) & (count - 1);
		t->slots[at] = (uint32_t)id + 1;
	}
}

/* The slot of a text, or the empty one where it belongs. */
static uint32_t *find_slot(struct nx_parquet_texts *t, struct nx_slice text, uint32_t hash)
{
	size_t at = hash & (t->slot_count - 1);

	for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
		uint32_t id = t->slots[at] - 1;

		if (t->hashes.items[id] == hash && nx_slice_equal(nx_parquet_text_of(t, id), text))
			break;
	}
	return &t->slots[at];
}

static uint32_t add_text(struct nx_parquet_texts *t, struct nx_slice text, uint32_t hash,
			 uint32_t *slot)
{
	uint32_t id = (uint32_t)t->offsets.len;
	uint8_t length[4];

	nx_store32(length, (uint32_t)text.len);
	nx_vec_push(&t->offsets, (uint32_t)t->plain.len);
	nx_vec_push(&t->hashes, hash);
	nx_bytes_append(&t->plain, length, sizeof(length));
	nx_bytes_append(&t->plain, text.data, text.len);
	*slot = id + 1;
	return id;
}

static const uint8_t *ascii_end(const uint8_t *at, const uint8_t *end)
{
	while (end - at >= 8 && !(nx_load64(at) & NX_BYTES_OF(0x80)))
		at += 8;
	while (at < end && *at < 0x80)
		at++;
	return at;
}

/* The first byte that belongs to no character; end when there is none. */
static const uint8_t *first_fault(const uint8_t *at, const uint8_t *end)
{
	for (;;) {
		size_t len;

		at = ascii_end(at, end);
		if (at == end)
			return end;
		len = nx_utf8_length(at, end);
		if (!len)
			return at;
		at += len;
	}
}

static struct nx_slice mend(struct nx_parquet_texts *t, struct nx_slice text)
{
	const uint8_t *at = text.data, *end = text.data + text.len;

	nx_vec_clear(&t->mended);
	for (;;) {
		const uint8_t *fault = first_fault(at, end);

		nx_bytes_append(&t->mended, at, (size_t)(fault - at));
		if (fault == end)
			return nx_slice_of(t->mended.items, t->mended.len);
		nx_bytes_append(&t->mended, "\xef\xbf\xbd", 3);
		at = fault + 1;
	}
}

static uint32_t find_or_add(struct nx_parquet_texts *t, struct nx_slice text)
{
	uint32_t hash = hash_text(t, text);
	uint32_t *slot = find_slot(t, text, hash);

	if (*slot)
		return *slot - 1;
	/* Only well-formed texts are stored, so that only new ones need the check. */
	if (text.len && first_fault(text.data, text.data + text.len) != text.data + text.len) {
		text = mend(t, text);
		hash = hash_text(t, text);
		slot = find_slot(t, text, hash);
		if (*slot)
			return *slot - 1;
	}
	return add_text(t, text, hash, slot);
}

/* Four places per text keep most of them from sharing one. */
static void grow_recent(struct nx_parquet_texts *t)
{
	size_t bytes;

	t->recent_bits = t->recent ? t->recent_bits + 1 : FEWEST_RECENT_BITS;
	bytes = sizeof(*t->recent) << t->recent_bits;
	nx_heap_free(t->recent);
	t->recent = nx_heap_alloc(bytes);
	memset(t->recent, 0, bytes);
}

uint32_t nx_parquet_texts_id_slowly(struct nx_parquet_texts *t, struct nx_slice text)
{
	struct nx_parquet_recent *pair;
	uint32_t id;

	if (!t->recent ||
	    (t->offsets.len >> (t->recent_bits - 2) && t->recent_bits < MOST_RECENT_BITS))
		grow_recent(t);
	if (t->offsets.len >= t->slot_count / 4 * 3)
		grow_slots(t);
	id = find_or_add(t, text);
	pair = nx_parquet_recent_of(t, text);
	pair[1] = pair[0];
	pair[0] = (struct nx_parquet_recent){text.data, (uint32_t)text.len, id};
	return id;
}
