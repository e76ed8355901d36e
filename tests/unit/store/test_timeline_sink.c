/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/store/timeline_drawing.h"
#include "tests/unit/store/timeline_whole.h"
#include "tests/unit/store/workspace_fixture.h"

/* --- the list -------------------------------------------------------------- */

struct value {
	unsigned column;
	const char *text; /* NULL: the number */
	double number;
};

struct expectation {
	enum nx_schema_table_id table;
	struct value values[8]; /* until one that is all zero, but for the first */
	const char *group;	/* NULL: none */
	const char *track, *unit;
	const char *name;     /* of a span; NULL: a counter */
	uint64_t from_ns, to; /* of a span its end, of a counter its value */
};

/* clang-format off */
static const struct expectation expectations[] = {
	{NX_SCHEMA_Error,
	 {{C(Error, timestamp), NULL, 77}, {C(Error, description), "bit flip", 0},
	  {C(Error, type), "Errors", 0},
	  {C(Error, pcore_idx), NULL, 1}},
	 "core 1", "Errors", "", "bit flip", 77, 77},
	{NX_SCHEMA_DmaPacketAggregated,
	 {{C(DmaPacketAggregated, start_ts), NULL, 5}, {C(DmaPacketAggregated, end_ts), NULL, 6},
	  {C(DmaPacketAggregated, variable), "weight", 0},
	  {C(DmaPacketAggregated, queue_name), "qIn", 0},
	  {C(DmaPacketAggregated, pcore_idx), NULL, 1}},
	 "core 1", "transfers qIn", "", "weight", 5, 6},
	{NX_SCHEMA_DmaPacket,
	 {{C(DmaPacket, start_ts), NULL, 11}, {C(DmaPacket, end_ts), NULL, 12},
	  {C(DmaPacket, queue_type), "dynamic", 0}, {C(DmaPacket, engine_idx), NULL, 15},
	  {C(DmaPacket, queue_name), "qIn", 0}, {C(DmaPacket, pcore_idx), NULL, 0}},
	 "core 0", "DMA engine 15 qIn", "", "dynamic", 11, 12},
	{NX_SCHEMA_Instruction,
	 {{C(Instruction, start_ts), NULL, 100}, {C(Instruction, end_ts), NULL, 130},
	  {C(Instruction, pcore_idx), NULL, 1}, {C(Instruction, timeline_track), "Tensor", 0},
	  {C(Instruction, opcode), "MATMUL", 0}},
	 "core 1", "Tensor", "", "MATMUL", 100, 130},
	{NX_SCHEMA_CoreBarriers,
	 {{C(CoreBarriers, start_ts), NULL, 20}, {C(CoreBarriers, end_ts), NULL, 90},
	  {C(CoreBarriers, engine_name), "GpSimd", 0}, {C(CoreBarriers, pcore_idx), NULL, 1},
	  {C(CoreBarriers, compiler_opcode), "CoreBarrier", 0}},
	 "core 1", "barriers GpSimd", "", "CoreBarrier", 20, 90},
	{NX_SCHEMA_CcOp,
	 {{C(CcOp, start_ts), NULL, 7}, {C(CcOp, end_ts), NULL, 9},
	  {C(CcOp, operation), "AllReduce", 0}, {C(CcOp, stream_id), NULL, 3}},
	 NULL, "collectives stream 3", "", "AllReduce", 7, 9},
	{NX_SCHEMA_CcInstruction,
	 {{C(CcInstruction, start_ts), NULL, 30}, {C(CcInstruction, end_ts), NULL, 31},
	  {C(CcInstruction, core_idx), NULL, 8}, {C(CcInstruction, description), "send", 0}},
	 NULL, "CC-core 8", "", "send", 30, 31},
	{NX_SCHEMA_SbufUsage,
	 {{C(SbufUsage, timestamp), NULL, 4}, {C(SbufUsage, avg_util_percent), NULL, 1},
	  {C(SbufUsage, pcore_idx), NULL, 1}},
	 "core 1", "SBUF usage", "", NULL, 4, 1},
	{NX_SCHEMA_PsumUsage,
	 {{C(PsumUsage, timestamp), NULL, 4}, {C(PsumUsage, avg_util_percent), NULL, 1},
	  {C(PsumUsage, pcore_idx), NULL, 1}},
	 "core 1", "PSUM usage", "", NULL, 4, 1},
	{NX_SCHEMA_Throttle,
	 {{C(Throttle, timestamp), NULL, 40}, {C(Throttle, duration), NULL, 25},
	  {C(Throttle, type), "power", 0}, {C(Throttle, pcore_idx), NULL, 1}},
	 "core 1", "throttling", "", "power", 40, 65},
	{NX_SCHEMA_SemaphoreUpdate,
	 {{C(SemaphoreUpdate, timestamp), NULL, 4}, {C(SemaphoreUpdate, value), NULL, 8},
	  {C(SemaphoreUpdate, id), "S[3]", 0}, {C(SemaphoreUpdate, pcore_idx), NULL, 1}},
	 "core 1", "semaphore S[3]", "", NULL, 4, 8},
	{NX_SCHEMA_PendingDma,
	 {{C(PendingDma, timestamp), NULL, 4}, {C(PendingDma, value), NULL, 21},
	  {C(PendingDma, pcore_idx), NULL, 1}},
	 "core 1", "pending DMA", "", NULL, 4, 21},
	{NX_SCHEMA_HbmUsage,
	 {{C(HbmUsage, timestamp), NULL, 4}, {C(HbmUsage, current_throughput), NULL, 600},
	  {C(HbmUsage, pcore_idx), NULL, 1}},
	 "core 1", "HBM throughput", "bytes/s", NULL, 4, 600},
	{NX_SCHEMA_DmaUsage,
	 {{C(DmaUsage, timestamp), NULL, 4}, {C(DmaUsage, current_throughput), NULL, 500},
	  {C(DmaUsage, pcore_idx), NULL, 1}},
	 "core 1", "DMA throughput", "bytes/s", NULL, 4, 500},
	{NX_SCHEMA_SystemProfileEvents,
	 {{C(SystemProfileEvents, start_ts), NULL, 1}, {C(SystemProfileEvents, end_ts), NULL, 3},
	  {C(SystemProfileEvents, name), "nrt_execute", 0},
	  {C(SystemProfileEvents, instance_id), "i-1", 0},
	  {C(SystemProfileEvents, process_id), NULL, 42},
	  {C(SystemProfileEvents, trace_event_source), "software", 0},
	  {C(SystemProfileEvents, nc_idx), NULL, 2}, {C(SystemProfileEvents, thread_id), NULL, 9}},
	 "i-1 pid 42", "software nc 2 thread 9", "", "nrt_execute", 1, 3},
	{NX_SCHEMA_CpuUsage,
	 {{C(CpuUsage, timestamp), NULL, 4}, {C(CpuUsage, util_percent), NULL, 50},
	  {C(CpuUsage, instance_id), "i-1", 0}, {C(CpuUsage, cpu_id), "12", 0}},
	 "i-1", "CPU 12", "percent", NULL, 4, 50},
	{NX_SCHEMA_SystemProfileHbmUsage,
	 {{C(SystemProfileHbmUsage, timestamp), NULL, 4},
	  {C(SystemProfileHbmUsage, total_bytes), NULL, 4096},
	  {C(SystemProfileHbmUsage, instance_id), "i-1", 0},
	  {C(SystemProfileHbmUsage, device_idx), NULL, 2},
	  {C(SystemProfileHbmUsage, hbm_idx), NULL, 1}},
	 "i-1", "HBM device 2 stack 1", "bytes", NULL, 4, 4096},
	{NX_SCHEMA_HostMemUsage,
	 {{C(HostMemUsage, timestamp), NULL, 4}, {C(HostMemUsage, used_bytes), NULL, 77777},
	  {C(HostMemUsage, instance_id), "i-1", 0}},
	 "i-1", "host memory", "bytes", NULL, 4, 77777},
};
/* clang-format on */
#define EXPECTATION_COUNT (sizeof(expectations) / sizeof(expectations[0]))

static void put_expected(struct drawing *d, const struct expectation *e)
{
	const struct nx_schema_column *columns = nx_schema_tables[e->table].columns;

	begin_table(d, e->table);
	for (size_t i = 0; i < 8; i++) {
		const struct value *v = &e->values[i];

		if (i && !v->column && !v->text && v->number == 0)
			break;
		if (v->text)
			nx_row_put_text(&d->row, v->column, v->text);
		else if (columns[v->column].type == NX_SCHEMA_FLOAT)
			nx_row_put_f64(&d->row, v->column, v->number);
		else
			nx_row_put_i64(&d->row, v->column, (int64_t)v->number);
	}
	put(d);
	nx_table_sink_end(d->sink, e->table);
}

static void check_sample(const struct drawing *d, uint32_t track, uint64_t time_ns, double value)
{
	struct nx_timeline_window all = {.track = track, .to_ns = UINT64_MAX};
	struct nx_sample sample;

	assert_int_equal(whole_samples(d->timeline, &all, &sample, 1), 1);
	assert_int_equal(sample.time_ns, time_ns);
	assert_true(sample.value == value);
}

static void check_span(const struct drawing *d, uint32_t track, const struct expectation *e)
{
	struct nx_span span = span_at(d, track, 0);

	assert_int_equal(span.start_ns, e->from_ns);
	assert_int_equal(span.end_ns, e->to);
	assert_int_equal(span.row, 0);
	check_text(nx_timeline_name(d->timeline, span.name), e->name);
}

static void check_drawn(const struct drawing *d, const struct expectation *e)
{
	uint32_t at = track_of_table(d, e->table);
	struct nx_track track = track_at(d, at);

	check_text(track.name, e->track);
	check_text(track.unit, e->unit);
	assert_int_equal(track.row_count, 1);
	assert_int_equal(track.kind, e->name ? NX_TRACK_SPANS : NX_TRACK_COUNTER);
	if (e->group) {
		assert_int_not_equal(track.parent, NX_TRACK_NONE);
		check_text(track_at(d, track.parent).name, e->group);
		assert_int_equal(track_at(d, track.parent).kind, NX_TRACK_GROUP);
	} else {
		assert_int_equal(track.parent, NX_TRACK_NONE);
	}
	if (e->name)
		check_span(d, at, e);
	else
		check_sample(d, at, e->from_ns, (double)e->to);
}

static void every_table_of_the_list_has_its_track(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	for (size_t i = 0; i < EXPECTATION_COUNT; i++)
		put_expected(&d, &expectations[i]);
	draw(&d);
	/* Groups: core 1, core 0, i-1 pid 42, i-1; and what throttling allowed. */
	assert_int_equal(nx_timeline_track_count(d.timeline), EXPECTATION_COUNT + 5);
	for (size_t i = 0; i < EXPECTATION_COUNT; i++) {
		check_drawn(&d, &expectations[i]);
		assert_int_equal(nx_table_memory_count(&d.memory, expectations[i].table), 1);
	}
	end(&d);
}

static void tracks_are_ranked_as_the_list_is_not_as_tables_come(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	for (size_t i = EXPECTATION_COUNT; i--;)
		put_expected(&d, &expectations[i]);
	draw(&d);
	for (size_t i = 1; i < EXPECTATION_COUNT; i++) {
		uint32_t before = track_of_table(&d, expectations[i - 1].table);
		uint32_t at = track_of_table(&d, expectations[i].table);

		assert_true(track_at(&d, before).rank < track_at(&d, at).rank);
	}
	end(&d);
}

static void tables_that_are_not_listed_only_pass(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Warning);
	put(&d);
	nx_table_sink_end(d.sink, NX_SCHEMA_Warning);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 0);
	assert_int_equal(nx_table_memory_count(&d.memory, NX_SCHEMA_Warning), 1);
	assert_int_equal(d.memory.begin_counts[NX_SCHEMA_Warning], 1);
	assert_int_equal(d.memory.end_counts[NX_SCHEMA_Warning], 1);
	end(&d);
}

/* --- labels ---------------------------------------------------------------- */

static void what_is_null_is_left_out_of_a_label(void **state)
{
	struct drawing d;
	uint32_t at;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, NULL, 1, 2);
	begin_table(&d, NX_SCHEMA_DmaPacket);
	nx_row_put_text(&d.row, C(DmaPacket, queue_name), "q");
	put(&d);
	put(&d);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 3);
	at = track_of_table(&d, NX_SCHEMA_Instruction);
	check_text(track_at(&d, at).name, "Instruction");
	assert_int_equal(track_at(&d, at).parent, NX_TRACK_NONE);
	check_text(nx_timeline_name(d.timeline, span_at(&d, at, 0).name), "");
	at = track_of_table(&d, NX_SCHEMA_DmaPacket);
	check_text(track_at(&d, at).name, "DMA q");
	check_text(track_at(&d, at + 1).name, "DMA");
	assert_int_equal(span_at(&d, at + 1, 0).row, 1);
	end(&d);
}

static void null_and_empty_text_are_two_tracks(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, "", 5, 6);
	put_instruction(&d, NULL, 1, 2);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 2);
	end(&d);
}

static void two_tables_with_one_label_are_two_tracks(void **state)
{
	struct drawing d;
	uint32_t instructions, transfers;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	nx_row_put_i64(&d.row, C(Instruction, pcore_idx), 0);
	put_instruction(&d, "transfers q", 100, 110);
	begin_table(&d, NX_SCHEMA_DmaPacketAggregated);
	nx_row_put_i64(&d.row, C(DmaPacketAggregated, pcore_idx), 0);
	nx_row_put_text(&d.row, C(DmaPacketAggregated, queue_name), "q");
	nx_row_put_i64(&d.row, C(DmaPacketAggregated, start_ts), 50);
	put(&d);
	draw(&d);
	instructions = track_of_table(&d, NX_SCHEMA_Instruction);
	transfers = track_of_table(&d, NX_SCHEMA_DmaPacketAggregated);
	check_text(track_at(&d, instructions).name, "transfers q");
	check_text(track_at(&d, transfers).name, "transfers q");
	assert_int_equal(track_at(&d, instructions).parent, track_at(&d, transfers).parent);
	assert_int_equal(track_at(&d, instructions).row_count, 1);
	assert_int_equal(track_at(&d, transfers).row_count, 1);
	end(&d);
}

/* Rows of the second begin earlier: on one track they would be refused. */
static void long_labels_are_cut_but_not_confused(void **state)
{
	char label[700], other[700];
	struct drawing d;

	(void)state;
	memset(label, 'x', sizeof(label));
	label[699] = 0;
	memcpy(other, label, sizeof(label));
	other[698] = 'y';
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, label, 100, 110);
	put_instruction(&d, other, 50, 60);
	put_instruction(&d, label, 120, 130);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 2);
	assert_int_equal(track_at(&d, 0).name.len, 512);
	assert_int_equal(track_at(&d, 1).name.len, 512);
	assert_int_equal(track_at(&d, 0).row_count, 2);
	assert_int_equal(span_at(&d, 1, 0).start_ns, 50);
	end(&d);
}

static void a_long_group_leaves_its_tracks_their_names(void **state)
{
	char instance[600];
	struct drawing d;
	struct nx_track track;

	(void)state;
	memset(instance, 'i', sizeof(instance));
	instance[599] = 0;
	begin(&d);
	begin_table(&d, NX_SCHEMA_CpuUsage);
	nx_row_put_text(&d.row, C(CpuUsage, instance_id), instance);
	nx_row_put_text(&d.row, C(CpuUsage, cpu_id), "0");
	nx_row_put_f64(&d.row, C(CpuUsage, util_percent), 1);
	put(&d);
	draw(&d);
	track = track_at(&d, track_of_table(&d, NX_SCHEMA_CpuUsage));
	check_text(track.name, "CPU 0");
	assert_int_equal(track_at(&d, track.parent).name.len, 512);
	end(&d);
}

static void a_cut_label_ends_with_a_whole_character(void **state)
{
	char label[600];
	struct drawing d;

	(void)state;
	memset(label, 'a', sizeof(label));
	strcpy(label + 510, "\xe2\x82\xac and more");
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, label, 1, 2);
	draw(&d);
	assert_int_equal(track_at(&d, 0).name.len, 510);
	end(&d);
}

static void zero_bytes_and_reused_buffers_are_told_apart(void **state)
{
	static const char texts[3][3] = {{'a', 0, 'b'}, {'a', 0, 'c'}, {'a', 0, 'b'}};
	struct drawing d;
	char buffer[3];

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	for (int i = 0; i < 3; i++) {
		memcpy(buffer, texts[i], 3);
		nx_row_put_slice(&d.row, C(Instruction, timeline_track), nx_slice_of(buffer, 3));
		nx_row_put_i64(&d.row, C(Instruction, start_ts), i == 1 ? 5 : 10 + i);
		put(&d);
	}
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 2);
	assert_true(nx_slice_equal(track_at(&d, 0).name, nx_slice_of(texts[0], 3)));
	assert_true(nx_slice_equal(track_at(&d, 1).name, nx_slice_of(texts[1], 3)));
	assert_int_equal(track_at(&d, 0).row_count, 2);
	end(&d);
}

/* --- rows ------------------------------------------------------------------ */

/* Row i of the table lies on track i % 3 and starts at i. */
/* More tracks and names than are remembered, in turns, from buffers that are used again. */
static void many_tracks_and_names_in_turns_are_told_apart(void **state)
{
	enum { TRACKS = 700, ROUNDS = 3 };
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	for (unsigned i = 0; i < TRACKS * ROUNDS; i++) {
		char track[16], name[16];

		snprintf(track, sizeof(track), "t%u", i % TRACKS);
		snprintf(name, sizeof(name), "n%u", i % TRACKS);
		nx_row_put_text(&d.row, C(Instruction, opcode), name);
		put_instruction(&d, track, i, i + 1);
	}
	nx_table_sink_end(d.sink, NX_SCHEMA_Instruction);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), TRACKS);
	for (uint32_t i = 0; i < TRACKS; i++) {
		char want[16];

		snprintf(want, sizeof(want), "t%u", i);
		check_text(track_at(&d, i).name, want);
		snprintf(want, sizeof(want), "n%u", i);
		for (uint64_t round = 0; round < ROUNDS; round++) {
			struct nx_span span = span_at(&d, i, round);

			assert_int_equal(span.start_ns, round * TRACKS + i);
			check_text(nx_timeline_name(d.timeline, span.name), want);
		}
	}
	end(&d);
}

static void spans_point_back_at_their_rows(void **state)
{
	static const char *const names[] = {"Tensor", "Vector", "Scalar"};
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_CcOp);
	put(&d);
	put(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	for (int i = 0; i < 30; i++)
		put_instruction(&d, names[i % 3], i, i + 1);
	draw(&d);
	for (uint32_t t = 1; t <= 3; t++) {
		assert_int_equal(track_at(&d, t).row_count, 10);
		check_text(track_at(&d, t).name, names[t - 1]);
		for (uint64_t i = 0; i < 10; i++) {
			struct nx_span span = span_at(&d, t, i);
			const struct nx_row *row =
				nx_table_memory_row(&d.memory, NX_SCHEMA_Instruction, span.row);

			assert_int_equal(span.row, 3 * i + t - 1);
			assert_int_equal(row->cells[C(Instruction, start_ts)].i64, span.start_ns);
		}
	}
	end(&d);
}

static void times_before_zero_and_ends_before_starts_are_mended(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, "t", INT64_MIN, -5);
	put_instruction(&d, "t", 20, 10);
	put_instruction(&d, "t", 30, INT64_MAX);
	begin_table(&d, NX_SCHEMA_Throttle);
	nx_row_put_i64(&d.row, C(Throttle, timestamp), INT64_MAX);
	nx_row_put_i64(&d.row, C(Throttle, duration), INT64_MAX);
	put(&d);
	draw(&d);
	assert_int_equal(span_at(&d, 0, 0).start_ns, 0);
	assert_int_equal(span_at(&d, 0, 0).end_ns, 0);
	assert_int_equal(span_at(&d, 0, 1).start_ns, 20);
	assert_int_equal(span_at(&d, 0, 1).end_ns, 20);
	assert_int_equal(span_at(&d, 0, 2).end_ns, INT64_MAX);
	assert_int_equal(span_at(&d, 1, 0).end_ns, 2 * (uint64_t)INT64_MAX);
	end(&d);
}

static void a_counter_without_a_number_has_no_sample(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_SbufUsage);
	nx_row_put_i64(&d.row, C(SbufUsage, timestamp), 10);
	put(&d);
	nx_row_put_i64(&d.row, C(SbufUsage, timestamp), 20);
	nx_row_put_f64(&d.row, C(SbufUsage, avg_util_percent), NAN);
	put(&d);
	nx_row_put_i64(&d.row, C(SbufUsage, timestamp), 30);
	nx_row_put_f64(&d.row, C(SbufUsage, avg_util_percent), 0.25);
	put(&d);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 1);
	assert_int_equal(track_at(&d, 0).row_count, 1);
	assert_int_equal(track_at(&d, 0).lost_count, 1);
	check_sample(&d, 0, 30, 0.25);
	assert_int_equal(nx_table_memory_count(&d.memory, NX_SCHEMA_SbufUsage), 3);
	end(&d);
}

static void no_rows_are_a_whole_file(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	nx_table_sink_end(d.sink, NX_SCHEMA_Instruction);
	draw(&d);
	assert_int_equal(nx_timeline_track_count(d.timeline), 0);
	assert_false(nx_timeline_extent(d.timeline, &(uint64_t){0}, &(uint64_t){0}));
	end(&d);
}

/* --- failures -------------------------------------------------------------- */

static void check_failure(struct drawing *d, enum nx_status want, const char *part)
{
	struct nx_error err = {0};

	assert_int_equal(nx_timeline_sink_close(d->opened, &err), want);
	assert_non_null(strstr(err.message, part));
	assert_int_equal(count_in("."), 0);
	end(d);
}

static void a_target_that_fails_ends_it_and_leaves_no_file(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	d.memory.fail_after = 2;
	begin_table(&d, NX_SCHEMA_Instruction);
	for (int i = 0; i < 5; i++)
		put_instruction(&d, "t", i, i + 1);
	assert_int_equal(nx_table_sink_status(d.sink, NULL), NX_NO_SPACE);
	nx_table_sink_end(d.sink, NX_SCHEMA_Instruction);
	assert_int_equal(nx_table_memory_count(&d.memory, NX_SCHEMA_Instruction), 2);
	assert_int_equal(d.memory.end_counts[NX_SCHEMA_Instruction], 0);
	check_failure(&d, NX_NO_SPACE, "the memory table is full");
}

static void refuse_table(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_error error;

	nx_fail(&error, NX_PERMISSION, "cannot make %s", nx_schema_tables[table].name);
	nx_table_sink_fail(sink, &error);
}

static void accept_table(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink, (void)table;
}

static void a_target_may_fail_at_the_begin_and_end_of_a_table(void **state)
{
	const struct nx_table_sink_ops at_begin = {.begin = refuse_table},
				       at_end = {.begin = accept_table, .end = refuse_table};
	const struct nx_table_sink_ops *const ops[] = {&at_begin, &at_end};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct nx_table_sink target = {.ops = ops[i]};
		struct nx_timeline_sink *opened;
		struct nx_table_sink *sink;
		struct nx_error err;

		assert_int_equal(nx_timeline_sink_open(&opened, FILE_PATH, &target, NULL), NX_OK);
		sink = nx_timeline_sink_borrow(opened);
		nx_table_sink_begin(sink, NX_SCHEMA_CcOp);
		assert_int_equal(nx_table_sink_status(sink, NULL), i ? NX_OK : NX_PERMISSION);
		nx_table_sink_end(sink, NX_SCHEMA_CcOp);
		assert_int_equal(nx_timeline_sink_close(opened, &err), NX_PERMISSION);
		assert_string_equal(err.message, "cannot make CcOp");
		assert_int_equal(count_in("."), 0);
	}
}

static void rows_out_of_order_are_refused_by_name(void **state)
{
	struct drawing d;

	(void)state;
	begin(&d);
	begin_table(&d, NX_SCHEMA_Instruction);
	put_instruction(&d, "Tensor", 100, 110);
	put_instruction(&d, "Vector", 50, 60);
	assert_int_equal(nx_table_sink_status(d.sink, NULL), NX_OK);
	put_instruction(&d, "Tensor", 99, 105);
	check_failure(&d, NX_FORMAT, "track Tensor: a row at 99 ns comes after one at 100 ns");
}

static void a_folder_that_is_missing_is_told(void **state)
{
	struct nx_timeline_sink *sink;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_timeline_sink_open(&sink, "none/timeline.nxl", NULL, &err),
			 NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "none/timeline.nxl"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_table_of_the_list_has_its_track),
		CASE(tracks_are_ranked_as_the_list_is_not_as_tables_come),
		CASE(tables_that_are_not_listed_only_pass),
		CASE(what_is_null_is_left_out_of_a_label),
		CASE(null_and_empty_text_are_two_tracks),
		CASE(two_tables_with_one_label_are_two_tracks),
		CASE(long_labels_are_cut_but_not_confused),
		CASE(a_long_group_leaves_its_tracks_their_names),
		CASE(a_cut_label_ends_with_a_whole_character),
		CASE(zero_bytes_and_reused_buffers_are_told_apart),
		CASE(many_tracks_and_names_in_turns_are_told_apart),
		CASE(spans_point_back_at_their_rows),
		CASE(times_before_zero_and_ends_before_starts_are_mended),
		CASE(a_counter_without_a_number_has_no_sample),
		CASE(no_rows_are_a_whole_file),
		CASE(a_target_that_fails_ends_it_and_leaves_no_file),
		CASE(a_target_may_fail_at_the_begin_and_end_of_a_table),
		CASE(rows_out_of_order_are_refused_by_name),
		CASE(a_folder_that_is_missing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
