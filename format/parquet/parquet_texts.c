/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_texts.h"

#include <assert.h>

#include "base/arena.h"
#include "base/json_text.h"
#include "base/utf8.h"

#define FACTOR UINT64_C(0xd6e8feb86659fd93)
#define FEWEST_SLOTS ((size_t)64)
#define FEWEST_RECENT_BITS 6
#define MOST_RECENT_BITS 13
/* A larger table is freed after its group. */
#define MOST_IDLE_SLOTS ((size_t)1 << 16)

void nx_parquet_texts_release(struct nx_parquet_texts *t)
{
	nx_vec_release(&t->plain);
	nx_vec_release(&t->offsets);
	nx_vec_release(&t->mended);
	nx_heap_free(t->slots);
	nx_heap_free(t->recent);
	*t = (struct nx_parquet_texts){0};
}

void nx_parquet_texts_clear(struct nx_parquet_texts *t)
{
	bool is_spacious = t->offsets.len < t->slot_count / 8;

	assert(!t->is_waiting);
	nx_vec_clear(&t->plain);
	nx_vec_clear(&t->offsets);
	if (t->slot_count > MOST_IDLE_SLOTS && is_spacious) {
		nx_heap_free(t->slots);
		t->slots = NULL;
		t->slot_count = 0;
	}
	if (t->slots)
		memset(t->slots, 0, t->slot_count * sizeof(*t->slots));
	if (t->recent)
		memset(t->recent, 0, sizeof(*t->recent) << t->recent_bits);
}

/* Folds the product of two words, so that every bit affects the result. */
static inline uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Salted with an address, so that no file can contain texts that collide. */
static uint32_t hash_text(const struct nx_parquet_texts *t, struct nx_slice text)
{
	const uint64_t salt = (uint64_t)(uintptr_t)t * FACTOR ^ text.len;
	uint64_t hash = salt, low = 0, high = 0;
	size_t i = 0;

	for (; text.len - i > 16; i += 16)
		hash = mix(nx_load64(text.data + i) ^ FACTOR, nx_load64(text.data + i + 8) ^ hash);
	if (text.len >= 16) { /* the last 16 bytes; may overlap */
		low = nx_load64(text.data + text.len - 16);
		high = nx_load64(text.data + text.len - 8);
	} else if (text.len >= 8) {
		low = nx_load64(text.data);
		high = nx_load64(text.data + text.len - 8);
	} else if (text.len) {
		memcpy(&low, text.data, text.len);
	}
	hash = mix(low ^ FACTOR, high ^ hash);
	return (uint32_t)mix(hash ^ salt, FACTOR);
}

/* The slot of a text, or the empty one where it belongs. */
static struct nx_parquet_slot *find_slot(struct nx_parquet_texts *t, struct nx_slice text,
					 uint32_t hash)
{
	size_t at = hash & (t->slot_count - 1);

	assert(t->slot_count && (t->slot_count & (t->slot_count - 1)) == 0);
	for (; t->slots[at].number; at = (at + 1) & (t->slot_count - 1)) {
		uint32_t id = t->slots[at].number - 1;

		if (t->slots[at].hash == hash && nx_slice_equal(nx_parquet_text_of(t, id), text))
			break;
	}
	return &t->slots[at];
}

static void grow_slots(struct nx_parquet_texts *t)
{
	struct nx_parquet_slot *old = t->slots;
	size_t old_count = t->slot_count, count = old_count ? old_count * 2 : FEWEST_SLOTS;

	t->slots = nx_heap_alloc(count * sizeof(*t->slots));
	memset(t->slots, 0, count * sizeof(*t->slots));
	t->slot_count = count;
	for (size_t i = 0; i < old_count; i++) {
		size_t at = old[i].hash & (count - 1);

		if (!old[i].number)
			continue;
		while (t->slots[at].number)
			at = (at + 1) & (count - 1);
		t->slots[at] = old[i];
	}
	nx_heap_free(old);
}

/* Appends to the texts. */
static void append_plain(struct nx_parquet_texts *t, struct nx_slice text)
{
	uint8_t *at;

	nx_vec_reserve(&t->plain, t->plain.len + sizeof(uint32_t) + text.len);
	at = t->plain.items + t->plain.len;
	nx_store32(at, (uint32_t)text.len);
	if (text.len)
		memcpy(at + sizeof(uint32_t), text.data, text.len);
	t->plain.len += sizeof(uint32_t) + text.len;
}

/* The text at that offset of plain. */
static uint32_t number_text(struct nx_parquet_texts *t, uint32_t offset, uint32_t hash,
			    struct nx_parquet_slot *slot)
{
	uint32_t id = (uint32_t)t->offsets.len;

	nx_vec_push(&t->offsets, offset);
	*slot = (struct nx_parquet_slot){hash, id + 1};
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

/* The first byte that is not UTF-8; end if there is none. */
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

static bool is_well_formed(struct nx_slice text)
{
	return !text.len || first_fault(text.data, text.data + text.len) == text.data + text.len;
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
	struct nx_parquet_slot *slot = find_slot(t, text, hash);

	if (slot->number)
		return slot->number - 1;
	/* All stored texts are well-formed, so only new ones need the check. */
	if (!is_well_formed(text)) {
		text = mend(t, text);
		hash = hash_text(t, text);
		slot = find_slot(t, text, hash);
		if (slot->number)
			return slot->number - 1;
	}
	append_plain(t, text);
	return number_text(t, (uint32_t)(t->plain.len - text.len - sizeof(uint32_t)), hash, slot);
}

/* Four entries per text avoid most collisions. */
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
	if (text.data == t->reused)
		return id;
	pair = nx_parquet_recent_of(t, text);
	if (pair[0].data == text.data && pair[0].len == text.len && pair[0].id != id)
		t->reused = text.data;
	pair[1] = pair[0];
	pair[0] = (struct nx_parquet_recent){text.data, (uint32_t)text.len, id};
	return id;
}

void nx_parquet_texts_defer(struct nx_parquet_texts *t, struct nx_slice text)
{
	assert(!t->is_waiting);
	if (!t->recent)
		grow_recent(t);
	if (t->offsets.len >= t->slot_count / 4 * 3)
		grow_slots(t);
	t->is_waiting = true;
	t->waiting_hash = hash_text(t, text);
	t->waiting_offset = (uint32_t)t->plain.len;
	__builtin_prefetch(&t->slots[t->waiting_hash & (t->slot_count - 1)]);
	append_plain(t, text);
}

uint32_t nx_parquet_texts_settle(struct nx_parquet_texts *t)
{
	const uint8_t *at = t->plain.items + t->waiting_offset;
	struct nx_slice text = nx_slice_of(at + sizeof(uint32_t), nx_load32(at));
	struct nx_parquet_slot *slot = find_slot(t, text, t->waiting_hash);

	assert(t->is_waiting);
	t->is_waiting = false;
	if (!slot->number && is_well_formed(text))
		return number_text(t, t->waiting_offset, t->waiting_hash, slot);
	if (slot->number) {
		t->plain.len = t->waiting_offset;
		return slot->number - 1;
	}
	text = mend(t, text);
	t->plain.len = t->waiting_offset;
	return find_or_add(t, text);
}
