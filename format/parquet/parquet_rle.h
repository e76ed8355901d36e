/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_rle: Parquet's hybrid of runs and packed bits, for levels, booleans
 * and the indices of a dictionary; both directions.
 *
 * Equal consecutive values form a run; other values are packed in groups of eight.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_RLE_H
#define NX_FORMAT_PARQUET_PARQUET_RLE_H

#include "base/bare/slice.h"
#include "base/vec.h"

/* The number of bits for values up to max; 0 for 0. */
static inline unsigned nx_parquet_bit_width(uint64_t max)
{
	return max ? 64 - (unsigned)__builtin_clzll(max) : 0;
}

/* Appends; every value fits width, which is at most 32. */
void nx_parquet_rle_encode(const uint32_t *values, size_t count, unsigned width,
			   struct nx_bytes *out);

/* One run, without an array of its values. */
void nx_parquet_rle_encode_run(uint32_t value, size_t count, unsigned width, struct nx_bytes *out);

/* Reads exactly count values; false if bytes end early. Extra bytes are ignored. */
bool nx_parquet_rle_decode(struct nx_slice bytes, unsigned width, uint32_t *values, size_t count);

#endif
