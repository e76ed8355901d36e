/* SPDX-License-Identifier: Apache-2.0 */
#include "base/md5.h"

#include <assert.h>

#include "base/bare/bits.h"

#define BLOCK_BYTES 64

/* floor(2^32 * abs(sin(i + 1))), as the RFC defines them */
static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391,
};

static_assert(sizeof(sines) == 64 * sizeof(sines[0]), "one per step");

static const uint8_t turns[4][4] = {
	{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	switch (round) {
	case 0:
		return (b & c) | (~b & d);
	case 1:
		return (d & b) | (~d & c);
	case 2:
		return b ^ c ^ d;
	default:
		return c ^ (b | ~d);
	}
}

static void absorb(uint32_t state[4], const uint8_t *block)
{
	static const uint8_t factor[4] = {1, 5, 3, 7}, start[4] = {0, 1, 5, 0};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

	for (unsigned step = 0; step < 64; step++) {
		unsigned round = step / 16, turn = turns[round][step % 4];
		size_t word = (step * factor[round] + start[round]) % 16;
		uint32_t sum = a + mix(round, b, c, d) + sines[step] + nx_load32(block + 4 * word);

		a = d;
		d = c;
		c = b;
		b += sum << turn | sum >> (32 - turn);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void nx_md5_digest(struct nx_slice bytes, uint8_t digest[NX_MD5_BYTES])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	uint8_t tail[2 * BLOCK_BYTES] = {0};
	size_t whole = bytes.len / BLOCK_BYTES * BLOCK_BYTES;
	size_t rest = bytes.len - whole;
	size_t tail_bytes = rest + 9 > BLOCK_BYTES ? sizeof(tail) : BLOCK_BYTES;

	for (size_t at = 0; at < whole; at += BLOCK_BYTES)
		absorb(state, bytes.data + at);
	if (rest)
		memcpy(tail, bytes.data + whole, rest);
	tail[rest] = 0x80;
	nx_store64(tail + tail_bytes - 8, (uint64_t)bytes.len * 8);
	for (size_t at = 0; at < tail_bytes; at += BLOCK_BYTES)
		absorb(state, tail + at);
	for (unsigned i = 0; i < 4; i++)
		nx_store32(digest + (size_t)4 * i, state[i]);
}
