/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packed: a short column of numbers in 0 to 8 bytes each.
 *
 * The width is that of the largest number; width 0 means that all are 0 and there are no bytes. A
 * number is read as eight bytes whose upper ones are masked, so NX_PACKED_SLACK bytes after a
 * column must be readable.
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

/* The width for numbers whose bits are all in this mask. */
unsigned nx_packed_width(uint64_t bits);
/* Appends, padded with zeros to a multiple of eight bytes. */
void nx_packed_append(struct nx_bytes *bytes, const uint64_t *numbers, size_t count,
		      unsigned width);

/* The size that nx_packed_append adds. */
static inline size_t nx_packed_bytes(size_t count, unsigned width)
{
	return (count * width + 7) & ~(size_t)7;
}

static inline uint64_t nx_packed_at(struct nx_packed column, size_t i)
{
	/* Two shifts: a single shift by 64 is undefined. */
	uint64_t mask = ~(~UINT64_C(0) << 4 * column.width << 4 * column.width);

	return nx_load64(column.bytes + i * column.width) & mask;
}

/* Over the numbers [from, to). */
uint64_t nx_packed_sum(struct nx_packed column, size_t from, size_t to);
uint64_t nx_packed_largest(struct nx_packed column, size_t from, size_t to);
/* The index of the first that equals number; from if none does. */
size_t nx_packed_find(struct nx_packed column, size_t from, size_t to, uint64_t number);
/* How many of the first count numbers, which are sorted, are below limit. */
size_t nx_packed_below(struct nx_packed column, size_t count, uint64_t limit);

#endif
