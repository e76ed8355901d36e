/* SPDX-License-Identifier: Apache-2.0 */
/* Directories are written record by record and read back through the whole pipeline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/data/synthetic_system.h"
#include "trace_folder.h"

#define EXECUTE 3
#define EXEC_RUNNING 7
#define EXEC_PRE 17
#define SYNC_POINT 25
#define COPY_IN 30
#define COPY_OUT 31
#define ALLOCATE 34
#define RELEASE 35
#define UNHEARD_OF 4711

static const struct nx_system_options plain;

static const char *name_of(const struct trace_folder *f, size_t event)
{
	return nx_system_event_name(f->profile, &f->events.items[event]);
}

/* --- whole captures ---------------------------------------------------------- */

static void a_made_capture_comes_back_whole(void **state)
{
	struct nx_synthetic_system_counts counts = {0};
	uint64_t types[NX_SYNTHETIC_EVENT_TYPES] = {0}, last_ns = 0, frameworks = 0;
	uint32_t last_process = 0;
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	assert_int_equal(nx_synthetic_system_write(&nx_synthetic_system_small, f.path, &counts,
						   &f.err),
			 NX_OK);
	folder_read(&f, plain);
	assert_int_equal(f.profile->process_count, counts.process_count);
	assert_int_equal(f.events.len, counts.pair_count + counts.instant_count +
					       counts.unfinished_count + counts.orphan_count +
					       counts.framework_event_count);
	for (size_t i = 0; i < f.events.len; i++) {
		const struct nx_system_event *e = &f.events.items[i];

		assert_true(e->process >= last_process);
		assert_true(e->process > last_process || e->start_ns >= last_ns);
		last_process = e->process;
		last_ns = e->start_ns;
		frameworks += e->source == NX_SOURCE_FRAMEWORK;
		if (e->type < NX_SYNTHETIC_EVENT_TYPES)
			types[e->type]++;
	}
	assert_memory_equal(types, counts.type_counts, sizeof(types));
	assert_int_equal(frameworks, counts.framework_event_count);
	assert_int_equal(f.profile->rows[NX_SYSTEM_CPU], counts.cpu_row_count);
	assert_int_equal(f.profile->rows[NX_SYSTEM_MEMORY], counts.memory_row_count);
	assert_int_equal(f.profile->devices.len, counts.device_capture_count);
	assert_int_equal(count_warnings(f.profile, "dropped during capture"), 1);
	folder_remove(&f);
}

/* --- order and nesting ---------------------------------------------------------- */

static void events_are_ordered_and_nested_per_process(void **state)
{
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_call(&events, EXECUTE, 2, 7, 200, 300, NULL); /* inner, written first */
	add_call(&events, EXECUTE, 1, 7, 100, 400, NULL);
	add_call(&events, EXECUTE, 4, 7, 500, 600, NULL); /* start together: the longer first */
	add_call(&events, EXECUTE, 3, 7, 500, 700, NULL);
	put_events(&f, "i-2_pid_5", &events);
	add_call(&events, EXECUTE, 2, 7, 200, 300, NULL);
	add_call(&events, EXECUTE, 9, 7, 200, 300, NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, 6);
	assert_int_equal(f.events.items[0].process, 0);
	assert_int_equal(f.events.items[0].id, 2); /* equal in time: by id */
	assert_int_equal(f.events.items[1].id, 9);
	assert_int_equal(f.events.items[1].parent_id, 2);
	assert_int_equal(f.events.items[2].process, 1);
	assert_int_equal(f.events.items[2].id, 1);
	assert_int_equal(f.events.items[3].parent_id, 1);
	assert_int_equal(f.events.items[4].id, 3);
	assert_int_equal(f.events.items[5].parent_id, 3);
	assert_int_equal(f.events.items[5].depth, 1);
	assert_int_equal(f.profile->first_ns, 100);
	assert_int_equal(f.profile->last_ns, 700);
	folder_remove(&f);
}

/* Events wait for their records in small crowds: those that start together stay together. */
static void events_that_start_together_may_be_any_number(void **state)
{
	struct trace_folder f;
	struct nx_bytes events = {0};
	uint64_t id = 0, expected = 0;

	(void)state;
	folder_make(&f);
	for (uint64_t crowd = 1; crowd < 80; crowd += 3)
		for (uint64_t i = 0; i < crowd; i++, id++) /* the shortest is written first */
			add_call(&events, EXECUTE, 1 + id, 7, 1000 * crowd, 1000 * crowd + i + 1,
				 NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, id);
	for (uint64_t crowd = 1, at = 0; crowd < 80; crowd += 3, expected += crowd - 3)
		for (uint64_t i = 0; i < crowd; i++, at++) {
			assert_int_equal(f.events.items[at].start_ns, 1000 * crowd);
			assert_int_equal(f.events.items[at].id, expected + crowd - i);
			assert_int_equal(f.events.items[at].depth, i);
		}
	folder_remove(&f);
}

/* --- workers ------------------------------------------------------------------- */

static void put_worker(struct trace_folder *f, const char *name, const char *nc,
		       const char *worker_gid)
{
	struct attribute a[] = {{"nc_idx", nc}, {"worker_gid", worker_gid}, {NULL, NULL}};
	struct nx_bytes events = {0};

	add_call(&events, EXECUTE, 1, 7, 100, 200, a);
	put_events(f, name, &events);
}

static void workers_that_are_unique_keep_their_numbers(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put_worker(&f, "i-1_pid_5", "3", "40");
	put_worker(&f, "i-2_pid_5", "3", "12");
	folder_read(&f, plain);
	assert_int_equal(f.events.items[0].worker_gid, 40);
	assert_int_equal(f.events.items[1].worker_gid, 12);
	folder_remove(&f);
}

static void workers_that_repeat_are_numbered_through(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put_worker(&f, "i-2_pid_5", "0", "0");
	put_worker(&f, "i-1_pid_9", "1", "1");
	put_worker(&f, "i-1_pid_5", "0", "0");
	folder_read(&f, plain);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f.events.items[i].worker_gid, f.events.items[i].process);
	assert_string_equal(f.profile->processes[2].instance_id, "i-2");
	folder_remove(&f);
}

/* Two machines, each with processes on cores 0, 1 and 5, not in the order of their ids. */
static void cores_with_gaps_keep_their_order_on_several_instances(void **state)
{
	static const struct {
		const char *folder, *nc, *gid;
	} workers[] = {
		{"i-1_pid_5", "0", "0"}, {"i-1_pid_6", "0", "1"}, {"i-1_pid_7", "0", "5"},
		{"i-2_pid_5", "0", "0"}, {"i-2_pid_6", "0", "1"}, {"i-2_pid_4", "0", "5"},
	};
	/* processes are in the order of their folders: pid 4 comes before 5 on the second */
	static const uint32_t expected[] = {0, 1, 2, 5, 3, 4};
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		put_worker(&f, workers[i].folder, workers[i].nc, workers[i].gid);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(f.events.items[i].worker_gid, expected[f.events.items[i].process]);
	folder_remove(&f);
}

/* --- names, flows, derived tables -------------------------------------------------- */

static void types_nobody_knows_keep_their_numbers(void **state)
{
	static const char framework[] =
		"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"forward\",\"pid\":1,\"tid\":2,"
		"\"ts\":1000.5,\"dur\":2}]}";
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_call(&events, UNHEARD_OF, 1, 7, 100, 200, NULL);
	add_call(&events, EXECUTE, 2, 7, 300, 400, NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_put(&f, "i-1_pid_5/trace.json", framework, sizeof(framework) - 1);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, 3);
	assert_non_null(strstr(name_of(&f, 0), "4711"));
	assert_string_equal(name_of(&f, 1), "nrt_execute");
	assert_string_equal(name_of(&f, 2), "forward");
	assert_int_equal(count_warnings(f.profile, "cannot name"), 1);
	folder_remove(&f);
}

static void an_execution_is_one_flow_on_its_core(void **state)
{
	struct attribute named[] = {
		{"nc_idx", "0"}, {"exec_id", "1"}, {"model_id", "77"}, {NULL, NULL}};
	struct attribute first[] = {{"nc_idx", "0"}, {"exec_id", "1"}, {NULL, NULL}};
	struct attribute other_core[] = {{"nc_idx", "1"}, {"exec_id", "1"}, {NULL, NULL}};
	struct attribute second[] = {{"nc_idx", "0"}, {"exec_id", "2"}, {NULL, NULL}};
	struct trace_folder f;
	struct nx_bytes events = {0};
	uint64_t flows[5];

	(void)state;
	folder_make(&f);
	add_call(&events, EXEC_RUNNING, 2, 8, 120, 130, first);
	add_call(&events, EXEC_PRE, 1, 7, 100, 110, named);
	add_call(&events, EXEC_RUNNING, 3, 8, 140, 150, other_core);
	add_call(&events, EXEC_RUNNING, 4, 8, 160, 170, second);
	add_call(&events, EXECUTE, 5, 7, 180, 190, first); /* not of the execution's own */
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	for (size_t i = 0; i < 5; i++)
		flows[i] = f.events.items[i].flow_id;
	assert_int_not_equal(flows[0], 0);
	assert_int_equal(flows[0], flows[1]);
	assert_int_not_equal(flows[2], flows[0]);
	assert_int_not_equal(flows[3], flows[0]);
	assert_int_not_equal(flows[3], flows[2]);
	assert_int_equal(flows[4], 0);
	assert_int_equal(f.events.items[0].model_id, 77);
	assert_int_equal(f.events.items[1].model_id, 77); /* told by the other of its events */
	assert_int_equal(f.events.items[2].model_id, 0);
	folder_remove(&f);
}

static void memory_and_transfers_are_derived(void **state)
{
	struct attribute allocate[] = {{"nc_idx", "0"},
				       {"is_nc_hbm", "1"},
				       {"hbm_idx", "2"},
				       {"mla_idx", "3"},
				       {"usage_type", "weight"},
				       {"allocated_bytes", "100"},
				       {"total_bytes", "100"},
				       {"usage_type_total_bytes", "100"},
				       {NULL, NULL}};
	struct attribute release[] = {
		{"nc_idx", "0"},       {"is_nc_hbm", "1"},    {"usage_type", "weight"},
		{"freed_bytes", "40"}, {"total_bytes", "60"}, {"usage_type_total_bytes", "60"},
		{NULL, NULL}};
	struct attribute host[] = {{"is_nc_hbm", "0"}, {"total_bytes", "9"}, {NULL, NULL}};
	struct attribute size[] = {{"nc_idx", "0"}, {"size", "4096"}, {NULL, NULL}};
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_call(&events, ALLOCATE, 1, 7, 100, 110, allocate);
	add_call(&events, RELEASE, 2, 7, 120, 130, release);
	add_call(&events, ALLOCATE, 3, 7, 140, 150, host);
	add_call(&events, COPY_IN, 4, 7, 160, 170, size);
	add_call(&events, COPY_OUT, 5, 7, 180, 190, NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	assert_int_equal(f.hbm.len, 2);
	assert_int_equal(f.hbm.items[0].total_bytes, 100);
	assert_int_equal(f.hbm.items[0].time_ns, 110);
	assert_int_equal(f.hbm.items[0].hbm_idx, 2);
	assert_int_equal(f.hbm.items[0].device_idx, 3);
	assert_string_equal(f.profile->processes[0].names[f.hbm.items[0].category], "weight");
	assert_int_equal(f.hbm.items[1].total_bytes, 60);
	assert_int_equal(f.hbm.items[1].category_bytes, 60);
	assert_int_equal(f.transfers.len, 2);
	assert_int_equal(f.transfers.items[0].size_bytes, 4096);
	assert_int_equal(f.transfers.items[0].direction, NX_HOST_TO_DEVICE);
	assert_int_equal(f.transfers.items[1].size_bytes, 0);
	assert_int_equal(f.transfers.items[1].direction, NX_DEVICE_TO_HOST);
	folder_remove(&f);
}

/* --- clocks --------------------------------------------------------------------- */

static void the_first_sync_point_gives_the_offset(void **state)
{
	struct attribute first[] = {
		{"nc_timestamp_ns", "1000"}, {"cpu_timestamp_ns", "5000"}, {NULL, NULL}};
	struct attribute second[] = {
		{"nc_timestamp_ns", "1000"}, {"cpu_timestamp_ns", "5001"}, {NULL, NULL}};
	struct attribute broken[] = {{"nc_timestamp_ns", "99999999999999999999"},
				     {"cpu_timestamp_ns", "1"},
				     {NULL, NULL}};
	struct nx_system_options options = {0};
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_record(&events, NX_PHASE_INSTANT, SYNC_POINT, 1, 7, 300, second);
	add_record(&events, NX_PHASE_INSTANT, SYNC_POINT, 2, 7, 200, first);
	add_record(&events, NX_PHASE_INSTANT, SYNC_POINT, 3, 7, 100, broken);
	put_events(&f, "i-1_pid_5", &events);
	add_record(&events, NX_PHASE_INSTANT, SYNC_POINT, 3, 7, 100, broken);
	put_events(&f, "i-2_pid_5", &events);
	folder_read(&f, plain);
	assert_true(f.profile->processes[0].has_clock_offset);
	assert_int_equal(f.profile->processes[0].clock_offset_ns, 4000);
	assert_false(f.profile->processes[1].has_clock_offset);
	folder_close(&f);
	options.filter.event_types = "^timestamp_sync_point"; /* shown or not, it tells */
	folder_read(&f, options);
	assert_int_equal(f.events.len, 0);
	assert_int_equal(f.profile->processes[0].clock_offset_ns, 4000);
	folder_remove(&f);
}

static uint64_t framework_start(const struct trace_folder *f)
{
	for (size_t i = 0; i < f->events.len; i++)
		if (f->events.items[i].source == NX_SOURCE_FRAMEWORK)
			return f->events.items[i].start_ns;
	return 0;
}

static void read_framework(struct trace_folder *f, const char *ts, uint64_t init_ns,
			   uint64_t close_ns)
{
	struct nx_bytes events = {0};
	char text[256];
	int len = snprintf(text, sizeof(text),
			   "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,"
			   "\"ts\":%s,\"dur\":2}]}",
			   ts);

	put_info(f, "i-1_pid_5", "i-1", 5, init_ns, close_ns);
	add_call(&events, EXECUTE, 1, 7, init_ns + 10, init_ns + 20, NULL);
	put_events(f, "i-1_pid_5", &events);
	folder_put(f, "i-1_pid_5/trace.json", text, (size_t)len);
	folder_read(f, plain);
}

static void clocks_of_frameworks(void **state)
{
	const uint64_t init_ns = UINT64_C(1700000000000000000);
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	/* within the session, and an hour around it */
	read_framework(&f, "1700000000000001", init_ns, init_ns + 1000000);
	assert_int_equal(framework_start(&f), init_ns + 1000);
	assert_int_equal(f.profile->warnings.len - count_warnings(f.profile, " has no "), 0);
	/* counts from somewhere else */
	read_framework(&f, "77", init_ns, init_ns + 1000000);
	assert_int_equal(framework_start(&f), init_ns);
	assert_int_equal(count_warnings(f.profile, "as if it began with the session"), 1);
	/* killed: the end is not known, but the clock is right */
	read_framework(&f, "1700000009000000", init_ns, 0);
	assert_int_equal(framework_start(&f), init_ns + UINT64_C(9000000000));
	/* far beyond what fits */
	read_framework(&f, "18446744073709000", init_ns, init_ns + 1000000);
	assert_int_equal(framework_start(&f), init_ns);
	folder_remove(&f);
}

/* --- damage ----------------------------------------------------------------------- */

static void a_torn_file_keeps_what_is_before(void **state)
{
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_call(&events, EXECUTE, 1, 7, 100, 200, NULL);
	nx_bytes_append(&events, "\xff\xff\xff\xff torn", 9);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, 1);
	assert_int_equal(count_warnings(f.profile, "the last 9 bytes"), 1);
	assert_int_equal(count_warnings(f.profile, " has no "), 3);
	folder_remove(&f);
}

static void the_end_of_a_killed_process_is_told(void **state)
{
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_call(&events, EXECUTE, 1, 7, 1000000000, 2500000000, NULL);
	put_info(&f, "i-1_pid_5", "i-1", 5, 900000000, 0);
	put_events(&f, "i-1_pid_5", &events);
	put_info(&f, "i-1_pid_6", "i-1", 6, 1000000000, 0); /* before its first event */
	put_info(&f, "i-1_pid_7", "i-1", 7, 1000000000, 3000000000);
	add_call(&events, EXECUTE, 1, 7, 1100000000, 2500000000, NULL);
	put_events(&f, "i-1_pid_7", &events);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, 2);
	assert_int_equal(count_warnings(f.profile, "the capture ends at "), 2);
	assert_int_equal(
		count_warnings(
			f.profile,
			"i-1_pid_5: the capture ends at 1970-01-01T00:00:02.5Z: "
			"the process was killed, its disk was full, or it is still running."),
		1);
	assert_int_equal(count_warnings(f.profile,
					"i-1_pid_6: the capture ends at 1970-01-01T00:00:01Z: "
					"the process was killed, its disk was full, or it is still "
					"running. It has no "
					"events up to then."),
			 1);
	folder_remove(&f);
}

static void times_that_run_backwards(void **state)
{
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	add_call(&events, EXECUTE, 1, 7, 500, 100, NULL);
	add_call(&events, EXECUTE, 2, 7, UINT64_MAX, 0, NULL);
	add_record(&events, NX_PHASE_STOP, EXECUTE, 3, 7, 50, NULL);
	add_record(&events, NX_PHASE_START, EXECUTE, 4, 7, 60, NULL);
	add_record(&events, NX_PHASE_START, EXECUTE, 4, 7, 61, NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	for (size_t i = 0; i < f.events.len; i++)
		assert_true(f.events.items[i].end_ns >= f.events.items[i].start_ns);
	assert_int_equal(count_warnings(f.profile, "end before they start"), 1);
	assert_int_equal(count_warnings(f.profile, "no recorded start"), 1);
	assert_int_equal(count_warnings(f.profile, "no recorded end"), 1);
	folder_remove(&f);
}

static void a_process_that_left_nothing_costs_only_itself(void **state)
{
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	folder_put(&f, "i-1_pid_4/ntrace.pb", "", 0);
	folder_put(&f, "i-1_pid_4/trace_info.pb", "", 0);
	assert_int_equal(folder_open(&f, plain), NX_FORMAT);
	assert_non_null(strstr(f.err.message, "holds no system trace"));
	add_call(&events, EXECUTE, 1, 7, 100, 200, NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	assert_int_equal(f.profile->process_count, 1);
	assert_int_equal(f.profile->processes[0].pid, 5);
	assert_int_equal(f.events.len, 1);
	assert_int_equal(count_warnings(f.profile, "holds no system trace"), 1);
	folder_remove(&f);
}

static void nothing_to_show(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	assert_int_equal(folder_open(&f, plain), NX_NOT_FOUND);
	assert_non_null(strstr(f.err.message, "no device or system profiles found in "));
	folder_remove(&f);
}

/* All start together: sorting and nesting must not depend on how many do. */
static void a_clock_that_stands_still(void **state)
{
	const uint64_t count = 300000;
	struct trace_folder f;
	struct nx_bytes events = {0};

	(void)state;
	folder_make(&f);
	for (uint64_t i = 0; i < count; i++)
		add_record(&events, NX_PHASE_INSTANT, EXECUTE, i + 1, 7, 100, NULL);
	put_events(&f, "i-1_pid_5", &events);
	folder_read(&f, plain);
	assert_int_equal(f.events.len, count);
	assert_int_equal(f.events.items[count - 1].id, count);
	folder_remove(&f);
}

/* --- filters ----------------------------------------------------------------------- */

static void filters_reach_the_events(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put_worker(&f, "i-1_pid_5", "0", "0");
	put_worker(&f, "i-2_pid_5", "1", "1");
	folder_read(&f, (struct nx_system_options){.filter = {.cores = "1"}});
	assert_int_equal(f.events.len, 1);
	assert_int_equal(f.events.items[0].nc_idx, 1);
	folder_read(&f, (struct nx_system_options){.filter = {.instances = "i-1"}});
	assert_int_equal(f.events.len, 1);
	assert_int_equal(f.events.items[0].process, 0);
	assert_int_equal(folder_open(&f, (struct nx_system_options){.filter = {.cores = "2"}}),
			 NX_NOT_FOUND);
	assert_string_equal(f.err.message, "NeuronCore 2 has no events; there are: 0, 1");
	assert_int_equal(folder_open(&f,
				     (struct nx_system_options){.filter = {.event_types = "x"}}),
			 NX_NOT_FOUND);
	assert_non_null(strstr(f.err.message, "hardware, software, nrt_execute"));
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_made_capture_comes_back_whole),
		cmocka_unit_test(events_are_ordered_and_nested_per_process),
		cmocka_unit_test(events_that_start_together_may_be_any_number),
		cmocka_unit_test(workers_that_are_unique_keep_their_numbers),
		cmocka_unit_test(workers_that_repeat_are_numbered_through),
		cmocka_unit_test(cores_with_gaps_keep_their_order_on_several_instances),
		cmocka_unit_test(types_nobody_knows_keep_their_numbers),
		cmocka_unit_test(an_execution_is_one_flow_on_its_core),
		cmocka_unit_test(memory_and_transfers_are_derived),
		cmocka_unit_test(the_first_sync_point_gives_the_offset),
		cmocka_unit_test(clocks_of_frameworks),
		cmocka_unit_test(a_torn_file_keeps_what_is_before),
		cmocka_unit_test(the_end_of_a_killed_process_is_told),
		cmocka_unit_test(times_that_run_backwards),
		cmocka_unit_test(a_process_that_left_nothing_costs_only_itself),
		cmocka_unit_test(nothing_to_show),
		cmocka_unit_test(a_clock_that_stands_still),
		cmocka_unit_test(filters_reach_the_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
