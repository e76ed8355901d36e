/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "cli/status_file.h"
#include "tests/unit/cli/command_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[96];

static int enter(void **state)
{
	(void)state;
	memcpy(folder, "/tmp/nx-status-XXXXXX", sizeof("/tmp/nx-status-XXXXXX"));
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/s.json", folder);
	return 0;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

struct seen {
	struct nx_arena arena;
	struct nx_file file;
	struct nx_json *root;
};

/* Whatever the moment, the file is whole. */
static void look(struct seen *seen)
{
	*seen = (struct seen){0};
	assert_int_equal(nx_file_map(&seen->file, path, NULL), NX_OK);
	assert_int_equal(nx_json_parse(seen->file.bytes, &seen->arena, &seen->root, NULL), NX_OK);
}

static void end_look(struct seen *seen)
{
	nx_arena_release(&seen->arena);
	nx_file_unmap(&seen->file);
}

static void expect_run(int64_t code, const char *word, const char *message, size_t profiles)
{
	struct seen seen;

	look(&seen);
	assert_int_equal(nx_json_as_i64(nx_json_get(seen.root, "status_code"), -99), code);
	assert_true(nx_slice_is(nx_json_as_slice(nx_json_get(seen.root, "status")), word));
	assert_true(nx_slice_is(nx_json_as_slice(nx_json_get(seen.root, "message")), message));
	assert_int_equal(nx_json_get(seen.root, "profiles")->count, profiles);
	end_look(&seen);
}

static void expect_profile(size_t idx, const char *name, const char *word, const char *message)
{
	struct seen seen;
	const struct nx_json *p;

	look(&seen);
	p = &nx_json_get(seen.root, "profiles")->children[idx];
	assert_true(nx_slice_is(nx_json_as_slice(nx_json_get(p, "name")), name));
	assert_true(nx_slice_is(nx_json_as_slice(nx_json_get(p, "status")), word));
	assert_true(nx_slice_is(nx_json_as_slice(nx_json_get(p, "message")), message));
	end_look(&seen);
}

static void test_a_good_run(void **state)
{
	struct nx_status_file f;

	(void)state;
	assert_int_equal(nx_status_file_begin(&f, path, NULL), NX_OK);
	/* A process that is killed now must not look like a success. */
	expect_run(-1, "processing", "", 0);
	nx_status_file_enter(&f, "a.ntff", NX_PROFILE_DEVICE);
	expect_run(-1, "processing", "", 1);
	expect_profile(0, "a.ntff", "processing", "");
	nx_status_file_leave(&f, "a.ntff", NX_PROFILE_DEVICE, NX_OK, "");
	expect_run(-1, "processing", "", 1);
	expect_profile(0, "a.ntff", "success", "");
	assert_int_equal(nx_status_file_end(&f, NX_OK, NULL), NX_OK);
	expect_run(0, "success", "", 1);
}

static void test_a_failed_run(void **state)
{
	struct nx_error err = {NX_FORMAT, "a.ntff is \"cut\" off"};
	struct nx_status_file f;

	(void)state;
	assert_int_equal(nx_status_file_begin(&f, path, NULL), NX_OK);
	nx_status_file_leave(&f, "b.ntff", NX_PROFILE_DEVICE, NX_OK, "ignored");
	nx_status_file_enter(&f, "a.ntff", NX_PROFILE_DEVICE);
	assert_int_equal(nx_status_file_end(&f, NX_FORMAT, &err), NX_FORMAT);
	expect_run(5, "failed", "a.ntff is \"cut\" off", 2);
	expect_profile(0, "b.ntff", "success", "");
	expect_profile(1, "a.ntff", "failed", "a.ntff is \"cut\" off");
}

static void test_some_profiles_fail(void **state)
{
	struct nx_status_file f;

	(void)state;
	assert_int_equal(nx_status_file_begin(&f, path, NULL), NX_OK);
	/* The same name twice, and of two kinds: each is its own. */
	nx_status_file_enter(&f, "x", NX_PROFILE_SYSTEM);
	nx_status_file_leave(&f, "x", NX_PROFILE_DEVICE, NX_IO, "one");
	nx_status_file_leave(&f, "x", NX_PROFILE_DEVICE, NX_OK, "");
	nx_status_file_leave(&f, "x", NX_PROFILE_SYSTEM, NX_OK, "");
	assert_int_equal(nx_status_file_end(&f, NX_OK, NULL), NX_OK);
	expect_run(0, "success", "", 3);
	expect_profile(0, "x", "success", "");
	expect_profile(1, "x", "failed", "one");
	expect_profile(2, "x", "success", "");
}

static void test_without_a_path_nothing_is_written(void **state)
{
	struct nx_status_file f;

	(void)state;
	assert_int_equal(nx_status_file_begin(&f, NULL, NULL), NX_OK);
	nx_status_file_enter(&f, "a", NX_PROFILE_DEVICE);
	nx_status_file_leave(&f, "a", NX_PROFILE_DEVICE, NX_IO, "no");
	assert_int_equal(nx_status_file_end(&f, NX_IO, NULL), NX_IO);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_the_end_comes_once(void **state)
{
	struct nx_status_file f;

	(void)state;
	assert_int_equal(nx_status_file_begin(&f, path, NULL), NX_OK);
	assert_int_equal(nx_status_file_end(&f, NX_OK, NULL), NX_OK);
	assert_int_equal(nx_status_file_end(&f, NX_IO, NULL), NX_IO);
	expect_run(0, "success", "", 0);
}

static void test_a_place_that_cannot_be_written(void **state)
{
	struct nx_status_file f;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_status_file_begin(&f, folder, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "--processing-status-file"));
	assert_int_equal(nx_status_file_end(&f, NX_OK, &err), NX_USAGE);
	assert_int_equal(nx_status_file_begin(&f, "", &err), NX_USAGE);
	/* The folder goes away meanwhile: the profile is fine, the run is not. */
	assert_int_equal(nx_status_file_begin(&f, path, NULL), NX_OK);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	nx_status_file_enter(&f, "a", NX_PROFILE_DEVICE);
	assert_int_equal(nx_status_file_end(&f, NX_OK, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "s.json"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_good_run),	       CASE(test_a_failed_run),
		CASE(test_some_profiles_fail), CASE(test_without_a_path_nothing_is_written),
		CASE(test_the_end_comes_once), CASE(test_a_place_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
