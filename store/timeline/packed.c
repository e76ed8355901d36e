/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/packed.h"

#include <assert.h>

unsigned nx_packed_width(uint64_t bits)
{
	unsigned width = 0;

	for (; bits; bits >>= 8)
		width++;
	return width;
}

void nx_packed_append(struct nx_bytes *bytes, const uint64_t *numbers, size_t count, unsigned width)
{
	size_t at = bytes->len;

	assert(width <= 8);
	nx_bytes_append_zeros(bytes, nx_packed_bytes(count, width));
	/* Little-endian: the low bytes of a number come first. */
	for (size_t i = 0; i < count && width; i++)
		memcpy(bytes->items + at + i * width, &numbers[i], width);
}

/* Lengths mostly take one or two bytes; these loops become vector instructions. */
static uint64_t sum_bytes(const uint8_t *bytes, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += bytes[i];
	return sum;
}

static uint64_t sum_pairs(const uint8_t *bytes, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += nx_load16(bytes + 2 * i);
	return sum;
}

uint64_t nx_packed_sum(struct nx_packed column, size_t from, size_t to)
{
	uint64_t sum = 0;

	assert(from <= to);
	if (column.width == 1)
		return sum_bytes(column.bytes + from, to - from);
	if (column.width == 2)
		return sum_pairs(column.bytes + 2 * from, to - from);
	for (size_t i = from; i < to; i++)
		sum += nx_packed_at(column, i);
	return sum;
}

static uint64_t largest_byte(const uint8_t *bytes, size_t count)
{
	uint8_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = bytes[i] > largest ? bytes[i] : largest;
	return largest;
}

static uint64_t largest_pair(const uint8_t *bytes, size_t count)
{
	uint16_t largest = 0;

	for (size_t i = 0; i < count; i++) {
		uint16_t number = nx_load16(bytes + 2 * i);

		largest = number > largest ? number : largest;
	}
	return largest;
}

uint64_t nx_packed_largest(struct nx_packed column, size_t from, size_t to)
{
	uint64_t largest = 0;

	if (column.width == 1)
		return largest_byte(column.bytes + from, to - from);
	if (column.width == 2)
		return largest_pair(column.bytes + 2 * from, to - from);
	for (size_t i = from; i < to; i++) {
		uint64_t number = nx_packed_at(column, i);

		largest = number > largest ? number : largest;
	}
	return largest;
}

size_t nx_packed_find(struct nx_packed column, size_t from, size_t to, uint64_t number)
{
	for (size_t i = from; i < to; i++) {
		if (nx_packed_at(column, i) == number)
			return i;
	}
	return from;
}

size_t nx_packed_below(struct nx_packed column, size_t count, uint64_t limit)
{
	size_t low = 0;

	while (count) {
		size_t half = count / 2;
		bool is_below = nx_packed_at(column, low + half) < limit;

		low += is_below ? half + 1 : 0;
		count = is_below ? count - half - 1 : half;
	}
	return low;
}
