/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packed: a short column of numbers in 0 to 8 bytes each.
 *
 * The width is that of the largest number; width 0 means that all are 0 and
 * there are no bytes. A number is read as eight bytes of which the upper ones
 * are cut off: whoever stores a column keeps NX_PACKED_SLACK bytes, of
 * anything, readable behind it.
 */
#ifndef NX_STORE_TIMELINE_PACKED_H
#define NX_STORE_TIMELINE_PACKED_H

#include "base/bare/bits.h"
#include "base/vec.h"
#include <stdbool.h>

#define NX_PACKED_SLACK ((size_t)8)

struct nx_packed {
	const uint8_t *bytes;
	unsigned width; /* at most 8 */
};

/* The bytes that numbers need whose bits are all among these. */
unsigned nx_packed_width(uint64_t bits);
/* Appends, padded with zeros to a multiple of eight bytes. */
void nx_packed_append(struct nx_bytes *bytes, const uint64_t *numbers, size_t count,
		      unsigned width);

/* What nx_packed_append adds. */
static inline size_t nx_packed_bytes(size_t count, unsigned width)
{
	return (count * width + 7) & ~(size_t)7;
}

static inline uint64_t nx_packed_at(struct nx_packed column, size_t i)
{
	/* Two shifts, as one by 64 is none. */
	uint64_t mask = ~(~UINT64_C(0) << 4 * column.width << 4 * column.width);

	return nx_load64(column.bytes + i * column.width) & mask;
}

/* Over the numbers [from, to). */
uint64_t nx_packed_sum(struct nx_packed column, size_t from, size_t to);
uint64_t nx_packed_largest(struct nx_packed column, size_t from, size_t to);
/* The place of the first that equals number; from when none does. */
size_t nx_packed_find(struct nx_packed column, size_t from, size_t to, uint64_t number);
/* How many of the first count, which are sorted, are below limit. */
size_t nx_packed_below(struct nx_packed column, size_t count, uint64_t limit);

#endif
