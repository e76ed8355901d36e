/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/text.h"

static void hexadecimal_digits_have_either_case(void **state)
{
	static const char digits[] = "0123456789abcdefABCDEF", others[] = "/:@`gGX \x10\x19\xe1";

	(void)state;
	for (int i = 0; digits[i]; i++)
		assert_int_equal(nx_hex_value(digits[i]), i < 16 ? i : i - 6);
	for (int i = 0; others[i]; i++)
		assert_int_equal(nx_hex_value(others[i]), -1);
	assert_int_equal(nx_hex_value(0), -1);
}

static void bytes_become_two_digits_each(void **state)
{
	char digits[9] = {0};

	(void)state;
	nx_hex_encode(digits, nx_slice_of("\x00\x1f\xa9\xff", 4));
	assert_string_equal(digits, "001fa9ff");
}

static void only_whole_escapes_are_decoded(void **state)
{
	struct nx_slice text = nx_slice_text("%41%zf%f%00%4");

	(void)state;
	assert_int_equal(nx_percent_decode(text, 0), 'A');
	assert_int_equal(nx_percent_decode(text, 1), -1);
	assert_int_equal(nx_percent_decode(text, 3), -1);
	assert_int_equal(nx_percent_decode(text, 6), -1);
	assert_int_equal(nx_percent_decode(text, 8), 0);
	assert_int_equal(nx_percent_decode(text, 11), -1);
	assert_int_equal(nx_percent_decode(text, 99), -1);
	assert_int_equal(nx_percent_decode(nx_slice_text("%a"), 0), -1);
	assert_int_equal(nx_percent_decode(nx_slice_text(""), 0), -1);
	assert_int_equal(nx_percent_decode(nx_slice_text("%Fe"), 0), 0xfe);
}

static unsigned distance(const char *a, const char *b)
{
	return nx_edit_distance(nx_slice_text(a), nx_slice_text(b));
}

static void distance_counts_edits(void **state)
{
	(void)state;
	assert_int_equal(distance("", ""), 0);
	assert_int_equal(distance("view", "view"), 0);
	assert_int_equal(distance("", "abc"), 3);
	assert_int_equal(distance("abc", ""), 3);
	assert_int_equal(distance("view", "vew"), 1);	/* dropped */
	assert_int_equal(distance("view", "viiew"), 1); /* added */
	assert_int_equal(distance("view", "vibw"), 1);	/* replaced */
	assert_int_equal(distance("view", "veiw"), 1);	/* swapped */
	assert_int_equal(distance("kitten", "sitting"), 3);
}

static void distance_of_long_words_is_bounded(void **state)
{
	char a[5000], b[5000];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'b', sizeof(b));
	assert_int_equal(nx_edit_distance(nx_slice_of(a, sizeof(a)), nx_slice_of(a, sizeof(a))), 0);
	assert_int_equal(nx_edit_distance(nx_slice_of(a, sizeof(a)), nx_slice_of(b, sizeof(b))),
			 NX_EDIT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hexadecimal_digits_have_either_case),
		cmocka_unit_test(bytes_become_two_digits_each),
		cmocka_unit_test(only_whole_escapes_are_decoded),
		cmocka_unit_test(distance_counts_edits),
		cmocka_unit_test(distance_of_long_words_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
