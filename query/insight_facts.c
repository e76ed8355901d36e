/* SPDX-License-Identifier: Apache-2.0 */
#include "query/insight_facts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "query/named_query.h"

/* Columns of rows that become bands. */
enum { START, END, SUBJECT, FACTOR, BYTES, WEIGHT, CORE };

static double number_of(const struct nx_value *value)
{
	switch (value->kind) {
	case NX_VALUE_F64:
		return value->f64;
	case NX_VALUE_F32:
		return (double)value->f32;
	case NX_VALUE_I64:
		return (double)value->i64;
	default:
		return NAN;
	}
}

static uint64_t whole_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 && value->i64 > 0 ? (uint64_t)value->i64 : 0;
}

/* A table or a column that is not there: *rows is NULL, and no failure. */
static enum nx_status ask(const struct nx_query_engine *engine, const char *sql,
			  struct nx_row_stream **rows, struct nx_error *err)
{
	enum nx_status st = engine->ask(engine->context, nx_slice_text(sql), rows, err);

	if (st)
		*rows = NULL;
	return st == NX_NOT_FOUND ? NX_OK : st;
}

/* --- numbers ------------------------------------------------------------------- */

/* One row of numbers; they stay as they are where there is none. */
static enum nx_status ask_numbers(const struct nx_query_engine *engine, const char *sql,
				  double *const *numbers, size_t count, struct nx_error *err)
{
	struct nx_row_stream *rows;
	const struct nx_value *row = NULL;
	enum nx_status st = ask(engine, sql, &rows, err);

	if (!st && rows)
		st = nx_row_stream_next(rows, &row, err);
	assert(!row || rows->column_count == count);
	for (size_t i = 0; !st && row && i < count && i < rows->column_count; i++)
		*numbers[i] = number_of(&row[i]);
	nx_row_stream_close(rows);
	return st;
}

/* An engine without any kernel is not judged: nobody began to write one for it. */
#define NKI_SHARE(engine_name)                                                                     \
	"sum(duration_ns) FILTER (engine = '" engine_name                                          \
	"' AND nki_source_location IS NOT NULL)::DOUBLE / nullif(sum(duration_ns) FILTER (engine " \
	"= '" engine_name "'), 0)"

/* --- gains and places ---------------------------------------------------------- */

/* What a replay without a cause wins. Of several scenarios of a finding the largest counts. */
static const struct {
	const char *scenario;
	enum nx_finding_kind kind;
} scenarios[] = {
	{"no throttling", NX_FINDING_THROTTLED},
	{"no transposes", NX_FINDING_TRANSPOSE},
	{"no reloads", NX_FINDING_SPILL},
	{"no reloads", NX_FINDING_RELOAD},
	{"no DMA start-up", NX_FINDING_STARTUP},
	{"no DMA descriptors in software", NX_FINDING_DESCRIPTORS},
	{"no DMA start-up", NX_FINDING_SMALL_DMA},
	{"transfers at link rate", NX_FINDING_SMALL_DMA},
	{"Tensor infinitely fast", NX_FINDING_FLOPS},
	{"Tensor infinitely fast", NX_FINDING_NKI_TENSOR},
	{"Vector infinitely fast", NX_FINDING_NKI_VECTOR},
	{"Scalar infinitely fast", NX_FINDING_NKI_SCALAR},
};

static void take_gain(struct nx_insight_facts *facts, const struct nx_value *row)
{
	double gain = number_of(&row[1]), path = number_of(&row[2]);

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct nx_fact_detail *d = &facts->details[scenarios[i].kind];

		if (row[0].kind != NX_VALUE_TEXT ||
		    !nx_slice_is(row[0].text, scenarios[i].scenario) ||
		    (d->is_replayed && d->gain_frac >= gain))
			continue;
		d->gain_frac = gain;
		d->path_frac = path;
		d->is_replayed = true;
	}
}

static enum nx_status ask_gains(struct nx_insight_facts *facts,
				const struct nx_query_engine *engine, struct nx_error *err)
{
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st = ask(engine,
				"SELECT scenario, gain_ps / nullif(span_ps, 0), path_ps / "
				"nullif(span_ps, 0) FROM WhatIf, WhySummary",
				&rows, err);

	while (!st && rows && !(st = nx_row_stream_next(rows, &row, err)) && row)
		take_gain(facts, row);
	nx_row_stream_close(rows);
	facts->startup_frac = facts->details[NX_FINDING_STARTUP].path_frac;
	facts->reload_frac = facts->details[NX_FINDING_RELOAD].path_frac;
	facts->descriptors_frac = facts->details[NX_FINDING_DESCRIPTORS].path_frac;
	return st;
}

#define LONGEST_PIECE(cause)                                                                       \
	"SELECT start_ts, end_ts, coalesce('queue ' || queue_name, engine || ' ' || opcode), "     \
	"NULL "                                                                                    \
	"FROM CriticalPath WHERE "                                                                 \
	"cause = '" cause "' ORDER BY duration_ps DESC LIMIT 1"
#define PROCESS_OF "' of process ', process_id, ' on ', instance_id"

/* Where it shows most: start, end, a name, and the gain where times that were measured tell it. */
static const char *const places[NX_FINDING_KIND_COUNT] = {
	[NX_FINDING_ERRORS] =
		"SELECT timestamp, timestamp, description, NULL FROM Error WHERE type = "
		"'Errors' ORDER BY timestamp LIMIT 1",
	[NX_FINDING_THROTTLED] =
		"SELECT timestamp, timestamp + duration, concat('Tensor, core ', pcore_idx), NULL "
		"FROM Throttle WHERE k < n AND n > 0 ORDER BY duration * (1 - k / n) DESC LIMIT 1",
	[NX_FINDING_SPILL] = "SELECT start_ts, end_ts, concat(engine, ', core ', pcore_idx), NULL "
			     "FROM Instruction WHERE spill_reload_bytes > 0 ORDER BY "
			     "spill_reload_bytes DESC, start_ts LIMIT 1",
	[NX_FINDING_RELOAD] = "SELECT start_ts, end_ts, concat(coalesce(p.variable, 'queue'), "
			      "' through ', p.queue_name), NULL FROM CriticalPath p JOIN Release r "
			      "ON r.id = p.release WHERE p.queue_name IS NOT NULL AND r.flags & "
			      "256 <> 0 ORDER BY p.duration_ps DESC LIMIT 1", /* NX_NODE_RELOAD */
	[NX_FINDING_TRANSPOSE] =
		"SELECT start_ts, end_ts, coalesce(nullif(nki_source_location, ''), "
		"nullif(bir_debug_info_source_location, ''), concat('Tensor, core ', pcore_idx)), "
		"NULL FROM Instruction WHERE tensor_elements_transpose > 0 ORDER BY duration_ns "
		"DESC, start_ts LIMIT 1",
	[NX_FINDING_STARTUP] = LONGEST_PIECE("DMA start-up"),
	[NX_FINDING_DESCRIPTORS] = LONGEST_PIECE("DMA descriptors"),
	[NX_FINDING_SMALL_DMA] =
		"SELECT min(start_ts), max(end_ts), concat('queue ', queue_name), NULL FROM "
		"DmaPacket WHERE transfer_bytes > 4 AND transfer_bytes < 4096 GROUP BY queue_name "
		"ORDER BY count(*) DESC LIMIT 1",
	[NX_FINDING_COLLECTIVE] =
		"SELECT start_ts, end_ts, concat(operation, ' of ', input_size, ' bytes'), "
		"(duration_ns - middle) / (SELECT nullif(total_time * 1e9, 0) FROM Summary) FROM "
		"(SELECT *, count(*) OVER alike AS n, median(duration_ns) OVER alike AS middle "
		"FROM CcOp WINDOW alike AS (PARTITION BY operation, input_size, replica_group)) "
		"WHERE n >= 3 AND middle > 0 ORDER BY duration_ns / middle DESC LIMIT 1",
	[NX_FINDING_GAPS] =
		"SELECT start_ts, end_ts, concat('core ', nc_idx, " PROCESS_OF "), NULL FROM "
		"ExecutionGap JOIN (SELECT instance_id, process_id, nc_idx FROM "
		"ExecutionGapSummary WHERE is_growing) USING (instance_id, process_id, nc_idx) "
		"ORDER BY duration_ns DESC LIMIT 1",
	[NX_FINDING_LATE] =
		"SELECT start_ts, end_ts, concat(label, " PROCESS_OF "), late.frac FROM Step JOIN "
		"(SELECT name, instance_id, process_id, median_late_ns / "
		"nullif(median_duration_ns, 0) AS frac FROM StepSummary WHERE median_late_ns > 0 "
		"ORDER BY frac DESC LIMIT 1) late USING (name, instance_id, process_id) ORDER BY "
		"late_ns DESC NULLS LAST LIMIT 1",
	[NX_FINDING_STEP] =
		"SELECT start_ts, end_ts, concat(label, " PROCESS_OF "), "
		"(SELECT sum(greatest(0, s.duration_ns - t.median_duration_ns)) FILTER "
		"(s.is_outlier) / nullif(sum(s.duration_ns), 0) FROM Step s JOIN StepSummary t "
		"USING (name, instance_id, process_id)) FROM Step WHERE is_outlier ORDER BY "
		"duration_ns DESC LIMIT 1",
	[NX_FINDING_HOST] =
		"SELECT start_ts, end_ts, concat(label, " PROCESS_OF "), "
		"(SELECT sum(host_bound_frac * duration_ns) / nullif(sum(duration_ns), 0) FROM "
		"Step WHERE host_bound_frac IS NOT NULL) FROM Step WHERE host_bound_frac IS NOT "
		"NULL ORDER BY host_bound_frac * duration_ns DESC LIMIT 1",
};

static void take_place(struct nx_fact_detail *d, const struct nx_value *name)
{
	if (name->kind == NX_VALUE_TEXT)
		snprintf(d->place, sizeof(d->place), "%.*s", (int)name->text.len,
			 (const char *)name->text.data);
}

static enum nx_status ask_place(struct nx_insight_facts *facts, unsigned kind,
				const struct nx_query_engine *engine, struct nx_error *err)
{
	struct nx_fact_detail *d = &facts->details[kind];
	struct nx_row_stream *rows;
	const struct nx_value *row = NULL;
	enum nx_status st = ask(engine, places[kind], &rows, err);

	if (!st && rows)
		st = nx_row_stream_next(rows, &row, err);
	if (!st && row) {
		d->from_ns = whole_of(&row[0]);
		d->to_ns = whole_of(&row[1]);
		take_place(d, &row[2]);
		if (!d->is_replayed)
			d->gain_frac = number_of(&row[3]);
	}
	nx_row_stream_close(rows);
	return st;
}

static const char *no_value(void *context, const char *name)
{
	(void)context, (void)name;
	return NULL;
}

/* Ranks that come last to most meetings are late, also without steps. */
static enum nx_status ask_late_rank(struct nx_insight_facts *facts,
				    const struct nx_query_engine *engine, struct nx_error *err)
{
	struct nx_fact_detail *d = &facts->details[NX_FINDING_LATE];
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row = NULL;
	struct nx_bytes sql = {0};
	enum nx_status st;

	nx_bytes_printf(&sql,
			"SELECT (stall_ns / greatest(1, n - 1)) / nullif(span_ns, 0) AS frac, "
			"concat('rank ', rank, ', process ', process_id, ' on ', "
			"instance_id) FROM (SELECT *, count(*) OVER () AS n FROM (");
	st = nx_named_query_append(&sql, nx_named_query_find("late_ranks"), no_value, NULL, err);
	nx_bytes_printf(&sql,
			")), (SELECT last_ts_ns::BIGINT - first_ts_ns::BIGINT AS span_ns FROM "
			"SystemProfileMetadata) WHERE last_count * 2 > meeting_count ORDER "
			"BY frac DESC LIMIT 1");
	nx_vec_push(&sql, '\0');
	if (!st)
		st = ask(engine, (const char *)sql.items, &rows, err);
	if (!st && rows)
		st = nx_row_stream_next(rows, &row, err);
	if (!st && row && !(facts->late_frac >= number_of(&row[0])))
		facts->late_frac = d->gain_frac = number_of(&row[0]);
	if (!st && row && !*d->place)
		take_place(d, &row[1]);
	nx_row_stream_close(rows);
	nx_vec_release(&sql);
	return st;
}

enum nx_status nx_insight_facts_ask(struct nx_insight_facts *facts,
				    const struct nx_query_engine *engine, struct nx_error *err)
{
	double *const of_summary[] = {&facts->model_flops_frac, &facts->tensor_active_frac,
				      &facts->transpose_frac,	&facts->spill_reload_frac,
				      &facts->dma_active_frac,	&facts->dma_average_bytes};
	double *const of_throttle[] = {&facts->throttled_frac};
	double *const of_nki[] = {&facts->nki_frac[NX_NKI_TENSOR], &facts->nki_frac[NX_NKI_VECTOR],
				  &facts->nki_frac[NX_NKI_SCALAR]};
	double *const of_collectives[] = {&facts->worst_collective};
	double *const of_errors[] = {&facts->error_count};
	enum nx_status st;

	double *const of_gaps[] = {&facts->gap_growth};
	double *const of_outliers[] = {&facts->worst_step};
	double *const of_steps[] = {&facts->late_frac, &facts->host_bound_frac};
	double is_simulated = 0;
	double *const of_metadata[] = {&is_simulated};
	double origin_ns = 0;
	double *const of_origin[] = {&origin_ns};

	nx_insight_facts_clear(facts);
	st = ask_numbers(
		engine,
		/* an engine without a product only starts and stops with the others */
		"SELECT CASE WHEN hardware_flops > 0 THEN mfu_estimated_percent END::DOUBLE, "
		"tensor_engine_active_time_percent::DOUBLE, "
		"transpose_flops::DOUBLE / nullif(hardware_flops, 0), "
		"spill_reload_bytes::DOUBLE / nullif(hbm_read_bytes, 0), "
		"dma_active_time_percent::DOUBLE, dma_transfer_average_bytes::DOUBLE "
		"FROM Summary LIMIT 1",
		of_summary, 6, err);
	if (!st)
		st = ask_numbers(engine,
				 "SELECT max(throttle_active_time_percent)::DOUBLE FROM "
				 "ThrottleSummary WHERE throttle_type = 'all' AND "
				 "max_achievable_util_with_throttling_percent < 1",
				 of_throttle, 1, err);
	/*
	 * why knows what limits cost. An array that is slow after a pause has no record; every
	 * program starts like that, so it counts from a tenth of the time on.
	 */
	if (!st)
		st = ask_numbers(
			engine,
			"SELECT max(ps) / any_value(span_ps) FROM (SELECT pcore_idx, "
			"sum(time_ps) FILTER (cause = 'throttled') AS ps FROM EngineTime "
			"GROUP BY pcore_idx), WhySummary HAVING max(ps) > any_value(span_ps) "
			"/ 10 OR max(ps) > 0 AND EXISTS (FROM Throttle WHERE k < n)",
			of_throttle, 1, err);
	if (!st)
		st = ask_numbers(engine,
				 "SELECT " NKI_SHARE("Tensor") ", " NKI_SHARE(
					 "Vector") ", " NKI_SHARE("Scalar") " FROM Instruction",
				 of_nki, 3, err);
	if (!st)
		st = ask_numbers(
			engine,
			"SELECT max(duration_ns / nullif(middle, 0))::DOUBLE FROM (SELECT "
			"duration_ns, count(*) OVER alike AS n, median(duration_ns) OVER alike AS "
			"middle FROM CcOp WINDOW alike AS (PARTITION BY operation, input_size, "
			"replica_group)) WHERE n >= 3",
			of_collectives, 1, err);
	if (!st)
		st = ask_numbers(engine, "SELECT count(*)::DOUBLE FROM Error WHERE type = 'Errors'",
				 of_errors, 1, err);
	if (!st)
		st = ask_numbers(engine,
				 "SELECT max(last_quarter_median_ns / greatest(1, "
				 "first_quarter_median_ns))::DOUBLE FROM ExecutionGapSummary WHERE "
				 "is_growing",
				 of_gaps, 1, err);
	if (!st)
		st = ask_numbers(
			engine,
			"SELECT max(s.duration_ns / nullif(t.median_duration_ns, 0))::DOUBLE FROM "
			"Step s JOIN StepSummary t USING (name, instance_id, process_id) WHERE "
			"s.is_outlier",
			of_outliers, 1, err);
	if (!st)
		st = ask_numbers(
			engine,
			"SELECT max(median_late_ns / nullif(median_duration_ns, 0))::DOUBLE, "
			"(sum(host_bound_frac * median_duration_ns * step_count) / "
			"nullif(sum(median_duration_ns * step_count) FILTER (host_bound_frac IS "
			"NOT "
			"NULL), 0))::DOUBLE FROM StepSummary",
			of_steps, 2, err);
	if (!st)
		st = ask_numbers(engine,
				 "SELECT is_simulation::INTEGER::DOUBLE FROM Metadata LIMIT 1",
				 of_metadata, 1, err);
	facts->is_simulated = is_simulated == 1;
	if (!st)
		st = ask_numbers(engine,
				 "SELECT first_ts_ns::DOUBLE FROM SystemProfileMetadata LIMIT 1",
				 of_origin, 1, err);
	facts->origin_ns = isnan(origin_ns) ? 0 : (uint64_t)origin_ns;
	if (!st)
		st = ask_gains(facts, engine, err);
	for (unsigned kind = 0; !st && kind < NX_FINDING_KIND_COUNT; kind++)
		if (places[kind])
			st = ask_place(facts, kind, engine, err);
	if (!st)
		st = ask_late_rank(facts, engine, err);
	return st;
}

/* --- stretches of time --------------------------------------------------------- */

#define LONGEST " ORDER BY CAST(e AS HUGEINT) - s DESC LIMIT 2000"
static_assert(NX_INSIGHT_BANDS_MAX == 2000, "as in the questions");

/* start, end, subject, factor, bytes, weight, core (-1: of none) */
static const char *const questions[NX_BAND_KIND_COUNT] = {
	[NX_BAND_THROTTLING] =
		"SELECT timestamp AS s, timestamp + duration AS e, type || coalesce(' on core ' || "
		"pcore_idx, ''), 0.0::DOUBLE, 0::BIGINT, "
		"(duration * (1 - k / n))::DOUBLE, coalesce(pcore_idx, -1)::BIGINT FROM Throttle "
		"WHERE k < n AND n > 0" LONGEST,
	[NX_BAND_RELOAD] =
		"SELECT start_ts AS s, end_ts AS e, d.variable, t.factor, t.bytes, 0.0::DOUBLE, "
		"-1::BIGINT FROM "
		"DmaPacketAggregated d JOIN (SELECT variable_name, "
		"max(load_to_sbuf_repeat_factor)::DOUBLE AS factor, "
		"max(load_to_sbuf_total_size_bytes)::BIGINT AS bytes FROM TensorInfo WHERE "
		"load_to_sbuf_repeat_factor > 2 GROUP BY ALL ORDER BY bytes DESC LIMIT 50) t ON "
		"t.variable_name = d.variable" LONGEST,
	[NX_BAND_BARRIER] =
		"SELECT min(start_ts) AS s, max(end_ts) AS e, 'barrier', 0.0::DOUBLE, 0::BIGINT, "
		"0.0::DOUBLE, -1::BIGINT FROM CoreBarriers GROUP BY id" LONGEST,
	[NX_BAND_COLLECTIVE] =
		"SELECT start_ts AS s, end_ts AS e, operation, 0.0::DOUBLE, "
		"coalesce(input_size, 0)::BIGINT, 0.0::DOUBLE, -1::BIGINT FROM CcOp" LONGEST,
};

static uint32_t subject_of(struct nx_insight_rows *rows, const struct nx_value *row,
			   struct nx_arena *arena)
{
	struct nx_slice name =
		row[SUBJECT].kind == NX_VALUE_TEXT ? row[SUBJECT].text : nx_slice_text("");

	for (size_t i = 0; i < rows->subjects.len; i++)
		if (nx_slice_is(name, rows->subjects.items[i].name))
			return (uint32_t)i;
	nx_vec_push(&rows->subjects, ((struct nx_insight_subject){
					     nx_arena_copy(arena, name), number_of(&row[FACTOR]),
					     whole_of(&row[BYTES]),
					     row[CORE].kind == NX_VALUE_I64 ? row[CORE].i64 : -1}));
	return (uint32_t)(rows->subjects.len - 1);
}

static enum nx_status ask_bands(struct nx_insight_rows *all, enum nx_band_kind kind,
				const struct nx_query_engine *engine, struct nx_arena *arena,
				struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = ask(engine, questions[kind], &rows, err);

	while (!st && rows && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		struct nx_band band = {.kind = kind,
				       .start_ns = whole_of(&row[START]),
				       .end_ns = whole_of(&row[END]),
				       .subject = subject_of(all, row, arena),
				       .weight = number_of(&row[WEIGHT]),
				       .count = 1};

		if (band.end_ns >= band.start_ns)
			nx_vec_push(&all->bands, band);
	}
	nx_row_stream_close(rows);
	return st;
}

static enum nx_status ask_dma_parts(struct nx_insight_rows *all,
				    const struct nx_query_engine *engine, uint64_t from_ns,
				    uint64_t to_ns, struct nx_arena *arena, struct nx_error *err)
{
	uint64_t part_ns = (to_ns - from_ns) / NX_INSIGHT_DMA_PARTS;
	const char *sql = nx_arena_printf(
		arena,
		"SELECT (start_ts - %llu) // %llu AS part, count(*), count(*) FILTER "
		"(transfer_bytes < 512) FROM DmaPacket WHERE start_ts >= %llu AND start_ts < %llu "
		"GROUP BY part",
		(unsigned long long)from_ns, (unsigned long long)part_ns,
		(unsigned long long)from_ns, (unsigned long long)to_ns);
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = ask(engine, sql, &rows, err);

	while (!st && rows && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		uint64_t part = whole_of(&row[0]);

		if (part < NX_INSIGHT_DMA_PARTS)
			all->dma_parts[part] =
				(struct nx_dma_part){whole_of(&row[1]), whole_of(&row[2])};
	}
	nx_row_stream_close(rows);
	return st;
}

enum nx_status nx_insight_rows_ask(struct nx_insight_rows *rows,
				   const struct nx_query_engine *engine, uint64_t from_ns,
				   uint64_t to_ns, struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(from_ns <= to_ns);
	*rows = (struct nx_insight_rows){.from_ns = from_ns, .to_ns = to_ns};
	for (unsigned kind = 0; !st && kind < NX_BAND_KIND_COUNT; kind++)
		if (questions[kind])
			st = ask_bands(rows, kind, engine, arena, err);
	if (!st && to_ns - from_ns >= NX_INSIGHT_DMA_PARTS)
		st = ask_dma_parts(rows, engine, from_ns, to_ns, arena, err);
	return st;
}

void nx_insight_rows_release(struct nx_insight_rows *rows)
{
	nx_vec_release(&rows->bands);
	nx_vec_release(&rows->subjects);
}
