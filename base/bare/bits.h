/* SPDX-License-Identifier: Apache-2.0 */
/* bits: little-endian loads and stores at any address, and bit ranges. */
#ifndef NX_BASE_BARE_BITS_H
#define NX_BASE_BARE_BITS_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Neuron files are little-endian; this build would need byte swaps here"
#endif

static inline uint16_t nx_load16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t nx_load32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t nx_load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline float nx_load_f32(const void *p)
{
	float v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void nx_store16(void *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void nx_store32(void *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void nx_store64(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* Bits [high:low] of v, both inclusive, as the format documents write them. */
static inline uint32_t nx_bits32(uint32_t v, unsigned high, unsigned low)
{
	return (v >> low) & (uint32_t)(0xffffffffu >> (31 - (high - low)));
}

#endif
