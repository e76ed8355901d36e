/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/profile_name.h"
#include <stdio.h>

static enum nx_status check(const char *name)
{
	return nx_profile_name_check(nx_slice_text(name), NULL);
}

static void ordinary_names_are_allowed(void **state)
{
	static const char *const names[] = {"a",
					    "bert-large_v2.1",
					    "run 7 (second try)",
					    "Größe",
					    "モデル",
					    "\xf0\x9f\x9a\x80",
					    "a..b",
					    "x%2f",
					    "latest"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(check(names[i]), NX_OK);
}

static void names_that_escape_or_mislead_are_refused(void **state)
{
	static const char *const names[] = {
		"",
		".",
		"..",
		"../x",
		"a/b",
		"/etc",
		"a\\b",
		".hidden",
		"-rf",
		" a",
		"a ",
		"a@latest",
		"a*",
		"a?",
		"[a]",
		"a\nb",
		"a\x7f",
		"a\xc2\x85",
		"a\xe2\x80\xae", /* turns text */
		"a\xe2\x80\x8b", /* no width */
		"\xef\xbb\xbfz",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(check(names[i]), NX_USAGE);
	assert_int_equal(nx_profile_name_check(nx_slice_of("a\0b", 3), NULL), NX_USAGE);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	static const char *const names[] = {
		"a\xff",	"a\xc3",	"\xc0\xaf",
		"\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\x80\x80",	"a\xe3\x83",
	};
	struct nx_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(nx_profile_name_check(nx_slice_text(names[i]), &err), NX_USAGE);
		assert_non_null(strstr(err.message, "UTF-8"));
	}
}

static void length_is_counted_in_characters_and_bytes(void **state)
{
	char name[400];
	struct nx_error err;

	(void)state;
	memset(name, 'x', sizeof(name));
	assert_int_equal(nx_profile_name_check(nx_slice_of(name, 150), NULL), NX_OK);
	assert_int_equal(nx_profile_name_check(nx_slice_of(name, 151), &err), NX_USAGE);
	assert_string_equal(err.message,
			    "the name of a profile may have 150 characters, this one has 151");
	assert_int_equal(nx_profile_name_check(nx_slice_of(name, 300), &err), NX_USAGE);
	assert_string_equal(err.message,
			    "the name of a profile may have 240 bytes, this one has 300");
	for (size_t i = 0; i < 240; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	assert_int_equal(nx_profile_name_check(nx_slice_of(name, 240), NULL), NX_OK);
	assert_int_equal(nx_profile_name_check(nx_slice_of(name, 242), NULL), NX_USAGE);
}

static void any_text_becomes_an_allowed_name(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"bert.ntff", "bert.ntff"},
		{"../../etc/passwd", "_._.._etc_passwd"},
		{"", "_"},
		{"-x", "_x"},
		{"a ", "a_"},
		{"a@latest", "a_latest"},
		{"x\xff\ny", "x__y"},
		{"  ", "__"},
		{"search", "search_"},
	};
	char name[NX_PROFILE_NAME_MAX], text[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nx_profile_name_make(nx_slice_text(cases[i].text), name);
		assert_int_equal(check(name), NX_OK);
		assert_string_equal(name, cases[i].name);
	}
	for (unsigned seed = 1; seed < 2000; seed++) {
		uint32_t x = seed * 2654435761u;
		size_t len = seed % sizeof(text);

		for (size_t i = 0; i < len; i++) {
			x = x * 1664525u + 1013904223u;
			text[i] = (char)(x >> 24);
		}
		nx_profile_name_make(nx_slice_of(text, len), name);
		assert_int_equal(check(name), NX_OK);
	}
}

static void the_version_is_not_part_of_the_name(void **state)
{
	(void)state;
	assert_true(nx_slice_is(nx_profile_name_without_version(nx_slice_text("a@latest")), "a"));
	assert_true(nx_slice_is(nx_profile_name_without_version(nx_slice_text("a")), "a"));
	assert_true(nx_slice_is(nx_profile_name_without_version(nx_slice_text("@latest")), ""));
	assert_true(nx_slice_is(nx_profile_name_without_version(nx_slice_text("a@3")), "a@3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_names_are_allowed),
		cmocka_unit_test(names_that_escape_or_mislead_are_refused),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(length_is_counted_in_characters_and_bytes),
		cmocka_unit_test(any_text_becomes_an_allowed_name),
		cmocka_unit_test(the_version_is_not_part_of_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
