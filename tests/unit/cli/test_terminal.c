/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/terminal.h"
#include "tests/unit/cli/captured_output.h"

static void test_counts(void **state)
{
	char text[NX_COUNT_TEXT_MAX];

	(void)state;
	assert_string_equal(nx_count_text(0, text), "0");
	assert_string_equal(nx_count_text(999, text), "999");
	assert_string_equal(nx_count_text(1000, text), "1,000");
	assert_string_equal(nx_count_text(2657, text), "2,657");
	assert_string_equal(nx_count_text(100000, text), "100,000");
	assert_string_equal(nx_count_text(1234567, text), "1,234,567");
	assert_string_equal(nx_count_text(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void test_sizes(void **state)
{
	char text[NX_COUNT_TEXT_MAX];

	(void)state;
	assert_string_equal(nx_size_text(0, text), "0 B");
	assert_string_equal(nx_size_text(1023, text), "1023 B");
	assert_string_equal(nx_size_text(1024, text), "1.0 KiB");
	assert_string_equal(nx_size_text(4300000, text), "4.1 MiB");
	assert_string_equal(nx_size_text(1048524, text), "1023.9 KiB");
	assert_string_equal(nx_size_text(1048525, text), "1.0 MiB"); /* never "1024.0 KiB" */
	assert_string_equal(nx_size_text(UINT64_MAX, text), "16.0 EiB");
}

static void test_durations(void **state)
{
	char text[NX_COUNT_TEXT_MAX];

	(void)state;
	assert_string_equal(nx_duration_text(0, text), "0.000 ns");
	assert_string_equal(nx_duration_text(500, text), "0.500 ns");
	assert_string_equal(nx_duration_text(38624106, text), "38.624 us");
	assert_string_equal(nx_duration_text(2052800000, text), "2.053 ms");
	assert_string_equal(nx_duration_text(1500000000000, text), "1.500 s");
}

static void test_print_tames_controls(void **state)
{
	struct captured_output c;

	(void)state;
	nx_print(captured_begin(&c), "a\033[2Jb\rc\x7f\nd\te %s", "\x07\xc3\xa9");
	assert_string_equal(captured_end(&c), "a?[2Jb?c?\nd\te ?\xc3\xa9");
}

static void test_print_long_text(void **state)
{
	struct captured_output c;
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	nx_print(captured_begin(&c), "%s", text);
	assert_string_equal(captured_end(&c), text);
}

static void test_wrap(void **state)
{
	struct captured_output c;

	(void)state;
	nx_print_wrapped(captured_begin(&c), "one two three four", 0, 2, 9);
	assert_string_equal(captured_end(&c), "one two\n  three\n  four\n");
	nx_print_wrapped(captured_begin(&c), "aa bb", 6, 4, 9); /* starts in column 6 */
	assert_string_equal(captured_end(&c), "aa\n    bb\n");
	nx_print_wrapped(captured_begin(&c), "unbreakable x", 0, 0, 5);
	assert_string_equal(captured_end(&c), "unbreakable\nx\n");
	nx_print_wrapped(captured_begin(&c), "one\n\ntwo", 0, 2, 20);
	assert_string_equal(captured_end(&c), "one\n\n  two\n");
	nx_print_wrapped(captured_begin(&c), "", 0, 2, 20);
	assert_string_equal(captured_end(&c), "\n");
}

static void test_wrap_counts_characters(void **state)
{
	struct captured_output c;

	(void)state;
	nx_print_wrapped(captured_begin(&c), "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9", 0, 0, 5);
	assert_string_equal(captured_end(&c), "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\n");
}

static void widths_are_columns(void **state)
{
	(void)state;
	assert_int_equal(nx_text_width(nx_slice_text("")), 0);
	assert_int_equal(nx_text_width(nx_slice_text("abc")), 3);
	assert_int_equal(nx_text_width(nx_slice_text("n\xc3\xa4h")), 3);
	assert_int_equal(nx_text_width(nx_slice_text("日本")), 4);
	assert_int_equal(nx_text_width(nx_slice_text("e\xcc\x81")), 1);
	assert_int_equal(nx_text_width(nx_slice_text("\xf0\x9f\x98\x80")), 2);
	assert_int_equal(nx_text_width(nx_slice_text("a\xff"
						     "b")),
			 3);
}

static uint32_t first(const char *bytes, size_t len, size_t *used)
{
	struct nx_slice text = nx_slice_of(bytes, len);
	uint32_t code = nx_text_take(&text);

	*used = len - text.len;
	return code;
}

static void bytes_that_are_no_character_are_one_each(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {{"\x80", 1},	    {"\xc0\x80", 2},	     {"\xc3", 1},
		   {"\xc3(", 2},    {"\xe0\x80\x80", 3},     {"\xed\xa0\x80", 3},
		   {"\xe6\x97", 2}, {"\xf4\x90\x80\x80", 4}, {"\xf8\x88\x80\x80\x80", 5},
		   {"\xff", 1}};
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(first(bad[i].bytes, bad[i].len, &used), 0xfffd);
		assert_int_equal(used, 1);
	}
	assert_int_equal(first("\xf4\x8f\xbf\xbf", 4, &used), 0x10ffff);
	assert_int_equal(used, 4);
	assert_int_equal(first("\xe6\x97\xa5", 3, &used), 0x65e5);
	assert_int_equal(used, 3);
}

static void assert_cut(const char *text, unsigned width, const char *expected)
{
	struct nx_slice cut = nx_text_cut(nx_slice_text(text), width);

	assert_int_equal(cut.len, strlen(expected));
	assert_memory_equal(cut.data, expected, cut.len);
}

static void cuts_between_characters(void **state)
{
	(void)state;
	assert_cut("abcd", 2, "ab");
	assert_cut("ab", 9, "ab");
	assert_cut("日本", 3, "日");
	assert_cut("日本", 1, "");
	assert_cut("e\xcc\x81x", 1, "e\xcc\x81");
	assert_cut("", 0, "");
}

static void assert_tame(const char *text, const char *expected)
{
	struct nx_bytes bytes = {0};

	nx_text_append_tame(&bytes, nx_slice_text(text));
	nx_bytes_append_zeros(&bytes, 1);
	assert_string_equal((const char *)bytes.items, expected);
	nx_vec_release(&bytes);
}

static void nothing_can_move_the_cursor(void **state)
{
	(void)state;
	assert_tame("a\n\tb\r", "a\\n\\tb\\r");
	assert_tame("\033[31mred\x7f", "?[31mred?");
	assert_tame("\xc2\x9b"
		    "31m",
		    "?31m");
	assert_tame("a\xe2\x80\xae"
		    "b",
		    "a?b");
	assert_tame("\xff", "\xef\xbf\xbd");
	assert_tame("é日", "é日");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_print_tames_controls),
		cmocka_unit_test(test_print_long_text),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_wrap_counts_characters),
		cmocka_unit_test(widths_are_columns),
		cmocka_unit_test(bytes_that_are_no_character_are_one_each),
		cmocka_unit_test(cuts_between_characters),
		cmocka_unit_test(nothing_can_move_the_cursor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
