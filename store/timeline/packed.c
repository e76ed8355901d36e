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
uint64_t nx_packed_sum(struct nx_packed column, size_t from, size_t to)
{
	uint64_t sum = 0;

	assert(from <= to && column.width <= 8);
	if (column.width == 1) {
		for (size_t i = from; i < to; i++)
			sum += column.bytes[i];
	} else if (column.width == 2) {
		for (size_t i = from; i < to; i++)
			sum += nx_load16(column.bytes + 2 * i);
	} else {
		for (size_t i = from; i < to; i++)
			sum += nx_packed_at(column, i);
	}
	return sum;
}

/* Narrow types, or the loops would not become vector instructions. */
uint64_t nx_packed_largest(struct nx_packed column, size_t from, size_t to)
{
	uint64_t largest = 0;
	uint16_t largest_pair = 0;
	uint8_t largest_byte = 0;

	assert(from <= to && column.width <= 8);
	if (column.width == 1) {
		for (size_t i = from; i < to; i++)
			largest_byte =
				column.bytes[i] > largest_byte ? column.bytes[i] : largest_byte;
		return largest_byte;
	}
	if (column.width == 2) {
		for (size_t i = from; i < to; i++) {
			uint16_t number = nx_load16(column.bytes + 2 * i);

			largest_pair = number > largest_pair ? number : largest_pair;
		}
		return largest_pair;
	}
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
