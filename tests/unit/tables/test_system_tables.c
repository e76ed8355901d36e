/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "format/ntrace.h"
#include "tables/tables.h"
#include "tests/unit/checked_sink.h"
#include "tests/unit/system_fixture.h"
#include "tests/unit/table_memory.h"

static const struct nx_tables_options plain;

/* Writes all tables and checks every row against the schema. */
static void write_tables(struct nx_system_fixture *f, struct nx_table_memory *memory)
{
	struct nx_checked_sink checked;

	nx_table_memory_init(memory);
	nx_checked_sink_init(&checked, &memory->sink);
	if (nx_system_tables_write(&f->p, &plain, &checked.sink, &f->err) ||
	    nx_checked_sink_finish(&checked, &f->err))
		fail_msg("%s", f->err.message);
}

static void assert_i64(const struct nx_row *row, unsigned column, int64_t value)
{
	assert_int_equal(row->kinds[column], NX_CELL_I64);
	assert_int_equal(row->cells[column].i64, value);
}

static void assert_text(const struct nx_row *row, unsigned column, const char *text)
{
	const char *found = nx_table_memory_text(row, column);

	if (text)
		assert_string_equal(found, text);
	else
		assert_null(found);
}

static void assert_null_at(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_NULL);
}

/* --- events ---------------------------------------------------------------- */

#define EVENT(column) NX_COL_SystemProfileEvents_##column

static void an_event_of_the_host_has_its_columns(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_WRITE, 100, 130);
	struct nx_table_memory memory;
	const struct nx_row *row;

	e->nc_idx = -1;
	e->worker_gid = UINT32_MAX;
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 0);
	assert_i64(row, EVENT(id), 1);
	assert_text(row, EVENT(name), "nrt_tensor_write");
	assert_i64(row, EVENT(start_ts), 100);
	assert_i64(row, EVENT(end_ts), 130);
	assert_i64(row, EVENT(duration_ns), 30);
	assert_text(row, EVENT(trace_event_source), "neuron_rt");
	assert_text(row, EVENT(instance_id), "i-a");
	assert_i64(row, EVENT(process_id), 70);
	assert_i64(row, EVENT(thread_id), 70);
	assert_null_at(row, EVENT(nc_idx));
	assert_null_at(row, EVENT(pcore_idx));
	assert_null_at(row, EVENT(worker_gid));
	assert_null_at(row, EVENT(flow_id));
	assert_null_at(row, EVENT(framework_stream_id));
	assert_null_at(row, EVENT(extra_attributes_json));
	nx_table_memory_release(&memory);
}

/* A launch belongs to its execution and to the framework call that made it; a step has a number. */
static void an_event_may_have_two_flows_and_a_step_number(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_PRE, 100, 130);
	struct nx_table_memory memory;
	const struct nx_row *row;

	e->flow_id = 5;
	e->call_flow_id = 8;
	e = nx_fixture_event(f, NAME_CALL, 200, 300);
	e->flags = NX_EVENT_STEP;
	e->step_num = 17;
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 0);
	assert_int_equal(row->cells[EVENT(flow_id)].list_text.count, 2);
	assert_true(nx_slice_is(row->cells[EVENT(flow_id)].list_text.items[0], "5"));
	assert_true(nx_slice_is(row->cells[EVENT(flow_id)].list_text.items[1], "8"));
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 1);
	assert_text(row, EVENT(extra_attributes_json), "{\"step_num\":\"17\"}");
	nx_table_memory_release(&memory);
}

#define MANY_EVENTS 7001 /* several batches for the thread that puts rows, and a part of one */

/* Two events in turn, with and without attributes; other tables are empty. */
static enum nx_status scan_many(void *context, enum nx_system_table table, nx_row_fn fn,
				void *fn_context, struct nx_error *err)
{
	struct nx_system_fixture *f = context;

	(void)err;
	for (uint64_t i = 0; table == NX_SYSTEM_EVENT && i < MANY_EVENTS; i++) {
		struct nx_system_event event = f->events[i % 2];

		event.id = i + 1;
		event.start_ns = event.end_ns = 100 + i;
		fn(fn_context, &event);
	}
	return NX_OK;
}

static void many_events_keep_their_order_and_attributes(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;

	nx_fixture_event(f, NAME_WRITE, 1, 1);
	nx_fixture_event(f, NAME_PRE, 1, 1);
	nx_fixture_attribute(f, "size", "64");
	f->p.source.scan = scan_many;
	f->p.rows[NX_SYSTEM_EVENT] = MANY_EVENTS;
	write_tables(f, &memory);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_SystemProfileEvents),
			 MANY_EVENTS);
	for (size_t i = 0; i < MANY_EVENTS; i++) {
		const struct nx_row *row =
			nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, i);

		assert_i64(row, EVENT(id), (int64_t)i + 1);
		assert_i64(row, EVENT(start_ts), 100 + (int64_t)i);
		assert_text(row, EVENT(extra_attributes_json), i % 2 ? "{\"size\":\"64\"}" : NULL);
	}
	nx_table_memory_release(&memory);
}

/* --- steps ----------------------------------------------------------------- */

static void steps_and_gaps_have_their_columns(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	const struct nx_row *row;

	f->steps[0] = (struct nx_step){.start_ns = 100,
				       .end_ns = 500,
				       .step_num = 7,
				       .name = "train",
				       .rank = 1,
				       .duration_mads = 4.5,
				       .has_late = true,
				       .late_ns = 30,
				       .has_shares = true,
				       .busy_ns = 300,
				       .runtime_ns = 60,
				       .host_ns = 40,
				       .is_outlier = true};
	f->steps[1] = (struct nx_step){
		.start_ns = 600, .end_ns = 600, .name = "train", .is_unfinished = true};
	f->p.rows[NX_SYSTEM_STEP] = 2;
	f->step_totals[0] = (struct nx_step_total){
		.name = "train", .step_count = 1, .unfinished_count = 1, .has_shares = true};
	f->p.rows[NX_SYSTEM_STEP_TOTAL] = 1;
	f->gaps[0] = (struct nx_execution_gap){
		.start_ns = 100, .end_ns = 120, .runtime_ns = 10, .worker_gid = UINT32_MAX};
	f->p.rows[NX_SYSTEM_GAP] = 1;
	f->gap_totals[0] = (struct nx_gap_total){.count = 1, .nc_idx = 2, .worker_gid = 9};
	f->p.rows[NX_SYSTEM_GAP_TOTAL] = 1;
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_Step, 0);
	assert_text(row, NX_COL_Step_label, "train 7");
	assert_i64(row, NX_COL_Step_duration_ns, 400);
	assert_true(row->cells[NX_COL_Step_device_busy_frac].f64 == 0.75);
	assert_true(row->cells[NX_COL_Step_runtime_frac].f64 == 0.15);
	assert_true(row->cells[NX_COL_Step_host_bound_frac].f64 == 0.1);
	assert_i64(row, NX_COL_Step_late_ns, 30);
	assert_true(row->cells[NX_COL_Step_is_outlier].boolean);
	row = nx_table_memory_row(&memory, NX_SCHEMA_Step, 1); /* without duration: no shares */
	assert_null_at(row, NX_COL_Step_device_busy_frac);
	assert_null_at(row, NX_COL_Step_late_ns);
	assert_null_at(row, NX_COL_Step_duration_rank);
	row = nx_table_memory_row(&memory, NX_SCHEMA_StepSummary, 0); /* none ended */
	assert_null_at(row, NX_COL_StepSummary_median_duration_ns);
	assert_null_at(row, NX_COL_StepSummary_host_bound_frac);
	row = nx_table_memory_row(&memory, NX_SCHEMA_ExecutionGap, 0);
	assert_text(row, NX_COL_ExecutionGap_waits_for, "host"); /* half is not most */
	assert_null_at(row, NX_COL_ExecutionGap_step_num);
	assert_null_at(row, NX_COL_ExecutionGap_worker_gid);
	row = nx_table_memory_row(&memory, NX_SCHEMA_ExecutionGapSummary, 0);
	assert_i64(row, NX_COL_ExecutionGapSummary_nc_idx, 2);
	assert_i64(row, NX_COL_ExecutionGapSummary_worker_gid, 9);
	nx_table_memory_release(&memory);
}

static void an_event_of_a_core_names_both_cores_and_its_flow(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_RUNNING, 100, 130);
	struct nx_table_memory memory;
	const struct nx_row *row;

	e->source = NX_SOURCE_HARDWARE;
	e->flow_id = UINT64_MAX;
	e->nc_idx = 2;
	nx_fixture_attribute(f, "device_core_idx", "5");
	nx_fixture_attribute(f, "nc_timestamp_ns", "7");
	nx_fixture_attribute(f, "nc_timestamp_ns", "9");
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 0);
	assert_text(row, EVENT(trace_event_source), "neuron_hw");
	assert_i64(row, EVENT(nc_idx), 2);
	assert_i64(row, EVENT(pcore_idx), 5);
	assert_i64(row, EVENT(worker_gid), 3);
	assert_int_equal(row->kinds[EVENT(flow_id)], NX_CELL_LIST_TEXT);
	assert_int_equal(row->cells[EVENT(flow_id)].list_text.count, 1);
	assert_true(
		nx_slice_is(row->cells[EVENT(flow_id)].list_text.items[0], "18446744073709551615"));
	assert_text(row, EVENT(extra_attributes_json),
		    "{\"device_core_idx\":\"5\",\"nc_start_timestamp_ns\":\"7\","
		    "\"nc_stop_timestamp_ns\":\"9\"}");
	nx_table_memory_release(&memory);
}

static void attributes_become_one_object(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_EXECUTE, 100, 100);
	struct nx_table_memory memory;
	const struct nx_row *row;

	e->parent_id = 44;
	e->flags = NX_EVENT_UNFINISHED | NX_EVENT_ORPHAN;
	nx_fixture_attribute(f, "model_id", "5");
	nx_fixture_attribute(f, "note", "a \"b\"\n");
	nx_fixture_attribute(f, "parent_id", "1");
	nx_fixture_attribute(f, "size", "1");
	nx_fixture_attribute(f, "size", "2"); /* the stop's */
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 0);
	assert_text(row, EVENT(extra_attributes_json),
		    "{\"parent_id\":\"44\",\"is_unfinished\":\"true\",\"is_orphan\":\"true\","
		    "\"model_id\":\"5\",\"note\":\"a \\\"b\\\"\\n\",\"size\":\"2\","
		    "\"model_name\":\"/m/net.neff\"}");
	nx_table_memory_release(&memory);
}

/* Short keys and long ones are copied in different ways; no byte of one shows in the next. */
static void keys_of_every_length_stand_as_they_are(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	char keys[3][64], want[256];

	nx_fixture_event(f, NAME_EXECUTE, 100, 100);
	for (size_t i = 0; i < 3; i++) {
		memset(keys[i], 'a' + (int)i, sizeof(keys[i]));
		keys[i][28 + i] = 0; /* with quotes and colon 31, 32 and 33 bytes */
		nx_fixture_attribute(f, keys[i], i ? "v" : "");
	}
	snprintf(want, sizeof(want), "{\"%s\":\"\",\"%s\":\"v\",\"%s\":\"v\"}", keys[0], keys[1],
		 keys[2]);
	write_tables(f, &memory);
	assert_text(nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 0),
		    EVENT(extra_attributes_json), want);
	nx_table_memory_release(&memory);
}

static void a_row_has_nothing_of_the_one_before(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_CALL, 100, 130);
	struct nx_table_memory memory;
	const struct nx_row *row;

	e->source = NX_SOURCE_FRAMEWORK;
	e->stream_id = 7;
	e->flags = NX_EVENT_INSTANT;
	e = nx_fixture_event(f, NAME_PRE, 140, 120); /* ends before it starts */
	e->process = 1;
	f->p.process_count = 2;
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 0);
	assert_text(row, EVENT(trace_event_source), "framework");
	assert_text(row, EVENT(framework_stream_id), "7");
	assert_text(row, EVENT(extra_attributes_json), "{\"is_instant\":\"true\"}");
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileEvents, 1);
	assert_text(row, EVENT(instance_id), "i-b");
	assert_i64(row, EVENT(start_ts), 140);
	assert_i64(row, EVENT(end_ts), 140);
	assert_i64(row, EVENT(duration_ns), 0);
	assert_text(row, EVENT(framework_stream_id), NULL);
	assert_text(row, EVENT(extra_attributes_json), NULL);
	nx_table_memory_release(&memory);
}

/* --- samples --------------------------------------------------------------- */

static void processors_are_followed_by_their_mean(void **state)
{
	struct nx_system_fixture *f = *state;
	const struct {
		int64_t time_ns;
		const char *cpu_id;
		double percent;
	} expected[] = {
		{5, "0", 20}, {5, "11", 100}, {5, "average", 60.5}, {6, "0", 1}, {6, "average", 1}};
	struct nx_table_memory memory;

	f->cpu[0] = (struct nx_cpu_sample){.time_ns = 5, .cpu_id = 0, .util_percent = 20};
	f->cpu[1] = (struct nx_cpu_sample){.time_ns = 5, .cpu_id = 11, .util_percent = 101};
	f->cpu[2] = (struct nx_cpu_sample){.time_ns = 6, .cpu_id = 0, .util_percent = 1};
	f->p.rows[NX_SYSTEM_CPU] = 3;
	f->processes[0].ultraserver = nx_ultraserver_of(9, 4, 1);
	write_tables(f, &memory);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_CpuUsage), 5);
	for (size_t i = 0; i < 5; i++) {
		const struct nx_row *row = nx_table_memory_row(&memory, NX_SCHEMA_CpuUsage, i);

		assert_i64(row, NX_COL_CpuUsage_timestamp, expected[i].time_ns);
		assert_text(row, NX_COL_CpuUsage_cpu_id, expected[i].cpu_id);
		assert_true(row->cells[NX_COL_CpuUsage_util_percent].f64 == expected[i].percent);
		assert_text(row, NX_COL_CpuUsage_instance_id, "i-a");
		assert_i64(row, NX_COL_CpuUsage_ultraserver_id, 9);
		assert_i64(row, NX_COL_CpuUsage_ultraserver_instance_index, 1);
	}
	nx_table_memory_release(&memory);
}

static void means_are_of_one_process(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	double sum = 0;

	f->cpu[0] = (struct nx_cpu_sample){.time_ns = 5, .process = 0, .util_percent = 10};
	f->cpu[1] = (struct nx_cpu_sample){.time_ns = 5, .process = 1, .util_percent = 50};
	f->p.rows[NX_SYSTEM_CPU] = 2;
	write_tables(f, &memory);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_CpuUsage), 4);
	for (size_t i = 0; i < 4; i++)
		sum += nx_table_memory_row(&memory, NX_SCHEMA_CpuUsage, i)
			       ->cells[NX_COL_CpuUsage_util_percent]
			       .f64;
	assert_true(sum == 2 * (10 + 50));
	nx_table_memory_release(&memory);
}

static void memory_of_hosts_is_a_share_of_theirs(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	const struct nx_row *row;

	f->memory[0] = (struct nx_memory_sample){.time_ns = 5, .usage_bytes = 125};
	f->memory[1] = (struct nx_memory_sample){.time_ns = 6, .usage_bytes = 7, .process = 1};
	f->p.rows[NX_SYSTEM_MEMORY] = 2;
	f->p.process_count = 2; /* the second does not tell how much it has */
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_HostMemUsage, 0);
	assert_i64(row, NX_COL_HostMemUsage_timestamp, 5);
	assert_i64(row, NX_COL_HostMemUsage_used_bytes, 125);
	assert_true(row->cells[NX_COL_HostMemUsage_used_percent].f64 == 12.5);
	assert_null_at(row, NX_COL_HostMemUsage_ultraserver_id);
	row = nx_table_memory_row(&memory, NX_SCHEMA_HostMemUsage, 1);
	assert_text(row, NX_COL_HostMemUsage_instance_id, "i-b");
	assert_true(row->cells[NX_COL_HostMemUsage_used_percent].f64 == 0);
	nx_table_memory_release(&memory);
}

#define HBM(column) NX_COL_SystemProfileHbmUsage_##column

static void put_hbm(struct nx_system_fixture *f, uint32_t process, uint64_t time_ns,
		    uint32_t category, uint64_t total_bytes, uint64_t category_bytes)
{
	f->hbm[f->p.rows[NX_SYSTEM_HBM]++] =
		(struct nx_hbm_sample){.time_ns = time_ns,
				       .total_bytes = total_bytes,
				       .category_bytes = category_bytes,
				       .process = process,
				       .hbm_idx = 2,
				       .device_idx = 1,
				       .category = category};
}

/* Two processes of one instance, whose rows come one process after the other. */
static void memory_of_devices_is_shared_in_order_of_time(void **state)
{
	struct nx_system_fixture *f = *state;
	const struct {
		int64_t time_ns, total, weights, io, unknown;
	} expected[] = {{10, 100, 100, 0, 0},
			{20, 160, 100, 50, 10},
			{30, 120, 60, 50, 10},
			{40, 123, 60, 50, 13}};
	struct nx_table_memory memory;

	f->p.process_count = 2;
	f->processes[1].instance_id = "i-a";
	put_hbm(f, 0, 10, NAME_WEIGHT, 100, 100);
	put_hbm(f, 0, 30, NAME_WEIGHT, 60, 60);
	put_hbm(f, 0, 40, UINT32_MAX, 63, 3);
	put_hbm(f, 1, 20, NAME_IO, 60, 50); /* 10 bytes older than the trace */
	write_tables(f, &memory);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_SystemProfileHbmUsage), 4);
	for (size_t i = 0; i < 4; i++) {
		const struct nx_row *row =
			nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileHbmUsage, i);

		assert_i64(row, HBM(timestamp), expected[i].time_ns);
		assert_i64(row, HBM(total_bytes), expected[i].total);
		assert_i64(row, HBM(weights_bytes), expected[i].weights);
		assert_i64(row, HBM(io_bytes), expected[i].io);
		assert_i64(row, HBM(unknown_bytes), expected[i].unknown);
		assert_i64(row, HBM(device_idx), 1);
		assert_i64(row, HBM(hbm_idx), 2);
		assert_text(row, HBM(instance_id), "i-a");
	}
	nx_table_memory_release(&memory);
}

/* Each category of the runtime into the column that says the same. */
static void categories_have_their_columns(void **state)
{
	static const unsigned columns[] = {
		HBM(generic_bytes),
		HBM(tensor_instructions_bytes),
		HBM(scalar_instructions_bytes),
		HBM(gpsimd_instructions_bytes),
		HBM(io_bytes),
		HBM(dram_spill_bytes),
		HBM(weights_bytes),
		HBM(profiler_buffers_bytes),
		HBM(scalar_table_bytes),
		HBM(vector_instructions_bytes),
		HBM(sync_instructions_bytes),
		HBM(shared_scratchpad_bytes),
		HBM(tensors_bytes),
		HBM(ucode_lib_bytes),
		HBM(gpsimd_stdio_bytes),
		HBM(collectives_bytes),
		HBM(scratchpad_bytes),
		HBM(unknown_bytes),
		HBM(dma_rings_runtime_bytes),
		HBM(dma_rings_spill_bytes),
		HBM(dma_rings_io_bytes),
		HBM(dma_rings_collectives_bytes),
	};
	static const char *const texts[] = {
		"generic",
		"pe",
		"act",
		"pool",
		"io",
		"spill",
		"weight",
		"profiler buffers",
		"act table",
		"dve",
		"sp",
		"shared scratchpad",
		"tensor",
		"ucode",
		"pool stdio",
		"collectives",
		"scratchpad",
		"xt cc",
		"dma rings runtime",
		"dma rings spill",
		"dma rings io",
		"dma rings collectives",
	};
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	const char *names[NX_NTRACE_CATEGORIES];

	memcpy(names, texts, sizeof(names));
	f->processes[0].names = names;
	f->processes[0].name_count = NX_NTRACE_CATEGORIES;
	for (uint32_t i = 0; i < NX_NTRACE_CATEGORIES; i++)
		put_hbm(f, 0, i, i, (uint64_t)(i + 1) * 10, 10);
	write_tables(f, &memory);
	for (uint32_t i = 0; i < NX_NTRACE_CATEGORIES; i++) {
		const struct nx_row *row =
			nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileHbmUsage, i);

		assert_i64(row, columns[i], 10);
		assert_i64(row, HBM(total_bytes), (int64_t)(i + 1) * 10);
	}
	nx_table_memory_release(&memory);
}

/* --- the profile ----------------------------------------------------------- */

static void metadata_spans_all_events(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	const struct nx_row *row;

	f->p.last_ns = UINT64_C(1773237645758435066);
	f->processes[0].data_version = 2;
	write_tables(f, &memory);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_SystemProfileMetadata), 1);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileMetadata, 0);
	assert_text(row, NX_COL_SystemProfileMetadata_first_ts, "1970-01-01T00:00:00.0000001Z");
	assert_text(row, NX_COL_SystemProfileMetadata_last_ts, "2026-03-11T14:00:45.758435066Z");
	assert_text(row, NX_COL_SystemProfileMetadata_first_ts_ns, "100");
	assert_text(row, NX_COL_SystemProfileMetadata_last_ts_ns, "1773237645758435066");
	assert_i64(row, NX_COL_SystemProfileMetadata_ntff_version, 2);
	assert_i64(row, NX_COL_SystemProfileMetadata_hbm_capacity_bytes, INT64_C(24) << 30);
	nx_table_memory_release(&memory);
}

static void metadata_without_processes_is_neutral(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	const struct nx_row *row;

	f->p.process_count = 0;
	write_tables(f, &memory);
	row = nx_table_memory_row(&memory, NX_SCHEMA_SystemProfileMetadata, 0);
	assert_i64(row, NX_COL_SystemProfileMetadata_ntff_version, 0);
	assert_i64(row, NX_COL_SystemProfileMetadata_hbm_capacity_bytes, 0);
	nx_table_memory_release(&memory);
}

static void device_profiles_are_listed_with_what_their_names_tell(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;
	const struct nx_row *row;

	nx_fixture_device(f, 5, false);
	f->p.devices.items[0].nc_idx = 3;
	nx_fixture_device(f, 6, true); /* nothing to open */
	nx_fixture_device(f, 0, false);
	f->p.devices.items[2].process = UINT32_MAX;
	f->p.devices.items[2].session = 4;
	write_tables(f, &memory);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_DeviceProfileList), 2);
	row = nx_table_memory_row(&memory, NX_SCHEMA_DeviceProfileList, 0);
	assert_text(row, NX_COL_DeviceProfileList_device_profile_name, "device_profile_model_5");
	assert_text(row, NX_COL_DeviceProfileList_instance_id, "i-a");
	assert_i64(row, NX_COL_DeviceProfileList_process_id, 70);
	assert_i64(row, NX_COL_DeviceProfileList_nc_id, 3);
	assert_i64(row, NX_COL_DeviceProfileList_model_id, 5);
	assert_null_at(row, NX_COL_DeviceProfileList_session_id);
	row = nx_table_memory_row(&memory, NX_SCHEMA_DeviceProfileList, 1);
	assert_text(row, NX_COL_DeviceProfileList_device_profile_name, "device_profile_p");
	assert_text(row, NX_COL_DeviceProfileList_instance_id, "");
	assert_i64(row, NX_COL_DeviceProfileList_process_id, 0);
	assert_i64(row, NX_COL_DeviceProfileList_nc_id, -1);
	assert_i64(row, NX_COL_DeviceProfileList_session_id, 4);
	assert_null_at(row, NX_COL_DeviceProfileList_model_id);
	nx_table_memory_release(&memory);
}

static void every_table_of_a_system_is_there_once(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;

	nx_system_warn(&f->p, "Data Loss", "%d records", 3);
	write_tables(f, &memory);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		uint8_t scope = nx_schema_tables[i].scope;
		unsigned count = scope == NX_SCOPE_SYSTEM || scope == NX_SCOPE_BOTH;

		assert_int_equal(memory.begin_counts[i], count);
		assert_int_equal(memory.end_counts[i], count);
	}
	assert_text(nx_table_memory_row(&memory, NX_SCHEMA_Warning, 0), NX_COL_Warning_message,
		    "3 records");
	assert_true(nx_table_memory_count(&memory, NX_SCHEMA_SchemaFields) > 500);
	nx_table_memory_release(&memory);
}

/* Whatever a row says, it does not say where the host can be reached. */
static void addresses_of_hosts_stay_private(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;

	nx_fixture_event(f, NAME_WRITE, 100, 130);
	nx_fixture_device(f, 5, false);
	write_tables(f, &memory);
	for (unsigned t = 0; t < NX_SCHEMA_TABLE_COUNT; t++)
		for (size_t i = 0; t != NX_SCHEMA_SchemaFields && i < memory.rows[t].len; i++)
			for (unsigned c = 0; c < memory.rows[t].items[i]->column_count; c++) {
				const struct nx_row *row = memory.rows[t].items[i];

				if (row->kinds[c] != NX_CELL_TEXT)
					continue;
				assert_null(strstr(nx_table_memory_text(row, c), "10.0.0.1"));
				assert_null(strstr(nx_table_memory_text(row, c), "ip-10"));
			}
	nx_table_memory_release(&memory);
}

static void a_table_that_cannot_be_read_ends_the_writing(void **state)
{
	static const unsigned tables[] = {NX_SYSTEM_EVENT, NX_SYSTEM_CPU, NX_SYSTEM_MEMORY,
					  NX_SYSTEM_HBM};
	struct nx_system_fixture *f = *state;

	put_hbm(f, 0, 10, NAME_WEIGHT, 100, 100);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct nx_table_memory memory;

		f->failing_table = tables[i];
		nx_table_memory_init(&memory);
		assert_int_equal(nx_system_tables_write(&f->p, &plain, &memory.sink, &f->err),
				 NX_IO);
		assert_true(f->err.message[0]);
		nx_table_memory_release(&memory);
	}
}

static void a_failing_sink_ends_the_writing(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_table_memory memory;

	for (uint64_t i = 0; i < 8; i++)
		nx_fixture_event(f, NAME_WRITE, i, i + 1);
	nx_table_memory_init(&memory);
	memory.fail_after = 3;
	assert_int_not_equal(nx_system_tables_write(&f->p, &plain, &memory.sink, &f->err), NX_OK);
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_SystemProfileEvents), 3);
	nx_table_memory_release(&memory);
}

#define CASE(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_event_of_the_host_has_its_columns),
		CASE(an_event_of_a_core_names_both_cores_and_its_flow),
		CASE(an_event_may_have_two_flows_and_a_step_number),
		CASE(many_events_keep_their_order_and_attributes),
		CASE(steps_and_gaps_have_their_columns),
		CASE(attributes_become_one_object),
		CASE(keys_of_every_length_stand_as_they_are),
		CASE(a_row_has_nothing_of_the_one_before),
		CASE(processors_are_followed_by_their_mean),
		CASE(means_are_of_one_process),
		CASE(memory_of_hosts_is_a_share_of_theirs),
		CASE(memory_of_devices_is_shared_in_order_of_time),
		CASE(categories_have_their_columns),
		CASE(metadata_spans_all_events),
		CASE(metadata_without_processes_is_neutral),
		CASE(device_profiles_are_listed_with_what_their_names_tell),
		CASE(every_table_of_a_system_is_there_once),
		CASE(addresses_of_hosts_stay_private),
		CASE(a_table_that_cannot_be_read_ends_the_writing),
		CASE(a_failing_sink_ends_the_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
