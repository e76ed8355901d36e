/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "system_export.h"

/* The value of one section of the exported document, as text. */
static const char *section(struct nx_system_fixture *f, const char *from, const char *to)
{
	struct nx_system_export_options options = {0};
	const char *text = nx_fixture_export(f, "json", &options, NULL);
	const char *start = strstr(text, nx_arena_printf(&f->arena, "\"%s\":", from));
	const char *end = strstr(text, nx_arena_printf(&f->arena, ",\"%s\":", to));

	assert_non_null(start);
	assert_non_null(end);
	start += strlen(from) + 3;
	return nx_arena_copy(&f->arena, nx_slice_of(start, (size_t)(end - start)));
}

static void a_runtime_event_has_the_keys_of_the_guides(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e =
		nx_fixture_event(f, NAME_WRITE, 1729888371056597613, 1729888371056597613 + 27094);

	e->type = 11;
	nx_fixture_attribute(f, "tensor_id", "4900392441224765051");
	nx_fixture_attribute(f, "size", "4");
	assert_string_equal(section(f, "trace_events", "mem_usage"),
			    "[{\"duration\":27094,\"group\":\"nrt-nc-000\",\"id\":1,"
			    "\"instance_id\":\"i-a\",\"lnc_idx\":\"0\","
			    "\"name\":\"nrt_tensor_write\",\"parent_id\":0,"
			    "\"process_id\":\"70\",\"size\":\"4\","
			    "\"tensor_id\":\"4900392441224765051\","
			    "\"tensor_name\":\"_unknown_\",\"thread_id\":70,"
			    "\"timestamp\":1729888371056597613,\"timestamp_unit\":\"ns\","
			    "\"trace_event_source\":\"neuron_rt\",\"type\":11,"
			    "\"worker_gid\":3}]");
}

static void a_framework_event_is_grouped_by_its_thread(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_CALL, 100, 150);

	e->source = NX_SOURCE_FRAMEWORK;
	e->type = NX_FRAMEWORK_EVENT_TYPE;
	e->nc_idx = -1;
	e->flow_id = 7;
	e->stream_id = 2;
	assert_string_equal(section(f, "trace_events", "mem_usage"),
			    "[{\"duration\":50,\"flow_id\":7,\"framework_stream_id\":2,"
			    "\"group\":\"framework-70\",\"id\":1,\"instance_id\":\"i-a\","
			    "\"name\":\"PjitFunction(f)\",\"parent_id\":0,"
			    "\"process_id\":\"70\",\"thread_id\":70,\"timestamp\":100,"
			    "\"timestamp_unit\":\"ns\",\"trace_event_source\":\"framework\","
			    "\"type\":99999}]");
}

static void an_execution_has_integers_and_its_model(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e;
	const char *text;

	e = nx_fixture_event(f, NAME_RUNNING, 30, 40);
	e->source = NX_SOURCE_HARDWARE;
	e->model_id = 5;
	nx_fixture_attribute(f, "exec_id", "1");
	nx_fixture_attribute(f, "device_core_idx", "4");
	nx_fixture_attribute(f, "nc_timestamp_ns", "1000");
	nx_fixture_attribute(f, "nc_timestamp_ns", "1010");
	text = section(f, "trace_events", "mem_usage");
	assert_non_null(strstr(text, "\"device_core_idx\":4,\"duration\":10,\"exec_id\":1,"));
	assert_non_null(strstr(text, "\"model_id\":\"5\",\"model_name\":\"/m/net.neff\","
				     "\"name\":\"nc_exec_running\",\"nc_start_timestamp_ns\":1000,"
				     "\"nc_stop_timestamp_ns\":1010,"));
}

static void an_attribute_does_not_replace_a_column(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *text;

	nx_fixture_event(f, NAME_EXECUTE, 10, 20);
	nx_fixture_attribute(f, "name", "wrong");
	nx_fixture_attribute(f, "worker_gid", "wrong");
	nx_fixture_attribute(f, "", "nothing");
	nx_fixture_attribute(f, "zz\"", "\x01");
	text = section(f, "trace_events", "mem_usage");
	assert_null(strstr(text, "wrong"));
	assert_non_null(strstr(text, "{\"\":\"nothing\","));
	assert_non_null(strstr(text, "\"zz\\\"\":\"\\u0001\"}"));
}

static void flags_and_missing_cores_show(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_EXECUTE, 20, 10);
	const char *text;

	e->nc_idx = -1;
	e->flags = NX_EVENT_UNFINISHED | NX_EVENT_ORPHAN | NX_EVENT_INSTANT;
	text = section(f, "trace_events", "mem_usage");
	assert_non_null(strstr(text, "\"duration\":0,\"group\":\"nrt\",\"id\":1,"));
	assert_non_null(strstr(text, "\"is_instant\":true,\"is_orphan\":true,"
				     "\"is_unfinished\":true,\"name\""));
	assert_null(strstr(text, "lnc_idx"));
	assert_null(strstr(text, "worker_gid"));
}

static void groups_name_the_instance_when_there_are_several(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *text;

	f->p.process_count = 2;
	nx_fixture_event(f, NAME_EXECUTE, 10, 20)->nc_idx = 3;
	nx_fixture_event(f, NAME_EXECUTE, 10, 20)->process = 1;
	nx_fixture_event(f, NAME_CALL, 10, 20)->source = NX_SOURCE_FRAMEWORK;
	text = section(f, "trace_events", "mem_usage");
	assert_non_null(strstr(text, "\"group\":\"nrt-nc-003-i-a\""));
	assert_non_null(strstr(text, "\"group\":\"nrt-nc-000-i-b\""));
	assert_non_null(strstr(text, "\"group\":\"framework-70-i-a\""));
	f->processes[1].instance_id = "i-a";
	text = section(f, "trace_events", "mem_usage");
	assert_non_null(strstr(text, "\"group\":\"nrt-nc-003\""));
}

static void samples_have_the_keys_of_the_guides(void **state)
{
	struct nx_system_fixture *f = *state;

	f->p.process_count = 2;
	f->memory[0] = (struct nx_memory_sample){.time_ns = 7, .usage_bytes = 125};
	f->memory[1] = (struct nx_memory_sample){.time_ns = 8, .usage_bytes = 1, .process = 1};
	f->p.rows[NX_SYSTEM_MEMORY] = 2;
	f->cpu[0] = (struct nx_cpu_sample){.time_ns = 9, .cpu_id = 47, .util_percent = 2.3255813f};
	f->p.rows[NX_SYSTEM_CPU] = 1;
	assert_string_equal(section(f, "mem_usage", "cpu_util"),
			    "[{\"duration\":1,\"instance_id\":\"i-a\",\"percent_usage\":12.5,"
			    "\"timestamp\":7,\"usage\":125},{\"duration\":1,"
			    "\"instance_id\":\"i-b\",\"percent_usage\":null,\"timestamp\":8,"
			    "\"usage\":1}]");
	assert_string_equal(section(f, "cpu_util", "hbm_usage"),
			    "[{\"cpu_id\":\"47\",\"duration\":1,\"instance_id\":\"i-a\","
			    "\"timestamp\":9,\"util\":2.3255813}]");
}

static void device_memory_and_transfers_say_where_they_are(void **state)
{
	struct nx_system_fixture *f = *state;

	f->hbm[0] = (struct nx_hbm_sample){.time_ns = 5,
					   .total_bytes = 30,
					   .category_bytes = 20,
					   .nc_idx = 1,
					   .hbm_idx = 2,
					   .category = NAME_WEIGHT};
	f->hbm[1] = (struct nx_hbm_sample){.nc_idx = -1, .category = 99};
	f->p.rows[NX_SYSTEM_HBM] = 2;
	f->transfers[0] = (struct nx_host_transfer){.start_ns = 10, .end_ns = 14, .size_bytes = 8};
	f->transfers[1] = (struct nx_host_transfer){
		.start_ns = 14, .end_ns = 14, .size_bytes = 8, .direction = NX_DEVICE_TO_HOST};
	f->p.rows[NX_SYSTEM_TRANSFER] = 2;
	assert_string_equal(
		section(f, "hbm_usage", "host_device_transfers"),
		"[{\"category\":\"weight\",\"device_idx\":0,\"hbm_idx\":2,\"instance_id\":\"i-a\","
		"\"lnc_idx\":\"1\",\"process_id\":\"70\",\"timestamp\":5,\"total_usage\":30,"
		"\"usage\":20},{\"category\":\"unknown\",\"device_idx\":0,\"hbm_idx\":0,"
		"\"instance_id\":\"i-a\",\"process_id\":\"70\",\"timestamp\":0,\"total_usage\":0,"
		"\"usage\":0}]");
	assert_string_equal(section(f, "host_device_transfers", "steps"),
			    "[{\"bandwidth\":2000000000,\"direction\":\"host_to_device\","
			    "\"duration\":4,\"instance_id\":\"i-a\",\"lnc_idx\":\"0\","
			    "\"process_id\":\"70\",\"size\":8,\"timestamp\":10},"
			    "{\"bandwidth\":null,\"direction\":\"device_to_host\",\"duration\":0,"
			    "\"instance_id\":\"i-a\",\"lnc_idx\":\"0\",\"process_id\":\"70\","
			    "\"size\":8,\"timestamp\":14}]");
}

static void the_document_is_json_and_counts_its_events(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_progress progress = {0};
	struct nx_system_export_options options = {.pretty = true, .progress = &progress};
	struct nx_json *json;
	const char *text;

	nx_fixture_event(f, NAME_EXECUTE, 1, 2);
	nx_fixture_event(f, NAME_EXECUTE, 1, 2);
	text = nx_fixture_export(f, "json", &options, NULL);
	assert_int_equal(nx_json_parse(nx_slice_text(text), &f->arena, &json, &f->err), NX_OK);
	assert_int_equal(json->count, 13);
	assert_int_equal(progress.done, 2);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_runtime_event_has_the_keys_of_the_guides),
		TEST(a_framework_event_is_grouped_by_its_thread),
		TEST(an_execution_has_integers_and_its_model),
		TEST(an_attribute_does_not_replace_a_column),
		TEST(flags_and_missing_cores_show),
		TEST(groups_name_the_instance_when_there_are_several),
		TEST(samples_have_the_keys_of_the_guides),
		TEST(device_memory_and_transfers_say_where_they_are),
		TEST(the_document_is_json_and_counts_its_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
