/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <string.h>

#define BLOCK_BYTES 64u

static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x >> bits | x << (32 - bits);
}

static void add_block(uint32_t state[8], const uint8_t block[BLOCK_BYTES])
{
	uint32_t w[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, state, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
				 ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
		uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
				  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += first;
		s[0] = first + second;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

void nx_sha256_init(struct nx_sha256 *hash)
{
	static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(hash->state, first, sizeof(first));
	hash->len = 0;
}

void nx_sha256_add(struct nx_sha256 *hash, struct nx_slice bytes)
{
	const uint8_t *from = bytes.data;
	size_t left = bytes.len, kept = hash->len % BLOCK_BYTES;

	hash->len += bytes.len;
	while (left) {
		size_t take = BLOCK_BYTES - kept < left ? BLOCK_BYTES - kept : left;

		if (take == BLOCK_BYTES) {
			add_block(hash->state, from);
		} else {
			memcpy(hash->block + kept, from, take);
			if (kept + take == BLOCK_BYTES)
				add_block(hash->state, hash->block);
			kept = (kept + take) % BLOCK_BYTES;
		}
		from += take;
		left -= take;
	}
}

void nx_sha256_end(struct nx_sha256 *hash, uint8_t digest[NX_SHA256_BYTES])
{
	uint64_t bits = hash->len * 8;
	uint8_t end[2 * BLOCK_BYTES] = {0x80};
	size_t kept = hash->len % BLOCK_BYTES;
	/* a one bit, zeros, and the length in bits fill the last block */
	size_t len = (kept < 56 ? 56 : 120) - kept;

	for (unsigned i = 0; i < 8; i++)
		end[len + i] = (uint8_t)(bits >> (56 - 8 * i));
	nx_sha256_add(hash, nx_slice_of(end, len + 8));
	for (unsigned i = 0; i < NX_SHA256_BYTES; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void nx_sha256_digest(struct nx_slice bytes, uint8_t digest[NX_SHA256_BYTES])
{
	struct nx_sha256 hash;

	nx_sha256_init(&hash);
	nx_sha256_add(&hash, bytes);
	nx_sha256_end(&hash, digest);
}

void nx_sha256_text(const uint8_t digest[NX_SHA256_BYTES], char text[NX_SHA256_TEXT_MAX])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < NX_SHA256_BYTES; i++) {
		text[2 * i] = digits[digest[i] >> 4];
		text[2 * i + 1] = digits[digest[i] & 15];
	}
	text[NX_SHA256_TEXT_MAX - 1] = '\0';
}

void nx_hmac_sha256(struct nx_slice key, struct nx_slice message, uint8_t mac[NX_SHA256_BYTES])
{
	uint8_t pad[BLOCK_BYTES] = {0}, inner[NX_SHA256_BYTES];
	struct nx_sha256 hash;

	if (key.len > BLOCK_BYTES)
		nx_sha256_digest(key, pad);
	else if (key.len)
		memcpy(pad, key.data, key.len);
	for (unsigned i = 0; i < BLOCK_BYTES; i++)
		pad[i] ^= 0x36;
	nx_sha256_init(&hash);
	nx_sha256_add(&hash, nx_slice_of(pad, BLOCK_BYTES));
	nx_sha256_add(&hash, message);
	nx_sha256_end(&hash, inner);
	for (unsigned i = 0; i < BLOCK_BYTES; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	nx_sha256_init(&hash);
	nx_sha256_add(&hash, nx_slice_of(pad, BLOCK_BYTES));
	nx_sha256_add(&hash, nx_slice_of(inner, sizeof(inner)));
	nx_sha256_end(&hash, mac);
}
