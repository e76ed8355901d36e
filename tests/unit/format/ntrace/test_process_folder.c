/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/process_folder.h"

static bool parses(const char *name, const char *instance, uint64_t pid)
{
	struct nx_slice got;
	uint64_t got_pid;

	return nx_process_folder_parse(nx_slice_text(name), &got, &got_pid) &&
	       nx_slice_is(got, instance) && got_pid == pid;
}

static void names_are_an_instance_and_a_pid(void **state)
{
	(void)state;
	assert_true(parses("i-0123_pid_45", "i-0123", 45));
	assert_true(parses("a_pid_1_pid_2", "a_pid_1", 2));
	assert_true(parses("x_pid_18446744073709551615", "x", UINT64_MAX));
}

static void other_names_are_refused(void **state)
{
	static const char *const names[] = {
		"",	    "45",	"x",	    "x_pid_", "_pid_3",
		"x_pid_-3", "x_pid_3a", "x_pid_a3", "x_pid3", "x_pid_18446744073709551616",
	};
	struct nx_slice instance;
	uint64_t pid;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(nx_process_folder_parse(nx_slice_text(names[i]), &instance, &pid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_an_instance_and_a_pid),
		cmocka_unit_test(other_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
