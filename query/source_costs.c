/* SPDX-License-Identifier: Apache-2.0 */
#include "query/source_costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/path.h"

/*
 * One row for each line, section and name. An engine pauses from the end of all it did before to
 * the moment at which an instruction begins to work; what released the instruction ended the pause.
 * An instruction's line is that of its kernel or, without one, of its HLO operation, as on the
 * path.
 */
#define BEFORE "ORDER BY r.work_ps, r.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"

static const char costs_sql[] =
	"WITH placed AS (SELECT id, coalesce(nki_source_location, bir_debug_info_source_location, "
	"regexp_extract(hlo_attrs, '\"source_file\":\"([^\"]+)\"', 1) || ':' || "
	"nullif(regexp_extract(hlo_attrs, '\"source_line\":\"?([0-9]+)', 1), '')) AS location, "
	"coalesce(hbm_read_bytes, 0) + coalesce(hbm_write_bytes, 0) AS bytes, "
	"coalesce(raw_flops, 0) AS flops FROM Instruction), "
	"run AS (SELECT location, r.engine, r.kind, coalesce(c.queue_name, c.engine) AS blocker, "
	"r.work_ps, r.end_ps, max(r.end_ps) OVER (PARTITION BY r.pcore_idx, r.engine " BEFORE
	") AS before_ps, max(r.end_ps) OVER (PARTITION BY r.pcore_idx, r.engine, location " BEFORE
	") AS own_ps FROM Release r JOIN placed USING (id) LEFT JOIN Release c ON c.id = r.cause "
	"WHERE r.node = 'instruction'), "
	"rows AS (SELECT source_location AS location, 0::BIGINT AS section, cause AS name, "
	"duration_ps AS "
	"ps, 0 AS bytes, 0 AS flops, 0 AS instructions FROM CriticalPath UNION ALL "
	"SELECT location, 1::BIGINT, CASE kind WHEN 'PROGRAM' THEN 'issue' WHEN 'CROSS_CORE' THEN "
	"'other "
	"core' WHEN 'COLLECTIVE' THEN 'collective' ELSE coalesce(blocker, 'unexplained') END, "
	"greatest(work_ps - before_ps, 0), 0, 0, 0 FROM run UNION ALL "
	"SELECT location, 2::BIGINT, engine, greatest(end_ps - greatest(work_ps, coalesce(own_ps, "
	"0)), 0), "
	"0, 0, 0 FROM run UNION ALL "
	"SELECT location, 3::BIGINT, '', 0, bytes, flops, 1 FROM placed) "
	"SELECT regexp_extract(location, '^(.*):([0-9]+)$', 1) AS file, "
	"try_cast(regexp_extract(location, ':([0-9]+)$', 1) AS INTEGER)::BIGINT AS line, "
	"section, name, sum(ps)::BIGINT AS ps, sum(bytes)::BIGINT, sum(flops)::BIGINT, "
	"sum(instructions)::BIGINT AS instructions FROM rows WHERE file != '' AND line IS NOT NULL "
	"GROUP BY ALL HAVING sum(ps) > 0 OR sum(instructions) > 0 "
	"ORDER BY file, line, section, ps DESC, name";

enum { FILE_NAME, LINE, SECTION, NAME, PS, BYTES, FLOPS, INSTRUCTIONS };

static int64_t whole_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 ? value->i64 : 0;
}

static struct nx_line_cost *line_of(struct nx_source_costs *costs, struct nx_text_pool *pool,
				    const struct nx_value *row)
{
	struct nx_line_cost cost = {.file = nx_text_pool_copy(pool, row[FILE_NAME].text),
				    .line = (uint32_t)whole_of(&row[LINE])};
	struct nx_line_cost *last;

	if (costs->lines.len) {
		last = &costs->lines.items[costs->lines.len - 1];
		if (last->line == cost.line && !strcmp(last->file, cost.file))
			return last;
	}
	nx_vec_push(&costs->lines, cost);
	assert(costs->lines.items);
	return &costs->lines.items[costs->lines.len - 1];
}

static void take_row(struct nx_source_costs *costs, struct nx_text_pool *pool,
		     const struct nx_value *row)
{
	struct nx_line_cost *cost;
	int64_t section = whole_of(&row[SECTION]);

	if (row[FILE_NAME].kind != NX_VALUE_TEXT || row[NAME].kind != NX_VALUE_TEXT)
		return;
	cost = line_of(costs, pool, row);
	if (section >= 0 && section < NX_LINE_SECTION_COUNT) {
		struct nx_line_part part = {nx_text_pool_copy(pool, row[NAME].text),
					    whole_of(&row[PS])};

		cost->total_ps[section] += part.time_ps;
		nx_vec_push(&cost->parts[section], part);
		return;
	}
	cost->hbm_bytes = (uint64_t)whole_of(&row[BYTES]);
	cost->flops = (uint64_t)whole_of(&row[FLOPS]);
	cost->instruction_count = (uint64_t)whole_of(&row[INSTRUCTIONS]);
}

static enum nx_status ask_span(struct nx_source_costs *costs, const struct nx_query_engine *engine,
			       struct nx_error *err)
{
	struct nx_slice sql = nx_slice_text("SELECT span_ps FROM WhySummary LIMIT 1");
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row = NULL;
	enum nx_status st = engine->ask(engine->context, sql, &rows, err);

	if (!st)
		st = nx_row_stream_next(rows, &row, err);
	if (!st && row)
		costs->span_ps = whole_of(&row[0]);
	nx_row_stream_close(rows);
	if (st == NX_NOT_FOUND || (!st && !costs->span_ps))
		st = nx_fail(err, NX_NOT_FOUND,
			     "the profile has no explanation of its time: it is not of a device, "
			     "of an older version, or has more than a million instructions; "
			     "process its capture again with 'view --force'");
	return st;
}

enum nx_status nx_source_costs_ask(struct nx_source_costs *costs,
				   const struct nx_query_engine *engine, struct nx_error *err)
{
	struct nx_text_pool pool = {.arena = &costs->arena};
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st;

	memset(costs, 0, sizeof(*costs));
	st = ask_span(costs, engine, err);
	if (!st)
		st = engine->ask(engine->context, nx_slice_text(costs_sql), &rows, err);
	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row)
		take_row(costs, &pool, row);
	nx_row_stream_close(rows);
	nx_text_pool_release(&pool);
	return st;
}

void nx_source_costs_release(struct nx_source_costs *costs)
{
	for (size_t i = 0; i < costs->lines.len; i++)
		for (unsigned s = 0; s < NX_LINE_SECTION_COUNT; s++)
			nx_vec_release(&costs->lines.items[i].parts[s]);
	nx_vec_release(&costs->lines);
	nx_arena_release(&costs->arena);
}

/* --- files ----------------------------------------------------------------- */

/* How many parts of two paths are the same, counted from the end. */
static size_t common_parts(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b), count = 0;

	while (a_len && b_len) {
		size_t a_from = a_len, b_from = b_len;

		while (a_from && a[a_from - 1] != '/')
			a_from--;
		while (b_from && b[b_from - 1] != '/')
			b_from--;
		if (a_len - a_from != b_len - b_from ||
		    memcmp(a + a_from, b + b_from, a_len - a_from) != 0)
			break;
		count++;
		a_len = a_from ? a_from - 1 : 0;
		b_len = b_from ? b_from - 1 : 0;
	}
	return count;
}

static enum nx_status no_file(const struct nx_source_costs *costs, const char *name,
			      struct nx_error *err)
{
	struct nx_bytes names = {0};
	const char *last = NULL;
	enum nx_status st;

	for (size_t i = 0; i < costs->lines.len && names.len < 400; i++)
		if (costs->lines.items[i].file != last) {
			last = costs->lines.items[i].file;
			nx_bytes_printf(&names, "%s%s", names.len ? ", " : "", last);
		}
	st = costs->lines.len
		     ? nx_fail(err, NX_NOT_FOUND,
			       "the profile has no line of '%.200s'; it has lines of %.*s", name,
			       (int)names.len, (const char *)names.items)
		     : nx_fail(err, NX_NOT_FOUND,
			       "the profile names no lines of source: its NEFF was not given, or "
			       "was compiled without debug information");
	nx_vec_release(&names);
	return st;
}

enum nx_status nx_source_costs_find(const struct nx_source_costs *costs, const char *name,
				    const char **file, struct nx_error *err)
{
	const char *rival = NULL, *last = NULL;
	size_t most = 0;

	assert(name);
	*file = NULL;
	while (!strncmp(name, "./", 2))
		name += 2;
	for (size_t i = 0; i < costs->lines.len; i++) {
		const char *candidate = costs->lines.items[i].file;
		size_t same = candidate == last ? 0 : common_parts(candidate, name);

		last = candidate;
		if (same > most) {
			most = same;
			*file = candidate;
			rival = NULL;
		} else if (same && same == most) {
			rival = candidate;
		}
	}
	if (!*file)
		return no_file(costs, name, err);
	if (rival)
		return nx_fail(err, NX_USAGE,
			       "'%.200s' may be %.400s or %.400s; name more of its path", name,
			       *file, rival);
	return NX_OK;
}
