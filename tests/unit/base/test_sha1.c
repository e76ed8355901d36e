/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/sha1.h"

static void check(const char *text, const char *expected)
{
	uint8_t digest[NX_SHA1_BYTES];
	char hex[2 * NX_SHA1_BYTES + 1];

	nx_sha1_digest(nx_slice_text(text), digest);
	for (int i = 0; i < NX_SHA1_BYTES; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", digest[i]);
	assert_string_equal(hex, expected);
}

/* The examples of FIPS 180. */
static void published_examples(void **state)
{
	(void)state;
	check("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	check("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
	check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	      "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* Where the length field just fits and just does not; expected values from coreutils. */
static void edges_of_blocks(void **state)
{
	static const struct {
		size_t len;
		const char *expected;
	} cases[] = {
		{55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"},
		{56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"},
		{63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"},
		{64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
		{119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"},
		{120, "f34c1488385346a55709ba056ddd08280dd4c6d6"},
		{1000, "291e9a6c66994949b57ba5e650361e98fc36b1ba"},
	};
	char text[1001];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(text, 'a', cases[i].len);
		text[cases[i].len] = '\0';
		check(text, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_examples),
		cmocka_unit_test(edges_of_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
