/* SPDX-License-Identifier: Apache-2.0 */
#include "store/aws_signature.h"

#include <assert.h>
#include <string.h>

#include "base/sha256.h"

#define DATE_LEN 8 /* of a moment */

static void chain(uint8_t key[NX_SHA256_BYTES], const char *text, size_t len)
{
	nx_hmac_sha256(nx_slice_of(key, NX_SHA256_BYTES), nx_slice_of(text, len), key);
}

const char *nx_aws_signature(const struct nx_aws_request *r, const struct nx_aws_keys *keys,
			     struct nx_arena *arena)
{
	const char *headers = "", *names = "", *scope, *canonical, *to_sign, *seed;
	char digest_text[NX_SHA256_TEXT_MAX], signature[NX_SHA256_TEXT_MAX];
	uint8_t digest[NX_SHA256_BYTES], key[NX_SHA256_BYTES];

	assert(strlen(r->moment) > DATE_LEN && r->path[0] == '/');
	for (size_t i = 0; i < r->header_count; i++) {
		headers = nx_arena_printf(arena, "%s%s:%s\n", headers, r->headers[i].name,
					  r->headers[i].value);
		names = nx_arena_printf(arena, "%s%s%s", names, i ? ";" : "", r->headers[i].name);
	}
	canonical = nx_arena_printf(arena, "%s\n%s\n\n%s\n%s\n%s", r->method, r->path, headers,
				    names, r->payload_sha256);
	nx_sha256_digest(nx_slice_text(canonical), digest);
	nx_sha256_text(digest, digest_text);
	scope = nx_arena_printf(arena, "%.*s/%s/s3/aws4_request", DATE_LEN, r->moment, r->region);
	to_sign = nx_arena_printf(arena, "AWS4-HMAC-SHA256\n%s\n%s\n%s", r->moment, scope,
				  digest_text);
	seed = nx_arena_printf(arena, "AWS4%s", keys->secret);
	nx_hmac_sha256(nx_slice_text(seed), nx_slice_of(r->moment, DATE_LEN), key);
	chain(key, r->region, strlen(r->region));
	chain(key, "s3", 2);
	chain(key, "aws4_request", strlen("aws4_request"));
	chain(key, to_sign, strlen(to_sign));
	nx_sha256_text(key, signature);
	return nx_arena_printf(arena,
			       "AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%s",
			       keys->id, scope, names, signature);
}
