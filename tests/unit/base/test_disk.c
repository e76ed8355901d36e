/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/disk.h"

static void test_space(void **state)
{
	(void)state;
	assert_false(nx_disk_lacks("/", 0));
	assert_true(nx_disk_lacks("/", UINT64_MAX / 2));
	assert_false(nx_disk_lacks("/no/such/folder", UINT64_MAX / 2));
}

static void test_sentence(void **state)
{
	struct nx_error err;

	(void)state;
	/* /proc is a file system of its own on every machine */
	assert_int_equal(nx_disk_fail_full(&err, "/proc/uptime", "cannot write", "stop"),
			 NX_NO_SPACE);
	assert_string_equal(err.message, "cannot write: the disk at /proc is full, which has the "
					 "folder /proc; free some space, or stop");
	nx_disk_fail_full(&err, "/proc/sys/../sys/kernel", "cannot write", "stop");
	assert_non_null(strstr(err.message, "the disk at /proc is full, which has the folder "
					    "/proc/sys/kernel;"));
	nx_disk_fail_full(&err, "/none", "cannot write", "stop");
	assert_non_null(strstr(err.message, "the disk at / is full, which has the folder /;"));
	nx_disk_fail_full(&err, "/no/such/folder/x", "cannot write", "stop");
	assert_string_equal(err.message,
			    "cannot write: the disk is full; free some space, or stop");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space),
		cmocka_unit_test(test_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
