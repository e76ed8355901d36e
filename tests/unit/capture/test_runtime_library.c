/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/runtime_library.h"

static void test_functions(void **state)
{
	static const char *const known[] = {"nrt_init", "nrta_is_completed", NULL};
	struct nx_runtime_library lib;
	struct nx_error err;
	uint32_t count = 0;

	(void)state;
	unsetenv("FAKE_NRT_CORES");
	assert_int_equal(nx_runtime_library_open(&lib, getenv("FAKE_NRT"), &err), NX_OK);
	assert_false(lib.is_own);
	assert_string_equal(lib.version, "");
	assert_null(lib.nrt_get_version);
	assert_int_equal(lib.nrt_get_visible_nc_count(&count), NRT_SUCCESS);
	assert_int_equal(count, 4);
	assert_int_equal(nx_runtime_library_need(&lib, "it", known, &err), NX_OK);
}

static void test_missing_ones(void **state)
{
	static const char *const absent[] = {"nrt_init", "nrt_get_version", NULL};
	static const char *const unheard[] = {"nrt_nothing", NULL};
	struct nx_runtime_library lib;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_runtime_library_open(&lib, getenv("FAKE_NRT"), &err), NX_OK);
	assert_int_equal(nx_runtime_library_need(&lib, "it", absent, &err), NX_UNSUPPORTED);
	assert_non_null(strstr(err.message, "it needs the function nrt_get_version, which "));
	assert_int_equal(nx_runtime_library_need(&lib, "it", unheard, &err), NX_UNSUPPORTED);
}

static void test_none(void **state)
{
	struct nx_runtime_library lib;
	struct nx_error err;
	char long_path[PATH_MAX + 10];

	(void)state;
	memset(long_path, 'a', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(nx_runtime_library_open(&lib, "/nothing/libnrt.so.1", &err), NX_NOT_FOUND);
	assert_int_equal(nx_runtime_library_open(&lib, long_path, &err), NX_NOT_FOUND);
	assert_int_equal(nx_runtime_library_open(&lib, "/dev/null", &err), NX_UNSUPPORTED);
}

static void test_text(void **state)
{
	struct nx_runtime_library lib = {.path = "/a/b", .version = "1.2.3", .is_own = true};
	char out[PATH_MAX];

	(void)state;
	assert_string_equal(nx_runtime_library_text(&lib, out, sizeof(out)),
			    "/a/b, version 1.2.3 (a NeuronCore in software)");
	lib.version[0] = '\0';
	lib.is_own = false;
	assert_string_equal(nx_runtime_library_text(&lib, out, sizeof(out)), "/a/b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_missing_ones),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
