/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_bits: numbers of any width packed into bytes, lowest bit first; for this folder. */
#ifndef NX_FORMAT_PARQUET_PARQUET_BITS_H
#define NX_FORMAT_PARQUET_PARQUET_BITS_H

#include <assert.h>

#include "base/bare/bits.h"
#include "base/bare/slice.h"
#include "base/vec.h"

struct nx_parquet_packer {
	uint8_t *out;
	uint64_t held; /* bits not yet written */
	unsigned held_bits;
};

/* width is from 1 to 64, value fits it. */
static inline void nx_parquet_pack(struct nx_parquet_packer *p, uint64_t value, unsigned width)
{
	unsigned free_bits = 64 - p->held_bits;

	assert(width >= 1 && width <= 64 && p->held_bits < 64);
	p->held |= value << p->held_bits;
	p->held_bits += width;
	if (p->held_bits >= 64) {
		nx_store64(p->out, p->held);
		p->out += 8;
		p->held_bits -= 64;
		p->held = p->held_bits ? value >> free_bits : 0;
	}
}

/* The remaining bits, padded to a whole byte. */
static inline void nx_parquet_pack_rest(struct nx_parquet_packer *p)
{
	for (; p->held_bits; p->held_bits -= p->held_bits < 8 ? p->held_bits : 8) {
		*p->out++ = (uint8_t)p->held;
		p->held >>= 8;
	}
}

/* The bits [at, at+width) of bytes, which must contain them; width is from 1 to 64. */
static inline uint64_t nx_parquet_unpack(struct nx_slice bytes, size_t at, unsigned width)
{
	size_t first = at / 8;
	unsigned shift = at % 8;
	uint8_t near_end[16] = {0};
	const uint8_t *p = bytes.data + first;
	uint64_t value;

	assert(width >= 1 && width <= 64 && first < bytes.len);
	if (bytes.len - first < 9) {
		memcpy(near_end, p, bytes.len - first);
		p = near_end;
	}
	value = nx_load64(p) >> shift;
	if (shift + width > 64)
		value |= (uint64_t)p[8] << (64 - shift);
	return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

/* Small numbers of either sign become small numbers. */
static inline uint64_t nx_parquet_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t nx_parquet_from_zigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static inline void nx_parquet_put_varint(struct nx_bytes *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		nx_vec_push(out, (uint8_t)(value | 0x80));
	nx_vec_push(out, (uint8_t)value);
}

/* Reads a varint from the front; false if it is cut short or exceeds 64 bits. */
static inline bool nx_parquet_take_varint(struct nx_slice *bytes, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && bytes->len; shift += 7) {
		uint8_t byte = bytes->data[0];

		*bytes = nx_slice_part(*bytes, 1, bytes->len);
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

#endif
