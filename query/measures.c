/* SPDX-License-Identifier: Apache-2.0 */
#include "query/measures.h"

#include <string.h>

#include "base/map.h"
#include "model/schema.h"

/*
 * Each question returns names and values. The first answer with rows is that of its section: a
 * program without a framework's tree still has layers.
 */
static const struct {
	enum nx_measure_section section;
	const char *sql;
} questions[] = {
	{NX_MEASURE_METRIC,
	 "SELECT name, value FROM (UNPIVOT (SELECT TRY_CAST(COLUMNS(*) AS DOUBLE) FROM Summary) "
	 "ON COLUMNS(*) INTO NAME name VALUE value) WHERE isfinite(value)"},
	{NX_MEASURE_PATH,
	 "SELECT concat_ws(' ', CASE WHEN cause IN ('useful', 'transpose', 'throttled', 'control', "
	 "'DMA issue') THEN engine END, cause), sum(duration_ps) / 1000 FROM CriticalPath "
	 "GROUP BY ALL"},
	{NX_MEASURE_ENGINE,
	 "SELECT concat(CASE WHEN pcore_idx > 0 THEN concat(pcore_idx, '.') END, engine, ': ', "
	 "cause, CASE WHEN blocker IS NOT NULL THEN concat(' for ', blocker) END), sum(time_ps) / "
	 "1000 FROM EngineTime WHERE cause <> 'frame' GROUP BY ALL"},
	{NX_MEASURE_OPERATOR,
	 "SELECT node_name, list_sum([i[2] - i[1] FOR i IN CAST(time_intervals AS BIGINT[][])])"
	 "::DOUBLE FROM FrameworkNode WHERE node_name <> ''"},
	{NX_MEASURE_OPERATOR, "SELECT layer, sum(duration_ns)::DOUBLE FROM Instruction WHERE layer "
			      "<> '' GROUP BY layer"},
	{NX_MEASURE_LINE,
	 "SELECT coalesce(nullif(nki_source_location, ''), bir_debug_info_source_location) AS "
	 "line, "
	 "sum(duration_ns)::DOUBLE FROM Instruction WHERE line <> '' GROUP BY line"},
	{NX_MEASURE_OPCODE,
	 "SELECT concat(engine, ' ', opcode), sum(active_time_ns)::DOUBLE FROM OpcodeSummary GROUP "
	 "BY ALL"},
	{NX_MEASURE_STEP, "SELECT name, median(duration_ns)::DOUBLE FROM Step WHERE NOT "
			  "is_unfinished GROUP BY name"},
	{NX_MEASURE_GAP,
	 "SELECT concat('core ', nc_idx), median(duration_ns)::DOUBLE FROM ExecutionGap GROUP BY "
	 "nc_idx"},
	{NX_MEASURE_CALL,
	 "SELECT name, sum(duration_ns)::DOUBLE FROM SystemProfileEvents WHERE name <> '' GROUP BY "
	 "name"},
};

static const char *unit_of(enum nx_measure_section section, struct nx_slice name)
{
	const struct nx_schema_column *column;

	if (section != NX_MEASURE_METRIC)
		return NX_MEASURE_NS;
	column = nx_schema_find_column(&nx_schema_tables[NX_SCHEMA_Summary], name);
	return column && column->unit ? column->unit : "";
}

static enum nx_status ask(struct nx_measures *measures, const struct nx_query_engine *engine,
			  enum nx_measure_section section, const char *sql, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = engine->ask(engine->context, nx_slice_text(sql), &rows, err);

	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		struct nx_measure m = {.section = section};

		if (row[0].kind != NX_VALUE_TEXT || row[1].kind != NX_VALUE_F64)
			continue;
		m.name = nx_arena_copy(&measures->arena, row[0].text);
		m.unit = unit_of(section, row[0].text);
		m.value = row[1].f64;
		nx_vec_push(&measures->items, m);
	}
	nx_row_stream_close(rows);
	return st;
}

enum nx_status nx_measures_ask(struct nx_measures *measures, const struct nx_query_engine *engine,
			       struct nx_error *err)
{
	bool is_answered[NX_MEASURE_SECTION_COUNT] = {0};

	memset(measures, 0, sizeof(*measures));
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		enum nx_measure_section section = questions[i].section;
		size_t before = measures->items.len;
		enum nx_status st = is_answered[section]
					    ? NX_OK
					    : ask(measures, engine, section, questions[i].sql, err);

		if (st && st != NX_NOT_FOUND)
			return st;
		is_answered[section] |= measures->items.len > before;
	}
	if (!measures->items.len)
		return nx_fail(err, NX_NOT_FOUND,
			       "the profile has none of the tables that are compared; store its "
			       "capture again with 'neuron-explorer view --ingest-only'");
	return NX_OK;
}
