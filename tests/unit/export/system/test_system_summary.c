/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "export/exporters.h"
#include "system_export.h"

static void the_summary_says_where_time_and_memory_went(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};
	const char *events =
		"\"event_count\":3,\"event_name_count\":2,\"events\":["
		"{\"name\":\"nrt_execute\",\"trace_event_source\":\"neuron_rt\",\"count\":2,"
		"\"total_ns\":251,\"mean_ns\":125.5,\"max_ns\":250},"
		"{\"name\":\"nc_exec_running\",\"trace_event_source\":\"neuron_hw\",\"count\":1,"
		"\"total_ns\":10,\"mean_ns\":10,\"max_ns\":10}]";

	nx_fixture_fill_summary(f);
	assert_string_equal(
		nx_fixture_export(f, "summary-json", &options, NULL),
		nx_arena_printf(
			&f->arena,
			"{\"profiler_version\":\"" NX_PRODUCT_VERSION "\",\"first_ts_ns\":\"100\","
			"\"last_ts_ns\":\"900\",\"processes\":[{\"instance_id\":\"i-a\","
			"\"process_id\":\"70\",\"instance_type\":\"trn2.3xlarge\","
			"\"wall_time_ns\":1000,\"stored_event_count\":8,\"total_event_count\":10,"
			"\"dropped_event_count\":2,\"unfinished_count\":0,\"orphan_count\":0,"
			"\"cpu_mean_percent\":12.5,\"cpu_max_percent\":12.5,"
			"\"memory_peak_bytes\":250,\"memory_peak_percent\":25,%s,"
			"\"device_cores\":[{\"device_idx\":0,\"device_core_idx\":4,\"lnc_idx\":0,"
			"\"execution_count\":1,"
			"\"device_time_ns\":10,\"device_time_frac\":0.01}],"
			"\"cores\":[{\"lnc_idx\":0,\"worker_gid\":3,%s,"
			"\"hbm_peaks\":[{\"device_idx\":0,\"hbm_idx\":0,\"category\":\"total\","
			"\"peak_bytes\":2048},{\"device_idx\":0,\"hbm_idx\":0,"
			"\"category\":\"weight\",\"peak_bytes\":1536}],"
			"\"host_device_transfers\":[{\"direction\":\"host_to_device\",\"count\":1,"
			"\"size_bytes\":8,\"duration_ns\":4,\"bytes_per_s\":2000000000}]}]}],"
			"\"steps\":[],\"step_summary\":[],\"execution_gap_summary\":[],"
			"\"device_profile_list\":[{\"instance_id\":\"i-a\",\"process_id\":\"70\","
			"\"is_empty\":false,\"model_id\":\"5\",\"model_name\":\"net\","
			"\"neff_path\":\"a/n.neff\",\"session_path\":\"a/p.ntff\"}],"
			"\"warnings\":[{\"category\":\"Data Loss\","
			"\"message\":\"2 records lost\"}]}\n",
			events, events));
}

static void only_the_longest_names_are_listed(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.pretty = true};
	const char *names[25], *text;
	struct nx_json *json;

	for (unsigned i = 0; i < 25; i++) {
		names[i] = nx_arena_printf(&f->arena, "call%u", i);
		nx_fixture_event(f, (enum fixture_name)i, 100, 100 + i)->nc_idx = -1;
	}
	f->processes[0].names = names;
	f->processes[0].name_count = 25;
	text = nx_fixture_export(f, "summary-json", &options, NULL);
	assert_int_equal(nx_json_parse(nx_slice_text(text), &f->arena, &json, &f->err), NX_OK);
	assert_non_null(strstr(text, "\"event_name_count\": 25"));
	assert_non_null(strstr(text, "\"call24\""));
	assert_non_null(strstr(text, "\"call5\""));
	assert_null(strstr(text, "\"call4\""));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_summary_says_where_time_and_memory_went),
		TEST(only_the_longest_names_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
