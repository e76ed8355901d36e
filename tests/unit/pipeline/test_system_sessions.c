/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of a run: which there are, when they were recorded, and what lies between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "format/session_file.h"
#include "format/xspace_writer.h"
#include "trace_folder.h"

#define START_NS UINT64_C(1700000000000000000)
#define SECOND_NS UINT64_C(1000000000)
#define EXECUTE_TYPE 3

/* A process that recorded from start for a second, with a call in it. */
static void put_process(const struct trace_folder *folder, const char *name, uint64_t pid,
			uint64_t start_ns)
{
	struct nx_bytes events = {0};

	add_call(&events, EXECUTE_TYPE, 1, 7, start_ns + 400, start_ns + 500, NULL);
	put_events(folder, name, &events);
	put_info(folder, name, "i-1", pid, start_ns, start_ns + SECOND_NS);
}

static void write_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
}

static void put_space(const struct trace_folder *folder, const char *name, uint64_t start_ns)
{
	struct nx_bytes bytes = {0};
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = &bytes, .start_ns = start_ns};
	struct nx_xspace_writer *w = nx_xspace_writer_new(&how);
	uint32_t host = nx_xspace_writer_plane(w, 0, NX_XPLANE_HOST);
	uint32_t task = nx_xspace_writer_plane(w, 0, NX_XPLANE_TASK);
	uint32_t thread = nx_xspace_writer_line(w, host, 7, "main");
	struct nx_xspace_attribute start = {NX_XSTAT_START_TIME,
					    {.kind = NX_XSTAT_U64, .integer = start_ns}};

	nx_xspace_writer_stat(w, task, &start);
	nx_xspace_writer_event(w, thread, "train", start_ns, start_ns + 100, NULL, 0);
	assert_int_equal(nx_xspace_writer_finish(w, NULL), NX_OK);
	folder_put(folder, name, bytes.items, bytes.len);
	nx_vec_release(&bytes);
}

static const struct nx_run_session *session(const struct trace_folder *f, size_t at)
{
	assert_true(at < f->profile->sessions.len);
	return &f->profile->sessions.items[at];
}

/* Two ranks record twice, a little apart: two sessions of two processes, 2.9 s between them. */
static void sessions_of_processes_that_overlap_are_one(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_process(&f, "i-1_pid_5/1000", 5, START_NS);
	put_process(&f, "i-1_pid_6/1100", 6, START_NS + SECOND_NS / 10);
	put_process(&f, "i-1_pid_5/5000", 5, START_NS + 4 * SECOND_NS);
	put_process(&f, "i-1_pid_6/5100", 6, START_NS + 4 * SECOND_NS + SECOND_NS / 10);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 4);
	assert_int_equal(f.profile->sessions.len, 2);
	assert_string_equal(session(&f, 0)->name, "1000");
	assert_string_equal(session(&f, 0)->kind, "programmatic");
	assert_true(session(&f, 0)->start_ns == START_NS);
	assert_true(session(&f, 0)->end_ns == START_NS + SECOND_NS + SECOND_NS / 10);
	assert_int_equal(session(&f, 0)->gap_ns, 0);
	assert_int_equal(session(&f, 0)->hosts.len, 1);
	assert_string_equal(session(&f, 1)->name, "5000");
	assert_true(session(&f, 1)->gap_ns == 4 * SECOND_NS - SECOND_NS - SECOND_NS / 10);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(f.profile->processes[i].session,
				 f.profile->processes[i].init_ns > START_NS + SECOND_NS);
	assert_non_null(strstr(f.profile->run_path, f.path));
	folder_close(&f);
	folder_remove(&f);
}

static void put_description(const struct trace_folder *f)
{
	static const char *const files[] = {"h1_9012/"};
	const struct nx_session_host hosts[] = {
		{.address = "h1:9012", .files = files, .file_count = 1},
		{.address = "h2:9012",
		 .state = NX_SESSION_HOST_FAILED,
		 .failure = "connection refused"},
	};
	struct nx_session_file file = {.kind = NX_SESSION_SNAPSHOT,
				       .name = "b",
				       .reason = "step 7 was slow",
				       .hosts = hosts,
				       .host_count = 2};
	struct nx_bytes bytes = {0};

	nx_session_file_encode(&file, &bytes);
	folder_put(f, "log/plugins/profile/b/" NX_SESSION_FILE, bytes.items, bytes.len);
	nx_vec_release(&bytes);
}

/* The folder of a host is read instead of its XSpace; a host that failed is named. */
static void a_captured_session_is_described_by_its_file(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_space(&f, "log/plugins/profile/a/h1_9012.xplane.pb", START_NS);
	put_space(&f, "log/plugins/profile/b/h1_9012.xplane.pb", START_NS + 3 * SECOND_NS);
	put_process(&f, "log/plugins/profile/b/h1_9012/i-1_pid_5/77", 5, START_NS + 3 * SECOND_NS);
	put_description(&f);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 2);
	assert_int_equal(f.profile->sessions.len, 2);
	assert_string_equal(session(&f, 0)->name, "a");
	assert_string_equal(session(&f, 0)->kind, "on_demand");
	assert_string_equal(session(&f, 1)->name, "b");
	assert_string_equal(session(&f, 1)->kind, "snapshot");
	assert_string_equal(session(&f, 1)->reason, "step 7 was slow");
	/* the process may have begun to record long before */
	assert_true(session(&f, 1)->start_ns == START_NS + 3 * SECOND_NS + 400);
	assert_int_equal(session(&f, 1)->hosts.len, 2);
	assert_string_equal(session(&f, 1)->hosts.items[1].state, "failed");
	assert_string_equal(session(&f, 1)->hosts.items[1].failure, "connection refused");
	assert_int_equal(count_warnings(f.profile, "nothing of h2:9012: connection refused"), 1);
	assert_string_equal(strrchr(f.profile->run_path, '/'), "/log");
	folder_close(&f);
	folder_remove(&f);
}

static void only_the_named_sessions_are_read(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_space(&f, "plugins/profile/a/h.xplane.pb", START_NS);
	put_space(&f, "plugins/profile/b/h.xplane.pb", START_NS + SECOND_NS);
	put_space(&f, "plugins/profile/c/h.xplane.pb", START_NS + 2 * SECOND_NS);
	folder_read(&f, (struct nx_system_options){.sessions = "c,a"});
	assert_int_equal(f.events.len, 2);
	assert_int_equal(f.profile->sessions.len, 2);
	assert_string_equal(session(&f, 0)->kind, "programmatic");
	assert_string_equal(session(&f, 1)->name, "c");
	assert_true(session(&f, 1)->gap_ns == 2 * SECOND_NS - 100);
	folder_close(&f);
	assert_int_equal(folder_open(&f, (struct nx_system_options){.sessions = "a,d"}),
			 NX_NOT_FOUND);
	assert_non_null(strstr(f.err.message, "no session 'd'"));
	assert_non_null(strstr(f.err.message, "a, b, c"));
	folder_remove(&f);
}

/* Two runs below one directory, and sessions that overlap. */
static void several_runs_keep_their_names(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_space(&f, "train/plugins/profile/a/h.xplane.pb", START_NS);
	put_space(&f, "eval/plugins/profile/a/h.xplane.pb", START_NS + 50);
	folder_read(&f, (struct nx_system_options){0});
	assert_string_equal(session(&f, 0)->name, "train/a");
	assert_string_equal(session(&f, 1)->name, "eval/a");
	assert_int_equal(session(&f, 1)->gap_ns, 0);
	assert_int_equal(count_warnings(f.profile, "counted twice"), 1);
	folder_close(&f);
	folder_remove(&f);
}

static void a_folder_without_sessions_has_none(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_process(&f, "i-1_pid_5", 5, START_NS);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->sessions.len, 0);
	assert_null(f.profile->run_path);
	assert_int_equal(f.profile->processes[0].session, NX_NO_SESSION);
	folder_close(&f);
	folder_remove(&f);
}

static uint64_t first_of(const struct trace_folder *f, const char *instance)
{
	for (uint32_t i = 0; i < f->profile->process_count; i++)
		if (!strcmp(f->profile->processes[i].instance_id, instance))
			return f->profile->processes[i].init_ns;
	fail();
	return 0;
}

static void find_first(void *context, const void *row)
{
	const struct nx_system_event *event = row;
	uint64_t *first_ns = context;

	if (event->start_ns < first_ns[event->process])
		first_ns[event->process] = event->start_ns;
}

/* One host is 5 s ahead and another 2 s behind; all recorded at the same moment. */
static void clocks_of_hosts_are_aligned(void **state)
{
	static const char *const native[] = {"h1_9012/"}, *const space[] = {"h2_9012.xplane.pb"};
	const struct nx_session_host hosts[] = {
		{.address = "h1:9012",
		 .has_clock = true,
		 .clock_offset_ns = 5 * (int64_t)SECOND_NS,
		 .files = native,
		 .file_count = 1},
		{.address = "h2:9012",
		 .has_clock = true,
		 .clock_offset_ns = -2 * (int64_t)SECOND_NS,
		 .files = space,
		 .file_count = 1},
	};
	struct nx_session_file file = {
		.kind = NX_SESSION_ON_DEMAND, .name = "b", .hosts = hosts, .host_count = 2};
	uint64_t first_ns[2] = {UINT64_MAX, UINT64_MAX};
	struct nx_bytes bytes = {0};
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_process(&f, "log/plugins/profile/b/h1_9012/i-1_pid_5", 5, START_NS + 5 * SECOND_NS);
	put_space(&f, "log/plugins/profile/b/h2_9012.xplane.pb", START_NS - 2 * SECOND_NS);
	nx_session_file_encode(&file, &bytes);
	folder_put(&f, "log/plugins/profile/b/" NX_SESSION_FILE, bytes.items, bytes.len);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 2);
	assert_true(first_of(&f, "i-1") == START_NS);
	assert_true(session(&f, 0)->start_ns == START_NS);
	assert_int_equal(nx_system_scan(f.profile, NX_SYSTEM_EVENT, find_first, first_ns, NULL),
			 NX_OK);
	/* the call is 400 ns after the start, the span at it */
	assert_true(first_ns[0] + first_ns[1] == 2 * START_NS + 400);
	assert_true(first_ns[0] == START_NS || first_ns[1] == START_NS);
	nx_vec_release(&bytes);
	folder_close(&f);
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions_of_processes_that_overlap_are_one),
		cmocka_unit_test(a_captured_session_is_described_by_its_file),
		cmocka_unit_test(only_the_named_sessions_are_read),
		cmocka_unit_test(several_runs_keep_their_names),
		cmocka_unit_test(a_folder_without_sessions_has_none),
		cmocka_unit_test(clocks_of_hosts_are_aligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
