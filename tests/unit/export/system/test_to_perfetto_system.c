/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "system_export.h"

static const char *trace(struct nx_system_fixture *f,
			 const struct nx_system_export_options *options, bool with_args)
{
	size_t len;
	const char *bytes = nx_fixture_export(f, "perfetto", options, &len);

	return nx_trace_text(&f->arena, nx_slice_of(bytes, len), with_args);
}

static void threads_are_named_after_worker_core_and_thread(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};

	nx_fixture_event(f, NAME_EXECUTE, 100, 200);
	nx_fixture_event(f, NAME_PRE, 110, 120); /* nested: the same lane */
	nx_fixture_event(f, NAME_RUNNING, 130, 190)->source = NX_SOURCE_HARDWARE;
	assert_string_equal(trace(f, &options, false),
			    "process \"i-a-pid70\" 1\n"
			    "thread \"i-a-pid70/gid3-nc0-tid70-neuron_rt\" 2\n"
			    "i-a-pid70/gid3-nc0-tid70-neuron_rt begin 100 nrt_execute\n"
			    "i-a-pid70/gid3-nc0-tid70-neuron_rt begin 110 kbl_exec_pre\n"
			    "thread \"i-a-pid70/gid3-nc0-tid70-neuron_hw\" 3\n"
			    "i-a-pid70/gid3-nc0-tid70-neuron_hw begin 130 nc_exec_running\n"
			    "i-a-pid70/gid3-nc0-tid70-neuron_rt end 120\n"
			    "i-a-pid70/gid3-nc0-tid70-neuron_rt end 200\n"
			    "i-a-pid70/gid3-nc0-tid70-neuron_hw end 190\n");
}

static void overlap_without_nesting_takes_a_lane(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.primary_group = "instance_id",
						   .secondary_group = "thread_id"};

	nx_fixture_event(f, NAME_EXECUTE, 100, 200);
	nx_fixture_event(f, NAME_PRE, 150, 250);
	nx_fixture_event(f, NAME_WRITE, 200, 210);
	assert_string_equal(trace(f, &options, false),
			    "process \"i-a\" 1\n"
			    "thread \"i-a/tid70-neuron_rt\" 2\n"
			    "i-a/tid70-neuron_rt begin 100 nrt_execute\n"
			    "track \"i-a/tid70-neuron_rt/tid70-neuron_rt lane 2\"\n"
			    "i-a/tid70-neuron_rt/tid70-neuron_rt lane 2 begin 150 kbl_exec_pre\n"
			    "i-a/tid70-neuron_rt end 200\n"
			    "i-a/tid70-neuron_rt begin 200 nrt_tensor_write\n"
			    "i-a/tid70-neuron_rt end 210\n"
			    "i-a/tid70-neuron_rt/tid70-neuron_rt lane 2 end 250\n");
}

static void an_instant_ends_nothing(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.primary_group = "process_id",
						   .secondary_group = "lnc_idx"};

	nx_fixture_event(f, NAME_EXECUTE, 100, 200);
	nx_fixture_event(f, NAME_PRE, 110, 120);
	nx_fixture_event(f, NAME_SYNC, 150, 150)->flags = NX_EVENT_INSTANT;
	nx_fixture_event(f, NAME_SYNC, 150, 150)->flags = NX_EVENT_INSTANT;
	nx_fixture_event(f, NAME_WRITE, 150, 160);
	nx_fixture_event(f, NAME_SYNC, 300, 300)->flags = NX_EVENT_INSTANT;
	assert_string_equal(trace(f, &options, false),
			    "process \"pid70\" 1\n"
			    "thread \"pid70/nc0-neuron_rt\" 2\n"
			    "pid70/nc0-neuron_rt begin 100 nrt_execute\n"
			    "pid70/nc0-neuron_rt begin 110 kbl_exec_pre\n"
			    "pid70/nc0-neuron_rt end 120\n"
			    "pid70/nc0-neuron_rt instant 150 timestamp_sync_point\n"
			    "pid70/nc0-neuron_rt instant 150 timestamp_sync_point\n"
			    "pid70/nc0-neuron_rt begin 150 nrt_tensor_write\n"
			    "pid70/nc0-neuron_rt end 160\n"
			    "pid70/nc0-neuron_rt end 200\n"
			    "pid70/nc0-neuron_rt instant 300 timestamp_sync_point\n");
}

static void an_execution_is_named_after_its_model(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.secondary_group = "lnc_idx"};
	struct nx_system_event *e;

	nx_fixture_device(f, 5, false);
	e = nx_fixture_event(f, NAME_RUNNING, 100, 200);
	e->source = NX_SOURCE_HARDWARE;
	e->flow_id = 7;
	e->parent_id = 9;
	e->nrta_seq_id = 77;
	e->flags = NX_EVENT_UNFINISHED;
	nx_fixture_attribute(f, "model_id", "5");
	nx_fixture_attribute(f, "address", "0x40");
	nx_fixture_attribute(f, "usage_type", "io");
	assert_string_equal(
		trace(f, &options, true),
		"process \"i-a-pid70\" 1\n"
		"thread \"i-a-pid70/nc0-neuron_hw\" 2\n"
		"i-a-pid70/nc0-neuron_hw begin 100 nc_exec_running /m/net.neff"
		" id=1 parent_id=9 thread_id=70 worker_gid=3 nrta_seq_id=77 is_unfinished=true"
		" model_id=5"
		" address='0x40' usage_type='io' model_name='/m/net.neff'"
		" device_profile='device_profile_model_5.pftrace' flow=7\n"
		"i-a-pid70/nc0-neuron_hw end 200\n");
}

static void processes_of_several_instances_stay_apart(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};
	const char *text;

	f->p.process_count = 2;
	nx_fixture_event(f, NAME_EXECUTE, 100, 200)->flow_id = 1;
	nx_fixture_event(f, NAME_EXECUTE, 100, 200)->process = 1;
	f->events[1].flow_id = 1;
	text = trace(f, &options, false);
	assert_non_null(strstr(text, "process \"i-a-pid70\" 1\n"));
	assert_non_null(strstr(text, "process \"i-b-pid70\" 2\n"));
	assert_non_null(strstr(text, "thread \"i-b-pid70/gid3-nc0-tid70-neuron_rt\" 5\n"));
	assert_non_null(strstr(text, "flow=1\n"));
	assert_non_null(strstr(text, "flow=281474976710657\n"));
}

static void a_row_that_processes_share_has_a_lane_for_each(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.primary_group = "lnc_idx",
						   .secondary_group = "lnc_idx"};

	f->p.process_count = 2;
	nx_fixture_event(f, NAME_EXECUTE, 300, 400);
	nx_fixture_event(f, NAME_EXECUTE, 100, 200)->process = 1;
	assert_string_equal(trace(f, &options, false),
			    "process \"nc0\" 1\n"
			    "thread \"nc0/nc0-neuron_rt\" 2\n"
			    "nc0/nc0-neuron_rt begin 300 nrt_execute\n"
			    "nc0/nc0-neuron_rt end 400\n"
			    "track \"nc0/nc0-neuron_rt/nc0-neuron_rt lane 2\"\n"
			    "nc0/nc0-neuron_rt/nc0-neuron_rt lane 2 begin 100 nrt_execute\n"
			    "nc0/nc0-neuron_rt/nc0-neuron_rt lane 2 end 200\n");
}

static void a_process_that_cannot_be_read_fails_the_trace(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {0};
	struct nx_output out;

	f->p.process_count = 2;
	f->failing_table = NX_SYSTEM_EVENT;
	assert_int_equal(nx_output_open(&out, "/dev/null", &f->err), NX_OK);
	assert_int_equal(nx_system_export_perfetto(&f->p, &options, &out, &f->err), NX_IO);
	assert_string_equal(f->err.message, "events cannot be read");
	nx_output_abort(&out);
}

static void framework_streams_have_rows_of_their_own(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.primary_group = "lnc_idx"};

	nx_fixture_event(f, NAME_CALL, 100, 200)->nc_idx = -1;
	f->events[0].source = NX_SOURCE_FRAMEWORK;
	f->events[0].stream_id = 2;
	assert_string_equal(trace(f, &options, false),
			    "process \"other\" 1\n"
			    "thread \"other/tid70-stream2-framework\" 2\n"
			    "other/tid70-stream2-framework begin 100 PjitFunction(f)\n"
			    "other/tid70-stream2-framework end 200\n");
}

static void a_wrong_group_writes_nothing(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.primary_group = "host"};
	struct nx_output out;

	assert_int_equal(nx_output_open(&out, "/dev/null", &f->err), NX_OK);
	assert_int_equal(nx_system_export_perfetto(&f->p, &options, &out, &f->err), NX_USAGE);
	assert_non_null(strstr(f->err.message, "--system-trace-primary-group"));
	options = (struct nx_system_export_options){.secondary_group = "host"};
	assert_int_equal(nx_system_export_perfetto(&f->p, &options, &out, &f->err), NX_USAGE);
	assert_non_null(strstr(f->err.message, "--system-trace-secondary-group"));
	assert_int_equal(out.written_bytes, 0);
	nx_output_abort(&out);
}

static void hostile_events_do_no_harm(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_export_options options = {.compress = true};
	char path[3000];

	memset(path, '\xff', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	nx_fixture_event(f, NAME_RUNNING, UINT64_MAX, 0)->source = NX_SOURCE_HARDWARE;
	nx_fixture_attribute(f, "model_name", path);
	nx_fixture_event(f, NAME_COUNT, 5, UINT64_MAX)->nc_idx = INT32_MAX;
	for (unsigned i = 0; i < FIXTURE_ATTRIBUTES; i++)
		nx_fixture_attribute(f, nx_arena_printf(&f->arena, "k%u", i), path);
	nx_fixture_export(f, "perfetto", &options, NULL);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(threads_are_named_after_worker_core_and_thread),
		TEST(overlap_without_nesting_takes_a_lane),
		TEST(an_instant_ends_nothing),
		TEST(an_execution_is_named_after_its_model),
		TEST(processes_of_several_instances_stay_apart),
		TEST(a_row_that_processes_share_has_a_lane_for_each),
		TEST(a_process_that_cannot_be_read_fails_the_trace),
		TEST(framework_streams_have_rows_of_their_own),
		TEST(a_wrong_group_writes_nothing),
		TEST(hostile_events_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
