/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_tools.h"

#include <assert.h>
#include <string.h>

#include "analyse/comparison.h"
#include "analyse/insights.h"
#include "analyse/why/why.h"
#include "cli/workspace_view.h"
#include "export/compare_report.h"
#include "export/findings_report.h"
#include "export/row_sink.h"
#include "export/source_report.h"
#include "export/why_report.h"
#include "query/insight_facts.h"
#include "query/measures.h"
#include "query/watchdog.h"
#include "query/why_rows.h"

#define QUESTION_LIMIT_MS 30000u
#define ROWS_USUAL 1000u
#define ROWS_MAX 100000u
#define ANSWER_BYTES_MAX ((size_t)32 << 20)
#define SIDE_PROFILES_MAX 64u

enum nx_status nx_mcp_tools_open(struct nx_mcp_tools *tools, const char *data_path,
				 struct nx_error *err)
{
	struct nx_engine_pool_options how = {0};
	enum nx_status st = nx_timer_new(&tools->timer, err);

	tools->data_path = data_path;
	if (!st)
		tools->engines = nx_engine_pool_new(tools->timer, &how);
	return st;
}

void nx_mcp_tools_close(struct nx_mcp_tools *tools)
{
	if (tools->engines)
		nx_engine_pool_free(tools->engines);
	if (tools->timer)
		nx_timer_free(tools->timer);
	*tools = (struct nx_mcp_tools){0};
}

/* --- arguments ------------------------------------------------------------- */

/* *text is NULL if an argument that may be missing is. A text with a zero byte is none. */
static enum nx_status take_text(const struct nx_mcp_question *q, const char *key, bool is_needed,
				const char **text, struct nx_error *err)
{
	const struct nx_json *value = nx_json_get(q->arguments, key);
	struct nx_slice slice = nx_json_as_slice(value);

	*text = NULL;
	if (!value && !is_needed)
		return NX_OK;
	if (!slice.len || memchr(slice.data, 0, slice.len))
		return nx_fail(err, NX_USAGE, "the argument '%s' must be a text that is not empty",
			       key);
	*text = nx_arena_copy(q->arena, slice);
	return NX_OK;
}

/* --- profiles -------------------------------------------------------------- */

typedef enum nx_status (*ask_fn)(void *context, const struct nx_query_engine *engine,
				 struct nx_error *err);

static enum nx_status find_profile(const struct nx_mcp_tools *tools, const char *name,
				   struct nx_arena *arena, struct nx_engine_wish *wish,
				   struct nx_error *err)
{
	const struct nx_profile_record *record = NULL;
	struct nx_catalogue catalogue = {0};
	struct nx_workspace *ws = NULL;
	enum nx_status st = nx_workspace_view_open(&ws, tools->data_path, true, err);

	if (!st && ws)
		st = nx_catalogue_load(&catalogue, ws, err);
	if (!st)
		record = nx_catalogue_find(&catalogue, name);
	if (!st && !record)
		st = nx_workspace_view_refuse(&catalogue, name, err);
	else if (!st && record && record->state != NX_PROFILE_READY)
		st = nx_fail(err, NX_NOT_FOUND, "the profile %s cannot be opened: %s", record->name,
			     *record->reason ? record->reason : "it is still being processed");
	if (!st && record) {
		wish->path = nx_workspace_profile_path(ws, arena, record->name);
		wish->id = nx_arena_copy_text(arena, record->id);
	}
	nx_catalogue_release(&catalogue);
	nx_workspace_close(ws);
	return st;
}

static void stop_engine(void *engine)
{
	nx_sql_child_stop(engine);
}

/* Calls fn with an engine over the profile, for half a minute at most. */
static enum nx_status ask(const struct nx_mcp_tools *tools, const struct nx_mcp_question *q,
			  const char *name, ask_fn fn, void *context, struct nx_error *err)
{
	struct nx_engine_wish wish = {.is_wanted = q->is_wanted, .context = q->context};
	struct nx_query_engine engine;
	struct nx_sql_child *child = NULL;
	struct nx_watchdog dog;
	enum nx_status st = find_profile(tools, name, q->arena, &wish, err);

	if (!st)
		st = nx_engine_pool_take(tools->engines, &wish, &child, err);
	if (st)
		return st;
	nx_watchdog_begin(&dog, tools->timer,
			  &(struct nx_watch){.stop = stop_engine,
					     .context = child,
					     .is_wanted = q->is_wanted,
					     .wanted_context = q->context,
					     .timeout_ms = QUESTION_LIMIT_MS});
	engine = nx_sql_child_as_engine(child);
	st = fn(context, &engine, err);
	st = nx_watchdog_end(&dog, st, err);
	/* after a limit it may keep memory that the next query needs */
	nx_engine_pool_return(tools->engines, child,
			      st != NX_IO && st != NX_CANCELLED && st != NX_LIMIT);
	return st;
}

/* --- list ------------------------------------------------------------------ */

static enum nx_status answer_list(const struct nx_mcp_tools *tools, const struct nx_mcp_question *q,
				  struct nx_json_writer *w, struct nx_error *err)
{
	struct nx_catalogue catalogue = {0};
	struct nx_workspace *ws = NULL;
	enum nx_status st = nx_workspace_view_open(&ws, tools->data_path, true, err);

	(void)q;
	if (!st && ws)
		st = nx_catalogue_load(&catalogue, ws, err);
	nx_json_key(w, "profiles");
	nx_json_begin_array(w);
	for (size_t i = 0; !st && i < catalogue.records.len; i++) {
		const struct nx_profile_record *r = &catalogue.records.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", r->name);
		nx_json_key_text(w, "kind", nx_profile_kind_text(r->kind));
		nx_json_key_text(w, "state", nx_profile_state_text(r->state));
		nx_json_key_u64(w, "created_ms", r->created_ms);
		nx_json_key(w, "is_simulated");
		nx_json_bool(w, r->is_simulated);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_catalogue_release(&catalogue);
	nx_workspace_close(ws);
	return st;
}

/* --- summary --------------------------------------------------------------- */

static enum nx_status measure(void *measures, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	return nx_measures_ask(measures, engine, err);
}

static enum nx_status answer_summary(const struct nx_mcp_tools *tools,
				     const struct nx_mcp_question *q, struct nx_json_writer *w,
				     struct nx_error *err)
{
	struct nx_measures measures = {0};
	const char *profile;
	enum nx_status st = take_text(q, "profile", true, &profile, err);

	if (!st)
		st = ask(tools, q, profile, measure, &measures, err);
	nx_json_key(w, "measures");
	nx_json_begin_array(w);
	for (size_t i = 0; !st && i < measures.items.len; i++) {
		const struct nx_measure *m = &measures.items.items[i];

		if (m->section != NX_MEASURE_METRIC && m->section != NX_MEASURE_STEP &&
		    m->section != NX_MEASURE_GAP && m->section != NX_MEASURE_CALL)
			continue;
		nx_json_begin_object(w);
		nx_json_key_text(w, "section", nx_measure_sections[m->section].word);
		nx_json_key_text(w, "name", m->name);
		nx_json_key_f64(w, "value", m->value);
		nx_json_key_text(w, "unit", m->unit);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_measures_release(&measures);
	return st;
}

/* --- why ------------------------------------------------------------------- */

struct why {
	const char *by, *gap;
	struct nx_json_writer *w;
};

static enum nx_status explain_gap(const struct why *why, const struct nx_query_engine *engine,
				  struct nx_error *err)
{
	struct nx_stored_releases stored = {0};
	struct nx_why_gap_answer gap = {0};
	struct nx_gap_place place;
	enum nx_status st = nx_gap_place_parse(why->gap, &place, err);

	if (!st)
		st = nx_stored_releases_ask(&stored, engine, err);
	if (!st)
		st = nx_why_explain_gap(&stored.graph, stored.labels.items, place.core,
					place.engine, place.time_ps, &gap, err);
	if (!st)
		nx_gap_json(why->w, &gap);
	nx_vec_release(&gap.pieces);
	nx_stored_releases_release(&stored);
	return st;
}

static enum nx_status explain(void *context, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	const struct why *why = context;
	struct nx_why_answer answer = {0};
	enum nx_status st;

	if (why->gap)
		return explain_gap(why, engine, err);
	st = nx_why_answer_ask(&answer, engine, why->by, err);
	if (!st)
		nx_why_report_json(why->w, &answer);
	nx_why_answer_release(&answer);
	return st;
}

static enum nx_status answer_why(const struct nx_mcp_tools *tools, const struct nx_mcp_question *q,
				 struct nx_json_writer *w, struct nx_error *err)
{
	struct why why = {.w = w};
	const char *profile;
	enum nx_status st = take_text(q, "profile", true, &profile, err);

	if (!st)
		st = take_text(q, "by", false, &why.by, err);
	if (!st)
		st = take_text(q, "gap", false, &why.gap, err);
	return st ? st : ask(tools, q, profile, explain, &why, err);
}

/* --- recommend ------------------------------------------------------------- */

static enum nx_status ask_facts(void *facts, const struct nx_query_engine *engine,
				struct nx_error *err)
{
	return nx_insight_facts_ask(facts, engine, err);
}

static enum nx_status answer_recommend(const struct nx_mcp_tools *tools,
				       const struct nx_mcp_question *q, struct nx_json_writer *w,
				       struct nx_error *err)
{
	struct nx_finding findings[NX_FINDINGS_MAX];
	struct nx_insight_facts facts;
	const char *profile;
	size_t count = 0;
	enum nx_status st = take_text(q, "profile", true, &profile, err);

	if (!st)
		st = ask(tools, q, profile, ask_facts, &facts, err);
	if (!st)
		count = nx_insights_judge(&facts, findings);
	nx_json_key(w, "findings");
	nx_json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		nx_finding_json(w, &findings[i]);
	nx_json_end_array(w);
	return st;
}

/* --- compare --------------------------------------------------------------- */

struct side {
	struct nx_measures captures[SIDE_PROFILES_MAX];
	size_t count;
};

/* A name, or a list of names: several captures of the same program. */
static enum nx_status measure_side(const struct nx_mcp_tools *tools,
				   const struct nx_mcp_question *q, const char *key,
				   struct side *side, struct nx_error *err)
{
	const struct nx_json *value = nx_json_get(q->arguments, key);
	const struct nx_json *names = value;
	size_t count = 1;
	enum nx_status st = NX_OK;

	if (value && value->kind == NX_JSON_ARRAY) {
		names = value->children;
		count = value->count;
	}
	if (!value || !count || count > SIDE_PROFILES_MAX)
		return nx_fail(err, NX_USAGE,
			       "the argument '%s' must be the name of a profile, or a list of 1 to "
			       "%u names",
			       key, SIDE_PROFILES_MAX);
	for (size_t i = 0; !st && i < count; i++) {
		struct nx_slice name = nx_json_as_slice(&names[i]);

		if (!name.len || memchr(name.data, 0, name.len))
			return nx_fail(err, NX_USAGE, "a name in '%s' is not a text", key);
		st = ask(tools, q, nx_arena_copy(q->arena, name), measure,
			 &side->captures[side->count++], err);
	}
	return st;
}

static enum nx_status answer_compare(const struct nx_mcp_tools *tools,
				     const struct nx_mcp_question *q, struct nx_json_writer *w,
				     struct nx_error *err)
{
	static const char *const keys[] = {"baseline", "profile"};
	struct side *sides = NX_NEW_ARRAY(q->arena, struct side, 2);
	struct nx_comparison comparison = {0};
	struct nx_captures captures[2];
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < 2; i++) {
		st = measure_side(tools, q, keys[i], &sides[i], err);
		captures[i] = (struct nx_captures){keys[i], sides[i].captures, sides[i].count};
	}
	if (!st) {
		nx_compare(&comparison, captures, 2);
		nx_comparison_json(w, &comparison);
	}
	nx_comparison_release(&comparison);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < sides[i].count; k++)
			nx_measures_release(&sides[i].captures[k]);
	return st;
}

/* --- sql ------------------------------------------------------------------- */

struct sql {
	struct nx_slice statement;
	uint64_t limit;
	struct nx_json_writer *w;
};

/* Reads one row more than the limit, to know whether there are more. */
static enum nx_status put_rows(struct nx_json_writer *w, struct nx_row_stream *rows, uint64_t limit,
			       bool *is_cut, struct nx_error *err)
{
	const struct nx_value *row;
	enum nx_status st = NX_OK;

	for (uint64_t i = 0; !*is_cut && !(st = nx_row_stream_next(rows, &row, err)) && row; i++) {
		*is_cut = i == limit || w->bytes->len > ANSWER_BYTES_MAX;
		if (*is_cut)
			break;
		nx_json_begin_array(w);
		for (size_t k = 0; k < rows->column_count; k++)
			nx_value_json(w, &row[k], NX_JSON_FOR_SCRIPTS);
		nx_json_end_array(w);
	}
	return st;
}

static enum nx_status run_sql(void *context, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	const struct sql *sql = context;
	struct nx_json_writer *w = sql->w;
	struct nx_row_stream *rows = NULL;
	bool is_cut = false;
	enum nx_status st = engine->ask(engine->context, sql->statement, &rows, err);

	if (st)
		return st;
	nx_json_key(w, "columns");
	nx_json_begin_array(w);
	for (size_t i = 0; i < rows->column_count; i++)
		nx_json_text(w, rows->columns[i].name);
	nx_json_end_array(w);
	nx_json_key(w, "rows");
	nx_json_begin_array(w);
	st = put_rows(w, rows, sql->limit, &is_cut, err);
	nx_json_end_array(w);
	nx_json_key(w, "is_cut");
	nx_json_bool(w, is_cut);
	nx_row_stream_close(rows);
	return st;
}

static enum nx_status answer_sql(const struct nx_mcp_tools *tools, const struct nx_mcp_question *q,
				 struct nx_json_writer *w, struct nx_error *err)
{
	const struct nx_json *limit = nx_json_get(q->arguments, "limit");
	struct sql sql = {.w = w, .limit = limit ? nx_json_as_u64(limit, 0) : ROWS_USUAL};
	const char *profile, *query = NULL;
	enum nx_status st = take_text(q, "profile", true, &profile, err);

	if (!st)
		st = take_text(q, "query", true, &query, err);
	if (!st && (!sql.limit || sql.limit > ROWS_MAX))
		st = nx_fail(err, NX_USAGE, "the argument 'limit' must be a number from 1 to %u",
			     ROWS_MAX);
	if (st)
		return st;
	assert(query);
	sql.statement = nx_slice_text(query);
	return ask(tools, q, profile, run_sql, &sql, err);
}

/* --- source lines ---------------------------------------------------------- */

static enum nx_status ask_costs(void *costs, const struct nx_query_engine *engine,
				struct nx_error *err)
{
	return nx_source_costs_ask(costs, engine, err);
}

static enum nx_status answer_lines(const struct nx_mcp_tools *tools,
				   const struct nx_mcp_question *q, struct nx_json_writer *w,
				   struct nx_error *err)
{
	struct nx_source_costs costs = {0};
	const char *profile, *name = NULL, *file = NULL;
	enum nx_status st = take_text(q, "profile", true, &profile, err);

	if (!st)
		st = take_text(q, "file", false, &name, err);
	if (!st)
		st = ask(tools, q, profile, ask_costs, &costs, err);
	if (!st && name)
		st = nx_source_costs_find(&costs, name, &file, err);
	if (!st)
		nx_source_costs_json(w, &costs, file, NULL);
	nx_source_costs_release(&costs);
	return st;
}

/* --- the list -------------------------------------------------------------- */

#define TEXT_OF(name, description)                                                                 \
	"\"" name "\":{\"type\":\"string\",\"description\":\"" description "\"}"
#define PROFILE TEXT_OF("profile", "Name of a profile, as 'list' returns it.")
#define SIDE(name, description)                                                                    \
	"\"" name "\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":"  \
	"\"string\"},\"minItems\":1,\"maxItems\":64}],\"description\":\"" description "\"}"
#define SCHEMA(properties, required)                                                               \
	"\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required              \
	"],\"additionalProperties\":false"

/* clang-format off */
const struct nx_mcp_tool nx_mcp_tool_list[] = {
	{"list", "Lists the profiles of the workspace with their kind (device or system) and state. "
	 "Call this first: all other tools take names from it.",
	 SCHEMA("", ""), answer_list},
	{"summary", "Metrics of a profile: total time, utilisation of engines, FLOPS, bytes moved; of "
	 "a system profile steps, gaps between executions and calls.",
	 SCHEMA(PROFILE, "\"profile\""), answer_summary},
	{"why", "Says what bound a run of a device: the critical path in parts that add up to the run "
	 "(picoseconds), the time of each engine, and what would change if one cause went away. With "
	 "'gap', explains one pause of an engine instead.",
	 SCHEMA(PROFILE ",\"by\":{\"type\":\"string\",\"enum\":[\"line\",\"layer\",\"opcode\","
		"\"tensor\"],\"description\":\"Also sum the path up by source line, layer, opcode or "
		"tensor.\"},"
		TEXT_OF("gap", "A pause: an engine and a time, such as Vector@13.7us, or 1.Vector@13.7us "
			       "on core 1."),
		"\"profile\""), answer_why},
	{"recommend", "What to change first, the largest gain first: what was measured, where, cause, "
	 "advice, the part of the run that is won at most, and the confidence.",
	 SCHEMA(PROFILE, "\"profile\""), answer_recommend},
	{"compare", "What changed between profiles: metrics, causes on the critical path, engines, "
	 "operators, source lines, opcodes. Several captures of a side give 95 % intervals.",
	 SCHEMA(SIDE("baseline", "The profile to compare with, or a list of captures of it.") ","
		SIDE("profile", "The profile to compare, or a list of captures of it."),
		"\"baseline\",\"profile\""), answer_compare},
	{"sql", "Runs one SELECT over the tables of a profile (DuckDB). SHOW TABLES lists them, "
	 "DESCRIBE a table lists its columns. At most 30 seconds and 32 MB; integers that a double "
	 "cannot hold are texts.",
	 SCHEMA(PROFILE "," TEXT_OF("query", "One statement that only reads.") ",\"limit\":{\"type\":"
		"\"integer\",\"minimum\":1,\"maximum\":100000,\"description\":\"Rows to return at most; "
		"1000 without it.\"}", "\"profile\",\"query\""), answer_sql},
	{"source_lines", "What each line of source costs: time on the critical path by cause, pauses "
	 "before its instructions, busy time by engine, bytes of HBM, FLOPs.",
	 SCHEMA(PROFILE "," TEXT_OF("file", "Only lines of this file: its path, or the end of it."),
		"\"profile\""), answer_lines},
	{0},
};
/* clang-format on */

const struct nx_mcp_tool *nx_mcp_tool_find(struct nx_slice name)
{
	for (const struct nx_mcp_tool *tool = nx_mcp_tool_list; tool->name; tool++)
		if (nx_slice_is(name, tool->name))
			return tool;
	return NULL;
}
