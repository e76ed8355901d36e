/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/session_file.h"

static const char *const first_files[] = {"a_9012.xplane.pb", "a_9012/"};
static const struct nx_session_host hosts[] = {
	{.address = "a:9012",
	 .state = NX_SESSION_HOST_CAPTURED,
	 .has_clock = true,
	 .clock_offset_ns = -9007199254740993, /* a double would lose the 3 */
	 .clock_uncertainty_ns = 40,
	 .files = first_files,
	 .file_count = 2},
	{.address = "[::1]:9013",
	 .state = NX_SESSION_HOST_FAILED,
	 .failure = "[::1]:9013: connection refused"},
};
static const struct nx_session_file session = {
	.kind = NX_SESSION_ON_DEMAND,
	.name = "2026_08_17_22_58_50",
	.reason = "a step took \"long\"",
	.started_ns = 1787000000000000001,
	.ended_ns = 1787000001000000002,
	.hosts = hosts,
	.host_count = 2,
};

static void check_same(const struct nx_session_file *got)
{
	assert_int_equal(got->kind, NX_SESSION_ON_DEMAND);
	assert_string_equal(got->name, session.name);
	assert_string_equal(got->reason, session.reason);
	assert_true(got->started_ns == session.started_ns);
	assert_true(got->ended_ns == session.ended_ns);
	assert_int_equal(got->host_count, 2);
	assert_string_equal(got->hosts[0].address, "a:9012");
	assert_int_equal(got->hosts[0].state, NX_SESSION_HOST_CAPTURED);
	assert_null(got->hosts[0].failure);
	assert_true(got->hosts[0].has_clock);
	assert_true(got->hosts[0].clock_offset_ns == hosts[0].clock_offset_ns);
	assert_int_equal(got->hosts[0].clock_uncertainty_ns, 40);
	assert_int_equal(got->hosts[0].file_count, 2);
	assert_string_equal(got->hosts[0].files[1], "a_9012/");
	assert_int_equal(got->hosts[1].state, NX_SESSION_HOST_FAILED);
	assert_string_equal(got->hosts[1].failure, hosts[1].failure);
	assert_false(got->hosts[1].has_clock);
	assert_int_equal(got->hosts[1].file_count, 0);
}

static void what_is_written_is_read_again(void **state)
{
	char folder[] = "/tmp/nx_session_XXXXXX", path[64];
	struct nx_arena arena = {0};
	struct nx_session_file got;
	struct nx_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(nx_session_file_read(folder, &arena, &got, &err), NX_NOT_FOUND);
	assert_int_equal(nx_session_file_write(folder, &session, &err), NX_OK);
	assert_int_equal(nx_session_file_read(folder, &arena, &got, &err), NX_OK);
	check_same(&got);
	(void)snprintf(path, sizeof(path), "%s/session.json", folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	nx_arena_release(&arena);
}

static enum nx_status decode(const char *text, struct nx_session_file *got, struct nx_arena *arena)
{
	struct nx_error err;

	return nx_session_file_decode(nx_slice_text(text), arena, got, &err);
}

static void members_of_later_versions_are_ignored(void **state)
{
	struct nx_arena arena = {0};
	struct nx_session_file got;

	(void)state;
	assert_int_equal(decode("{\"version\":1,\"kind\":\"snapshot\",\"session\":\"s\",\"x\":[1]}",
				&got, &arena),
			 NX_OK);
	assert_int_equal(got.kind, NX_SESSION_SNAPSHOT);
	assert_null(got.reason);
	assert_int_equal(got.host_count, 0);
	assert_true(got.started_ns == 0);
	assert_int_equal(decode("{\"version\":2,\"kind\":\"snapshot\",\"session\":\"s\"}", &got,
				&arena),
			 NX_VERSION);
	nx_arena_release(&arena);
}

static void what_is_no_session_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{\"kind\":\"snapshot\",\"session\":\"s\"}",
		"{\"version\":1,\"kind\":\"other\",\"session\":\"s\"}",
		"{\"version\":1,\"kind\":\"snapshot\"}",
		"{\"version\":1,\"kind\":\"snapshot\",\"session\":\"s\",\"hosts\":[{}]}",
		"{\"version\":1,\"kind\":\"snapshot\",\"session\":\"s\",\"hosts\":[{\"address\":"
		"\"a\","
		"\"state\":\"captured\",\"files\":[\"../a\"]}]}",
		"{\"version\":1,\"kind\":\"snapshot\",\"session\":\"s\",\"hosts\":[{\"address\":"
		"\"a\","
		"\"state\":\"captured\",\"files\":[\"/\"]}]}",
	};
	struct nx_arena arena = {0};
	struct nx_session_file got;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(decode(texts[i], &got, &arena), NX_FORMAT);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(members_of_later_versions_are_ignored),
		cmocka_unit_test(what_is_no_session_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
