/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "serve/processing_child.h"
#include "tests/unit/store/workspace_fixture.h"

struct seen {
	char stages[256];
	unsigned count;
	atomic_bool is_cancelled;
	bool cancels;
};

static void note(void *context, double fraction, const char *stage)
{
	struct seen *seen = context;
	size_t used = strlen(seen->stages);

	snprintf(seen->stages + used, sizeof(seen->stages) - used, "%.2f %s;", fraction, stage);
	seen->count++;
	if (seen->cancels)
		atomic_store(&seen->is_cancelled, true);
}

static enum nx_status run(const char *script, struct seen *seen, struct nx_error *err)
{
	const char *const arguments[] = {"-c", script, NULL};
	struct nx_processing_child how = {
		.program = "/bin/sh",
		.arguments = arguments,
		.status_file = "status.json",
		.is_cancelled = &seen->is_cancelled,
		.on_step = note,
		.context = seen,
	};

	return nx_processing_child_run(&how, err);
}

/* The shell's loop of builtins needs no other process. */
static void processor_time_is_limited(void **state)
{
	const char *const arguments[] = {"-c", "while :; do :; done", NULL};
	struct seen seen = {0};
	struct nx_error err;
	struct nx_processing_child how = {
		.program = "/bin/sh",
		.arguments = arguments,
		.status_file = "status.json",
		.is_cancelled = &seen.is_cancelled,
		.processor_seconds = 1,
		.on_step = note,
		.context = &seen,
	};

	(void)state;
	assert_int_equal(nx_processing_child_run(&how, &err), NX_LIMIT);
	assert_string_equal(err.message, "processing took more than 1 s of processor time, the "
					 "limit; is a file damaged?");
}

static void limits_are_set(void **state)
{
	struct seen seen = {0};

	(void)state;
	/* They are set from outside while the command runs, the number of files last. */
	assert_int_equal(run("until test $(ulimit -n) = 4096; do sleep 0.01; done; "
			     "test $(ulimit -c) = 0 && test "
			     "$(ulimit -t) = 21600 && test $(ulimit -f) != unlimited || "
			     "printf '0.5 no\\n' >&3",
			     &seen, NULL),
			 NX_OK);
	assert_string_equal(seen.stages, "");
}

static void steps_are_told(void **state)
{
	struct seen seen = {0};

	(void)state;
	assert_int_equal(run("printf '0.00 reading\\n0.50 rea' >&3; sleep 0.1; "
			     "printf 'ding\\n1.0000 storing it\\n' >&3",
			     &seen, NULL),
			 NX_OK);
	assert_string_equal(seen.stages, "0.00 reading;0.50 reading;1.00 storing it;");
}

static void lines_that_make_no_sense_are_left_out(void **state)
{
	struct seen seen = {0};

	(void)state;
	assert_int_equal(run("printf 'x\\n\\n2.0 a\\n-1 b\\nnan c\\n0.5\\n0.5x d\\n0.5 e\\n' >&3; "
			     "head -c 100000 /dev/zero | tr '\\0' a >&3; printf '\\n0.6 f\\n' >&3",
			     &seen, NULL),
			 NX_OK);
	assert_non_null(strstr(seen.stages, "0.50 e;"));
	assert_non_null(strstr(seen.stages, "0.60 f;"));
	assert_int_equal(seen.count, 2);
}

static void a_failure_has_its_sentence(void **state)
{
	struct nx_error err = {0};
	struct seen seen = {0};

	(void)state;
	put_file("status.json", "{\"status_code\":5,\"message\":\"a.ntff is cut\"}");
	assert_int_equal(run("exit 5", &seen, &err), NX_FORMAT);
	assert_string_equal(err.message, "a.ntff is cut");
	put_file("status.json", "no JSON");
	assert_int_equal(run("exit 5", &seen, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "without a message"));
}

static void a_crash_is_told(void **state)
{
	struct nx_error err = {0};
	struct seen seen = {0};

	(void)state;
	assert_int_equal(run("kill -SEGV $$", &seen, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "signal 11"));
	assert_int_equal(run("kill -KILL $$", &seen, &err), NX_LIMIT);
	assert_non_null(strstr(err.message, "memory"));
}

static void giving_up_ends_it_with_all_it_started(void **state)
{
	struct nx_error err = {0};
	struct seen seen = {.cancels = true};

	(void)state;
	assert_int_equal(run("sleep 600 & printf '0.1 a\\n' >&3; sleep 600", &seen, &err),
			 NX_CANCELLED);
}

static void what_is_no_program_is_told(void **state)
{
	const char *const arguments[] = {NULL};
	struct nx_error err = {0};
	struct seen seen = {0};
	struct nx_processing_child how = {.program = "/nonexistent",
					  .arguments = arguments,
					  .status_file = "status.json",
					  .is_cancelled = &seen.is_cancelled,
					  .on_step = note,
					  .context = &seen};

	(void)state;
	assert_int_equal(nx_processing_child_run(&how, &err), NX_NOT_FOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(steps_are_told),
		CASE(processor_time_is_limited),
		CASE(limits_are_set),
		CASE(lines_that_make_no_sense_are_left_out),
		CASE(a_failure_has_its_sentence),
		CASE(a_crash_is_told),
		CASE(giving_up_ends_it_with_all_it_started),
		CASE(what_is_no_program_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
