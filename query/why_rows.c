/* SPDX-License-Identifier: Apache-2.0 */
#include "query/why_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query/time_range.h"

static int64_t whole_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 ? value->i64 : 0;
}

static const char *text_of(const struct nx_value *value, struct nx_text_pool *pool)
{
	return value->kind == NX_VALUE_TEXT ? nx_text_pool_copy(pool, value->text) : NULL;
}

typedef void (*row_fn)(void *context, const struct nx_value *row);

struct taking {
	struct nx_why_answer *answer;
	struct nx_stored_releases *stored;
	struct nx_text_pool pool;
	size_t row_count;
};

static enum nx_status each(const struct nx_query_engine *engine, const char *sql,
			   struct taking *taking, row_fn fn, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = engine->ask(engine->context, nx_slice_text(sql), &rows, err);

	taking->row_count = 0;
	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		fn(taking, row);
		taking->row_count++;
	}
	nx_row_stream_close(rows);
	return st;
}

/* --- the answer ------------------------------------------------------------ */

static void take_summary(void *context, const struct nx_value *row)
{
	struct nx_why_answer *a = ((struct taking *)context)->answer;
	int64_t *const members[] = {
		&a->span_ps,	     &a->program_ps,	     &a->wait_count,
		&a->matched_count,   &a->filled_count,	     &a->assumed_count,
		&a->gap_ps,	     &a->gap_unexplained_ps, &a->path_unexplained_ps,
		&a->replay_error_ps, &a->pinned_count,	     &a->nominal_ps};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		*members[i] = whole_of(&row[i]);
	a->is_replayed = row[9].kind == NX_VALUE_I64;
}

static void take_part(void *context, const struct nx_value *row)
{
	struct taking *t = context;

	nx_vec_push(&t->answer->path, ((struct nx_why_part){.cause = text_of(&row[0], &t->pool),
							    .engine = text_of(&row[1], &t->pool),
							    .time_ps = whole_of(&row[2])}));
}

static void take_engine(void *context, const struct nx_value *row)
{
	struct taking *t = context;

	nx_vec_push(&t->answer->engines,
		    ((struct nx_why_part){.core = (uint32_t)whole_of(&row[0]),
					  .engine = text_of(&row[1], &t->pool),
					  .cause = text_of(&row[2], &t->pool),
					  .blocker = text_of(&row[3], &t->pool),
					  .time_ps = whole_of(&row[4])}));
}

static void take_group(void *context, const struct nx_value *row)
{
	struct taking *t = context;

	nx_vec_push(&t->answer->groups,
		    ((struct nx_why_group){text_of(&row[0], &t->pool), whole_of(&row[1])}));
}

static void take_scenario(void *context, const struct nx_value *row)
{
	struct taking *t = context;

	nx_vec_push(&t->answer->scenarios,
		    ((struct nx_what_if){text_of(&row[0], &t->pool), whole_of(&row[1]),
					 whole_of(&row[2]),
					 row[3].kind == NX_VALUE_I64 ? row[3].i64 : -1}));
}

/* Engines matter where they work; of the runtime's frame and of lags they do not. */
#define PATH_ENGINE                                                                                \
	"CASE WHEN cause IN ('useful', 'transpose', 'throttled', 'control', 'DMA issue') THEN "    \
	"engine END"
#define GROUPS(column)                                                                             \
	"SELECT " column " AS name, sum(duration_ps)::BIGINT AS ps FROM CriticalPath GROUP BY "    \
	"name ORDER BY ps DESC, name"

static const struct {
	const char *name, *sql;
} groupings[] = {
	{"line", GROUPS("source_location")},
	{"layer", GROUPS("layer")},
	{"opcode", GROUPS("coalesce(engine || ' ' || opcode, queue_name)")},
	{"tensor", GROUPS("variable")},
};

static enum nx_status no_rows(struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND,
		       "the profile has no explanation of its time: it is of an older version, has "
		       "no instructions, or more than a million of them; run 'neuron-explorer why "
		       "-n NEFF -s SESSION' on its files");
}

/* A profile of an older version has no such tables. */
static enum nx_status tables_missing(enum nx_status st, struct nx_error *err)
{
	return st == NX_NOT_FOUND ? no_rows(err) : st;
}

enum nx_status nx_why_answer_ask(struct nx_why_answer *answer, const struct nx_query_engine *engine,
				 const char *by, struct nx_error *err)
{
	struct taking t = {.answer = answer, .pool = {.arena = &answer->arena}};
	enum nx_status st;

	memset(answer, 0, sizeof(*answer));
	st = tables_missing(each(engine,
				 "SELECT span_ps, program_ps, waits, waits_matched, waits_filled, "
				 "waits_assumed, gap_ps, gap_unexplained_ps, path_unexplained_ps, "
				 "replay_error_ps, pinned, nominal_ps FROM WhySummary LIMIT 1",
				 &t, take_summary, err),
			    err);
	if (!st && !t.row_count)
		st = no_rows(err);
	if (!st)
		st = each(engine,
			  "SELECT cause, " PATH_ENGINE " AS who, sum(duration_ps)::BIGINT AS ps "
			  "FROM CriticalPath GROUP BY cause, who ORDER BY ps DESC, cause, who",
			  &t, take_part, err);
	if (!st)
		st = each(engine,
			  "SELECT pcore_idx, engine, cause, blocker, time_ps FROM EngineTime ORDER "
			  "BY pcore_idx, engine, time_ps DESC, cause, blocker",
			  &t, take_engine, err);
	if (!st)
		st = each(engine,
			  "SELECT scenario, total_ps, gain_ps, path_ps FROM WhatIf ORDER BY "
			  "gain_ps DESC, scenario",
			  &t, take_scenario, err);
	for (size_t i = 0; by && !st && i < sizeof(groupings) / sizeof(groupings[0]); i++)
		if (!strcmp(by, groupings[i].name)) {
			answer->grouped_by = groupings[i].name;
			st = each(engine, groupings[i].sql, &t, take_group, err);
		}
	if (!st && by && !answer->grouped_by)
		st = nx_fail(err, NX_USAGE, "the time can be grouped by %s, not by '%.100s'",
			     "line, layer, opcode or tensor", by);
	nx_text_pool_release(&t.pool);
	return st;
}

/* --- places ---------------------------------------------------------------- */

static bool find_engine(struct nx_slice name, uint32_t *engine)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const char *names[] = {nx_engines[e].label, nx_engine_label(e)};

		for (unsigned i = 0; i < 2; i++)
			if (strlen(names[i]) == name.len &&
			    !strncasecmp(names[i], (const char *)name.data, name.len)) {
				*engine = e;
				return true;
			}
	}
	return false;
}

enum nx_status nx_gap_place_parse(const char *text, struct nx_gap_place *place,
				  struct nx_error *err)
{
	const char *at = strchr(text, '@'), *name = text;
	char *rest;
	unsigned long core = strtoul(text, &rest, 10);
	int64_t time_ns;
	enum nx_status st;

	*place = (struct nx_gap_place){0};
	if (rest != text && *rest == '.') {
		name = rest + 1;
		place->core = core < UINT32_MAX ? (uint32_t)core : UINT32_MAX;
	}
	if (!at || at < name ||
	    !find_engine(nx_slice_of(name, (size_t)(at - name)), &place->engine))
		return nx_fail(err, NX_USAGE,
			       "a pause is an engine and a time, such as Vector@13.7us or, on core "
			       "1, 1.Vector@13.7us; engines are Tensor, Scalar, GpSimd, Vector and "
			       "Sync; got '%.100s'",
			       text);
	st = nx_time_parse(at + 1, &time_ns, err);
	if (st)
		return st;
	if (time_ns < 0 || time_ns > INT64_MAX / 1000)
		return nx_fail(err, NX_USAGE, "the time of '%.100s' is outside of any profile",
			       text);
	place->time_ps = time_ns * 1000;
	return NX_OK;
}

/* --- the graph ------------------------------------------------------------- */

static unsigned number_of(const struct nx_value *value, const char *(*name)(unsigned),
			  unsigned count)
{
	for (unsigned i = 0; value->kind == NX_VALUE_TEXT && i < count; i++)
		if (nx_slice_is(value->text, name(i)))
			return i;
	return 0;
}

static const char *kind_name(unsigned kind)
{
	return nx_release_kind_name((enum nx_release_kind)kind);
}

static const char *how_name(unsigned how)
{
	return nx_release_how_name((enum nx_release_how)how);
}

static const char *node_name(unsigned kind)
{
	static const char *const names[] = {"instruction", "block", "collective"};

	return names[kind];
}

static uint8_t engine_of(const struct nx_value *value)
{
	for (unsigned i = 0; value->kind == NX_VALUE_TEXT && i < NX_ENGINE_COUNT; i++)
		if (nx_slice_is(value->text, nx_engines[i].label))
			return (uint8_t)i;
	return NX_ENGINE_COUNT;
}

enum {
	ID,
	NODE,
	CORE,
	ENGINE,
	OPCODE,
	QUEUE,
	DMA_ENGINE,
	START,
	WORK,
	END,
	KIND,
	CAUSE,
	EVENT,
	READY,
	SLACK,
	HOW,
	FLAGS
};

static void take_node(void *context, const struct nx_value *row)
{
	struct taking *t = context;
	struct nx_stored_releases *s = t->stored;
	struct nx_release_node n = {
		.start_ps = whole_of(&row[START]),
		.work_ps = whole_of(&row[WORK]),
		.end_ps = whole_of(&row[END]),
		.event_ps = whole_of(&row[EVENT]),
		.ready_ps = whole_of(&row[READY]),
		.slack_ps =
			row[SLACK].kind == NX_VALUE_I64 ? (uint32_t)row[SLACK].i64 : NX_NO_SLACK,
		.cause = row[CAUSE].kind == NX_VALUE_I64 && row[CAUSE].i64 > 0
				 ? (uint32_t)(row[CAUSE].i64 - 1)
				 : NX_NONE,
		.kind = NX_NODE_BITS(number_of(&row[NODE], node_name, NX_NODE_KIND_COUNT), 2),
		.graph = NX_NODE_BITS(whole_of(&row[CORE]), 6),
		.engine = NX_NODE_BITS(engine_of(&row[ENGINE]), 3),
		.release = NX_NODE_BITS(number_of(&row[KIND], kind_name, NX_RELEASE_KIND_COUNT), 3),
		.how = NX_NODE_BITS(number_of(&row[HOW], how_name, NX_RELEASE_HOW_COUNT), 3),
		.flags = NX_NODE_BITS(whole_of(&row[FLAGS]), 9),
	};

	nx_vec_push(&s->graph.nodes, n);
	nx_vec_push(&s->labels, ((struct nx_node_label){text_of(&row[OPCODE], &t->pool),
							text_of(&row[QUEUE], &t->pool),
							(uint32_t)whole_of(&row[DMA_ENGINE])}));
	if (n.end_ps > s->graph.end_ps)
		s->graph.end_ps = n.end_ps;
}

/* The tables may have been written by others: a cause has to be a row. */
static void check_causes(struct nx_release_graph *graph)
{
	for (size_t i = 0; i < graph->nodes.len; i++)
		if (graph->nodes.items[i].cause >= graph->nodes.len)
			graph->nodes.items[i].cause = NX_NONE;
}

enum nx_status nx_stored_releases_ask(struct nx_stored_releases *stored,
				      const struct nx_query_engine *engine, struct nx_error *err)
{
	struct taking t = {.stored = stored, .pool = {.arena = &stored->arena}};
	enum nx_status st;

	memset(stored, 0, sizeof(*stored));
	st = tables_missing(
		each(engine,
		     "SELECT id, node, pcore_idx, engine, opcode, queue_name, "
		     "dma_engine_idx::BIGINT, start_ps, work_ps, end_ps, kind, cause, event_ps, "
		     "ready_ps, slack_ps, how, flags::BIGINT FROM Release ORDER BY id",
		     &t, take_node, err),
		err);
	if (!st && !stored->graph.nodes.len)
		st = no_rows(err);
	check_causes(&stored->graph);
	nx_text_pool_release(&t.pool);
	return st;
}

void nx_stored_releases_release(struct nx_stored_releases *stored)
{
	nx_release_graph_release(&stored->graph);
	nx_vec_release(&stored->labels);
	nx_arena_release(&stored->arena);
}
