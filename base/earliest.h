/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earliest: a vector whose first item is the one that ends first, for sweeps over time. Items begin
 * with their end, a uint64_t.
 *
 *	nx_earliest_push(&open, ((struct transfer){end_ns, bytes_per_s}));
 *	while (open.len && open.items[0].end_ns <= now_ns) {
 *		rate -= open.items[0].bytes_per_s;
 *		nx_earliest_drop(&open);
 *	}
 */
#ifndef NX_BASE_EARLIEST_H
#define NX_BASE_EARLIEST_H

#include <assert.h>
#include <string.h>

#include "base/vec.h"

/* Inline, so that the compiler knows the size. */
static inline uint64_t nx_earliest_end(const uint8_t *item)
{
	uint64_t end;

	memcpy(&end, item, sizeof(end));
	return end;
}

static inline void nx_earliest_swap(uint8_t *a, uint8_t *b, size_t size)
{
	uint8_t kept[64];

	assert(size <= sizeof(kept));
	memcpy(kept, a, size);
	memcpy(a, b, size);
	memcpy(b, kept, size);
}

/* The last item finds its place. */
static inline void nx_earliest_rise(void *items, size_t len, size_t size)
{
	uint8_t *all = items;

	for (size_t at = len - 1, above; at; at = above) {
		above = (at - 1) / 2;
		if (nx_earliest_end(all + above * size) <= nx_earliest_end(all + at * size))
			break;
		nx_earliest_swap(all + above * size, all + at * size, size);
	}
}

/* The last of len items takes the place of the first, which goes. */
static inline void nx_earliest_sink(void *items, size_t len, size_t size)
{
	uint8_t *all = items;
	size_t at = 0, next;

	assert(len);
	memmove(all, all + --len * size, size);
	for (; (next = 2 * at + 1) < len; at = next) {
		if (next + 1 < len &&
		    nx_earliest_end(all + (next + 1) * size) < nx_earliest_end(all + next * size))
			next++;
		if (nx_earliest_end(all + at * size) <= nx_earliest_end(all + next * size))
			break;
		nx_earliest_swap(all + at * size, all + next * size, size);
	}
}

#define nx_earliest_push(v, item)                                                                  \
	(nx_vec_push((v), (item)), nx_earliest_rise((v)->items, (v)->len, sizeof(*(v)->items)))
#define nx_earliest_drop(v)                                                                        \
	(nx_earliest_sink((v)->items, (v)->len, sizeof(*(v)->items)), (void)(v)->len--)

#endif
