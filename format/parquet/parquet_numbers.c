/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_chunk.h"

#define FEWEST_SLOTS ((size_t)512)
#define NEAR_SLOTS ((size_t)1 << 16)
/* After these, give up if more than every second value is new. */
#define PROMISING_COUNT ((size_t)8192)

void nx_parquet_numbers_release(struct nx_parquet_numbers *n)
{
	nx_vec_release(&n->values);
	nx_vec_release(&n->slots);
}

static void empty_slots(struct nx_parquet_numbers *n, size_t count)
{
	assert(count && (count & (count - 1)) == 0);
	nx_vec_reserve(&n->slots, count);
	n->slots.len = count;
	memset(n->slots.items, 0, count * sizeof(*n->slots.items));
}

static size_t slot_of(uint64_t value, size_t slot_count)
{
	value ^= value >> 32;
	value *= UINT64_C(0x9e3779b97f4a7c15);
	return (value >> 40 ^ value >> 20) & (slot_count - 1);
}

static void grow(struct nx_parquet_numbers *n)
{
	size_t count = n->slots.len * 4;

	empty_slots(n, count);
	for (size_t id = 0; id < n->values.len; id++) {
		size_t at = slot_of(n->values.items[id], count);

		while (n->slots.items[at])
			at = (at + 1) & (count - 1);
		n->slots.items[at] = (uint32_t)id + 1;
	}
}

/* The number of a value, which may be new. */
static uint32_t number_of(struct nx_parquet_numbers *n, uint64_t value)
{
	size_t mask = n->slots.len - 1, at = slot_of(value, n->slots.len);

	for (; n->slots.items[at]; at = (at + 1) & mask) {
		uint32_t id = n->slots.items[at] - 1;

		if (n->values.items[id] == value)
			return id;
	}
	nx_vec_push(&n->values, value);
	n->slots.items[at] = (uint32_t)n->values.len;
	if (n->values.len > n->slots.len / 2)
		grow(n);
	return (uint32_t)n->values.len - 1;
}

bool nx_parquet_numbers_index(struct nx_parquet_numbers *n, const void *values, size_t count,
			      size_t most, uint32_t *ids)
{
	uint64_t last = 0;
	uint32_t last_id = 0;

	assert(most <= NX_PARQUET_NUMBERS_MAX);
	nx_vec_clear(&n->values);
	empty_slots(n, FEWEST_SLOTS);
	for (size_t i = 0; i < count; i++) {
		uint64_t value = nx_load64((const uint8_t *)values + i * sizeof(value));

		if (value != last || !i) {
			last = value;
			last_id = number_of(n, value);
			if (n->values.len > most || n->values.len > PROMISING_COUNT + i / 2)
				return false;
		}
		ids[i] = last_id;
	}
	return true;
}

bool nx_parquet_numbers_index_near(struct nx_parquet_numbers *n, const int64_t *values,
				   size_t count, size_t most, int64_t low, uint32_t *ids)
{
	nx_vec_clear(&n->values);
	empty_slots(n, NEAR_SLOTS);
	for (size_t i = 0; i < count; i++) {
		uint32_t *slot = &n->slots.items[(uint64_t)values[i] - (uint64_t)low];

		if (!*slot) {
			if (n->values.len == most)
				return false;
			nx_vec_push(&n->values, (uint64_t)values[i]);
			*slot = (uint32_t)n->values.len;
		}
		ids[i] = *slot - 1;
	}
	return true;
}
