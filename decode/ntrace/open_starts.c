/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ntrace/open_starts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"

#define SMALLEST_TABLE ((size_t)64)

/* The address of the table salts its hash: a file cannot prepare keys that collide. */
static size_t home_of(const struct nx_open_starts *open, uint64_t event_type, uint64_t tracking_id)
{
	uint64_t x = tracking_id + (uint64_t)(uintptr_t)open->slots;

	x ^= x >> 32;
	x *= UINT64_C(0x9fb21c651e98df25);
	x ^= x >> 29;
	x += event_type * UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 32;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= x >> 32;
	return (size_t)x & (open->slot_count - 1);
}

/* The key's slot, or the empty one where it belongs. */
static size_t find(const struct nx_open_starts *open, uint64_t event_type, uint64_t tracking_id)
{
	size_t i = home_of(open, event_type, tracking_id);

	for (; open->slots[i]; i = (i + 1) & (open->slot_count - 1)) {
		const struct nx_open_start *start = &open->starts.items[open->slots[i] - 1];

		if (start->tracking_id == tracking_id && start->event_type == event_type)
			break;
	}
	return i;
}

static void grow(struct nx_open_starts *open)
{
	uint32_t *old = open->slots;
	size_t old_count = open->slot_count;

	assert((old_count & (old_count - 1)) == 0); /* slots are found with a mask */
	open->slot_count = old_count ? old_count * 2 : SMALLEST_TABLE;
	open->slots = nx_heap_alloc(open->slot_count * sizeof(*open->slots));
	memset(open->slots, 0, open->slot_count * sizeof(*open->slots));
	for (size_t i = 0; i < old_count; i++) {
		const struct nx_open_start *start;

		if (!old[i])
			continue;
		start = &open->starts.items[old[i] - 1];
		open->slots[find(open, start->event_type, start->tracking_id)] = old[i];
	}
	nx_heap_free(old);
}

static uint32_t store(struct nx_open_starts *open, const struct nx_open_start *start)
{
	uint32_t index = open->free;

	if (index) {
		open->free = open->starts.items[index - 1].next;
		open->starts.items[index - 1] = *start;
	} else {
		nx_vec_push(&open->starts, *start);
		index = (uint32_t)open->starts.len;
	}
	open->starts.items[index - 1].is_open = true;
	open->open_count++;
	return index;
}

bool nx_open_starts_put(struct nx_open_starts *open, const struct nx_open_start *start)
{
	uint32_t index, below;
	size_t slot;

	if (open->used >= open->slot_count / 4 * 3)
		grow(open);
	slot = find(open, start->event_type, start->tracking_id);
	below = open->slots[slot];
	index = store(open, start);
	open->starts.items[index - 1].next = below;
	open->slots[slot] = index;
	open->used += !below;
	return below != 0;
}

/* Closes the gap at slot, so that no search ends before its key. */
static void close_gap(struct nx_open_starts *open, size_t slot)
{
	size_t mask = open->slot_count - 1;

	for (size_t i = (slot + 1) & mask; open->slots[i]; i = (i + 1) & mask) {
		const struct nx_open_start *start = &open->starts.items[open->slots[i] - 1];
		size_t home = home_of(open, start->event_type, start->tracking_id);

		if (((i - home) & mask) < ((i - slot) & mask))
			continue;
		open->slots[slot] = open->slots[i];
		slot = i;
	}
	open->slots[slot] = 0;
}

bool nx_open_starts_take(struct nx_open_starts *open, uint64_t event_type, uint64_t tracking_id,
			 struct nx_open_start *out)
{
	uint32_t index;
	size_t slot;

	if (open->used == 0)
		return false;
	slot = find(open, event_type, tracking_id);
	index = open->slots[slot];
	if (!index)
		return false;
	*out = open->starts.items[index - 1];
	assert(out->is_open && open->open_count > 0);
	open->slots[slot] = out->next;
	if (!out->next) {
		close_gap(open, slot);
		open->used--;
	}
	open->starts.items[index - 1].is_open = false;
	open->starts.items[index - 1].next = open->free;
	open->free = index;
	open->open_count--;
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct nx_open_start *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

size_t nx_open_starts_sort(struct nx_open_starts *open)
{
	size_t count = 0;

	for (size_t i = 0; i < open->starts.len; i++)
		if (open->starts.items[i].is_open)
			open->starts.items[count++] = open->starts.items[i];
	open->starts.len = count;
	if (count)
		qsort(open->starts.items, count, sizeof(*open->starts.items), by_place);
	return count;
}

void nx_open_starts_release(struct nx_open_starts *open)
{
	nx_vec_release(&open->starts);
	nx_heap_free(open->slots);
	*open = (struct nx_open_starts){0};
}
