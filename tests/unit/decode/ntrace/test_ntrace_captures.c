/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real system profile, with the numbers that docs/formats/system.md claims of
 * it. It is not part of the repository; without it there is nothing to check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "tests/unit/decode/ntrace/ntrace_fixture.h"

#define SEQUENCE_BITS 50
#define CORE_COUNT 4
#define TICK_COUNT 600
#define CPU_COUNT 12

static struct trace trace;

static void load(const char *folder, const char *name, struct nx_bytes *to)
{
	struct nx_file file;
	struct nx_error err;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(nx_file_map(&file, path, &err), NX_OK);
	nx_bytes_append(to, file.bytes.data, file.bytes.len);
	nx_file_unmap(&file);
}

static bool load_folder(void)
{
	glob_t found;
	bool is_found =
		glob(NX_TEST_DATA "/neuron-system/i-*_pid_*/trace_info.pb", 0, NULL, &found) == 0;

	if (is_found) {
		char folder[512];

		snprintf(folder, sizeof(folder), "%s", found.gl_pathv[0]);
		*strrchr(folder, '/') = 0;
		load(folder, "trace_info.pb", &trace.info);
		load(folder, "ntrace.pb", &trace.events);
		load(folder, "cpu_util.pb", &trace.cpu);
		load(folder, "host_mem.pb", &trace.memory);
		decode(&trace, folder);
	}
	globfree(&found);
	return is_found;
}

static const char *name_of(const struct nx_system_event *row)
{
	return trace.process.names[row->name];
}

static struct nx_slice attribute_of(const struct nx_system_event *row, const char *key)
{
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES];
	size_t count = nx_ntrace_event_attributes(&trace.decoder, row, found, NX_MAX_ATTRIBUTES);

	for (size_t i = 0; i < count; i++)
		if (nx_slice_is(found[i].key, key))
			return found[i].value;
	return (struct nx_slice){0};
}

/* 0 when the event has no such attribute. */
static uint64_t number_of(const struct nx_system_event *row, const char *key)
{
	struct nx_slice text = attribute_of(row, key);
	char copy[32];

	assert_true(text.len < sizeof(copy));
	snprintf(copy, sizeof(copy), "%.*s", (int)text.len, (const char *)text.data);
	return strtoull(copy, NULL, 0);
}

static void test_process(void **state)
{
	const struct nx_system_process *process = &trace.process;
	const struct nx_ntrace_info *info = &trace.decoder.info;

	(void)state;
	assert_string_equal(process->instance_id, "i-0af76a70a6d3864dd");
	assert_int_equal(process->pid, 713479);
	assert_string_equal(process->instance_type, "trn2.3xlarge");
	assert_int_equal(process->arch, 2);
	assert_int_equal(process->logical_nc_size, 2);
	assert_int_equal(process->cpu_count, CPU_COUNT);
	assert_int_equal(process->memory_capacity_bytes, UINT64_C(133975228416));
	assert_int_equal(process->stored_event_count, 1676);
	assert_int_equal(process->total_event_count, 1676);
	assert_int_equal((process->close_ns - process->init_ns) / 10000000, 60016);
	assert_int_equal(info->events.num_events, 1676);
	assert_int_equal(info->host.cpu_util.num_events, TICK_COUNT);
	assert_int_equal(info->host.host_mem.num_events, TICK_COUNT);
	assert_true(info->host.cpu_period_s == 1.0f);
	assert_int_equal(info->data_version, 2);
	assert_int_equal(info->interned.count, 4);
	assert_true(info->has_ultraserver);
	assert_int_equal(info->ultraserver.instance_index, UINT32_MAX);
}

static void test_nothing_is_lost(void **state)
{
	static const struct nx_ntrace_loss none = {0};

	(void)state;
	assert_memory_equal(&trace.decoder.loss, &none, sizeof(none));
}

static void test_workers(void **state)
{
	(void)state;
	assert_int_equal(trace.process.worker_count, CORE_COUNT);
	for (int32_t i = 0; i < CORE_COUNT; i++) {
		assert_int_equal(trace.process.workers[i].nc_idx, i);
		assert_int_equal(trace.process.workers[i].worker_gid, i);
	}
}

static void test_pairs(void **state)
{
	size_t instants = 0, hardware = 0;

	(void)state;
	assert_int_equal(trace.rows.len, 837 + 2);
	for (size_t i = 0; i < trace.rows.len; i++) {
		const struct nx_system_event *row = &trace.rows.items[i];

		instants += row->flags == NX_EVENT_INSTANT;
		hardware += row->source == NX_SOURCE_HARDWARE;
		assert_true(row->flags == 0 || row->flags == NX_EVENT_INSTANT);
		assert_int_equal(row->nc_idx, row->id >> SEQUENCE_BITS);
		assert_true(row->start_ns >= trace.process.init_ns);
		assert_true(row->end_ns <= trace.process.close_ns);
	}
	assert_int_equal(instants, 2);
	assert_int_equal(hardware, 6);
}

static void test_types(void **state)
{
	static const struct {
		const char *name;
		size_t count;
	} cases[] = {
		{"nrt_load", 4},
		{"nrt_execute", 1},
		{"kmgr_exec_core", 1},
		{"nc_exec_running", 2},
		{"nrt_tensor_read", 1},
		{"nrt_tensor_write", 8},
		{"kbl_exec_pre", 1},
		{"kbl_exec_wait", 1},
		{"kbl_exec_post", 1},
		{"nrt_model_submit", 1},
		{"timestamp_sync_point", 2},
		{"nc_model_switch", 2},
		{"nrt_tensor_allocate", 9},
		{"nrt_tensor_free", 2},
		{"dmem_buf_copyin", 398},
		{"dmem_buf_copyout", 1},
		{"nrt_dma_mem_alloc", 395},
		{"nrt_dma_mem_dealloc", 5},
		{"notification_consume_errors", 2},
		{"exec_consume_gpsimd_stdio", 2},
	};
	size_t sum = 0;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		size_t count = 0;

		for (size_t i = 0; i < trace.rows.len; i++)
			count += !strcmp(name_of(&trace.rows.items[i]), cases[c].name);
		assert_int_equal(count, cases[c].count);
		sum += count;
	}
	assert_int_equal(sum, trace.rows.len);
}

/* The numbers of our own table are those of the file's. */
static void test_our_table(void **state)
{
	(void)state;
	for (uint64_t type = 0; type < 40; type++) {
		uint64_t index;

		assert_true(nx_map_get(&trace.decoder.type_names, type, &index));
		assert_string_equal(trace.process.names[index], nx_ntrace_event_name(type));
	}
	assert_int_equal(trace.decoder.type_names.len, 40);
}

static void test_our_categories(void **state)
{
	const struct nx_ntrace_info *info = &trace.decoder.info;
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < info->interned.count; i++) {
		const struct nx_ntrace_interned *table = &info->interned.items[i];

		if (!nx_slice_is(table->category, "nrt_inspect_mem_usage_type"))
			continue;
		for (size_t j = 0; j < table->texts.count; j++, seen++)
			assert_true(nx_slice_is(table->texts.items[j].text,
						nx_ntrace_category_name(table->texts.items[j].id)));
	}
	assert_int_equal(seen, NX_NTRACE_CATEGORIES);
}

static void test_interned(void **state)
{
	uint64_t model_id = UINT64_C(171450338541704);
	struct nx_slice text = nx_ntrace_interned_text(&trace.decoder, model_id);

	(void)state;
	assert_true(nx_slice_ends(text, "/model.MODULE_297095076442530781+fad94d7c.neff"));
	assert_int_equal(nx_ntrace_intern_id(text), model_id);
	for (size_t i = 0; i < trace.rows.len; i++)
		if (!strcmp(name_of(&trace.rows.items[i]), "nrt_execute"))
			assert_int_equal(number_of(&trace.rows.items[i], "model_id"), model_id);
}

/* The pair of clocks that explains this time, or 0. */
static uint64_t explained_by(uint64_t time_ns, uint64_t device_ns)
{
	for (size_t i = 0; i < trace.rows.len; i++) {
		const struct nx_system_event *sync = &trace.rows.items[i];
		uint64_t device, host;

		if (strcmp(name_of(sync), "timestamp_sync_point") != 0)
			continue;
		device = number_of(sync, "nc_timestamp_ns");
		host = number_of(sync, "cpu_timestamp_ns");
		if (time_ns == device_ns + (host - device))
			return device;
	}
	return 0;
}

/* Hardware events were converted to the host's clock by the sync point of their core. */
static void test_clocks(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < trace.rows.len; i++) {
		const struct nx_system_event *row = &trace.rows.items[i];
		uint64_t start = number_of(row, "nc_start_timestamp_ns");
		uint64_t stop = number_of(row, "nc_stop_timestamp_ns");

		if (row->source != NX_SOURCE_HARDWARE || row->flags)
			continue;
		assert_true(explained_by(row->start_ns, start) != 0);
		assert_int_equal(explained_by(row->start_ns, start),
				 explained_by(row->end_ns, stop));
		assert_int_equal(row->end_ns - row->start_ns, stop - start);
		count++;
	}
	assert_int_equal(count, 4);
}

/* Which memory an address is in: bits 47 and 38. */
static void test_physical_addresses(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < trace.rows.len; i++) {
		const struct nx_system_event *row = &trace.rows.items[i];
		uint64_t address = number_of(row, "physical_address");

		if (strcmp(name_of(row), "nrt_dma_mem_alloc") != 0 || !number_of(row, "is_nc_hbm"))
			continue;
		assert_int_equal(number_of(row, "hbm_idx"),
				 2 * (address >> 47 & 1) + (address >> 38 & 1));
		count++;
	}
	assert_int_equal(count, 394);
}

static void test_samples(void **state)
{
	(void)state;
	assert_int_equal(trace.cpu_rows.len, TICK_COUNT * CPU_COUNT);
	assert_int_equal(trace.memory_rows.len, TICK_COUNT);
	for (size_t i = 0; i < trace.cpu_rows.len; i++) {
		const struct nx_cpu_sample *row = &trace.cpu_rows.items[i];

		assert_int_equal(row->cpu_id, i % CPU_COUNT);
		assert_int_equal(row->time_ns, trace.memory_rows.items[i / CPU_COUNT].time_ns);
		assert_true(row->util_percent <= 100);
		if (i < CPU_COUNT)
			assert_true(row->util_percent == 0);
	}
	for (size_t i = 1; i < TICK_COUNT; i++) {
		uint64_t step_ns =
			trace.memory_rows.items[i].time_ns - trace.memory_rows.items[i - 1].time_ns;

		assert_in_range(step_ns, 1000100000, 1000400000);
	}
}

/* The writer writes what the runtime wrote, byte for byte. */
static void test_rewriting(void **state)
{
	struct nx_ntrace_stream stream = {
		.file = nx_slice_of(trace.events.items, trace.events.len)};
	struct nx_arena arena = {0};
	struct nx_bytes again = {0};
	struct nx_slice record;

	(void)state;
	while (nx_ntrace_next(&stream, &record)) {
		struct nx_ntrace_event event;

		assert_int_equal(nx_wire_decode(&nx_ntrace_event_message, record, &event, &arena,
						NULL, NULL),
				 NX_OK);
		nx_ntrace_append(&again, &nx_ntrace_event_message, &event);
	}
	assert_int_equal(again.len, trace.events.len);
	assert_memory_equal(again.items, trace.events.items, again.len);
	nx_vec_release(&again);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process),	       cmocka_unit_test(test_nothing_is_lost),
		cmocka_unit_test(test_workers),	       cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_types),	       cmocka_unit_test(test_our_table),
		cmocka_unit_test(test_our_categories), cmocka_unit_test(test_interned),
		cmocka_unit_test(test_clocks),	       cmocka_unit_test(test_physical_addresses),
		cmocka_unit_test(test_samples),	       cmocka_unit_test(test_rewriting),
	};
	int failed;

	if (!load_folder()) {
		puts("1..0 # SKIP the real captures are not here");
		return 0;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	release(&trace);
	return failed;
}
