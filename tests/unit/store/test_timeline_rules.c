/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules make of rows whose tracks are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/timeline/timeline_rules.h"
#include "tests/unit/store/timeline_drawing.h"
#include "tests/unit/store/workspace_fixture.h"

#define SAMPLES(d, name, ...)                                                                      \
	do {                                                                                       \
		const struct nx_sample want[] = {__VA_ARGS__};                                     \
                                                                                                   \
		check_samples((d), track_named((d), name), want, sizeof(want) / sizeof(want[0]));  \
	} while (0)

/* --- the list -------------------------------------------------------------- */

/* What the sink relies on without looking. */
static void every_rule_is_well_formed(void **state)
{
	size_t counts[NX_SCHEMA_TABLE_COUNT] = {0};

	(void)state;
	for (size_t i = 0; i < nx_timeline_rule_count; i++) {
		const struct nx_timeline_rule *r = &nx_timeline_rules[i];
		unsigned columns = nx_schema_tables[r->table].column_count;

		assert_in_range(++counts[r->table], 1, NX_MAX_TABLE_RULES);
		assert_true(r->start < columns);
		assert_true(r->end == NX_NO_COLUMN || r->duration == NX_NO_COLUMN);
		assert_int_not_equal(r->series[0].kind, NX_SERIES_NONE);
		for (unsigned k = 0; k < NX_MAX_SERIES; k++) {
			const struct nx_rule_series *s = &r->series[k];

			if (s->kind == NX_SERIES_RATE)
				assert_true(s->amount && s->column == NX_NO_COLUMN);
			else if (s->kind && !s->amount)
				assert_true(s->column < columns);
		}
		for (const struct nx_rule_part *part = r->group; part->prefix; part++)
			assert_true(part->column < columns && part < r->group + NX_MAX_GROUP_PARTS);
		for (const struct nx_rule_part *part = r->track; part->prefix; part++)
			assert_true(part->column < columns && part < r->track + NX_MAX_TRACK_PARTS);
		if (r->last_share)
			assert_true(r->first_share <= r->last_share && r->last_share < columns &&
				    r->series[0].kind == NX_SERIES_LEVEL);
	}
}

/* --- matmuls --------------------------------------------------------------- */

static void put_matmul(struct drawing *d, int64_t start, int64_t end, int64_t elements,
		       int64_t transposed)
{
	nx_row_put_i64(&d->row, C(Instruction, pcore_idx), 1);
	nx_row_put_i64(&d->row, C(Instruction, tensor_elements), elements);
	nx_row_put_i64(&d->row, C(Instruction, tensor_elements_transpose), transposed);
	put_instruction(d, "TensorMatrix", start, end);
}

/*
 * 100-200: 1000 elements, 2000 flops in 100 ns, 2e10 a second
 * 150-250: 3000 elements, 6e10, of a transpose
 * 250-260:   10 elements, 2e9
 */
static void flops_flow_while_matmuls_last(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, "Vector", 90, 300);
	put_matmul(&d, 100, 200, 1000, 0);
	put_matmul(&d, 150, 250, 3000, 3000);
	put_matmul(&d, 250, 260, 10, 0);
	put_matmul(&d, 255, 255, 10, 0);
	draw(&d);
	SAMPLES(&d, "hardware FLOPS", {100, 2e10}, {150, 8e10}, {200, 6e10}, {250, 2e9}, {260, 0});
	SAMPLES(&d, "model FLOPS", {100, 2e10}, {200, 0}, {250, 2e9}, {260, 0});
	check_attributes(&d, track_named(&d, "model FLOPS"), "pcore_idx=1");
	check_text(track_at(&d, track_named(&d, "model FLOPS")).unit, "FLOP/s");
	check_text(track_at(&d, track_at(&d, track_named(&d, "hardware FLOPS")).parent).name,
		   "core 1");
	assert_int_equal(track_at(&d, track_named(&d, "TensorMatrix")).row_count, 4);
	end(&d);
}

static void transposes_alone_are_no_work_of_the_model(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_matmul(&d, 100, 200, 50, 50);
	put_matmul(&d, 300, 400, 50, 50);
	draw(&d);
	SAMPLES(&d, "model FLOPS", {100, 0});
	SAMPLES(&d, "hardware FLOPS", {100, 1e9}, {200, 0}, {300, 1e9}, {400, 0});
	end(&d);
}

static void cores_count_for_themselves(void **state)
{
	struct drawing d;
	uint32_t first;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	for (int core = 0; core < 2; core++) {
		nx_row_put_i64(&d.row, C(Instruction, pcore_idx), core);
		nx_row_put_i64(&d.row, C(Instruction, tensor_elements), 100);
		put_instruction(&d, "TensorMatrix", 10, 20 + 10 * core);
	}
	draw(&d);
	first = track_named(&d, "hardware FLOPS");
	check_attributes(&d, first, "pcore_idx=0");
	SAMPLES(&d, "hardware FLOPS", {10, 2e10}, {20, 0});
	/* Counters of a rule follow each other, then come group, engine and counters of core 1. */
	check_text(track_at(&d, first + 4).name, "hardware FLOPS");
	check_samples(&d, first + 4, (struct nx_sample[]){{10, 1e10}, {30, 0}}, 2);
	end(&d);
}

/* --- depths ---------------------------------------------------------------- */

/* 0-100 and 10-50 overlap, 20-40 too; 60-70 fits behind 10-50, 100-110 behind the first. */
static void instructions_that_overlap_lie_at_depths_of_their_own(void **state)
{
	static const int64_t times[][3] = {
		{0, 100, 0}, {10, 50, 1}, {20, 40, 2}, {60, 70, 1}, {100, 110, 0}};
	uint64_t seen[3] = {0};
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	for (size_t i = 0; i < 5; i++)
		put_instruction(&d, "Tensor", times[i][0], times[i][1]);
	draw(&d);
	assert_int_equal(track_at(&d, 0).depth_count, 3);
	assert_int_equal(track_at(&d, 0).row_count, 5);
	assert_int_equal(track_at(&d, 0).lost_count, 0);
	for (uint64_t i = 0; i < 5; i++) {
		uint32_t depth = (uint32_t)times[i][2];
		struct nx_span span;

		assert_true(nx_timeline_span(d.timeline, 0, depth, seen[depth]++, &span));
		assert_int_equal(span.row, i);
		assert_int_equal(span.start_ns, times[i][0]);
		assert_int_equal(span.end_ns, times[i][1]);
	}
	end(&d);
}

/* --- levels and what they are made of -------------------------------------- */

static void put_hbm(struct drawing *d, int64_t time, int64_t weights, int64_t tensors)
{
	nx_row_put_i64(&d->row, C(SystemProfileHbmUsage, timestamp), time);
	nx_row_put_text(&d->row, C(SystemProfileHbmUsage, instance_id), "i-1");
	nx_row_put_i64(&d->row, C(SystemProfileHbmUsage, device_idx), 3);
	nx_row_put_i64(&d->row, C(SystemProfileHbmUsage, hbm_idx), 0);
	for (unsigned i = C(SystemProfileHbmUsage, generic_bytes);
	     i <= C(SystemProfileHbmUsage, unknown_bytes); i++)
		nx_row_put_i64(&d->row, i, 0);
	nx_row_put_i64(&d->row, C(SystemProfileHbmUsage, total_bytes), weights + tensors);
	nx_row_put_i64(&d->row, C(SystemProfileHbmUsage, weights_bytes), weights);
	nx_row_put_i64(&d->row, C(SystemProfileHbmUsage, tensors_bytes), tensors);
	put(d);
}

static void device_memory_is_told_by_purpose(void **state)
{
	struct drawing d;
	uint32_t total;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SystemProfileHbmUsage);
	put_hbm(&d, 10, 100, 0);
	put_hbm(&d, 20, 100, 7);
	put_hbm(&d, 30, 100, 7);
	put_hbm(&d, 40, 0, 9);
	draw(&d);
	/* a group, the total, and the two purposes that are ever used */
	assert_int_equal(nx_timeline_track_count(d.timeline), 4);
	total = track_named(&d, "HBM device 3 stack 0");
	SAMPLES(&d, "HBM device 3 stack 0", {10, 100}, {20, 107}, {30, 107}, {40, 9});
	SAMPLES(&d, "weights", {10, 100}, {40, 0});
	SAMPLES(&d, "tensors", {10, 0}, {20, 7}, {40, 9});
	assert_int_equal(track_at(&d, track_named(&d, "weights")).parent, total);
	check_attributes(&d, total, "instance_id=i-1 device_idx=3 hbm_idx=0");
	check_attributes(&d, track_named(&d, "tensors"),
			 "instance_id=i-1 device_idx=3 hbm_idx=0 column=tensors_bytes");
	check_text(track_at(&d, track_named(&d, "tensors")).unit, "bytes");
	assert_true(track_at(&d, track_named(&d, "weights")).rank <
		    track_at(&d, track_named(&d, "tensors")).rank);
	end(&d);
}

static void partitions_and_banks_lie_below_their_average(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SbufUsage);
	nx_row_put_i64(&d.row, C(SbufUsage, timestamp), 5);
	nx_row_put_f64(&d.row, C(SbufUsage, avg_util_percent), 0.25);
	nx_row_put_f64(&d.row, C(SbufUsage, partition_0_util_percent), 0);
	nx_row_put_f64(&d.row, C(SbufUsage, partition_96_util_percent), 0.5);
	put(&d);
	begin_table(&d, NX_SCHEMA_PsumUsage);
	nx_row_put_i64(&d.row, C(PsumUsage, timestamp), 6);
	nx_row_put_f64(&d.row, C(PsumUsage, avg_util_percent), 0.125);
	nx_row_put_f64(&d.row, C(PsumUsage, bank_7_util_percent), 1);
	put(&d);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 4);
	SAMPLES(&d, "partition 96", {5, 0.5});
	SAMPLES(&d, "bank 7", {6, 1});
	assert_int_equal(track_at(&d, track_named(&d, "partition 96")).parent,
			 track_named(&d, "SBUF usage"));
	assert_int_equal(track_at(&d, track_named(&d, "bank 7")).parent,
			 track_named(&d, "PSUM usage"));
	check_attributes(&d, track_named(&d, "bank 7"), "column=bank_7_util_percent");
	end(&d);
}

static void throttling_is_a_span_and_a_limit(void **state)
{
	static const int64_t rows[][4] = {{10, 30, 8, 8}, {40, 5, 2, 8}, {45, 9, 3, 0}};
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Throttle);
	for (size_t i = 0; i < 3; i++) {
		nx_row_put_i64(&d.row, C(Throttle, timestamp), rows[i][0]);
		nx_row_put_i64(&d.row, C(Throttle, duration), rows[i][1]);
		nx_row_put_i64(&d.row, C(Throttle, k), rows[i][2]);
		nx_row_put_i64(&d.row, C(Throttle, n), rows[i][3]);
		put(&d);
	}
	draw(&d);
	SAMPLES(&d, "utilization limit", {10, 1}, {40, 0.25});
	assert_int_equal(track_at(&d, track_named(&d, "utilization limit")).lost_count, 1);
	assert_int_equal(track_at(&d, track_named(&d, "throttling")).row_count, 3);
	assert_int_equal(span_at(&d, track_named(&d, "throttling"), 1).end_ns, 45);
	end(&d);
}

/* --- transfers between host and device ------------------------------------- */

static void put_event(struct drawing *d, const char *name, int64_t start, int64_t end,
		      const char *extra)
{
	nx_row_put_text(&d->row, C(SystemProfileEvents, name), name);
	nx_row_put_i64(&d->row, C(SystemProfileEvents, start_ts), start);
	nx_row_put_i64(&d->row, C(SystemProfileEvents, end_ts), end);
	nx_row_put_text(&d->row, C(SystemProfileEvents, instance_id), "i-1");
	nx_row_put_i64(&d->row, C(SystemProfileEvents, process_id), 42);
	nx_row_put_i64(&d->row, C(SystemProfileEvents, thread_id), 9);
	nx_row_put_i64(&d->row, C(SystemProfileEvents, nc_idx), 2);
	nx_row_put_i64(&d->row, C(SystemProfileEvents, worker_gid), 18);
	nx_row_put_text(&d->row, C(SystemProfileEvents, trace_event_source), "neuron_rt");
	nx_row_put_text(&d->row, C(SystemProfileEvents, extra_attributes_json), extra);
	put(d);
}

/* 64 bytes in 10 ns are 6.4e9 a second, 30 in 20 ns 1.5e9. */
static void transfers_have_their_events_and_their_bandwidth(void **state)
{
	struct drawing d;
	uint32_t at;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SystemProfileEvents);
	put_event(&d, "nrt_tensor_write", 90, 200, "{\"size\":\"1000\"}");
	put_event(&d, "dmem_buf_copyin", 100, 110, "{\"parent_id\":\"5\",\"size\":\"64\"}");
	put_event(&d, "dmem_buf_batch_copyin", 105, 125, "{\"size\":\"30\",\"mem_type\":\"2\"}");
	put_event(&d, "dmem_buf_copyout", 120, 130, "{\"size\":\"8\"}");
	draw(&d);
	at = track_named(&d, "host_to_device transfers nc 2");
	assert_int_equal(track_at(&d, at).row_count, 2);
	assert_int_equal(track_at(&d, at).depth_count, 2);
	assert_int_equal(span_at(&d, at, 0).row, 1);
	check_text(nx_timeline_name(d.timeline, span_at(&d, at, 0).name), "dmem_buf_copyin");
	check_attributes(&d, at,
			 "instance_id=i-1 process_id=42 nc_idx=2 worker_gid=18 "
			 "direction=host_to_device");
	SAMPLES(&d, "host_to_device bandwidth nc 2", {100, 6.4e9}, {105, 7.9e9}, {110, 1.5e9},
		{125, 0});
	SAMPLES(&d, "device_to_host bandwidth nc 2", {120, 8e8}, {130, 0});
	check_attributes(&d, track_named(&d, "device_to_host bandwidth nc 2"),
			 "instance_id=i-1 process_id=42 nc_idx=2 worker_gid=18 "
			 "direction=device_to_host");
	/* They also stay where all events of their thread are. */
	at = track_of_table(&d, NX_SCHEMA_SystemProfileEvents);
	assert_int_equal(track_at(&d, at).row_count, 4);
	end(&d);
}

/* Only a number under the key itself is a size. */
static void sizes_are_read_from_their_key_alone(void **state)
{
	static const char *const without[] = {
		NULL,
		"",
		"{}",
		"{\"size\":\"",
		"{\"size\":\"12",
		"{\"size\":\"many\"}",
		"{\"mem_size\":\"12\"}",
		"{\"text\":\"\\\"size\\\":\\\"12\\\"\"}",
		"{\"sizes\":\"12\"}",
	};
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SystemProfileEvents);
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		put_event(&d, "dmem_buf_copyin", 10 * (int64_t)i, 10 * (int64_t)i + 5, without[i]);
	put_event(&d, "dmem_buf_copyin", 1000, 1010,
		  "{\"text\":\"\\\"size\\\":\\\"12\\\"\",\"size\":\"390\"}");
	put_event(&d, "dmem_buf_copy", 2000, 2010, "{\"size\":\"3\"}");
	put_event(&d, "dmem_buf_copyins", 2000, 2010, "{\"size\":\"3\"}");
	draw(&d);
	SAMPLES(&d, "host_to_device bandwidth nc 2", {0, 0}, {1000, 3.9e10}, {1010, 0});
	end(&d);
}

/* --- system events --------------------------------------------------------- */

/* A place for all that the columns tell apart. */
static void events_are_told_apart_by_thread_core_stream_and_worker(void **state)
{
	static const unsigned columns[] = {
		C(SystemProfileEvents, process_id), C(SystemProfileEvents, thread_id),
		C(SystemProfileEvents, nc_idx),	    C(SystemProfileEvents, worker_gid),
		C(SystemProfileEvents, pcore_idx),
	};
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SystemProfileEvents);
	/* Row i differs from the first in one column; all begin at once, so each needs a track. */
	for (size_t i = 0; i <= count + 1; i++) {
		for (size_t k = 0; k < count; k++)
			nx_row_put_i64(&d.row, columns[k], k + 1 == i ? 70 : 3);
		nx_row_put_text(&d.row, C(SystemProfileEvents, instance_id), "i-1");
		nx_row_put_text(&d.row, C(SystemProfileEvents, trace_event_source), "framework");
		nx_row_put_text(&d.row, C(SystemProfileEvents, framework_stream_id),
				i == count + 1 ? "8" : "7");
		nx_row_put_text(&d.row, C(SystemProfileEvents, name), "aten::mm");
		put(&d);
	}
	draw(&d);
	/* Two processes have a group each. */
	assert_int_equal(nx_timeline_track_count(d.timeline), count + 2 + 2);
	check_attributes(&d, 1,
			 "instance_id=i-1 process_id=3 trace_event_source=framework nc_idx=3 "
			 "pcore_idx=3 framework_stream_id=7 thread_id=3 worker_gid=3");
	check_text(track_at(&d, 1).name, "framework nc 3 core 3 stream 7 thread 3");
	check_attributes(&d, 0, "instance_id=i-1 process_id=3");
	end(&d);
}

/* Containers of one instance may both have a process 42. */
static void a_second_process_of_one_number_gets_tracks_of_its_own(void **state)
{
	struct drawing d;
	uint32_t at;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SystemProfileEvents);
	put_event(&d, "nrt_execute", 100, 110, NULL);
	put_event(&d, "dmem_buf_copyin", 120, 130, "{\"size\":\"10\"}");
	put_event(&d, "nrt_execute", 50, 60, NULL);
	put_event(&d, "dmem_buf_copyin", 70, 80, "{\"size\":\"20\"}");
	put_event(&d, "nrt_execute", 100, 110, NULL);
	draw(&d);
	/* a group, and of each process its events, transfers and bandwidth */
	assert_int_equal(nx_timeline_track_count(d.timeline), 7);
	at = track_named(&d, "neuron_rt nc 2 thread 9");
	assert_int_equal(track_at(&d, at).row_count, 2);
	check_text(track_at(&d, at + 3).name, "neuron_rt nc 2 thread 9");
	assert_int_equal(track_at(&d, at + 3).row_count, 3);
	assert_int_equal(track_at(&d, at + 3).parent, track_at(&d, at).parent);
	assert_int_equal(span_at(&d, at + 3, 2).row, 4);
	SAMPLES(&d, "host_to_device bandwidth nc 2", {120, 1e9}, {130, 0});
	check_samples(&d, at + 5, (struct nx_sample[]){{70, 2e9}, {80, 0}}, 2);
	end(&d);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_is_well_formed),
		CASE(flops_flow_while_matmuls_last),
		CASE(transposes_alone_are_no_work_of_the_model),
		CASE(cores_count_for_themselves),
		CASE(instructions_that_overlap_lie_at_depths_of_their_own),
		CASE(device_memory_is_told_by_purpose),
		CASE(partitions_and_banks_lie_below_their_average),
		CASE(throttling_is_a_span_and_a_limit),
		CASE(transfers_have_their_events_and_their_bandwidth),
		CASE(sizes_are_read_from_their_key_alone),
		CASE(events_are_told_apart_by_thread_core_stream_and_worker),
		CASE(a_second_process_of_one_number_gets_tracks_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
