/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"

static void a_stem_is_the_last_part_without_its_suffix(void **state)
{
	static const char *const cases[][2] = {
		{"bert.ntff", "bert"},
		{"/captures/bert.ntff", "bert"},
		{"captures/output/", "output"},
		{"captures/output///", "output"},
		{"../run.1/bert.v2.ntff", "bert.v2"},
		{"run.1/bert", "bert"},
		{".hidden", ".hidden"},
		{"captures/.ntff", ".ntff"},
		{"bert.", "bert"},
		{"/", "/"},
		{"//", "/"},
		{".", "."},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_slice stem = nx_path_stem(cases[i][0]);

		if (!nx_slice_is(stem, cases[i][1]))
			fail_msg("'%s' became '%.*s'", cases[i][0], (int)stem.len,
				 (const char *)stem.data);
	}
}

static void the_last_part_ignores_slashes_after_it(void **state)
{
	static const char *const cases[][2] = {
		{"a/b.c", "b.c"}, {"a/b//", "b"}, {"b", "b"}, {"/", "/"}, {"///", "/"}, {"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(nx_slice_is(nx_path_last(cases[i][0]), cases[i][1]));
}

static void a_name_is_what_follows_the_last_slash(void **state)
{
	(void)state;
	assert_string_equal(nx_path_name("a/b.c"), "b.c");
	assert_string_equal(nx_path_name("/b"), "b");
	assert_string_equal(nx_path_name("b.c"), "b.c");
	assert_string_equal(nx_path_name("a/"), "");
	assert_string_equal(nx_path_name(""), "");
}

static void a_folder_is_what_precedes_the_last_slash(void **state)
{
	(void)state;
	assert_true(nx_slice_is(nx_path_folder("a/b/c"), "a/b"));
	assert_true(nx_slice_is(nx_path_folder("a/"), "a"));
	assert_true(nx_slice_is(nx_path_folder("/b"), "/"));
	assert_true(nx_slice_is(nx_path_folder("b"), "."));
	assert_true(nx_slice_is(nx_path_folder(""), "."));
}

static void a_name_that_could_leave_its_folder_is_not_inside(void **state)
{
	static const char *const good[] = {"a",	  "a/b.bin", "sg00/PE0.bin", "..a",
					   "a..", ".hidden", "a b"};
	static const char *const bad[] = {"",	  "/a",	    "a/",   "a//b", ".",    "..",
					  "../a", "a/../b", "a/..", "./a",  "a\nb", "\033[2J"};
	char longest[257];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(nx_path_is_inside(nx_slice_text(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(nx_path_is_inside(nx_slice_text(bad[i])));
	assert_false(nx_path_is_inside(nx_slice_of("a\0b", 3)));
	memset(longest, 'a', sizeof(longest));
	assert_true(nx_path_is_inside(nx_slice_of(longest, 255)));
	assert_false(nx_path_is_inside(nx_slice_of(longest, 256)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stem_is_the_last_part_without_its_suffix),
		cmocka_unit_test(the_last_part_ignores_slashes_after_it),
		cmocka_unit_test(a_name_is_what_follows_the_last_slash),
		cmocka_unit_test(a_folder_is_what_precedes_the_last_slash),
		cmocka_unit_test(a_name_that_could_leave_its_folder_is_not_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
