/* SPDX-License-Identifier: Apache-2.0 */
#include "query/picture_rows.h"

#include <string.h>

#include "base/map.h"

static double number_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 ? (double)value->i64 : 0;
}

/* Spans of a row come in order of their start; what overlaps counts once. */
static void add_span(const struct nx_picture *picture, struct nx_picture_row *row, double start_ps,
		     double end_ps)
{
	double column_ps = picture->span_ps / NX_PICTURE_COLUMNS;

	if (start_ps < row->end_ps)
		start_ps = row->end_ps;
	if (end_ps > picture->span_ps)
		end_ps = picture->span_ps;
	if (start_ps < 0 || end_ps <= start_ps)
		return;
	row->end_ps = end_ps;
	row->total_ps += end_ps - start_ps;
	for (size_t i = (size_t)(start_ps / column_ps); i < NX_PICTURE_COLUMNS; i++) {
		double from = (double)i * column_ps, to = from + column_ps;

		if (from >= end_ps)
			break;
		row->busy[i] +=
			((end_ps < to ? end_ps : to) - (start_ps > from ? start_ps : from)) /
			column_ps;
	}
}

static struct nx_picture_row *row_of(struct nx_picture *picture, struct nx_text_pool *pool,
				     const struct nx_value *row)
{
	const char *name = nx_text_pool_copy(pool, row[0].text);
	struct nx_picture_row *last =
		picture->rows.len ? picture->rows.items[picture->rows.len - 1] : NULL;

	if (last && last->name == name)
		return last;
	last = NX_NEW(&picture->arena, struct nx_picture_row);
	last->name = name;
	last->is_queue = number_of(&row[1]) > 0;
	nx_vec_push(&picture->rows, last);
	return last;
}

static void take_span(struct nx_picture *picture, struct nx_text_pool *pool,
		      const struct nx_value *row)
{
	if (row[0].kind == NX_VALUE_TEXT)
		add_span(picture, row_of(picture, pool, row), number_of(&row[2]),
			 number_of(&row[3]));
}

static void take_piece(struct nx_picture *picture, struct nx_text_pool *pool,
		       const struct nx_value *row)
{
	double start_ps = number_of(&row[1]);

	if (row[0].kind == NX_VALUE_TEXT)
		nx_vec_push(&picture->path,
			    ((struct nx_picture_piece){nx_text_pool_copy(pool, row[0].text),
						       start_ps, start_ps + number_of(&row[2])}));
}

static void take_length(struct nx_picture *picture, struct nx_text_pool *pool,
			const struct nx_value *row)
{
	(void)pool;
	picture->span_ps = number_of(&row[0]);
}

static enum nx_status each(struct nx_picture *picture, const struct nx_query_engine *engine,
			   const char *sql,
			   void (*fn)(struct nx_picture *picture, struct nx_text_pool *pool,
				      const struct nx_value *row),
			   struct nx_error *err)
{
	struct nx_text_pool pool = {.arena = &picture->arena};
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = engine->ask(engine->context, nx_slice_text(sql), &rows, err);

	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row)
		fn(picture, &pool, row);
	nx_row_stream_close(rows);
	nx_text_pool_release(&pool);
	return st;
}

enum nx_status nx_picture_ask(struct nx_picture *picture, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	enum nx_status st;

	memset(picture, 0, sizeof(*picture));
	st = each(picture, engine, "SELECT span_ps FROM WhySummary LIMIT 1", take_length, err);
	if (st == NX_NOT_FOUND || (!st && picture->span_ps <= 0))
		return NX_OK;
	/* the runtime's own words (flag 1) are the frame, not work */
	if (!st)
		st = each(picture, engine,
			  "SELECT concat(CASE WHEN pcore_idx > 0 THEN concat(pcore_idx, '.') END, "
			  "engine) AS name, 0::BIGINT, work_ps, end_ps FROM Release WHERE node = "
			  "'instruction' AND flags & 1 = 0 UNION ALL SELECT queue_name, 1::BIGINT, "
			  "work_ps, end_ps FROM Release WHERE node = 'block' ORDER BY 2, 1, 3, 4",
			  take_span, err);
	if (!st)
		st = each(picture, engine,
			  "SELECT cause, start_ps, duration_ps FROM CriticalPath ORDER BY start_ps",
			  take_piece, err);
	return st;
}

void nx_picture_release(struct nx_picture *picture)
{
	nx_vec_release(&picture->rows);
	nx_vec_release(&picture->path);
	nx_arena_release(&picture->arena);
}
