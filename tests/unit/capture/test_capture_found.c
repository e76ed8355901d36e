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

#include "base/file.h"
#include "capture/capture_found.h"
#include "format/ntrace.h"

static char root[] = "/tmp/capture_found.XXXXXX";
static struct nx_arena arena;

static void put(const char *folder, const char *name, const void *bytes, size_t len)
{
	const char *path = nx_arena_printf(&arena, "%s/%s", root, folder);
	int fd;

	assert_int_equal(nx_make_directories(path, NULL), NX_OK);
	fd = open(nx_arena_printf(&arena, "%s/%s", path, name), O_CREAT | O_WRONLY | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* Whole records, and torn_bytes of one more. */
static void put_events(const char *folder, size_t count, size_t torn_bytes)
{
	struct nx_ntrace_event event = {.timestamp_ns = 1, .event_type = 3};
	struct nx_bytes bytes = {0};
	size_t whole;

	for (size_t i = 0; i < count; i++)
		nx_ntrace_append(&bytes, &nx_ntrace_event_message, &event);
	whole = bytes.len;
	nx_ntrace_append(&bytes, &nx_ntrace_event_message, &event);
	bytes.len = whole + torn_bytes;
	put(folder, "ntrace.pb", bytes.items, bytes.len);
	nx_vec_release(&bytes);
}

static void put_info(const char *folder, uint64_t close_ns)
{
	struct nx_ntrace_info info = {.pid = 45, .init_ns = 100, .close_ns = close_ns};
	struct nx_bytes bytes = {0};

	nx_wire_encode(&nx_ntrace_info_message, &info, &bytes);
	put(folder, "trace_info.pb", bytes.items, bytes.len);
	nx_vec_release(&bytes);
}

/* To a time long before any test. */
static void make_old(const char *path)
{
	struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	assert_int_equal(
		utimensat(AT_FDCWD, nx_arena_printf(&arena, "%s/%s", root, path), times, 0), 0);
}

static struct nx_capture_found scan(uint64_t since_ns)
{
	struct nx_capture_found found = {0};

	assert_int_equal(nx_capture_found_scan(&found, root, since_ns, &arena, NULL), NX_OK);
	return found;
}

static int begin(void **state)
{
	(void)state;
	memcpy(root, "/tmp/capture_found.XXXXXX", sizeof(root));
	return mkdtemp(root) ? 0 : 1;
}

static int end(void **state)
{
	int st = system(nx_arena_printf(&arena, "rm -rf '%s'", root));

	(void)state;
	nx_arena_release(&arena);
	return st;
}

static void processes_are_counted_one_by_one(void **state)
{
	uint64_t since_ns = nx_capture_now_ns();
	struct nx_capture_found found;

	(void)state;
	put_events("i-2_pid_7", 5, 2);
	put_info("i-2_pid_7", 0);
	put("i-2_pid_7", ".disk_full", "", 0);
	put("i-1_pid_7", "m_instid_0_vnc_0.ntff", "123", 3);
	put("i-1_pid_7", "m_instid_0_vnc_1.ntff", "", 0);
	put("i-1_pid_7", "neff_m.neff", "12345", 5);
	put_events("i-1_pid_7/1700000000", 1, 0);
	put_info("i-1_pid_7/1700000000", 900);
	found = scan(since_ns);
	assert_int_equal(found.len, 3);
	assert_string_equal(found.items[0].path, "i-1_pid_7");
	assert_int_equal(found.items[0].ntff_count, 2);
	assert_int_equal(found.items[0].neff_count, 1);
	assert_int_equal(found.items[0].size_bytes, 8);
	assert_false(found.items[0].has_events);
	assert_string_equal(found.items[1].path, "i-1_pid_7/1700000000");
	assert_int_equal(found.items[1].event_count, 1);
	assert_false(found.items[1].has_no_end);
	assert_int_equal(found.items[2].event_count, 5);
	assert_true(found.items[2].has_no_end);
	assert_false(found.items[0].was_disk_full);
	assert_true(found.items[2].was_disk_full);
	assert_int_equal(found.total.event_count, 6);
	assert_int_equal(found.total.ntff_count, 2);
	assert_true(found.total.has_no_end);
	nx_capture_found_release(&found);
}

static void what_was_there_before_does_not_count(void **state)
{
	uint64_t since_ns = nx_capture_now_ns();
	struct nx_capture_found found;

	(void)state;
	put_events("i-1_pid_7", 5, 0);
	make_old("i-1_pid_7/ntrace.pb");
	put_events("other", 5, 0);
	put_events("i-1_pid_x", 5, 0);
	put_events("i-1_pid_7/other", 5, 0);
	put("i-1_pid_8", ".hidden", "x", 1);
	put("i-1_pid_8", "trace_info.pb.tmp123", "x", 1); /* of a process killed before it began */
	put(".", "i-1_pid_9", "a file", 6);
	found = scan(since_ns);
	assert_int_equal(found.len, 0);
	assert_int_equal(found.older_count, 1);
	put_events("i-1_pid_7/1700", 2, 0);
	found = scan(since_ns);
	assert_int_equal(found.len, 1);
	assert_int_equal(found.total.event_count, 2);
	nx_capture_found_release(&found);
}

static void damaged_files_are_counted_as_far_as_they_go(void **state)
{
	struct nx_capture_found found;

	(void)state;
	put("i-1_pid_7", "ntrace.pb", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11);
	put("i-1_pid_7", "trace_info.pb", "\xff\xff\xff", 3);
	put("i-1_pid_8", "ntrace.pb", "", 0);
	found = scan(0);
	assert_int_equal(found.len, 2);
	assert_int_equal(found.total.event_count, 0);
	assert_false(found.total.has_no_end);
	nx_capture_found_release(&found);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
	struct nx_capture_found found = {0};
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(nx_capture_found_scan(&found, "/nowhere", 0, &arena, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "cannot read the folder /nowhere"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(processes_are_counted_one_by_one),
		CASE(what_was_there_before_does_not_count),
		CASE(damaged_files_are_counted_as_far_as_they_go),
		CASE(a_folder_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
