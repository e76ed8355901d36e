/* SPDX-License-Identifier: Apache-2.0 */
#include "query/clickhouse.h"

#include <assert.h>
#include <string.h>

#include "store/clickhouse/clickhouse_reader.h"

struct nx_clickhouse {
	struct nx_clickhouse_reader *reader;
};

struct answer {
	struct nx_row_stream stream;
	struct nx_arena arena;
	size_t byte_count;
	struct answer_rows NX_VEC_BODY(const struct nx_value *) rows;
	size_t next;
};

/* --- the answer as a stream ------------------------------------------------ */

static enum nx_status next(struct nx_row_stream *stream, const struct nx_value **row,
			   struct nx_error *err)
{
	struct answer *a = (struct answer *)stream;

	(void)err;
	*row = a->next < a->rows.len ? a->rows.items[a->next++] : NULL;
	return NX_OK;
}

static enum nx_status count_rest(struct nx_row_stream *stream, uint64_t *count,
				 struct nx_error *err)
{
	struct answer *a = (struct answer *)stream;

	(void)err;
	*count = a->rows.len - a->next;
	a->next = a->rows.len;
	return NX_OK;
}

static void close_answer(struct nx_row_stream *stream)
{
	struct answer *a = (struct answer *)stream;

	nx_vec_release(&a->rows);
	nx_arena_release(&a->arena);
	nx_heap_free(a);
}

/* --- from the server's cells to values ------------------------------------- */

static struct nx_slice keep(struct answer *a, struct nx_slice text)
{
	a->byte_count += text.len;
	return nx_slice_of(nx_arena_copy(&a->arena, text), text.len);
}

static struct nx_value list_of(struct answer *a, enum nx_cell_kind kind, const union nx_cell *cell)
{
	bool is_text = kind == NX_CELL_LIST_TEXT;
	size_t count = is_text ? cell->list_text.count : cell->list_i64.count;
	struct nx_value *items = NX_NEW_ARRAY(&a->arena, struct nx_value, count);
	struct nx_value list = {.kind = NX_VALUE_LIST};

	a->byte_count += count * sizeof(*items);
	for (size_t i = 0; i < count; i++) {
		if (is_text)
			items[i] = (struct nx_value){.kind = NX_VALUE_TEXT,
						     .text = keep(a, cell->list_text.items[i])};
		else
			items[i] = (struct nx_value){.kind = NX_VALUE_I64,
						     .i64 = cell->list_i64.items[i]};
	}
	list.list.items = items;
	list.list.count = count;
	return list;
}

static struct nx_value value_of(struct answer *a, enum nx_cell_kind kind, const union nx_cell *cell)
{
	switch (kind) {
	case NX_CELL_I64:
		return (struct nx_value){.kind = NX_VALUE_I64, .i64 = cell->i64};
	case NX_CELL_F64:
		return (struct nx_value){.kind = NX_VALUE_F64, .f64 = cell->f64};
	case NX_CELL_BOOL:
		return (struct nx_value){.kind = NX_VALUE_BOOL, .flag = cell->boolean};
	case NX_CELL_TEXT:
		return (struct nx_value){.kind = NX_VALUE_TEXT, .text = keep(a, cell->text)};
	case NX_CELL_LIST_I64:
	case NX_CELL_LIST_TEXT:
		return list_of(a, kind, cell);
	case NX_CELL_NULL:
		break;
	}
	return (struct nx_value){.kind = NX_VALUE_NULL};
}

static enum nx_value_kind kind_of(enum nx_cell_kind kind)
{
	static const enum nx_value_kind kinds[] = {
		[NX_CELL_NULL] = NX_VALUE_NULL,	     [NX_CELL_I64] = NX_VALUE_I64,
		[NX_CELL_F64] = NX_VALUE_F64,	     [NX_CELL_BOOL] = NX_VALUE_BOOL,
		[NX_CELL_TEXT] = NX_VALUE_TEXT,	     [NX_CELL_LIST_I64] = NX_VALUE_LIST,
		[NX_CELL_LIST_TEXT] = NX_VALUE_LIST,
	};

	return kinds[kind];
}

static void take_columns(struct answer *a, const struct nx_clickhouse_row *row)
{
	struct nx_column *columns = NX_NEW_ARRAY(&a->arena, struct nx_column, row->column_count);

	for (size_t i = 0; i < row->column_count; i++)
		columns[i] = (struct nx_column){nx_arena_copy_text(&a->arena, row->columns[i].name),
						kind_of(row->columns[i].kind)};
	a->stream.columns = columns;
	a->stream.column_count = row->column_count;
}

static enum nx_status take_row(void *context, const struct nx_clickhouse_row *row,
			       struct nx_error *err)
{
	struct answer *a = context;
	struct nx_value *values = NX_NEW_ARRAY(&a->arena, struct nx_value, row->column_count);

	if (!a->stream.columns)
		take_columns(a, row);
	assert(row->column_count == a->stream.column_count);
	for (size_t i = 0; i < row->column_count; i++)
		values[i] = value_of(a, (enum nx_cell_kind)row->kinds[i], &row->cells[i]);
	nx_vec_push(&a->rows, values);
	a->byte_count += row->column_count * sizeof(*values);
	if (a->byte_count > NX_CLICKHOUSE_ANSWER_BYTES_MAX)
		return nx_fail(err, NX_LIMIT,
			       "the answer is larger than %zu MB; ask for fewer rows or columns",
			       NX_CLICKHOUSE_ANSWER_BYTES_MAX >> 20);
	return NX_OK;
}

static enum nx_status ask(void *context, struct nx_slice sql, struct nx_row_stream **out,
			  struct nx_error *err)
{
	static const struct nx_row_stream_ops ops = {next, count_rest, close_answer};
	struct nx_clickhouse *engine = context;
	struct answer *a = nx_heap_alloc(sizeof(*a));
	enum nx_status st;

	memset(a, 0, sizeof(*a));
	a->stream.ops = &ops;
	st = nx_clickhouse_reader_query(engine->reader, nx_arena_copy(&a->arena, sql), take_row, a,
					err);
	if (st) {
		close_answer(&a->stream);
		return st;
	}
	*out = &a->stream;
	return NX_OK;
}

/* --- life ------------------------------------------------------------------ */

enum nx_status nx_clickhouse_open(struct nx_clickhouse **out, const char *url, struct nx_error *err)
{
	struct nx_clickhouse_reader *reader;
	enum nx_status st = nx_clickhouse_reader_open(url, &reader, err);

	if (st)
		return st;
	*out = nx_heap_alloc(sizeof(**out));
	(*out)->reader = reader;
	return NX_OK;
}

void nx_clickhouse_close(struct nx_clickhouse *engine)
{
	if (!engine)
		return;
	nx_clickhouse_reader_close(engine->reader);
	nx_heap_free(engine);
}

struct nx_query_engine nx_clickhouse_as_engine(struct nx_clickhouse *engine)
{
	return (struct nx_query_engine){NX_SQL_CLICKHOUSE, ask, engine};
}
