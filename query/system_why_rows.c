/* SPDX-License-Identifier: Apache-2.0 */
#include "query/system_why_rows.h"

#include <assert.h>
#include <string.h>

#include "query/named_query.h"

typedef void (*row_fn)(struct nx_system_why *why, const struct nx_value *row);

static int64_t whole_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 ? value->i64 : 0;
}

static const char *text_of(struct nx_system_why *why, const struct nx_value *value)
{
	return value->kind == NX_VALUE_TEXT ? nx_arena_copy(&why->arena, value->text) : NULL;
}

/* A table that is not there has no rows. */
static enum nx_status each(struct nx_system_why *why, const struct nx_query_engine *engine,
			   struct nx_slice sql, row_fn fn, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = engine->ask(engine->context, sql, &rows, err);

	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row)
		fn(why, row);
	nx_row_stream_close(rows);
	return st == NX_NOT_FOUND ? NX_OK : st;
}

static const char *no_value(void *context, const char *name)
{
	(void)context, (void)name;
	return NULL;
}

static enum nx_status each_of(struct nx_system_why *why, const struct nx_query_engine *engine,
			      const char *query, row_fn fn, struct nx_error *err)
{
	const struct nx_named_query *named = nx_named_query_find(query);
	struct nx_bytes sql = {0};
	enum nx_status st;

	assert(named);
	st = nx_named_query_append(&sql, named, no_value, NULL, err);
	if (!st)
		st = each(why, engine, nx_slice_of(sql.items, sql.len), fn, err);
	nx_vec_release(&sql);
	return st;
}

static struct nx_system_part part_of(struct nx_system_why *why, const struct nx_value *row)
{
	return (struct nx_system_part){text_of(why, &row[0]), whole_of(&row[1]),
				       text_of(why, &row[2]), whole_of(&row[3])};
}

static void take_path(struct nx_system_why *why, const struct nx_value *row)
{
	struct nx_system_part part = part_of(why, row);

	why->span_ns += part.time_ns;
	nx_vec_push(&why->path, part);
}

static void take_process(struct nx_system_why *why, const struct nx_value *row)
{
	nx_vec_push(&why->processes, part_of(why, row));
}

static void take_rank(struct nx_system_why *why, const struct nx_value *row)
{
	nx_vec_push(&why->ranks, ((struct nx_system_rank){
					 .rank = row[0].kind == NX_VALUE_I64 ? row[0].i64 : -1,
					 .instance = text_of(why, &row[1]),
					 .process = whole_of(&row[2]),
					 .meeting_count = whole_of(&row[3]),
					 .last_count = whole_of(&row[4]),
					 .slack_ns = whole_of(&row[5]),
					 .stall_ns = whole_of(&row[6]),
					 .observed_ns = whole_of(&row[7]),
				 }));
}

static void take_span(struct nx_system_why *why, const struct nx_value *row)
{
	nx_vec_push(&why->host,
		    ((struct nx_system_span){text_of(why, &row[2]), text_of(why, &row[0]),
					     whole_of(&row[1]), whole_of(&row[3])}));
}

static void take_steps(struct nx_system_why *why, const struct nx_value *row)
{
	why->steps = (struct nx_system_steps){
		.count = whole_of(&row[0]),
		.median_ns = whole_of(&row[1]),
		.outlier_count = whole_of(&row[2]),
		.slowest_ns = whole_of(&row[3]),
		.slowest = text_of(why, &row[4]),
		.slowest_process = whole_of(&row[5]),
	};
}

static void take_gaps(struct nx_system_why *why, const struct nx_value *row)
{
	why->gaps = (struct nx_system_gaps){whole_of(&row[0]), whole_of(&row[1]), whole_of(&row[2]),
					    whole_of(&row[3])};
}

enum nx_status nx_system_why_ask(struct nx_system_why *why, const struct nx_query_engine *engine,
				 struct nx_error *err)
{
	enum nx_status st;

	memset(why, 0, sizeof(*why));
	st = each_of(why, engine, "system_path", take_path, err);
	if (!st && !why->path.len)
		return nx_fail(err, NX_NOT_FOUND, "the profile has no events of a system");
	if (!st)
		st = each_of(why, engine, "process_time", take_process, err);
	if (!st)
		st = each_of(why, engine, "late_ranks", take_rank, err);
	if (!st)
		st = each_of(why, engine, "host_work", take_span, err);
	if (!st)
		st = each(why, engine,
			  nx_slice_text("SELECT count(*), median(duration_ns)::BIGINT, count(*) "
					"FILTER (is_outlier), max(duration_ns), arg_max(label, "
					"duration_ns), arg_max(process_id, duration_ns) FROM Step "
					"WHERE NOT is_unfinished HAVING count(*) > 0"),
			  take_steps, err);
	if (!st)
		st = each(why, engine,
			  nx_slice_text("SELECT count(*), sum(duration_ns)::BIGINT, "
					"max(duration_ns), count(*) FILTER (waits_for = 'host') "
					"FROM ExecutionGap HAVING count(*) > 0"),
			  take_gaps, err);
	return st;
}

void nx_system_why_release(struct nx_system_why *why)
{
	nx_vec_release(&why->path);
	nx_vec_release(&why->processes);
	nx_vec_release(&why->ranks);
	nx_vec_release(&why->host);
	nx_arena_release(&why->arena);
}
