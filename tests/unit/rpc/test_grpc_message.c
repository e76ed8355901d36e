/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rpc/grpc_message.h"

static void a_prefix_has_its_length_most_significant_byte_first(void **state)
{
	const uint8_t expected[] = {0, 0x01, 0x02, 0x03, 0x04};
	uint8_t prefix[NX_GRPC_PREFIX_BYTES];
	bool is_compressed;
	uint32_t len;

	(void)state;
	nx_grpc_prefix_write(prefix, 0x01020304);
	assert_memory_equal(prefix, expected, sizeof(expected));
	assert_true(nx_grpc_prefix_read(prefix, &is_compressed, &len));
	assert_false(is_compressed);
	assert_int_equal(len, 0x01020304);
	prefix[0] = 1;
	assert_true(nx_grpc_prefix_read(prefix, &is_compressed, &len));
	assert_true(is_compressed);
	prefix[0] = 2;
	assert_false(nx_grpc_prefix_read(prefix, &is_compressed, &len));
}

static void content_types_are_told_apart(void **state)
{
	(void)state;
	assert_true(nx_grpc_is_content_type(nx_slice_text("application/grpc")));
	assert_true(nx_grpc_is_content_type(nx_slice_text("application/grpc+proto")));
	assert_true(nx_grpc_is_content_type(nx_slice_text("application/grpc;charset=utf-8")));
	assert_false(nx_grpc_is_content_type(nx_slice_text("application/grpc-web")));
	assert_false(nx_grpc_is_content_type(nx_slice_text("application/json")));
	assert_false(nx_grpc_is_content_type((struct nx_slice){0}));
}

static void statuses_have_names_and_numbers(void **state)
{
	(void)state;
	assert_string_equal(nx_grpc_status_name(NX_GRPC_UNAVAILABLE), "UNAVAILABLE");
	assert_string_equal(nx_grpc_status_name((enum nx_grpc_status)99), "UNKNOWN");
	assert_int_equal(nx_grpc_status_parse(nx_slice_text("0")), NX_GRPC_OK);
	assert_int_equal(nx_grpc_status_parse(nx_slice_text("16")), NX_GRPC_UNAUTHENTICATED);
	assert_int_equal(nx_grpc_status_parse(nx_slice_text("17")), NX_GRPC_UNKNOWN);
	assert_int_equal(nx_grpc_status_parse(nx_slice_text("-1")), NX_GRPC_UNKNOWN);
	assert_int_equal(nx_grpc_status_parse((struct nx_slice){0}), NX_GRPC_UNKNOWN);
	assert_int_equal(nx_grpc_status_of_http(404), NX_GRPC_UNIMPLEMENTED);
	assert_int_equal(nx_grpc_status_of_http(503), NX_GRPC_UNAVAILABLE);
	assert_int_equal(nx_grpc_status_of_http(200), NX_GRPC_UNKNOWN);
}

static void a_timeout_is_written_in_eight_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0n"},
		{99999999, "99999999n"},
		{100000000, "100000u"},
		{100000001, "100001u"}, /* never shorter than asked for */
		{UINT64_C(60000000000), "60000000u"},
		{UINT64_C(3600000000000), "3600000m"},
		{UINT64_MAX, "5124096H"},
	};
	char text[NX_GRPC_TIMEOUT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(nx_grpc_timeout_write(text, cases[i].ns), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

static void a_timeout_is_read_in_every_unit(void **state)
{
	uint64_t ns;

	(void)state;
	assert_true(nx_grpc_timeout_read(nx_slice_text("1H"), &ns));
	assert_int_equal(ns, UINT64_C(3600000000000));
	assert_true(nx_grpc_timeout_read(nx_slice_text("2M"), &ns));
	assert_int_equal(ns, UINT64_C(120000000000));
	assert_true(nx_grpc_timeout_read(nx_slice_text("99999999H"), &ns));
	assert_true(ns == UINT64_MAX);
	assert_true(nx_grpc_timeout_read(nx_slice_text("7n"), &ns));
	assert_int_equal(ns, 7);
	assert_false(nx_grpc_timeout_read(nx_slice_text("100000000n"), &ns));
	assert_false(nx_grpc_timeout_read(nx_slice_text("12"), &ns));
	assert_false(nx_grpc_timeout_read(nx_slice_text("S"), &ns));
	assert_false(nx_grpc_timeout_read(nx_slice_text("-1S"), &ns));
	assert_false(nx_grpc_timeout_read((struct nx_slice){0}, &ns));
}

static void a_message_survives_percent_escapes(void **state)
{
	char out[64], back[64];

	(void)state;
	nx_grpc_text_encode(out, sizeof(out), nx_slice_text("50 % of \"\xc3\xa4\"\n"));
	assert_string_equal(out, "50 %25 of \"%C3%A4\"%0A");
	nx_grpc_text_decode(back, sizeof(back), nx_slice_text(out));
	assert_string_equal(back, "50 % of \"\xc3\xa4\"\n");
	nx_grpc_text_decode(back, sizeof(back), nx_slice_text("100%, %4, %zz"));
	assert_string_equal(back, "100%, %4, %zz");
}

static void a_long_message_is_cut_but_no_escape_is(void **state)
{
	char out[6];

	(void)state;
	assert_int_equal(nx_grpc_text_encode(out, sizeof(out), nx_slice_text("abc%")), 3);
	assert_string_equal(out, "abc");
	assert_int_equal(nx_grpc_text_encode(out, sizeof(out), nx_slice_text("ab%x")), 5);
	assert_string_equal(out, "ab%25");
	assert_int_equal(nx_grpc_text_decode(out, sizeof(out), nx_slice_text("abcdefgh")), 5);
	assert_string_equal(out, "abcde");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prefix_has_its_length_most_significant_byte_first),
		cmocka_unit_test(content_types_are_told_apart),
		cmocka_unit_test(statuses_have_names_and_numbers),
		cmocka_unit_test(a_timeout_is_written_in_eight_digits),
		cmocka_unit_test(a_timeout_is_read_in_every_unit),
		cmocka_unit_test(a_message_survives_percent_escapes),
		cmocka_unit_test(a_long_message_is_cut_but_no_escape_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
