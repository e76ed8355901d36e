/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/relative_path.h"

static enum nx_status check(const char *path)
{
	struct nx_error err = {0};
	enum nx_status st = nx_relative_path_check(nx_slice_text(path), &err);

	assert_int_equal(st, err.status);
	assert_int_equal(st != NX_OK, err.message[0] != '\0');
	return st;
}

static void ordinary_paths_are_allowed(void **state)
{
	(void)state;
	assert_int_equal(check("a"), NX_OK);
	assert_int_equal(check("a/b.ntff"), NX_OK);
	assert_int_equal(check("..."), NX_OK);
	assert_int_equal(check(".git/x"), NX_OK);
	assert_int_equal(check("mit leerzeichen/\xc3\xa4"), NX_OK);
	assert_int_equal(check("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"), NX_OK);
}

static void paths_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"/",
		"/a",
		"a/",
		"a//b",
		".",
		"..",
		"../a",
		"a/..",
		"a/../b",
		"a/./b",
		"a\nb",
		"a\x01",
		"a\x7f",
		"\xff",
		"a/\xc3",
		"1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(check(bad[i]), NX_USAGE);
	assert_int_equal(nx_relative_path_check(nx_slice_of("a\0b", 3), NULL), NX_USAGE);
}

static void long_parts_and_paths_are_refused(void **state)
{
	char text[NX_RELATIVE_PATH_BYTES + 1];

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(nx_relative_path_check(nx_slice_of(text, 255), NULL), NX_OK);
	assert_int_equal(nx_relative_path_check(nx_slice_of(text, 256), NULL), NX_USAGE);
	for (size_t i = 100; i < sizeof(text); i += 101)
		text[i] = '/';
	assert_int_equal(nx_relative_path_check(nx_slice_of(text, 1023), NULL), NX_OK);
	assert_int_equal(nx_relative_path_check(nx_slice_of(text, 1024), NULL), NX_USAGE);
}

static void folders_on_the_way_are_made_when_wanted(void **state)
{
	char folder[] = "/tmp/nx-relative-XXXXXX", command[64];
	int fd, file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(nx_relative_path_open(fd, "a/b/c", O_WRONLY | O_CREAT, false), -1);
	file = nx_relative_path_open(fd, "a/b/c", O_WRONLY | O_CREAT, true);
	assert_true(file >= 0);
	close(file);
	file = nx_relative_path_open(fd, "a/b/c", O_RDONLY, false);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(nx_relative_path_open(fd, "a/b/c/d", O_RDONLY, false), -1);
	/* still ours */
	assert_int_equal(fcntl(fd, F_GETFD) >= 0, 1);
	close(fd);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void links_are_not_followed(void **state)
{
	char folder[] = "/tmp/nx-relative-XXXXXX", command[64];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(symlinkat("/etc", fd, "etc"), 0);
	assert_int_equal(symlinkat("/etc/passwd", fd, "passwd"), 0);
	assert_int_equal(nx_relative_path_open(fd, "etc/passwd", O_RDONLY, false), -1);
	assert_int_equal(nx_relative_path_open(fd, "etc/nx", O_WRONLY | O_CREAT, true), -1);
	assert_int_equal(nx_relative_path_open(fd, "passwd", O_RDONLY, false), -1);
	assert_int_equal(nx_relative_path_open(fd, "passwd", O_WRONLY | O_CREAT, true), -1);
	close(fd);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_paths_are_allowed),
		cmocka_unit_test(paths_that_lead_elsewhere_are_refused),
		cmocka_unit_test(long_parts_and_paths_are_refused),
		cmocka_unit_test(folders_on_the_way_are_made_when_wanted),
		cmocka_unit_test(links_are_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
