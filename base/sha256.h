/* SPDX-License-Identifier: Apache-2.0 */
/* sha256: FIPS 180-4, piece by piece, and HMAC (RFC 2104) with it. */
#ifndef NX_BASE_SHA256_H
#define NX_BASE_SHA256_H

#include "base/bare/slice.h"

#define NX_SHA256_BYTES 32
#define NX_SHA256_TEXT_MAX (2 * NX_SHA256_BYTES + 1)

struct nx_sha256 {
	uint32_t state[8];
	uint64_t len;
	uint8_t block[64];
};

void nx_sha256_init(struct nx_sha256 *hash);
void nx_sha256_add(struct nx_sha256 *hash, struct nx_slice bytes);
void nx_sha256_end(struct nx_sha256 *hash, uint8_t digest[NX_SHA256_BYTES]);

void nx_sha256_digest(struct nx_slice bytes, uint8_t digest[NX_SHA256_BYTES]);
/* 64 lower-case hexadecimal digits. */
void nx_sha256_text(const uint8_t digest[NX_SHA256_BYTES], char text[NX_SHA256_TEXT_MAX]);
/* The key may have any length; mac may be the key. */
void nx_hmac_sha256(struct nx_slice key, struct nx_slice message, uint8_t mac[NX_SHA256_BYTES]);

#endif
