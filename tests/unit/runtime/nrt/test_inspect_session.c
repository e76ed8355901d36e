/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_profile.h>
#include <nrt/nrt_sys_trace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "format/neff.h"
#include "format/ntff.h"
#include "format/ntrace.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

/* --- reading back --------------------------------------------------------------------------- */

struct stream_facts {
	size_t count, starts, stops, of_type;
	bool is_torn;
	uint64_t last_id;
};

static struct stream_facts read_stream(const char *path, uint64_t type)
{
	struct nx_ntrace_stream stream = {0};
	struct stream_facts facts = {0};
	struct nx_ntrace_head head;
	struct nx_slice record;
	struct nx_file file;

	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	stream.file = file.bytes;
	while (nx_ntrace_next(&stream, &record)) {
		assert_true(nx_ntrace_read_head(record, &head));
		facts.count++;
		facts.starts += head.phase == NX_PHASE_START;
		facts.stops += head.phase == NX_PHASE_STOP;
		facts.of_type += head.event_type == type;
		facts.last_id = head.id;
	}
	facts.is_torn = stream.is_torn;
	nx_file_unmap(&file);
	return facts;
}

static struct nx_ntrace_info read_info(struct nx_arena *arena)
{
	struct nx_ntrace_info info;
	struct nx_file file;

	assert_int_equal(nx_file_map(&file, nx_fixture_find("trace_info.pb"), NULL), NX_OK);
	assert_int_equal(
		nx_wire_decode(&nx_ntrace_info_message,
			       nx_slice_of(nx_arena_copy(arena, file.bytes), file.bytes.len), &info,
			       arena, NULL, NULL),
		NX_OK);
	nx_file_unmap(&file);
	return info;
}

/* --- sessions ------------------------------------------------------------------------ */

static void a_session_leaves_the_files_of_a_real_one(void **state)
{
	char name[100];
	struct nx_arena arena = {0};
	struct nx_ntrace_info info;
	struct nx_fixture_run run;
	struct stream_facts facts;

	(void)state;
	nx_fixture_init();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 5), NRT_SUCCESS);
	nrt_close();
	snprintf(name, sizeof(name), "/i-0test_pid_%d/ntrace.pb", (int)getpid());
	facts = read_stream(nx_fixture_find(name), 3);
	assert_int_equal(facts.of_type, 10);
	assert_int_equal(facts.starts, facts.stops);
	assert_int_equal(facts.last_id, facts.count);
	assert_false(facts.is_torn);
	info = read_info(&arena);
	assert_int_equal(info.pid, getpid());
	assert_true(nx_slice_is(info.instance_id, "i-0test"));
	assert_true(nx_slice_is(info.instance_type, "trn2.3xlarge"));
	assert_int_equal(info.arch, 2);
	assert_int_equal(info.data_version, 2);
	assert_int_equal(info.logical_nc_size, 2);
	assert_int_equal(info.events.num_events, facts.count);
	assert_int_equal(info.total_event_count, facts.count);
	assert_int_equal(info.host.cpu_util.num_events, info.host.host_mem.num_events);
	assert_true(info.host.cpu_util.num_events >= 1);
	assert_true(info.close_ns >= info.init_ns);
	assert_int_equal(info.interned.count, 4);
	assert_int_equal(info.interned.items[0].texts.count, 40);
	assert_int_equal(info.ultraserver.instance_index, UINT32_MAX);
	nx_fixture_find("cpu_util.pb");
	nx_fixture_find("host_mem.pb");
	assert_int_equal(nx_fixture_count(".ntff"), 0);
	nx_arena_release(&arena);
}

/* Workers are numbered as the cores of the instance are, which may have gaps. */
static void workers_are_numbered_by_their_cores(void **state)
{
	struct nx_ntrace_stream stream = {0};
	struct nx_ntrace_head head;
	struct nx_fixture_run run;
	struct nx_slice record;
	struct nx_file file;
	size_t of_core_1 = 0;

	(void)state;
	setenv("NEURON_RT_VISIBLE_CORES", "0,2", 1);
	nx_fixture_init();
	run = nx_fixture_load(1);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	nrt_close();
	unsetenv("NEURON_RT_VISIBLE_CORES");
	assert_int_equal(nx_file_map(&file, nx_fixture_find("ntrace.pb"), NULL), NX_OK);
	stream.file = file.bytes;
	while (nx_ntrace_next(&stream, &record)) {
		assert_true(nx_ntrace_read_head(record, &head));
		assert_int_equal(head.worker_gid, head.nc_idx == 1 ? 2 : 0);
		of_core_1 += head.nc_idx == 1;
	}
	assert_true(of_core_1 > 0);
	nx_file_unmap(&file);
}

static void parts_can_be_left_out(void **state)
{
	struct nx_fixture_run run;

	(void)state;
	setenv("NEURON_RT_INSPECT_SYSTEM_PROFILE", "0", 1);
	setenv("NEURON_RT_INSPECT_CPU_UTIL", "0", 1);
	setenv("NEURON_RT_INSPECT_HOST_MEMORY", "0", 1);
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "1", 1);
	nx_fixture_init();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	nrt_close();
	assert_int_equal(nx_fixture_count(".pb"), 0);
	nx_fixture_find("_instid_0_vnc_0.ntff");
	nx_fixture_find(".neff");
}

static void dropped_events_are_counted_in_the_file(void **state)
{
	struct nx_arena arena = {0};
	struct nx_ntrace_info info;
	struct nx_fixture_run run;

	(void)state;
	setenv("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "16", 1);
	nx_fixture_init();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 2000), NRT_SUCCESS);
	nrt_close();
	info = read_info(&arena);
	assert_int_equal(read_stream(nx_fixture_find("ntrace.pb"), 0).count,
			 info.events.num_events);
	assert_true(info.total_event_count >= 2000 * 19);
	assert_true(info.events.num_events < info.total_event_count);
	nx_arena_release(&arena);
}

static void device_profiles_lie_beside_their_neff(void **state)
{
	const struct nx_bytes *neff = nx_fixture_neff();
	struct nx_arena arena = {0};
	struct nx_fixture_run run;
	struct nx_file file;
	struct nx_ntff ntff;

	(void)state;
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "model", 1);
	nx_fixture_init();
	run = nx_fixture_load(1);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 3), NRT_SUCCESS);
	nrt_close();
	ntff = nx_fixture_read_ntff(nx_fixture_find("_instid_0_vnc_1.ntff"), &arena);
	assert_int_equal(ntff.version, 6);
	assert_int_equal(ntff.info.executions.count, 1); /* the first one alone */
	assert_true(ntff.info.executions.items[0].end_ps >= ntff.info.executions.items[0].start_ps);
	assert_int_equal(ntff.info.nodes.items[0].device.graphs.items[0].nc_idx, 2);
	assert_int_equal(ntff.info.pid, getpid());
	assert_int_equal(nx_file_map(&file, nx_fixture_find(".neff"), NULL), NX_OK);
	assert_int_equal(file.bytes.len, neff->len);
	assert_memory_equal(file.bytes.data, neff->items, neff->len);
	nx_file_unmap(&file);
	nx_arena_release(&arena);
}

static void session_mode_gathers_all_executions(void **state)
{
	struct nx_arena arena = {0};
	struct nx_fixture_run run;

	(void)state;
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "session", 1);
	nx_fixture_init();
	run = nx_fixture_load(2);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 4), NRT_SUCCESS);
	nrt_close();
	assert_int_equal(nx_fixture_count(".ntff"), 1);
	assert_int_equal(nx_fixture_read_ntff(nx_fixture_find("/profile_nc_2_session_1.ntff"),
					      &arena)
				 .info.executions.count,
			 4);
	nx_fixture_find("_vnc_2.neff");
	nx_arena_release(&arena);
}

static void a_second_session_has_a_folder_of_its_own(void **state)
{
	(void)state;
	nx_fixture_init();
	assert_int_equal(nrt_sys_trace_start(NULL), NRT_INVALID); /* and it has the rings */
	assert_int_equal(nrt_sys_trace_stop(), NRT_INVALID);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_begin(), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_begin(), NRT_INVALID); /* one is running */
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count("/ntrace.pb"), 2);
	assert_int_equal(nx_fixture_count("/trace_info.pb"), 2);
}

static void a_host_that_begins_ends_the_session_of_the_environment(void **state)
{
	(void)state;
	nx_fixture_init();
	assert_int_equal(nrt_inspect_begin(), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count("/trace_info.pb"), 2);
	setenv("NEURON_RT_INSPECT_ENABLE", "0", 1); /* forbids it */
	assert_int_equal(nrt_inspect_begin(), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count("/trace_info.pb"), 2);
}

/* As a framework does it: variables say what, its calls say when. */
static void part_of_a_run_is_captured_each_time(void **state)
{
	struct nx_arena arena = {0};
	struct nx_fixture_run run;

	(void)state;
	unsetenv("NEURON_RT_INSPECT_ENABLE");
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "1", 1);
	nx_fixture_init();
	run = nx_fixture_load(0);
	for (int part = 1; part <= 2; part++) {
		assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
		assert_int_equal(nx_fixture_count(".ntff"), part - 1);
		assert_int_equal(nrt_inspect_begin(), NRT_SUCCESS);
		assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 3),
				 NRT_SUCCESS);
		assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
		assert_int_equal(nx_fixture_count(".ntff"), part);
		assert_int_equal(nx_fixture_count(".neff"), part);
	}
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "session", 1); /* read at each call */
	assert_int_equal(nrt_inspect_begin(), NRT_SUCCESS);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 3), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_export(2), NRT_SUCCESS);
	assert_int_equal(nx_fixture_read_ntff(nx_fixture_find("/profile_nc_0_session_1.ntff"),
					      &arena)
				 .info.executions.count,
			 3);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nx_fixture_read_ntff(nx_fixture_find("/profile_nc_0_session_1.ntff"),
					      &arena)
				 .info.executions.count,
			 4);
	assert_int_equal(nrt_inspect_export(255), NRT_SUCCESS); /* no session: nothing to write */
	nx_arena_release(&arena);
}

static void a_warm_up_is_not_captured(void **state)
{
	nrt_inspect_config_t *config;
	struct nx_fixture_run run;

	(void)state;
	unsetenv("NEURON_RT_INSPECT_ENABLE");
	nx_fixture_init();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_inspect_config_allocate(&config), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_output_dir(config, nx_fixture_folder()), 0);
	assert_int_equal(nrt_inspect_config_set_enable_inspect(config, true), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_device_profile_num_warmup(config, 2), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
	assert_int_equal(nrt_execute_repeat(run.model, run.inputs, run.outputs, 2), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count(".ntff"), 0);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count(".ntff"), 1);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_free(config), NRT_SUCCESS);
}

static void the_folder_of_the_process_can_be_asked_for(void **state)
{
	char name[64], want[64];

	(void)state;
	unsetenv("NEURON_RT_INSPECT_ENABLE");
	nx_fixture_init();
	snprintf(want, sizeof(want), "out/i-0test_pid_%d", (int)getpid());
	assert_int_equal(nrt_inspect_get_instance_output_dir("out", name, sizeof(name)), 0);
	assert_string_equal(name, want);
	assert_int_equal(nrt_inspect_get_instance_output_dir("out", name, strlen(want)),
			 NRT_INVALID);
	assert_int_equal(nrt_inspect_get_instance_output_dir(NULL, name, 64), NRT_INVALID);
}

static void options_take_the_place_of_variables(void **state)
{
	nrt_inspect_config_t *config;
	const char **types;
	size_t count;

	(void)state;
	setenv("NEURON_RT_INSPECT_ENABLE", "0", 1);
	nx_fixture_init();
	assert_int_equal(nrt_inspect_begin_with_options(NULL), NRT_SUCCESS); /* off by default */
	assert_int_equal(nx_fixture_count(".pb"), 0);
	assert_int_equal(nrt_inspect_config_allocate(&config), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_get_all_activity_types(&types, &count), NRT_SUCCESS);
	assert_int_equal(count, 5);
	nrt_inspect_config_free_activity_types(types, count);
	assert_int_equal(nrt_inspect_config_set_activity(config, "all", false), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_activity(config, "system_profile", true),
			 NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_activity(config, "none", true), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_get_enabled_activity_types(config, &types, &count),
			 NRT_SUCCESS);
	assert_int_equal(count, 1);
	assert_string_equal(types[0], "system_profile");
	nrt_inspect_config_free_activity_types(types, count);
	assert_int_equal(nrt_inspect_config_set_output_dir(config,
							   getenv("NEURON_RT_INSPECT_OUTPUT_DIR")),
			 NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_output_dir(config, ""), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_session_id(config, 7), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_session_id(config, -1), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_sys_trace_max_events_per_nc(config, 500),
			 NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_sys_trace_max_events_per_nc(config, 0),
			 NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_capture_enabled_for_nc(config, 1, false),
			 NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_capture_enabled_for_nc(config, 128, true),
			 NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_capture_enabled_for_event_type_string(
				 config, "hardware", false),
			 NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_capture_enabled_for_event_type_string(
				 config, "harware", false),
			 NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_enable_inspect(config, true), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_enable_inspect_on_fail(config, true), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_begin_with_options(config), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_stop(), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_set_defaults(config), NRT_SUCCESS);
	assert_int_equal(nrt_inspect_config_free(config), NRT_SUCCESS);
	assert_int_equal(nx_fixture_count("ntrace.pb"), 1);
	assert_int_equal(nx_fixture_count("cpu_util.pb"), 0);
}

static void nothing_is_nowhere(void **state)
{
	size_t count;

	(void)state;
	assert_int_equal(nrt_inspect_config_allocate(NULL), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_defaults(NULL), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_free(NULL), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_session_id(NULL, 1), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_output_dir(NULL, "a"), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_enable_inspect(NULL, true), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_enable_inspect_on_fail(NULL, true), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_set_activity(NULL, "all", true), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_get_all_activity_types(NULL, &count), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_get_enabled_activity_types(NULL, NULL, &count),
			 NRT_INVALID);
	nrt_inspect_config_free_activity_types(NULL, 1);
}

static void a_folder_that_cannot_be_is_told(void **state)
{
	(void)state;
	setenv("NEURON_RT_INSPECT_OUTPUT_DIR", "/proc/nowhere", 1);
	nx_fixture_init(); /* the program runs without its capture */
	assert_int_not_equal(nrt_inspect_begin(), NRT_SUCCESS);
	assert_int_equal(nrt_sys_trace_start(NULL), NRT_SUCCESS); /* the tracer is free */
	assert_int_equal(nrt_sys_trace_stop(), NRT_SUCCESS);
}

/* --- processes ----------------------------------------------------------------------- */

static void wait_for_events(size_t count, uint64_t type)
{
	for (int i = 0; i < 2000; i++) {
		if (nx_fixture_count("ntrace.pb") == 1 &&
		    read_stream(nx_fixture_find("ntrace.pb"), type).of_type == count)
			return;
		usleep(10000);
	}
}

static void run_and_die(int signal_number)
{
	struct nx_fixture_run run;

	nx_fixture_init();
	run = nx_fixture_load(0);
	nrt_execute_repeat(run.model, run.inputs, run.outputs, 50);
	wait_for_events(100, 3);
	kill(getpid(), signal_number);
	_exit(1);
}

static void what_a_killed_process_leaves_can_be_read(void **state)
{
	struct nx_arena arena = {0};
	struct stream_facts facts;
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		run_and_die(SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	facts = read_stream(nx_fixture_find("ntrace.pb"), 3);
	assert_int_equal(facts.of_type, 100);
	assert_int_equal(facts.starts, facts.stops);
	assert_false(facts.is_torn);
	assert_int_equal(read_info(&arena).pid, child);
	assert_int_equal(read_info(&arena).close_ns, 0); /* nobody told the end */
	nx_arena_release(&arena);
}

/* The device profile of session mode is in memory until the session ends. */
static void a_signal_or_exit_completes_the_session(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, 0}; /* 0: exit */
	struct nx_arena arena = {0};
	int status;

	(void)state;
	setenv("NEURON_RT_INSPECT_DEVICE_PROFILE", "session", 1);
	for (size_t i = 0; i < 3; i++) {
		char name[64];
		pid_t child = fork();

		if (child == 0) {
			struct nx_fixture_run run;

			nx_fixture_init();
			run = nx_fixture_load(0);
			nrt_execute_repeat(run.model, run.inputs, run.outputs, 5);
			if (!signals[i])
				exit(0); /* without nrt_close */
			raise(signals[i]);
			for (;;) /* the session's thread ends the process */
				pause();
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, signals[i]); /* ended by the signal, or well */
		snprintf(name, sizeof(name), "_pid_%d/profile_nc_0_session_1.ntff", (int)child);
		assert_int_equal(
			nx_fixture_read_ntff(nx_fixture_find(name), &arena).info.executions.count,
			5);
	}
	nx_arena_release(&arena);
}

/* Containers on one volume: process 1 of the same machine, more than once. */
static void a_folder_that_is_taken_is_not_shared(void **state)
{
	char name[128];

	(void)state;
	snprintf(name, sizeof(name), "%s/i-0test_pid_%d", getenv("NEURON_RT_INSPECT_OUTPUT_DIR"),
		 (int)getpid());
	assert_int_equal(mkdir(name, 0700), 0);
	nx_fixture_init();
	(void)nx_fixture_load(0);
	nrt_close();
	assert_non_null(strstr(nx_fixture_find("ntrace.pb"), "/i-0test_pid_"));
	assert_int_equal(access(name, F_OK), 0);
	assert_true(strlen(nx_fixture_find("ntrace.pb")) > strlen(name) + strlen("/ntrace.pb"));
}

static void many_processes_share_a_folder(void **state)
{
	pid_t children[6];
	int status;

	(void)state;
	for (int i = 0; i < 6; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct nx_fixture_run run;

			nx_fixture_init();
			run = nx_fixture_load(i % 4);
			nrt_execute_repeat(run.model, run.inputs, run.outputs, 3);
			exit(0); /* without nrt_close: the library completes the capture */
		}
	}
	for (int i = 0; i < 6; i++) {
		char name[64];

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
		snprintf(name, sizeof(name), "_pid_%d/ntrace.pb", (int)children[i]);
		assert_int_equal(read_stream(nx_fixture_find(name), 3).of_type, 6);
	}
	assert_int_equal(nx_fixture_count("trace_info.pb"), 6);
}

static void a_child_does_not_write_into_its_parents_capture(void **state)
{
	struct nx_fixture_run run;
	int status;
	pid_t child;

	(void)state;
	nx_fixture_init();
	run = nx_fixture_load(0);
	child = fork();
	if (child == 0) {
		nrt_execute_repeat(run.model, run.inputs, run.outputs, 100);
		usleep(100000);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	nrt_close();
	assert_int_equal(read_stream(nx_fixture_find("ntrace.pb"), 3).of_type, 2);
}

#define CASE(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fixture_begin_inspect, nx_fixture_end_inspect)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_a_killed_process_leaves_can_be_read),
		CASE(a_signal_or_exit_completes_the_session),
		CASE(a_folder_that_is_taken_is_not_shared),
		CASE(many_processes_share_a_folder),
		CASE(a_session_leaves_the_files_of_a_real_one),
		CASE(workers_are_numbered_by_their_cores),
		CASE(parts_can_be_left_out),
		CASE(dropped_events_are_counted_in_the_file),
		CASE(device_profiles_lie_beside_their_neff),
		CASE(session_mode_gathers_all_executions),
		CASE(a_second_session_has_a_folder_of_its_own),
		CASE(a_host_that_begins_ends_the_session_of_the_environment),
		CASE(part_of_a_run_is_captured_each_time),
		CASE(a_warm_up_is_not_captured),
		CASE(the_folder_of_the_process_can_be_asked_for),
		CASE(options_take_the_place_of_variables),
		CASE(nothing_is_nowhere),
		CASE(a_folder_that_cannot_be_is_told),
		CASE(a_child_does_not_write_into_its_parents_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
