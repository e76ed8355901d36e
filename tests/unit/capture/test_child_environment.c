/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "capture/child_environment.h"

static void a_variable_is_replaced_wherever_it_is(void **state)
{
	char a1[] = "A=1", paths[] = "PATHS=x", a2[] = "A=2", path[] = "PATH=/bin",
	     nothing[] = "NOTHING";
	char *const ours[] = {a1, paths, a2, path, nothing, NULL};
	struct nx_child_environment environment = {0};

	(void)state;
	nx_child_environment_copy(&environment, ours);
	assert_int_equal(environment.len, 5);
	assert_string_equal(nx_child_environment_get(&environment, "A"), "1");
	assert_string_equal(nx_child_environment_get(&environment, "PATH"), "/bin");
	assert_null(nx_child_environment_get(&environment, "PAT"));
	assert_null(nx_child_environment_get(&environment, "NOTHING"));
	nx_child_environment_set(&environment, "A", "b=c");
	assert_int_equal(environment.len, 4);
	assert_string_equal(nx_child_environment_get(&environment, "A"), "b=c");
	assert_string_equal(environment.items[3], "A=b=c");
	assert_null(environment.items[4]);
	assert_string_equal(ours[0], "A=1");
	nx_child_environment_release(&environment);
}

static void an_empty_one_is_a_list_too(void **state)
{
	char *const none[] = {NULL};
	struct nx_child_environment environment = {0};

	(void)state;
	nx_child_environment_copy(&environment, none);
	assert_null(nx_child_environment_get(&environment, "A"));
	nx_child_environment_set(&environment, "A", "");
	assert_string_equal(nx_child_environment_get(&environment, "A"), "");
	assert_null(environment.items[1]);
	nx_child_environment_release(&environment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_is_replaced_wherever_it_is),
		cmocka_unit_test(an_empty_one_is_a_list_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
