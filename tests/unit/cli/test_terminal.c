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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
