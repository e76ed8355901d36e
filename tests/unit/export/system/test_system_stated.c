/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/exporters.h"
#include "export/json_sections.h"
#include "system_export.h"

static const char *stated(struct nx_system_fixture *f, bool include_private)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;
	const char *text;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_system_stated(&w, &f->p, include_private);
	nx_json_key(&w, "warnings");
	nx_json_warnings(&w, &f->p.warnings);
	nx_json_end_object(&w);
	text = nx_arena_copy(&f->arena, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
	return text;
}

static void everything_stated_is_written(void **state)
{
	struct nx_system_fixture *f = *state;

	nx_fixture_device(f, 5, false);
	nx_system_warn(&f->p, "Missing Data", "%d lost", 2);
	assert_string_equal(
		stated(f, false),
		"{\"system_profile_metadata\":[{\"first_ts_ns\":\"100\",\"last_ts_ns\":\"900\","
		"\"profiler_version\":\"" NX_PRODUCT_VERSION "\"}],"
		"\"process_list\":[{\"arch\":2,\"close_ts_ns\":\"1050\",\"cpu_count\":4,"
		"\"folder\":\"i-a_pid_70\",\"init_ts_ns\":\"50\",\"instance_id\":\"i-a\","
		"\"instance_type\":\"trn2.3xlarge\",\"logical_nc_size\":2,"
		"\"memory_capacity\":1000,\"process_id\":\"70\",\"stored_event_count\":8,"
		"\"total_event_count\":10,\"workers\":[{\"lnc_idx\":0,\"worker_gid\":3}]}],"
		"\"device_profile_list\":[{\"instance_id\":\"i-a\",\"process_id\":\"70\","
		"\"is_empty\":false,\"model_id\":\"5\",\"model_name\":\"net\","
		"\"neff_path\":\"a/n.neff\",\"session_path\":\"a/p.ntff\"}],"
		"\"warnings\":[{\"category\":\"Missing Data\",\"message\":\"2 lost\"}]}");
}

static void addresses_are_written_only_when_asked(void **state)
{
	struct nx_system_fixture *f = *state;

	assert_null(strstr(stated(f, false), "10.0.0.1"));
	assert_null(strstr(stated(f, false), "hostname"));
	assert_non_null(strstr(stated(f, true), "\"instance_hostname\":\"ip-10-0-0-1\","
						"\"instance_ip\":\"10.0.0.1\""));
}

static void what_is_not_known_is_left_out(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *text;

	nx_vec_push(&f->p.devices, ((struct nx_device_capture){.session_path = "x.ntff",
							       .process = UINT32_MAX,
							       .rank = 4}));
	f->workers[0].worker_gid = UINT32_MAX;
	f->p.process_count = 2;
	text = stated(f, true);
	assert_non_null(strstr(text, "\"workers\":[{\"lnc_idx\":0}]"));
	assert_non_null(
		strstr(text, "{\"is_empty\":false,\"rank\":4,\"session_path\":\"x.ntff\"}"));
	assert_non_null(strstr(text, "\"cpu_count\":0,\"init_ts_ns\":\"0\",\"instance_id\":\"i-b\","
				     "\"logical_nc_size\""));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_stated_is_written),
		TEST(addresses_are_written_only_when_asked),
		TEST(what_is_not_known_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
