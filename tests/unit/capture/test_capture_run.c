/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/capture_run.h"
#include "tests/unit/granted_threads.h"

#define GIVEN(n) ((struct nx_capture_count){true, n})

struct heard {
	unsigned warned, steps;
	char last[1024];
};

static void warn(void *context, const char *sentence)
{
	struct heard *heard = context;

	heard->warned++;
	snprintf(heard->last, sizeof(heard->last), "%s", sentence);
}

static void step(void *context)
{
	((struct heard *)context)->steps++;
}

static struct nx_runtime_library lib;
static char folder[64];

static int set_up(void **state)
{
	struct nx_error err;

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/nx-run-XXXXXX");
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	return nx_runtime_library_open(&lib, getenv("FAKE_NRT"), &err) != NX_OK;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int forget_wishes(void **state)
{
	(void)state;
	unsetenv("FAKE_NRT_FAIL");
	unsetenv("FAKE_NRT_FAIL_ALSO");
	unsetenv("FAKE_NRT_ONE_PROFILE");
	unsetenv("NEURON_RT_NUM_CORES");
	return 0;
}

static struct nx_capture_tensor tensors[] = {
	{.name = "x", .size_bytes = 3u << 20 | 5},
	{.name = "y",
	 .size_bytes = 3,
	 .is_output = true,
	 .dtype = NRT_DTYPE_UINT8,
	 .dims = 1,
	 .shape = {3}},
};

static enum nx_status run(const struct nx_capture_wishes *wishes, bool has_collectives,
			  struct heard *heard, struct nx_capture_result *result,
			  struct nx_error *err)
{
	struct nx_capture_model model = {
		.tensors = tensors, .tensor_count = 2, .has_collectives = has_collectives};
	struct nx_capture_listener listener = {warn, step, heard};
	struct nx_arena arena = {0};
	struct nx_capture_plan plan;
	struct nx_capture_job job = {.library = &lib,
				     .plan = &plan,
				     .model = &model,
				     .arena = &arena,
				     .neff = nx_slice_text("a model"),
				     .listener = &listener};
	enum nx_status st;

	memset(heard, 0, sizeof(*heard));
	memset(result, 0, sizeof(*result));
	st = nx_capture_plan_make(&plan, wishes, &model, &arena, err);
	if (!st)
		st = nx_capture_run(&job, result, err);
	nx_arena_release(&arena);
	return st;
}

static const char *path_at(const struct nx_capture_result *result, size_t index)
{
	return index < result->sessions.len ? result->sessions.items[index].path : "";
}

static void test_workers_side_by_side(void **state)
{
	struct nx_capture_wishes wishes = {.neff_path = "m",
					   .session_path = "deep/er/p.ntff",
					   .workers = GIVEN(4),
					   .executions = GIVEN(5),
					   .profile_nth = GIVEN(2),
					   .saves_raw = true};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_OK);
	assert_string_equal(getenv("NEURON_RT_NUM_CORES"), "4");
	assert_int_equal(heard.steps, 20);
	assert_int_equal(heard.warned, 1); /* x is zero */
	assert_int_equal(result.sessions.len, 8);
	assert_string_equal(path_at(&result, 0), "deep/er/p_rank_0_exec_2.ntff");
	assert_string_equal(path_at(&result, 7), "deep/er/p_rank_3_exec_4.ntff");
	assert_int_equal(access("deep/er/p_rank_2_exec_4.ntff", R_OK), 0);
	/* outputs by execution, then by rank, however the threads took turns */
	assert_int_equal(result.outputs.len, 20);
	for (uint32_t i = 0; i < 20; i++) {
		char path[64], nth[8] = "";

		if (i >= 4)
			snprintf(nth, sizeof(nth), ".%u", i / 4 + 1);
		snprintf(path, sizeof(path), "output_worker_%u/y%s", i % 4, nth);
		assert_string_equal(result.outputs.items[i].tensor, "y");
		assert_string_equal(result.outputs.items[i].path, path);
		assert_int_equal(access(path, R_OK), 0);
	}
	nx_capture_result_release(&result);
}

/* A runtime that profiles one model at a time makes workers take turns. */
static void test_turns(void **state)
{
	struct nx_capture_wishes wishes = {
		.neff_path = "m", .workers = GIVEN(4), .executions = GIVEN(6)};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	setenv("FAKE_NRT_ONE_PROFILE", "1", 1);
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_OK);
	assert_int_equal(result.sessions.len, 24);
	nx_capture_result_release(&result);
}

static void test_queued(void **state)
{
	struct nx_capture_wishes wishes = {.neff_path = "m",
					   .workers = GIVEN(3),
					   .executions = GIVEN(50),
					   .mode = NX_CAPTURE_ASYNC,
					   .ignores_errors = true,
					   .is_unprofiled = true};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	setenv("FAKE_NRT_FAIL", "execution=1006@7", 1);
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_OK);
	assert_int_equal(heard.steps, 150);
	assert_int_equal(result.failed_count, 1);
	nx_capture_result_release(&result);
}

/* One rank fails to load: none executes. */
static void test_one_fails(void **state)
{
	struct nx_capture_wishes wishes = {.neff_path = "m", .workers = GIVEN(4)};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	setenv("FAKE_NRT_FAIL", "nrt_load_collectives=1206@1", 1);
	assert_int_equal(run(&wishes, true, &heard, &result, &err), NX_IO);
	assert_int_equal(strncmp(err.message, "rank ", 5), 0);
	assert_non_null(strstr(err.message, "NRT_NETWORK_PROXY_FAILURE"));
	assert_int_equal(heard.steps, 0);
	assert_int_equal(result.sessions.len, 0);
	nx_capture_result_release(&result);
}

/* Ranks that were started would wait for the one that is missing. */
static void test_no_thread_for_a_rank(void **state)
{
	struct nx_capture_wishes wishes = {.neff_path = "m", .workers = GIVEN(4)};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	threads_left = 2;
	assert_int_equal(run(&wishes, true, &heard, &result, &err), NX_LIMIT);
	threads_left = THREADS_ENOUGH;
	assert_non_null(strstr(err.message, "the system refuses to start a thread"));
	assert_int_equal(heard.steps, 0);
	assert_int_equal(result.sessions.len, 0);
	nx_capture_result_release(&result);
}

static void test_more_than_cores(void **state)
{
	struct nx_capture_wishes wishes = {.neff_path = "m", .workers = GIVEN(5)};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_LIMIT);
	nx_capture_result_release(&result);
}

/* A profile of an execution that failed is not kept unless asked for. */
static void test_what_is_left(void **state)
{
	struct nx_capture_wishes wishes = {
		.neff_path = "m", .session_path = "left.ntff", .executions = GIVEN(3)};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	setenv("FAKE_NRT_FAIL", "nrt_execute=1004", 1);
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_IO);
	assert_int_equal(access("left.ntff", F_OK), -1);
	assert_int_equal(result.sessions.len, 0);
	nx_capture_result_release(&result);
	/* of two failures the first is reported: the second follows from it */
	setenv("FAKE_NRT_FAIL_ALSO", "nrt_profile_stop=6", 1);
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_IO);
	assert_null(strstr(err.message, "writing the profile"));
	nx_capture_result_release(&result);
}

/* An output that cannot be saved does not cost the profiles of this or later executions. */
static void test_profiles_outlive_outputs(void **state)
{
	struct nx_capture_wishes wishes = {.neff_path = "m",
					   .session_path = "kept.ntff",
					   .executions = GIVEN(3),
					   .saves_raw = true};
	struct nx_capture_result result;
	struct nx_error err;
	struct heard heard;

	(void)state;
	setenv("FAKE_NRT_FAIL", "nrt_tensor_read=5@2", 1);
	assert_int_equal(run(&wishes, false, &heard, &result, &err), NX_IO);
	assert_non_null(strstr(err.message, "failed to save output y"));
	assert_int_equal(result.sessions.len, 3);
	assert_int_equal(access("kept_exec_3.ntff", R_OK), 0);
	assert_int_equal(result.outputs.len, 1);
	nx_capture_result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_workers_side_by_side, forget_wishes),
		cmocka_unit_test_teardown(test_turns, forget_wishes),
		cmocka_unit_test_teardown(test_queued, forget_wishes),
		cmocka_unit_test_teardown(test_one_fails, forget_wishes),
		cmocka_unit_test_teardown(test_no_thread_for_a_rank, forget_wishes),
		cmocka_unit_test_teardown(test_more_than_cores, forget_wishes),
		cmocka_unit_test_teardown(test_what_is_left, forget_wishes),
		cmocka_unit_test_teardown(test_profiles_outlive_outputs, forget_wishes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
