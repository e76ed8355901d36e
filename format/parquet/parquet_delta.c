/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_delta.h"

#include <assert.h>

#include "format/parquet/parquet_bits.h"
#include "format/parquet/parquet_rle.h"

#define BLOCK ((size_t)128)
#define QUARTERS 4
#define QUARTER (BLOCK / QUARTERS)
#define ESTIMATED_SHARE 8
#define HEADER_BYTES 10
/* Limits for blocks of other writers. */
#define LARGEST_BLOCK ((uint64_t)1 << 16)
#define MOST_QUARTERS 256

struct block {
	uint64_t offsets[BLOCK]; /* differences less the smallest */
	int64_t smallest;
	uint8_t widths[QUARTERS];
};

/* values[-1] exists. Offsets from count on are 0. */
static void measure_block(const int64_t *values, size_t count, struct block *b)
{
	assert(count <= BLOCK);
	b->smallest = INT64_MAX;
	for (size_t i = 0; i < count; i++) {
		int64_t delta = (int64_t)((uint64_t)values[i] - (uint64_t)(values + i)[-1]);

		b->offsets[i] = (uint64_t)delta;
		b->smallest = delta < b->smallest ? delta : b->smallest;
	}
	for (size_t i = 0; i < count; i++)
		b->offsets[i] -= (uint64_t)b->smallest;
	for (size_t i = count; i < BLOCK; i++)
		b->offsets[i] = 0;
	for (size_t q = 0; q < QUARTERS; q++) {
		uint64_t any = 0;

		for (size_t i = 0; i < QUARTER; i++)
			any |= b->offsets[q * QUARTER + i];
		b->widths[q] = (uint8_t)nx_parquet_bit_width(any);
	}
}

static void put_block(const struct block *b, struct nx_bytes *out)
{
	nx_parquet_put_varint(out, nx_parquet_zigzag(b->smallest));
	nx_bytes_append(out, b->widths, QUARTERS);
	for (size_t q = 0; q < QUARTERS; q++) {
		unsigned width = b->widths[q];
		struct nx_parquet_packer packer = {0};

		if (!width)
			continue;
		nx_vec_reserve(out, out->len + QUARTER * width / 8 + sizeof(uint64_t));
		packer.out = out->items + out->len;
		for (size_t i = 0; i < QUARTER; i++)
			nx_parquet_pack(&packer, b->offsets[q * QUARTER + i], width);
		nx_parquet_pack_rest(&packer);
		out->len += QUARTER * width / 8;
	}
}

void nx_parquet_delta_encode(const int64_t *values, size_t count, struct nx_bytes *out)
{
	struct block block;

	nx_parquet_put_varint(out, BLOCK);
	nx_parquet_put_varint(out, QUARTERS);
	nx_parquet_put_varint(out, count);
	nx_parquet_put_varint(out, nx_parquet_zigzag(count ? values[0] : 0));
	for (size_t at = 1; at < count; at += BLOCK) {
		measure_block(values + at, count - at < BLOCK ? count - at : BLOCK, &block);
		put_block(&block, out);
	}
}

size_t nx_parquet_delta_estimate_bytes(const int64_t *values, size_t count)
{
	size_t measured = 0, bytes = 0;
	struct block block;

	for (size_t at = 1; at < count; at += BLOCK * ESTIMATED_SHARE) {
		size_t n = count - at < BLOCK ? count - at : BLOCK;

		measure_block(values + at, n, &block);
		bytes += QUARTERS + 2;
		for (size_t q = 0; q < QUARTERS; q++)
			bytes += QUARTER * block.widths[q] / 8;
		measured += n;
	}
	if (!measured)
		return HEADER_BYTES;
	return HEADER_BYTES + (size_t)((double)bytes / (double)measured * (double)count);
}

/* --- reading ------------------------------------------------------------------ */

struct layout {
	uint64_t block, quarters, quarter;
};

static bool take_layout(struct nx_slice *bytes, struct layout *l, uint64_t *count, int64_t *first)
{
	uint64_t value;

	if (!nx_parquet_take_varint(bytes, &l->block) ||
	    !nx_parquet_take_varint(bytes, &l->quarters) || !nx_parquet_take_varint(bytes, count) ||
	    !nx_parquet_take_varint(bytes, &value))
		return false;
	*first = nx_parquet_from_zigzag(value);
	if (!l->block || l->block > LARGEST_BLOCK || !l->quarters || l->quarters > MOST_QUARTERS ||
	    l->block % l->quarters)
		return false;
	l->quarter = l->block / l->quarters;
	return l->quarter % 8 == 0;
}

static bool take_quarter(struct nx_slice *bytes, const struct layout *l, unsigned width,
			 uint64_t smallest, int64_t *values, size_t count)
{
	size_t len = (size_t)l->quarter * width / 8;
	struct nx_slice packed = nx_slice_part(*bytes, 0, len);
	uint64_t last = (uint64_t)values[-1];

	if (width > 64 || packed.len < len)
		return false;
	for (size_t i = 0; i < count; i++) {
		last += smallest + (width ? nx_parquet_unpack(packed, i * width, width) : 0);
		values[i] = (int64_t)last;
	}
	*bytes = nx_slice_part(*bytes, len, bytes->len);
	return true;
}

static bool take_block(struct nx_slice *bytes, const struct layout *l, int64_t *values,
		       size_t count)
{
	struct nx_slice widths;
	uint64_t smallest;

	if (!nx_parquet_take_varint(bytes, &smallest))
		return false;
	smallest = (uint64_t)nx_parquet_from_zigzag(smallest);
	widths = nx_slice_part(*bytes, 0, l->quarters);
	if (widths.len < l->quarters)
		return false;
	*bytes = nx_slice_part(*bytes, l->quarters, bytes->len);
	for (size_t at = 0, q = 0; at < count; at += l->quarter, q++) {
		size_t n = count - at < l->quarter ? count - at : (size_t)l->quarter;

		if (!take_quarter(bytes, l, widths.data[q], smallest, values + at, n))
			return false;
	}
	return true;
}

bool nx_parquet_delta_decode(struct nx_slice bytes, int64_t *values, size_t count)
{
	struct layout layout;
	uint64_t stated;
	int64_t first;

	if (!take_layout(&bytes, &layout, &stated, &first) || stated != count)
		return false;
	if (count)
		values[0] = first;
	for (size_t at = 1; at < count; at += layout.block) {
		size_t n = count - at < layout.block ? count - at : (size_t)layout.block;

		if (!take_block(&bytes, &layout, values + at, n))
			return false;
	}
	return true;
}
