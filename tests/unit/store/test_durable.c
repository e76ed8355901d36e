/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/durable.h"
#include "tests/unit/store/workspace_fixture.h"
#include <errno.h>
#include <fcntl.h>

static int open_here(void)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	assert_true(fd >= 0);
	return fd;
}

static void a_file_is_replaced_whole(void **state)
{
	int here = open_here();

	(void)state;
	assert_int_equal(nx_durable_write(here, "a", nx_slice_text("first"), ".", NULL), NX_OK);
	assert_true(has_text("a", "first"));
	assert_int_equal(nx_durable_write(here, "a", nx_slice_text("2"), ".", NULL), NX_OK);
	assert_true(has_text("a", "2"));
	assert_int_equal(count_in("."), 1);
	close(here);
}

static void a_failed_write_keeps_the_old_file(void **state)
{
	int here = open_here();
	struct nx_error err;
	char name[300];

	(void)state;
	put_file("a", "old");
	/* A folder stands where the file is to be written aside. */
	assert_int_equal(mkdir("a.aside", 0700), 0);
	assert_int_equal(nx_durable_write(here, "a", nx_slice_text("new"), "here", &err), NX_IO);
	assert_non_null(strstr(err.message, "here/a"));
	assert_true(has_text("a", "old"));
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(nx_durable_write(here, name, nx_slice_text(""), ".", NULL), NX_LIMIT);
	/* The aside name must not lead out of the folder. */
	put_file("victim", "safe");
	assert_int_equal(symlink("victim", "b.aside"), 0);
	assert_int_equal(nx_durable_write(here, "b", nx_slice_text("new"), ".", NULL), NX_IO);
	assert_true(has_text("victim", "safe"));
	close(here);
}

static void reading_is_bounded(void **state)
{
	int here = open_here();
	struct nx_bytes bytes = {0};

	(void)state;
	put_file("a", "12345");
	assert_int_equal(nx_durable_read(here, "a", 5, &bytes, ".", NULL), NX_OK);
	assert_true(nx_slice_is(nx_slice_of(bytes.items, bytes.len), "12345"));
	assert_int_equal(nx_durable_read(here, "a", 4, &bytes, ".", NULL), NX_LIMIT);
	assert_int_equal(nx_durable_read(here, "none", 4, &bytes, ".", NULL), NX_NOT_FOUND);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(nx_durable_read(here, "pipe", 4, &bytes, ".", NULL), NX_FORMAT);
	assert_int_equal(nx_durable_read(here, ".", 4, &bytes, ".", NULL), NX_FORMAT);
	assert_int_equal(bytes.len, 5);
	nx_vec_release(&bytes);
	close(here);
}

static void a_tree_is_synced_and_counted(void **state)
{
	int here = open_here();
	uint64_t size_bytes;

	(void)state;
	assert_int_equal(mkdir("t", 0700), 0);
	assert_int_equal(mkdir("t/u", 0700), 0);
	put_file("t/a", "123");
	put_file("t/u/b", "4567");
	assert_int_equal(symlink("/etc/passwd", "t/link"), 0);
	assert_int_equal(mkfifo("t/pipe", 0600), 0);
	assert_int_equal(nx_durable_sync_tree(here, ".", &size_bytes, NULL), NX_OK);
	assert_int_equal(size_bytes, 7);
	assert_int_equal(nx_durable_tree_bytes(here, "t"), 7);
	assert_int_equal(nx_durable_tree_bytes(here, "none"), 0);
	close(here);
}

static void removal_does_not_follow_links(void **state)
{
	int here = open_here();

	(void)state;
	assert_int_equal(mkdir("kept", 0700), 0);
	put_file("kept/a", "safe");
	assert_int_equal(mkdir("t", 0700), 0);
	assert_int_equal(mkdir("t/u", 0700), 0);
	put_file("t/u/b", "x");
	assert_int_equal(symlink("../kept", "t/link"), 0);
	assert_int_equal(symlink("kept", "outer"), 0);
	assert_int_equal(nx_durable_remove_tree(here, "t", ".", NULL), NX_OK);
	assert_int_equal(nx_durable_remove_tree(here, "outer", ".", NULL), NX_OK);
	assert_int_equal(nx_durable_remove_tree(here, "none", ".", NULL), NX_OK);
	assert_true(has_text("kept/a", "safe"));
	assert_false(is_there("t"));
	assert_false(is_there("outer"));
	close(here);
}

static void depth_is_bounded(void **state)
{
	int here = open_here(), at = dup(here);
	uint64_t size_bytes;

	(void)state;
	for (int i = 0; i < 80; i++) {
		int below;

		assert_int_equal(mkdirat(at, "d", 0700), 0);
		below = openat(at, "d", O_RDONLY | O_DIRECTORY);
		assert_true(below >= 0);
		close(at);
		at = below;
	}
	close(at);
	assert_int_equal(nx_durable_sync_tree(here, ".", &size_bytes, NULL), NX_LIMIT);
	assert_int_equal(nx_durable_remove_tree(here, "d", ".", NULL), NX_LIMIT);
	close(here);
}

static enum nx_status stop_at_second(void *context, const char *name, struct nx_error *err)
{
	size_t *count = context;

	(void)name;
	return ++*count == 2 ? nx_fail(err, NX_LIMIT, "enough") : NX_OK;
}

static void a_listing_stops_at_the_first_failure(void **state)
{
	int here = open_here();
	size_t count = 0;

	(void)state;
	put_file("a", "");
	put_file("b", "");
	put_file("c", "");
	assert_int_equal(nx_durable_each(here, ".", stop_at_second, &count, NULL), NX_LIMIT);
	assert_int_equal(count, 2);
	assert_int_equal(nx_durable_each(-1, "none", stop_at_second, &count, NULL), NX_IO);
	close(here);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_file_is_replaced_whole),
		CASE(a_failed_write_keeps_the_old_file),
		CASE(reading_is_bounded),
		CASE(a_tree_is_synced_and_counted),
		CASE(removal_does_not_follow_links),
		CASE(depth_is_bounded),
		CASE(a_listing_stops_at_the_first_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
