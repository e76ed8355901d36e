/* SPDX-License-Identifier: Apache-2.0 */
/* Against the examples of FIPS 180-4 and RFC 4231. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/sha256.h"

static void assert_digest(struct nx_slice bytes, const char *wanted)
{
	uint8_t digest[NX_SHA256_BYTES];
	char text[NX_SHA256_TEXT_MAX];

	nx_sha256_digest(bytes, digest);
	nx_sha256_text(digest, text);
	assert_string_equal(text, wanted);
}

static void published_digests(void **state)
{
	(void)state;
	assert_digest(nx_slice_text(""),
		      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_digest(nx_slice_text("abc"),
		      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_digest(nx_slice_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
		      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* Around the lengths where the end needs another block, in pieces of every size. */
static void pieces_give_the_same_digest(void **state)
{
	uint8_t bytes[200], whole[NX_SHA256_BYTES], parts[NX_SHA256_BYTES];

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (size_t len = 50; len < 140; len++) {
		nx_sha256_digest(nx_slice_of(bytes, len), whole);
		for (size_t piece = 1; piece < 70; piece++) {
			struct nx_sha256 hash;

			nx_sha256_init(&hash);
			for (size_t at = 0; at < len; at += piece)
				nx_sha256_add(&hash,
					      nx_slice_of(bytes + at,
							  len - at < piece ? len - at : piece));
			nx_sha256_end(&hash, parts);
			assert_memory_equal(parts, whole, sizeof(whole));
		}
	}
}

static void assert_mac(struct nx_slice key, const char *message, const char *wanted)
{
	uint8_t mac[NX_SHA256_BYTES];
	char text[NX_SHA256_TEXT_MAX];

	nx_hmac_sha256(key, nx_slice_text(message), mac);
	nx_sha256_text(mac, text);
	assert_string_equal(text, wanted);
}

static void published_macs(void **state)
{
	uint8_t key[131];

	(void)state;
	memset(key, 0xaa, sizeof(key));
	assert_mac(nx_slice_text("Jefe"), "what do ya want for nothing?",
		   "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	assert_mac(nx_slice_of(key, sizeof(key)),
		   "Test Using Larger Than Block-Size Key - Hash Key First",
		   "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_digests),
		cmocka_unit_test(pieces_give_the_same_digest),
		cmocka_unit_test(published_macs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
