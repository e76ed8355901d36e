/* SPDX-License-Identifier: Apache-2.0 */
/* XSpaces in an output directory, beside processes and alone, and traces given as files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "format/xspace_writer.h"
#include "trace_folder.h"

#define START_NS UINT64_C(1700000000000000000)
#define EXECUTE_TYPE 3

static void write_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
}

/* A call "train" of thread 7 from 100 to 900 ns, with an attribute, and an op of a TPU inside. */
static void put_space(const struct trace_folder *folder, const char *name, uint64_t start_ns)
{
	struct nx_bytes bytes = {0};
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = &bytes, .start_ns = start_ns};
	struct nx_xspace_writer *w = nx_xspace_writer_new(&how);
	uint32_t host = nx_xspace_writer_plane(w, 0, NX_XPLANE_HOST);
	uint32_t device = nx_xspace_writer_plane(w, 1, "/device:TPU:0");
	uint32_t task = nx_xspace_writer_plane(w, 0, NX_XPLANE_TASK);
	uint32_t thread = nx_xspace_writer_line(w, host, 7, "main");
	uint32_t ops = nx_xspace_writer_line(w, device, 1, "XLA Ops");
	struct nx_xspace_attribute step = {"step_num", {.kind = NX_XSTAT_I64, .integer = 3}};
	struct nx_xspace_attribute start = {NX_XSTAT_START_TIME,
					    {.kind = NX_XSTAT_U64, .integer = start_ns}};

	nx_xspace_writer_event(w, thread, "train", start_ns + 100, start_ns + 900, &step, 1);
	nx_xspace_writer_event(w, ops, "add", start_ns + 200, start_ns + 300, NULL, 0);
	if (start_ns)
		nx_xspace_writer_stat(w, task, &start);
	assert_int_equal(nx_xspace_writer_finish(w, NULL), NX_OK);
	folder_put(folder, name, bytes.items, bytes.len);
	nx_vec_release(&bytes);
}

static void put_process(const struct trace_folder *folder, const char *name, uint64_t pid)
{
	struct nx_bytes events = {0};
	char file[64];

	add_call(&events, EXECUTE_TYPE, 1, 7, START_NS + 400, START_NS + 500, NULL);
	put_events(folder, name, &events);
	snprintf(file, sizeof(file), "%s", name);
	put_info(folder, file, "i-1", pid, START_NS, START_NS + 1000);
}

static const struct nx_system_event *find(const struct trace_folder *f, const char *name)
{
	for (size_t i = 0; i < f->events.len; i++)
		if (!strcmp(nx_system_event_name(f->profile, &f->events.items[i]), name))
			return &f->events.items[i];
	return NULL;
}

static const char *thread_name(const struct trace_folder *f, const struct nx_system_event *event)
{
	return nx_system_thread_name(&f->profile->processes[event->process], event->thread_id);
}

static void hosts_of_a_session_are_processes(void **state)
{
	struct trace_folder f = {0};
	const struct nx_system_event *train, *add;
	struct nx_event_attribute attributes[4];

	(void)state;
	folder_make(&f);
	put_space(&f, "run/plugins/profile/2026_01_02/h1.xplane.pb", START_NS);
	put_space(&f, "run/plugins/profile/2026_01_02/h2.xplane.pb", START_NS + 5000);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 2);
	assert_string_equal(f.profile->processes[0].instance_id, "h1");
	assert_string_equal(f.profile->processes[1].instance_id, "h2");
	assert_true(f.profile->processes[0].init_ns == START_NS);
	assert_int_equal(f.events.len, 4);
	train = find(&f, "train");
	add = find(&f, "add");
	assert_true(train->start_ns == START_NS + 100);
	assert_int_equal(train->thread_id, 7);
	assert_string_equal(thread_name(&f, train), "main");
	assert_string_equal(thread_name(&f, add), "/device:TPU:0 XLA Ops");
	assert_true(add->thread_id != 7);
	assert_int_equal(train->flow_id, 0);
	assert_int_equal(nx_system_attributes(f.profile, train, attributes, 4), 1);
	assert_true(nx_slice_is(attributes[0].key, "step_num"));
	assert_true(nx_slice_is(attributes[0].value, "3"));
	folder_close(&f);
	folder_remove(&f);
}

static void count_step(void *context, const void *row)
{
	const struct nx_step *step = row;

	assert_string_equal(step->name, "train");
	assert_int_equal(step->step_num, 3);
	++*(unsigned *)context;
}

static void annotations_of_steps_are_steps(void **state)
{
	struct trace_folder f = {0};
	unsigned count = 0;

	(void)state;
	folder_make(&f);
	put_space(&f, "h.xplane.pb", START_NS);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(nx_system_scan(f.profile, NX_SYSTEM_STEP, count_step, &count, &f.err),
			 NX_OK);
	assert_int_equal(count, 1);
	folder_close(&f);
	folder_remove(&f);
}

static void sessions_of_a_host_share_its_rows(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_space(&f, "plugins/profile/a/h.xplane.pb", START_NS);
	put_space(&f, "plugins/profile/b/h.xplane.pb", START_NS + 5000);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 2);
	assert_string_equal(f.profile->processes[0].instance_id, "h");
	assert_string_equal(f.profile->processes[1].instance_id, "h");
	folder_close(&f);
	folder_remove(&f);
}

/* Threads have the same ids in both, so calls of the runtime belong to those of the framework. */
static void an_xspace_joins_the_process_it_lies_beside(void **state)
{
	struct trace_folder f = {0};
	const struct nx_system_event *train, *execute = NULL;

	(void)state;
	folder_make(&f);
	put_process(&f, "i-1_pid_5", 5);
	put_process(&f, "i-1_pid_6", 6);
	put_space(&f, "i-1_pid_6/plugins/profile/s/h.xplane.pb", START_NS);
	/* the same events again, as JAX writes them */
	folder_put(&f, "i-1_pid_6/plugins/profile/s/h.trace.json", "[]", 2);
	folder_put(&f, "i-1_pid_6/plugins/profile/s/perfetto_trace.json", "[]", 2);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 2);
	assert_int_equal(f.events.len, 4);
	train = find(&f, "train");
	assert_int_equal(train->process, 1);
	for (size_t i = 0; i < f.events.len; i++)
		if (f.events.items[i].source == NX_SOURCE_RUNTIME && f.events.items[i].process == 1)
			execute = &f.events.items[i];
	assert_non_null(execute);
	assert_true(execute->flow_id && execute->flow_id == train->flow_id);
	folder_close(&f);
	folder_remove(&f);
}

static void a_space_without_a_start_begins_with_its_process(void **state)
{
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_process(&f, "i-1_pid_5", 5);
	put_space(&f, "h.xplane.pb", 0);
	folder_read(&f, (struct nx_system_options){0});
	assert_true(find(&f, "train")->start_ns == START_NS);
	assert_true(find(&f, "add")->start_ns == START_NS + 100);
	assert_int_equal(count_warnings(f.profile, "does not say what its clock counts from"), 1);
	folder_close(&f);
	folder_remove(&f);
}

static void open_file(struct trace_folder *f, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	folder_read(f, (struct nx_system_options){.directory = path});
}

static void a_file_is_a_profile_of_its_own(void **state)
{
	static const char list[] = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":5,\"dur\":2,\"tid\":1}]";
	static const char object[] = "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":5,"
				     "\"dur\":2,\"tid\":1}]}";
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	put_space(&f, "h.xplane.pb", START_NS);
	folder_put(&f, "list.json", list, strlen(list));
	folder_put(&f, "object.json", object, strlen(object));
	open_file(&f, "h.xplane.pb");
	assert_int_equal(f.profile->process_count, 1);
	assert_int_equal(f.events.len, 2);
	folder_close(&f);
	for (int i = 0; i < 2; i++) {
		open_file(&f, i ? "list.json" : "object.json");
		assert_int_equal(f.profile->process_count, 1);
		assert_string_equal(f.profile->processes[0].instance_id, i ? "list" : "object");
		assert_int_equal(f.events.len, 1);
		assert_int_equal(f.events.items[0].start_ns, 5000);
		assert_int_equal(f.events.items[0].end_ns, 7000);
		assert_int_equal(f.events.items[0].flow_id, 0);
		folder_close(&f);
	}
	folder_remove(&f);
}

static void traces_that_belong_to_no_process_are_shown(void **state)
{
	static const char trace[] = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":5,\"dur\":2,\"tid\":1}]";
	struct trace_folder f = {0};

	(void)state;
	folder_make(&f);
	folder_put(&f, "rank0.pt.trace.json", trace, strlen(trace));
	folder_put(&f, "rank1.pt.trace.json", trace, strlen(trace));
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.profile->process_count, 2);
	assert_string_equal(f.profile->processes[1].instance_id, "rank1");
	assert_int_equal(f.events.len, 2);
	folder_close(&f);
	folder_remove(&f);
}

static void a_bad_file_is_an_error_if_there_is_no_other(void **state)
{
	struct trace_folder f = {0};
	char path[256];

	(void)state;
	folder_make(&f);
	folder_put(&f, "bad.xplane.pb", "xx", 2);
	folder_put(&f, "bad.json", "{}", 2);
	snprintf(path, sizeof(path), "%s/bad.xplane.pb", f.path);
	assert_int_equal(folder_open(&f, (struct nx_system_options){.directory = path}), NX_FORMAT);
	assert_non_null(strstr(f.err.message, "bad.xplane.pb is not an XSpace"));
	snprintf(path, sizeof(path), "%s/bad.json", f.path);
	assert_int_equal(folder_open(&f, (struct nx_system_options){.directory = path}), NX_FORMAT);
	assert_non_null(strstr(f.err.message, "has no traceEvents"));
	put_process(&f, "i-1_pid_5", 5);
	folder_read(&f, (struct nx_system_options){0});
	assert_int_equal(f.events.len, 1);
	assert_int_equal(count_warnings(f.profile, "bad.xplane.pb is not an XSpace"), 1);
	folder_close(&f);
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_of_a_session_are_processes),
		cmocka_unit_test(annotations_of_steps_are_steps),
		cmocka_unit_test(sessions_of_a_host_share_its_rows),
		cmocka_unit_test(an_xspace_joins_the_process_it_lies_beside),
		cmocka_unit_test(a_space_without_a_start_begins_with_its_process),
		cmocka_unit_test(a_file_is_a_profile_of_its_own),
		cmocka_unit_test(traces_that_belong_to_no_process_are_shown),
		cmocka_unit_test(a_bad_file_is_an_error_if_there_is_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
