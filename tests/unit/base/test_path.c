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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stem_is_the_last_part_without_its_suffix),
		cmocka_unit_test(the_last_part_ignores_slashes_after_it),
		cmocka_unit_test(a_name_is_what_follows_the_last_slash),
		cmocka_unit_test(a_folder_is_what_precedes_the_last_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
