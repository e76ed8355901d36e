/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/neff_view.h"

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/nx-extract-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static struct nx_neff neff_of(struct nx_neff_member *members, size_t count)
{
	return (struct nx_neff){.members = members, .member_count = count};
}

static struct nx_neff_member member(const char *name, const char *text)
{
	return (struct nx_neff_member){nx_slice_text(name), nx_slice_text(text)};
}

static void assert_file(const char *path, const char *text)
{
	struct nx_file file;

	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	assert_true(nx_slice_is(file.bytes, text));
	nx_file_unmap(&file);
}

static void test_writes(void **state)
{
	struct nx_neff_member members[] = {member("a.json", "one"), member("x/y/z", ""),
					   member("x/y/w", "two")};
	struct nx_neff neff = neff_of(members, 3);

	(void)state;
	assert_int_equal(nx_neff_extract(&neff, "new/deep", false, NULL), NX_OK);
	assert_file("new/deep/a.json", "one");
	assert_file("new/deep/x/y/z", "");
	assert_file("new/deep/x/y/w", "two");
}

static void test_bad_name_writes_nothing(void **state)
{
	struct nx_neff_member members[] = {member("good", "1"), member("../evil", "2")};
	struct nx_neff neff = neff_of(members, 2);
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_neff_extract(&neff, "out", false, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "'../evil'"));
	assert_int_equal(access("out", F_OK), -1);
	assert_int_equal(access("evil", F_OK), -1);
}

static void test_existing_file(void **state)
{
	struct nx_neff_member first[] = {member("b", "old")};
	struct nx_neff_member second[] = {member("a", "new"), member("b", "new")};
	struct nx_neff old = neff_of(first, 1), new = neff_of(second, 2);

	(void)state;
	assert_int_equal(nx_neff_extract(&old, "o", false, NULL), NX_OK);
	assert_int_equal(nx_neff_extract(&new, "o", false, NULL), NX_USAGE);
	assert_file("o/b", "old");
	assert_int_equal(access("o/a", F_OK), -1);
	assert_int_equal(nx_neff_extract(&new, "o", true, NULL), NX_OK);
	assert_file("o/b", "new");
	assert_file("o/a", "new");
}

static void test_links_are_replaced_not_followed(void **state)
{
	struct nx_neff_member members[] = {member("b", "new")};
	struct nx_neff_member deep[] = {member("d/b", "new")};
	struct nx_neff neff = neff_of(members, 1), in_folder = neff_of(deep, 1);

	(void)state;
	assert_int_equal(mkdir("l", 0777), 0);
	assert_int_equal(mkdir("elsewhere", 0777), 0);
	assert_int_equal(symlink("../elsewhere/target", "l/b"), 0);
	assert_int_equal(symlink("../elsewhere", "l/d"), 0);
	/* a dangling link counts as a file that is there */
	assert_int_equal(nx_neff_extract(&neff, "l", false, NULL), NX_USAGE);
	assert_int_equal(nx_neff_extract(&neff, "l", true, NULL), NX_OK);
	assert_int_equal(access("elsewhere/target", F_OK), -1);
	assert_file("l/b", "new");
	assert_int_not_equal(nx_neff_extract(&in_folder, "l", true, NULL), NX_OK);
	assert_int_equal(access("elsewhere/b", F_OK), -1);
}

static void test_file_in_the_way_of_a_folder(void **state)
{
	struct nx_neff_member members[] = {member("p", "file"), member("p/q", "below it")};
	struct nx_neff neff = neff_of(members, 2);
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_neff_extract(&neff, "w", false, &err), NX_IO);
	assert_non_null(strstr(err.message, "w/p/q"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_bad_name_writes_nothing),
		cmocka_unit_test(test_existing_file),
		cmocka_unit_test(test_links_are_replaced_not_followed),
		cmocka_unit_test(test_file_in_the_way_of_a_folder),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
