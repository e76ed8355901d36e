/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "format/neff.h"
#include "format/ntff.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

static void a_core_has_sessions_of_its_own(void **state)
{
	char path[256];
	struct nx_arena arena = {0};
	struct nx_fixture_run run;
	uint64_t ids[3];

	(void)state;
	unsetenv("NEURON_RT_INSPECT_ENABLE");
	nx_fixture_init();
	run = nx_fixture_load(1);
	snprintf(path, sizeof(path), "%s/session.ntff", nx_fixture_folder());
	assert_int_equal(nrt_profile_session_stop(1, &ids[0]), NRT_INVALID);
	assert_int_equal(nrt_profile_session_start(99), NRT_INVALID);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nrt_profile_session_start(1), NRT_SUCCESS);
		assert_int_equal(nrt_profile_session_start(1), NRT_INVALID);
		assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, i + 1), 0);
		assert_int_equal(nrt_profile_session_stop(1, &ids[i]), NRT_SUCCESS);
		assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	}
	assert_int_equal(ids[1], ids[0] + 1);
	assert_int_equal(nrt_profile_session_serialize(ids[1], path), NRT_SUCCESS);
	assert_int_equal(nx_fixture_read_ntff(path, &arena).info.executions.count, 2);
	assert_int_equal(nrt_profile_session_serialize(ids[1], path), NRT_INVALID); /* forgotten */
	assert_int_equal(nrt_profile_session_drop(ids[0]), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_drop(ids[0]), NRT_INVALID);
	assert_int_equal(nrt_profile_session_drop_all(1), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_serialize(ids[2], path), NRT_INVALID);
	assert_int_equal(nrt_profile_session_start(1), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_stop(1, &ids[0]), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_serialize(ids[0], path),
			 NRT_INVALID); /* nothing ran */
	nx_arena_release(&arena);
}

static void a_session_that_cannot_be_written_stays(void **state)
{
	char path[256], nowhere[256];
	struct nx_arena arena = {0};
	struct nx_fixture_run run;
	uint64_t id;

	(void)state;
	unsetenv("NEURON_RT_INSPECT_ENABLE");
	nx_fixture_init();
	run = nx_fixture_load(1);
	snprintf(path, sizeof(path), "%s/session.ntff", nx_fixture_folder());
	snprintf(nowhere, sizeof(nowhere), "%s/none/session.ntff", nx_fixture_folder());
	assert_int_equal(nrt_profile_session_start(1), NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_stop(1, &id), NRT_SUCCESS);
	for (int i = 0; i < 2; i++)
		assert_int_not_equal(nrt_profile_session_serialize(id, nowhere), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_serialize(id, path), NRT_SUCCESS);
	assert_int_equal(nx_fixture_read_ntff(path, &arena).info.executions.count, 1);
	assert_int_equal(nrt_profile_session_drop(id), NRT_INVALID);
	nx_arena_release(&arena);
}

/* The id alone is no proof: an execution of another NEFF would show as one of the first. */
static void a_neff_with_the_id_of_another_is_left_out(void **state)
{
	const struct nx_bytes *neff = nx_fixture_neff();
	struct nx_bytes other = {0};
	char path[256];
	struct nx_arena arena = {0};
	struct nx_fixture_run run, again;
	struct nx_ntff ntff;
	nrt_model_t *model;
	uint64_t id;

	(void)state;
	unsetenv("NEURON_RT_INSPECT_ENABLE");
	nx_fixture_init();
	snprintf(path, sizeof(path), "%s/session.ntff", nx_fixture_folder());
	nx_bytes_append(&other, neff->items, neff->len);
	other.items[NX_NEFF_HEADER_BYTES - 1] ^= 1;
	assert_int_equal(nrt_load(other.items, other.len, 1, 1, &model), NRT_SUCCESS);
	run = nx_fixture_load(1);
	again = nx_fixture_load(1);
	assert_int_equal(nrt_profile_session_start(1), NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_execute(model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_execute(again.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_stop(1, &id), NRT_SUCCESS);
	assert_int_equal(nrt_profile_session_serialize(id, path), NRT_SUCCESS);
	ntff = nx_fixture_read_ntff(path, &arena);
	assert_int_equal(ntff.info.nodes.count, 1);
	assert_int_equal(ntff.info.executions.count, 2);
	nx_arena_release(&arena);
	nx_vec_release(&other);
}

static void one_model_is_profiled_between_start_and_stop(void **state)
{
	char path[200];
	struct nx_arena arena = {0};
	struct nx_fixture_run run;

	(void)state;
	snprintf(path, sizeof(path), "%s/one.ntff", getenv("NEURON_RT_INSPECT_OUTPUT_DIR"));
	setenv("NEURON_RT_INSPECT_ENABLE", "0", 1);
	nx_fixture_init();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_profile_stop(path), NRT_INVALID);
	assert_int_equal(nrt_profile_start(run.model, ""), NRT_INVALID);
	assert_int_equal(nrt_profile_start(run.model, "-"), NRT_INVALID); /* the host's output */
	assert_int_equal(nrt_profile_start(run.model, path), NRT_SUCCESS);
	assert_int_equal(nrt_profile_start(run.model, path), NRT_INVALID);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_profile_stop("other"), NRT_INVALID);
	assert_int_equal(nrt_profile_stop(path), NRT_SUCCESS);
	assert_int_equal(nx_fixture_read_ntff(path, &arena).info.executions.items[0].uid.len, 16);
	assert_int_equal(nrt_profile_start(run.model, "/no/such/folder/x.ntff"), NRT_SUCCESS);
	assert_int_equal(nrt_profile_stop("/no/such/folder/x.ntff"), NRT_INVALID);
	nx_arena_release(&arena);
}

static void ranks_of_one_process_are_profiled_at_once(void **state)
{
	const char *folder = getenv("NEURON_RT_INSPECT_OUTPUT_DIR");
	char first[200], second[200];
	struct nx_arena arena = {0};
	struct nx_fixture_run runs[2];

	(void)state;
	snprintf(first, sizeof(first), "%s/first.ntff", folder);
	snprintf(second, sizeof(second), "%s/second.ntff", folder);
	setenv("NEURON_RT_INSPECT_ENABLE", "0", 1);
	nx_fixture_init();
	runs[0] = nx_fixture_load(0);
	runs[1] = nx_fixture_load(1);
	assert_int_equal(nrt_profile_start(runs[0].model, first), NRT_SUCCESS);
	assert_int_equal(nrt_profile_start(runs[1].model, first), NRT_INVALID);
	assert_int_equal(nrt_profile_start(runs[1].model, second), NRT_SUCCESS);
	assert_int_equal(nrt_execute(runs[0].model, runs[0].inputs, runs[0].outputs), NRT_SUCCESS);
	assert_int_equal(nrt_profile_stop(first), NRT_SUCCESS);
	assert_int_equal(nrt_profile_stop(first), NRT_INVALID);
	assert_int_equal(nrt_profile_stop(second), NRT_SUCCESS);
	assert_int_equal(nx_fixture_read_ntff(first, &arena).info.executions.count, 1);
	assert_int_equal(nx_fixture_read_ntff(second, &arena).info.executions.count,
			 0); /* it did not run */
	nx_arena_release(&arena);
}

static void continuous_profiling_saves_on_request(void **state)
{
	nrt_profile_continuous_options_t *options;
	struct nx_fixture_run run;

	(void)state;
	setenv("NEURON_RT_INSPECT_ENABLE", "0", 1);
	nx_fixture_init();
	run = nx_fixture_load(3);
	assert_int_equal(nrt_profile_continuous_options_allocate(&options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_options_set_output_dir(options, ""), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_options_set_output_dir(
				 options, getenv("NEURON_RT_INSPECT_OUTPUT_DIR")),
			 NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_stop(), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_save(3, options), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_start(NULL), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_start(options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_start(options), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_save(3, options), NRT_INVALID); /* nothing ran */
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count(".ntff"), 0);
	assert_int_equal(nrt_profile_continuous_save(3, options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_save(3, options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_save(2, options), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_save(9, options), NRT_INVALID);
	assert_int_equal(nx_fixture_count(".ntff"), 2);
	assert_int_equal(nrt_profile_continuous_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_options_free(options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_options_free(NULL), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_options_allocate(NULL), NRT_INVALID);
}

static void inspect_and_continuous_exclude_each_other(void **state)
{
	nrt_profile_continuous_options_t *options;

	(void)state;
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "1", 1);
	nx_fixture_init();
	assert_int_equal(nrt_profile_continuous_options_allocate(&options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_start(options), NRT_INVALID);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_start(options), NRT_SUCCESS);
	nrt_profile_continuous_options_free(options);
}

#define CASE(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fixture_begin_inspect, nx_fixture_end_inspect)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_core_has_sessions_of_its_own),
		CASE(a_session_that_cannot_be_written_stays),
		CASE(a_neff_with_the_id_of_another_is_left_out),
		CASE(one_model_is_profiled_between_start_and_stop),
		CASE(ranks_of_one_process_are_profiled_at_once),
		CASE(continuous_profiling_saves_on_request),
		CASE(inspect_and_continuous_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
