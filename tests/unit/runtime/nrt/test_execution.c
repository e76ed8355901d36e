/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_experimental.h>
#include <nrt/nrt_sys_trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_reader.h"
#include "format/neff.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

static void a_model_tells_its_tensors(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(1);
	nrt_tensor_info_array_t *list;
	nrt_model_info_t info;
	uint32_t count;
	size_t size;

	(void)state;
	assert_int_equal(nrt_get_model_tensor_info(run.model, &list), NRT_SUCCESS);
	assert_int_equal(list->tensor_count, 2);
	assert_string_equal(list->tensor_array[0].name, nx_fixture_input);
	assert_int_equal(list->tensor_array[0].usage, NRT_TENSOR_USAGE_INPUT);
	assert_int_equal(list->tensor_array[0].size, 524288);
	assert_int_equal(list->tensor_array[0].dtype, NRT_DTYPE_BFLOAT16);
	assert_int_equal(list->tensor_array[0].ndim, 2);
	assert_int_equal(list->tensor_array[0].shape[0] * list->tensor_array[0].shape[1], 262144);
	assert_string_equal(list->tensor_array[1].name, nx_fixture_output);
	assert_int_equal(list->tensor_array[1].usage, NRT_TENSOR_USAGE_OUTPUT);
	assert_int_equal(nrt_free_model_tensor_info(list), NRT_SUCCESS);
	assert_int_equal(nrt_free_model_tensor_info(NULL), NRT_INVALID);
	assert_int_equal(nrt_get_model_tensor_info(run.model, NULL), NRT_INVALID);
	assert_int_equal(nrt_get_model_nc_count(run.model, &count), NRT_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(nrt_get_model_vnc_count(run.model, NULL), NRT_INVALID);
	assert_int_equal(nrt_get_model_instance_count(run.model, &count), NRT_SUCCESS);
	assert_int_equal(nrt_get_model_info(run.model, &info, sizeof(info), &size), NRT_SUCCESS);
	assert_int_equal(info.vnc, 1);
	assert_int_equal(size, sizeof(info));
	assert_int_equal(nrt_get_model_info(run.model, NULL, 4, &size), NRT_INVALID);
}

static NRT_STATUS load_bytes(const void *bytes, size_t len)
{
	nrt_model_t *model;

	return nrt_load(bytes, len, 0, -1, &model);
}

static void what_is_no_neff_is_refused(void **state)
{
	const struct nx_bytes *neff = nx_fixture_neff();
	char *copy = malloc(neff->len);

	(void)state;
	memcpy(copy, neff->items, neff->len);
	assert_int_equal(load_bytes(NULL, 5), NRT_INVALID);
	assert_int_equal(load_bytes(copy, 0), NRT_INVALID);
	assert_int_equal(load_bytes("no neff", 7), NRT_INVALID);
	for (size_t len = 1; len < neff->len; len += 1 + neff->len / 50)
		assert_int_equal(load_bytes(copy, len), NRT_INVALID);
	copy[0] = 9; /* package version */
	assert_int_equal(load_bytes(copy, neff->len), NRT_UNSUPPORTED_NEFF_VERSION);
	free(copy);
	assert_int_equal(load_bytes(neff->items, neff->len), NRT_SUCCESS);
}

static void members_that_lie_are_refused(void **state)
{
	static const char kelf[] = "{\"graphs\":[{\"definition\":\"sg00/def.json\"}]}";
	static const struct {
		const char *kelf, *definition;
		NRT_STATUS want;
	} cases[] = {
		{"", "{}", NRT_INVALID},
		{"[]", "{}", NRT_INVALID},
		{"{\"graphs\":[]}", "{}", NRT_INVALID},
		{"{\"graphs\":[{}]}", "{}", NRT_INVALID},
		{kelf, "", NRT_INVALID},
		{kelf, "{\"var\":[]}", NRT_INVALID},
		{kelf, "{\"var\":{}}", NRT_SUCCESS},
		{kelf, "{\"var\":{\"a\":7,\"b\":{\"type\":\"input\",\"size\":-3}}}", NRT_SUCCESS},
		{kelf, "{\"var\":{\"a\":{\"type\":\"file\",\"size\":18446744073709551615}}}",
		 NRT_RESOURCE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_neff_header header = {.package_version = 2,
						.header_size = NX_NEFF_HEADER_BYTES,
						.major_version = 2};
		struct nx_neff_member members[] = {
			{nx_slice_text("kelf-0.json"), nx_slice_text(cases[i].kelf)},
			{nx_slice_text("sg00/def.json"), nx_slice_text(cases[i].definition)}};
		struct nx_bytes neff = {0};

		nx_neff_write(&header, members, 2, &neff);
		assert_int_equal(load_bytes(neff.items, neff.len), cases[i].want);
		nx_vec_release(&neff);
	}
}

static void cores_are_chosen(void **state)
{
	const struct nx_bytes *neff = nx_fixture_neff();
	nrt_model_t *models[5];
	nrt_model_info_t info;
	size_t size;

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(nrt_load(neff->items, neff->len, -1, -1, &models[i]), NRT_SUCCESS);
		assert_int_equal(nrt_get_model_info(models[i], &info, sizeof(info), &size),
				 NRT_SUCCESS);
		assert_int_equal(info.vnc, i % 4);
	}
	assert_int_equal(nrt_unload(models[2]), NRT_SUCCESS);
	assert_int_equal(nrt_unload(models[2]), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_load(neff->items, neff->len, 4, -1, &models[0]),
			 NRT_LOAD_NOT_ENOUGH_NC);
	assert_int_equal(nrt_load(neff->items, neff->len, 3, 2, &models[0]),
			 NRT_LOAD_NOT_ENOUGH_NC);
	assert_int_equal(nrt_load(neff->items, neff->len, -2, 1, &models[0]), NRT_INVALID);
	assert_int_equal(nrt_load(neff->items, neff->len, 0, 0, &models[0]), NRT_INVALID);
	assert_int_equal(nrt_load_collectives(neff->items, neff->len, 0, -1, 0, 1, &models[0]),
			 NRT_SUCCESS);
	assert_int_equal(nrt_load_collectives(neff->items, neff->len, 0, -1, 3, 3, &models[0]),
			 NRT_INVALID);
}

static void outputs_are_written(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(0);
	uint8_t last = 1;

	(void)state;
	assert_int_equal(nrt_tensor_memset(run.output, 0, 7, nx_fixture_tensor_bytes()),
			 NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(run.output, &last, nx_fixture_tensor_bytes() - 1, 1),
			 NRT_SUCCESS);
	assert_int_equal(last, 0); /* the idle device writes zeros */
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 3), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_check_output_completion(run.output, 0, 4), NRT_SUCCESS);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 0), NRT_INVALID);
}

static void missing_and_small_tensors_are_bad_input(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(0);
	nrt_tensor_t *small, *empty;

	(void)state;
	assert_int_equal(nrt_execute(run.model, NULL, run.outputs), NRT_EXEC_BAD_INPUT);
	assert_int_equal(nrt_execute(run.model, run.inputs, NULL), NRT_EXEC_BAD_INPUT);
	assert_int_equal(nrt_execute(run.model, run.outputs, run.inputs), NRT_EXEC_BAD_INPUT);
	assert_int_equal(nrt_execute(run.model, run.model, run.outputs), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 100, "s", &small),
			 NRT_SUCCESS);
	assert_int_equal(nrt_add_tensor_to_tensor_set(run.inputs, nx_fixture_input, small),
			 NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_EXEC_BAD_INPUT);
	assert_int_equal(nrt_tensor_allocate_empty("e", &empty), NRT_SUCCESS);
	assert_int_equal(nrt_add_tensor_to_tensor_set(run.inputs, nx_fixture_input, empty),
			 NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_EXEC_BAD_INPUT);
}

struct calls {
	unsigned count;
	uint32_t core;
	NRT_STATUS status;
};

static void note_call(void *params, uint32_t model_id, uint32_t vnc, uint64_t job_id,
		      NRT_STATUS status)
{
	struct calls *calls = params;

	assert_true(model_id > 0 && job_id > 0);
	calls->count++;
	calls->core = vnc;
	calls->status = status;
}

static void a_callback_hears_of_every_execution(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(2);
	struct calls calls = {0};

	(void)state;
	assert_int_equal(nrt_register_async_exec_callback(note_call, &calls), NRT_SUCCESS);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 2), NRT_SUCCESS);
	assert_int_equal(calls.count, 2);
	assert_int_equal(calls.core, 2);
	assert_int_equal(calls.status, NRT_SUCCESS);
	nrt_execute(run.model, NULL, NULL);
	assert_int_equal(calls.status, NRT_EXEC_BAD_INPUT);
	assert_int_equal(nrt_register_async_exec_callback(NULL, NULL), NRT_SUCCESS);
	nrt_execute(run.model, run.inputs, run.outputs);
	assert_int_equal(calls.count, 3);
}

/* --- the trace -------------------------------------------------------------------------- */

struct fetched {
	char *text;
	size_t len;
	struct nx_arena arena;
	const struct nx_json *events;
};

static struct fetched fetch(const nrt_sys_trace_fetch_options_t *options)
{
	struct fetched fetched = {0};
	struct nx_json *root;

	assert_int_equal(nrt_sys_trace_fetch_events(&fetched.text, &fetched.len, options),
			 NRT_SUCCESS);
	assert_int_equal(fetched.text[fetched.len], '\0');
	assert_int_equal(nx_json_parse(nx_slice_of(fetched.text, fetched.len), &fetched.arena,
				       &root, NULL),
			 NX_OK);
	assert_int_equal(nx_json_as_u64(nx_json_get(root, "data_version"), 0), 2);
	fetched.events = nx_json_get(root, "events");
	return fetched;
}

static void release(struct fetched *fetched)
{
	nx_arena_release(&fetched->arena);
	nrt_sys_trace_buffer_free(fetched->text);
}

static void expect_event(const struct nx_json *event, const char *type, const char *phase)
{
	if (!nx_slice_is(nx_json_as_slice(nx_json_get(event, "event_type")), type) ||
	    !nx_slice_is(nx_json_as_slice(nx_json_get(event, "phase")), phase))
		fail_msg("%.*s instead of %s %s",
			 (int)nx_json_as_slice(nx_json_get(event, "event_type")).len,
			 nx_json_as_slice(nx_json_get(event, "event_type")).data, type, phase);
}

static void an_execution_leaves_the_events_of_a_real_one(void **state)
{
	static const struct {
		const char *type, *phase;
	} want[] = {
		{"nrt_execute", "start"},
		{"nrt_model_submit", "start"},
		{"kbl_exec_pre", "start"},
		{"kbl_exec_pre", "stop"},
		{"kmgr_exec_core", "start"},
		{"nrt_model_submit", "stop"},
		{"kbl_exec_wait", "start"},
		{"timestamp_sync_point", "instant"},
		{"nc_model_switch", "start"},
		{"nc_model_switch", "stop"},
		{"nc_exec_running", "start"},
		{"nc_exec_running", "stop"},
		{"exec_consume_gpsimd_stdio", "start"},
		{"exec_consume_gpsimd_stdio", "stop"},
		{"notification_consume_errors", "start"},
		{"notification_consume_errors", "stop"},
		{"kbl_exec_wait", "stop"},
		{"kmgr_exec_core", "stop"},
		{"kbl_exec_post", "start"},
		{"kbl_exec_post", "stop"},
		{"nrt_execute", "stop"},
	};
	size_t count = sizeof(want) / sizeof(want[0]);
	struct nx_fixture_run run = nx_fixture_load(1);
	const struct nx_json *running, *sync, *first;
	struct fetched fetched;

	(void)state;
	assert_int_equal(nrt_sys_trace_start(NULL), NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	fetched = fetch(NULL);
	assert_int_equal(fetched.events->count, count);
	for (size_t i = 0; i < count; i++) {
		expect_event(&fetched.events->children[i], want[i].type, want[i].phase);
		assert_int_equal(nx_json_as_u64(nx_json_get(&fetched.events->children[i], "id"), 0),
				 (UINT64_C(1) << 50) + i + 1);
	}
	first = &fetched.events->children[0];
	assert_int_equal(nx_json_as_u64(nx_json_get(first, "nc_idx"), 9), 1);
	assert_int_equal(nx_json_as_u64(nx_json_get(first, "thread_id"), 0), getpid());
	assert_int_equal(
		nx_json_as_u64(nx_json_get(first, "tracking_id"), 0),
		nx_json_as_u64(nx_json_get(&fetched.events->children[count - 1], "tracking_id"),
			       1));
	/* timestamp = device time + (cpu - device) of the sync point */
	sync = nx_json_get(&fetched.events->children[7], "data");
	running = &fetched.events->children[10];
	assert_int_equal(
		nx_json_as_u64(nx_json_get(running, "timestamp_ns"), 0),
		nx_json_as_u64(nx_json_get(nx_json_get(running, "data"), "nc_timestamp_ns"), 0) +
			nx_json_as_u64(nx_json_get(sync, "cpu_timestamp_ns"), 0) -
			nx_json_as_u64(nx_json_get(sync, "nc_timestamp_ns"), 0));
	release(&fetched);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	fetched = fetch(NULL); /* fetched events are gone; the same model needs no switch */
	assert_int_equal(fetched.events->count, count - 2);
	release(&fetched);
	assert_int_equal(nrt_sys_trace_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_sys_trace_stop(), NRT_INVALID);
}

static void tensors_and_loads_are_traced(void **state)
{
	struct nx_fixture_run run;
	struct fetched fetched;
	unsigned loads = 0, allocations = 0, writes = 0;
	char bytes[64] = {0};

	(void)state;
	assert_int_equal(nrt_sys_trace_start(NULL), NRT_SUCCESS);
	run = nx_fixture_load(0);
	assert_int_equal(nrt_tensor_write(run.input, bytes, 5, 64), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(run.input, bytes, 5, 64), NRT_SUCCESS);
	nrt_tensor_free(&run.input);
	fetched = fetch(NULL);
	for (size_t i = 0; i < fetched.events->count; i++) {
		const struct nx_json *event = &fetched.events->children[i];
		struct nx_slice type = nx_json_as_slice(nx_json_get(event, "event_type"));
		const struct nx_json *data = nx_json_get(event, "data");

		loads += nx_slice_is(type, "nrt_load");
		allocations += nx_slice_is(type, "nrt_tensor_allocate");
		if (nx_slice_is(type, "nrt_tensor_write") && nx_json_get(data, "size")) {
			writes++;
			assert_int_equal(nx_json_as_u64(nx_json_get(data, "size"), 0), 64);
		}
		if (nx_slice_is(type, "dmem_buf_copyin") && nx_json_get(data, "offset"))
			assert_int_equal(nx_json_as_u64(nx_json_get(data, "offset"), 0), 5);
	}
	assert_int_equal(loads, 2);
	assert_int_equal(allocations, 4);
	assert_int_equal(writes, 1);
	release(&fetched);
	nrt_sys_trace_stop();
}

static void a_trace_can_be_filtered_and_fetched_in_parts(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(0), other = nx_fixture_load(3);
	nrt_sys_trace_fetch_options_t *options;
	nrt_sys_trace_config_t *config;
	struct fetched fetched;
	const char **types;
	size_t count;

	(void)state;
	assert_int_equal(nrt_sys_trace_config_allocate(&config), NRT_SUCCESS);
	assert_int_equal(nrt_sys_trace_get_event_types(&types, &count), NRT_SUCCESS);
	assert_int_equal(count, 40);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(nrt_sys_trace_config_set_capture_enabled_for_event_type(
					 config, types[i], false),
				 NRT_SUCCESS);
		free((void *)(uintptr_t)types[i]); /* as the documents show */
	}
	free((void *)types);
	assert_int_equal(nrt_sys_trace_config_set_capture_enabled_for_event_type(
				 config, "nrt_execute", true),
			 NRT_SUCCESS);
	assert_int_equal(nrt_sys_trace_config_set_capture_enabled_for_event_type(config, "nrt_exec",
										 true),
			 NRT_INVALID);
	assert_int_equal(nrt_sys_trace_config_set_capture_enabled_for_event_type(config, NULL,
										 true),
			 NRT_INVALID);
	assert_int_equal(nrt_sys_trace_config_get_enabled_event_types(config, &types, &count),
			 NRT_SUCCESS);
	assert_int_equal(count, 1);
	assert_string_equal(types[0], "nrt_execute");
	nrt_sys_trace_free_event_types(types, count);
	for (uint32_t core = 0; core < 128; core++)
		nrt_sys_trace_config_set_capture_enabled_for_nc(config, core,
								core == 3 || core == 0);
	nrt_sys_trace_config_set_capture_enabled_for_nc(config, 5000, true);
	nrt_sys_trace_config_set_max_events_per_nc(config, 100);
	assert_int_equal(nrt_sys_trace_start(config), NRT_SUCCESS);
	assert_int_equal(nrt_sys_trace_start(config), NRT_INVALID);
	nrt_sys_trace_config_free(config);
	nrt_execute_repeat(run.model, run.inputs, run.outputs, 60); /* 120 events */
	nrt_execute(other.model, other.inputs, other.outputs);
	assert_int_equal(nrt_sys_trace_fetch_options_allocate(&options), NRT_SUCCESS);
	nrt_sys_trace_fetch_options_set_nc_idx(options, 0);
	nrt_sys_trace_fetch_options_set_max_events_per_nc(options, 7);
	fetched = fetch(options);
	assert_int_equal(fetched.events->count, 7);
	assert_int_equal(nx_json_as_u64(nx_json_get(&fetched.events->children[0], "nc_local_id"),
					0),
			 21); /* 20 were overwritten */
	release(&fetched);
	nrt_sys_trace_fetch_options_set_nc_idx(options, 77);
	fetched = fetch(options);
	assert_int_equal(fetched.events->count, 0);
	release(&fetched);
	nrt_sys_trace_fetch_options_set_defaults(options);
	assert_int_equal(nrt_sys_trace_stop(), NRT_SUCCESS);
	fetched = fetch(options); /* what was recorded is there after the stop */
	assert_int_equal(fetched.events->count, 93 + 2);
	release(&fetched);
	nrt_sys_trace_fetch_options_free(options);
}

static void nothing_is_fetched_without_a_trace(void **state)
{
	char *text = (char *)1;
	size_t len;

	(void)state;
	assert_int_equal(nrt_sys_trace_fetch_events(NULL, &len, NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_fetch_events(&text, NULL, NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_stop(), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_get_event_types(NULL, &len), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_config_allocate(NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_fetch_options_allocate(NULL), NRT_INVALID);
	nrt_sys_trace_config_free(NULL);
	nrt_sys_trace_fetch_options_free(NULL);
	nrt_sys_trace_buffer_free(NULL);
	nrt_sys_trace_config_set_defaults(NULL);
	nrt_sys_trace_fetch_options_set_nc_idx(NULL, 0);
	nrt_sys_trace_free_event_types(NULL, 3);
}

static void the_older_interface_writes_a_file(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(0);
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/trace.json", nx_fixture_folder());
	assert_int_equal(nrt_trace_stop(path), NRT_INVALID);
	assert_int_equal(nrt_trace_start(false), NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_trace_stop(NULL), NRT_INVALID);
	assert_int_equal(nrt_trace_stop(path), NRT_SUCCESS);
	assert_int_equal(access(path, R_OK), 0);
	assert_int_equal(nrt_trace_start(true), NRT_SUCCESS);
	assert_int_equal(nrt_trace_stop("/no/such/folder/x.json"), NRT_INVALID);
	nx_fixture_remove();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, nx_fixture_begin, nx_fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_model_tells_its_tensors),
		CASE(what_is_no_neff_is_refused),
		CASE(members_that_lie_are_refused),
		CASE(cores_are_chosen),
		CASE(outputs_are_written),
		CASE(missing_and_small_tensors_are_bad_input),
		CASE(a_callback_hears_of_every_execution),
		CASE(an_execution_leaves_the_events_of_a_real_one),
		CASE(tensors_and_loads_are_traced),
		CASE(a_trace_can_be_filtered_and_fetched_in_parts),
		CASE(nothing_is_fetched_without_a_trace),
		CASE(the_older_interface_writes_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
