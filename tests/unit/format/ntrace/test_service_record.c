/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/service_record.h"

static void a_record_is_read_as_it_was_written(void **state)
{
	const struct nx_service_record record = {.pid = 4711,
						 .process_start = 9007199254740993, /* 2^53 + 1 */
						 .started_ns = 1700000000123456789,
						 .host = "::1",
						 .port = 9012,
						 .command = "train \"x\"",
						 .needs_token = true};
	struct nx_service_record back;
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_error err = {0};

	(void)state;
	nx_service_record_append(&bytes, &record);
	assert_int_equal(nx_service_record_read(nx_slice_of(bytes.items, bytes.len), &back, &arena,
						&err),
			 NX_OK);
	assert_int_equal(back.pid, record.pid);
	assert_true(back.process_start == record.process_start);
	assert_true(back.started_ns == record.started_ns);
	assert_string_equal(back.host, "::1");
	assert_int_equal(back.port, 9012);
	assert_string_equal(back.command, record.command);
	assert_true(back.needs_token);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void other_files_are_no_records(void **state)
{
	static const char *const texts[] = {"",
					    "{",
					    "[]",
					    "{}",
					    "{\"pid\":\"1\",\"host\":\"::1\",\"port\":\"99999\"}",
					    "{\"pid\":\"1\",\"host\":\"\",\"port\":\"9\"}"};
	struct nx_service_record back;
	struct nx_arena arena = {0};
	struct nx_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(nx_service_record_read(nx_slice_text(texts[i]), &back, &arena,
							&err),
				 NX_FORMAT);
	nx_arena_release(&arena);
}

static void a_process_that_ended_is_not_alive(void **state)
{
	struct nx_service_record record = {.pid = (uint64_t)getpid()};
	pid_t pid;

	(void)state;
	record.process_start = nx_service_process_start(record.pid);
	assert_true(record.process_start > 0);
	assert_true(nx_service_record_is_alive(&record));
	record.process_start++; /* another process with the same number */
	assert_false(nx_service_record_is_alive(&record));
	pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(nx_service_process_start((uint64_t)pid), 0);
}

static void the_folder_is_that_of_the_user(void **state)
{
	char folder[64], expected[64];

	(void)state;
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	assert_true(nx_service_record_folder(folder, sizeof(folder)));
	assert_string_equal(folder, "/run/user/7/neuron-explorer/services");
	assert_false(nx_service_record_folder(folder, 16));
	unsetenv("XDG_RUNTIME_DIR");
	assert_true(nx_service_record_folder(folder, sizeof(folder)));
	snprintf(expected, sizeof(expected), "/tmp/neuron-explorer-%u/services",
		 (unsigned)getuid());
	assert_string_equal(folder, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_read_as_it_was_written),
		cmocka_unit_test(other_files_are_no_records),
		cmocka_unit_test(a_process_that_ended_is_not_alive),
		cmocka_unit_test(the_folder_is_that_of_the_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
