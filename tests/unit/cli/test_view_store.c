/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/view_store.h"

static void a_profile_is_called_as_the_last_part_of_its_path(void **state)
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
		struct nx_slice stem = nx_store_stem(cases[i][0]);

		if (!nx_slice_is(stem, cases[i][1]))
			fail_msg("'%s' became '%.*s'", cases[i][0], (int)stem.len,
				 (const char *)stem.data);
	}
}

/* Whatever the path, the name is one a workspace takes. */
static void every_path_gives_a_name_that_is_allowed(void **state)
{
	static const char *const paths[] = {
		"/", "", ".", "..", "a b\n.ntff", ".hidden", "\xff\xfe.ntff", "../../etc/passwd"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char name[NX_PROFILE_NAME_MAX];
		struct nx_error err = {0};

		nx_profile_name_make(nx_store_stem(paths[i]), name);
		if (nx_profile_name_check(nx_slice_text(name), &err))
			fail_msg("'%s' became '%s': %s", paths[i], name, err.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_called_as_the_last_part_of_its_path),
		cmocka_unit_test(every_path_gives_a_name_that_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
