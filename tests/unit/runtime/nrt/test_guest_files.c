/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/guest_files.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

/* The linker sends the library's write here. */
ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);

static size_t space_left = SIZE_MAX; /* on the disk */
static bool is_interrupted;

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
	if (is_interrupted) {
		is_interrupted = false;
		errno = EINTR;
		return -1;
	}
	if (space_left == SIZE_MAX || fd <= STDERR_FILENO)
		return __real_write(fd, bytes, len);
	if (!space_left) {
		errno = ENOSPC;
		return -1;
	}
	len = len < space_left ? len : space_left;
	space_left -= len;
	return __real_write(fd, bytes, len);
}

static int begin(void **state)
{
	(void)state;
	setenv("NEURON_RT_LOG_LEVEL", "OFF", 1);
	nx_log_restart();
	space_left = SIZE_MAX;
	return 0;
}

static void expect_file(const char *path, const char *text)
{
	struct nx_file file;

	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	assert_int_equal(file.bytes.len, strlen(text));
	assert_memory_equal(file.bytes.data, text, strlen(text));
	nx_file_unmap(&file);
}

static void records_are_appended(void **state)
{
	struct nx_guest_stream stream;

	(void)state;
	assert_int_equal(nx_guest_stream_open(&stream, nx_fixture_folder(), "s.pb", NULL), NX_OK);
	assert_true(nx_guest_stream_append(&stream, nx_slice_text("abc")));
	is_interrupted = true;
	assert_true(nx_guest_stream_append(&stream, nx_slice_text("defg")));
	expect_file(stream.path, "abcdefg");
	nx_guest_stream_close(&stream);
	assert_false(nx_guest_stream_append(&stream, nx_slice_text("h")));
	nx_guest_stream_close(&stream);
	nx_fixture_remove();
}

static void a_full_disk_takes_back_what_is_not_whole(void **state)
{
	struct nx_guest_stream stream;

	(void)state;
	assert_int_equal(nx_guest_stream_open(&stream, nx_fixture_folder(), "s.pb", NULL), NX_OK);
	assert_true(nx_guest_stream_append(&stream, nx_slice_text("first")));
	space_left = 3;
	assert_false(nx_guest_stream_append(&stream, nx_slice_text("second")));
	expect_file(stream.path, "first");
	assert_false(nx_guest_stream_append(&stream, nx_slice_text("third")));
	space_left = 100; /* somebody made room */
	assert_true(nx_guest_stream_append(&stream, nx_slice_text("fourth")));
	expect_file(stream.path, "firstfourth");
	nx_guest_stream_close(&stream);
	nx_fixture_remove();
}

static void nobody_elses_file_is_touched(void **state)
{
	struct nx_guest_stream stream, again;
	const char *folder = nx_fixture_folder();
	char longest[2000];
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_guest_stream_open(&stream, folder, "s.pb", NULL), NX_OK);
	assert_int_not_equal(nx_guest_stream_open(&again, folder, "s.pb", &err), NX_OK);
	assert_non_null(strstr(err.message, "s.pb"));
	assert_int_equal(again.fd, -1);
	assert_int_equal(nx_guest_stream_open(&again, "/no/such/folder", "s.pb", &err),
			 NX_NOT_FOUND);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(nx_guest_stream_open(&again, longest, "s.pb", &err), NX_LIMIT);
	nx_guest_stream_close(&stream);
	nx_fixture_remove();
}

static void folders_are_made_with_their_parents(void **state)
{
	char path[200];
	struct nx_error err;

	(void)state;
	snprintf(path, sizeof(path), "%s/a/b/c", nx_fixture_folder());
	assert_int_equal(nx_guest_make_folder(path, &err), NX_OK);
	assert_int_equal(nx_guest_make_folder(path, &err), NX_OK);
	assert_int_equal(access(path, W_OK), 0);
	assert_int_not_equal(nx_guest_make_folder("/proc/a/b", &err), NX_OK);
	nx_fixture_remove();
}

static void a_file_is_replaced_or_left_as_it_was(void **state)
{
	const char *folder = nx_fixture_folder();
	struct nx_file file;
	struct nx_error err;
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/f", folder);
	assert_int_equal(nx_guest_write_file(path, nx_slice_text("one"), &err), NX_OK);
	assert_int_equal(nx_guest_write_file(path, nx_slice_text("second"), &err), NX_OK);
	assert_int_equal(nx_file_map(&file, path, &err), NX_OK);
	assert_true(nx_slice_is(file.bytes, "second"));
	nx_file_unmap(&file);
	assert_int_not_equal(nx_guest_write_file("/proc/a/b", nx_slice_text("x"), &err), NX_OK);
	assert_non_null(strstr(err.message, "/proc/a/b"));
	nx_fixture_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(records_are_appended, begin),
		cmocka_unit_test_setup(a_full_disk_takes_back_what_is_not_whole, begin),
		cmocka_unit_test_setup(nobody_elses_file_is_touched, begin),
		cmocka_unit_test_setup(folders_are_made_with_their_parents, begin),
		cmocka_unit_test_setup(a_file_is_replaced_or_left_as_it_was, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
