/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/md5.h"

static void check(const char *text, const char *expected)
{
	uint8_t digest[NX_MD5_BYTES];
	char hex[2 * NX_MD5_BYTES + 1];

	nx_md5_digest(nx_slice_text(text), digest);
	for (int i = 0; i < NX_MD5_BYTES; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", digest[i]);
	assert_string_equal(hex, expected);
}

/* The test suite in the appendix of RFC 1321. */
static void test_rfc_vectors(void **state)
{
	(void)state;
	check("", "d41d8cd98f00b204e9800998ecf8427e");
	check("a", "0cc175b9c0f1b6a831c399e269772661");
	check("abc", "900150983cd24fb0d6963f7d28e17f72");
	check("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
	check("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
	check("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	      "d174ab98d277d9f5a5611c2c9f419d9f");
	check("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
	      "57edf4a22be3c955ac49da2e2107b67a");
}

/* Where the length field just fits and just does not: 55, 56, 63 and 64 bytes. */
static void test_block_edges(void **state)
{
	char text[65];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[64] = '\0';
	check(text, "c1bb4f81d892b2d57947682aeb252456");
	text[63] = '\0';
	check(text, "7dc2ca208106a2f703567bdff99d8981");
	text[56] = '\0';
	check(text, "668a72d5ba17f08e62dabcafad6db14b");
	text[55] = '\0';
	check(text, "04364420e25c512fd958a70738aa8f72");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc_vectors),
		cmocka_unit_test(test_block_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
