/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha1.h"

#include <string.h>

#define BLOCK_BYTES 64u

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

static uint32_t mix(unsigned step, const uint32_t s[5])
{
	if (step < 20)
		return ((s[1] & s[2]) | (~s[1] & s[3])) + 0x5a827999u;
	if (step < 40)
		return (s[1] ^ s[2] ^ s[3]) + 0x6ed9eba1u;
	if (step < 60)
		return ((s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3])) + 0x8f1bbcdcu;
	return (s[1] ^ s[2] ^ s[3]) + 0xca62c1d6u;
}

static void add_block(uint32_t state[5], const uint8_t block[BLOCK_BYTES])
{
	uint32_t w[80], s[5];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(s, state, sizeof(s));
	for (unsigned i = 0; i < 80; i++) {
		uint32_t next = rotate(s[0], 5) + mix(i, s) + s[4] + w[i];

		s[4] = s[3];
		s[3] = s[2];
		s[2] = rotate(s[1], 30);
		s[1] = s[0];
		s[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		state[i] += s[i];
}

void nx_sha1_digest(struct nx_slice bytes, uint8_t digest[NX_SHA1_BYTES])
{
	uint32_t state[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
	uint8_t end[2 * BLOCK_BYTES] = {0};
	size_t whole = bytes.len / BLOCK_BYTES * BLOCK_BYTES, rest = bytes.len - whole;
	/* a one bit and the length in bits follow the text */
	size_t end_bytes = rest + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
	uint64_t bits = (uint64_t)bytes.len * 8;

	for (size_t at = 0; at < whole; at += BLOCK_BYTES)
		add_block(state, (const uint8_t *)bytes.data + at);
	if (rest)
		memcpy(end, (const uint8_t *)bytes.data + whole, rest);
	end[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		end[end_bytes - 1 - i] = (uint8_t)(bits >> (8 * i));
	for (size_t at = 0; at < end_bytes; at += BLOCK_BYTES)
		add_block(state, end + at);
	for (unsigned i = 0; i < NX_SHA1_BYTES; i++)
		digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
