/* SPDX-License-Identifier: Apache-2.0 */
#include "export/row_sink.h"

#include "base/arena.h"

/* Prefix of the keys that store/parquet_folder.c writes into footers. */
#define OUR_KEYS "neuron_profile_"

struct parquet {
	struct nx_row_sink sink;
	struct nx_rows_parquet_shape shape;
	struct nx_arena arena;
	struct nx_parquet_writer *writer;
	struct parquet_integers NX_VEC_BODY(int64_t) integers; /* of the list at hand */
	struct parquet_reals NX_VEC_BODY(double) reals;
	struct parquet_texts NX_VEC_BODY(struct nx_slice) texts;
};

static void carry_metadata(struct parquet *p)
{
	struct nx_slice key, value;

	for (size_t i = 0;
	     p->shape.origin && nx_parquet_reader_metadata(p->shape.origin, i, &key, &value); i++)
		if (nx_slice_starts(key, OUR_KEYS))
			nx_parquet_add_metadata(p->writer, nx_arena_copy(&p->arena, key),
						nx_arena_copy(&p->arena, value));
}

/* We write lists of wide numbers only; files of other programs have narrow ones. */
static void widen_lists(struct parquet *p)
{
	size_t count = p->shape.field_count;
	struct nx_parquet_field *fields = NX_NEW_ARRAY(&p->arena, struct nx_parquet_field, count);

	for (size_t i = 0; i < count; i++) {
		fields[i] = p->shape.fields[i];
		if (fields[i].is_list && fields[i].type == NX_PARQUET_I32)
			fields[i].type = NX_PARQUET_I64;
		else if (fields[i].is_list && fields[i].type == NX_PARQUET_F32)
			fields[i].type = NX_PARQUET_F64;
	}
	p->shape.fields = fields;
}

static enum nx_status begin(struct nx_row_sink *sink, const struct nx_column *columns, size_t count,
			    struct nx_error *err)
{
	struct parquet *p = (struct parquet *)sink;
	enum nx_status st;

	assert(count == p->shape.field_count);
	(void)columns, (void)count;
	widen_lists(p);
	st = nx_parquet_open(&p->writer, nx_parquet_to_output(sink->out), p->shape.fields,
			     p->shape.field_count, NULL, err);
	if (!st)
		carry_metadata(p);
	return st;
}

static void put_list(struct parquet *p, size_t column, const struct nx_value *list)
{
	enum nx_parquet_type type = p->shape.fields[column].type;

	nx_vec_clear(&p->integers);
	nx_vec_clear(&p->reals);
	nx_vec_clear(&p->texts);
	for (size_t i = 0; i < list->list.count; i++) {
		const struct nx_value *item = &list->list.items[i];

		if (type == NX_PARQUET_I64)
			nx_vec_push(&p->integers, item->i64);
		else if (type == NX_PARQUET_F64)
			nx_vec_push(&p->reals,
				    item->kind == NX_VALUE_F32 ? (double)item->f32 : item->f64);
		else
			nx_vec_push(&p->texts, item->text);
	}
	if (type == NX_PARQUET_I64)
		nx_parquet_put_list_i64(p->writer, column, p->integers.items, p->integers.len);
	else if (type == NX_PARQUET_F64)
		nx_parquet_put_list_f64(p->writer, column, p->reals.items, p->reals.len);
	else
		nx_parquet_put_list_text(p->writer, column, p->texts.items, p->texts.len);
}

static void put_value(struct parquet *p, size_t column, const struct nx_value *value)
{
	switch (p->shape.fields[column].type) {
	case NX_PARQUET_BOOL:
		nx_parquet_put_bool(p->writer, column, value->flag);
		break;
	case NX_PARQUET_I32:
		nx_parquet_put_i32(p->writer, column, (int32_t)value->i64);
		break;
	case NX_PARQUET_I64:
		nx_parquet_put_i64(p->writer, column, value->i64);
		break;
	case NX_PARQUET_F32:
		nx_parquet_put_f32(p->writer, column, value->f32);
		break;
	case NX_PARQUET_F64:
		nx_parquet_put_f64(p->writer, column, value->f64);
		break;
	case NX_PARQUET_TEXT:
		nx_parquet_put_slice(p->writer, column, value->text);
		break;
	}
}

static enum nx_status add(struct nx_row_sink *sink, const struct nx_value *row,
			  struct nx_error *err)
{
	struct parquet *p = (struct parquet *)sink;

	assert(p->writer);
	for (size_t i = 0; i < p->shape.field_count; i++) {
		if (row[i].kind == NX_VALUE_NULL)
			continue;
		if (p->shape.fields[i].is_list)
			put_list(p, i, &row[i]);
		else
			put_value(p, i, &row[i]);
	}
	return nx_parquet_end_row(p->writer, err);
}

static enum nx_status end(struct nx_row_sink *sink, uint64_t left_count, struct nx_error *err)
{
	struct parquet *p = (struct parquet *)sink;
	struct nx_parquet_writer *writer = p->writer;

	(void)left_count;
	assert(writer);
	p->writer = NULL;
	return nx_parquet_close(writer, err);
}

static void parquet_close(struct nx_row_sink *sink)
{
	struct parquet *p = (struct parquet *)sink;

	nx_parquet_abandon(p->writer);
	nx_vec_release(&p->integers);
	nx_vec_release(&p->reals);
	nx_vec_release(&p->texts);
	nx_arena_release(&p->arena);
	nx_heap_free(p);
}

struct nx_row_sink *nx_rows_parquet_open(struct nx_output *out,
					 const struct nx_rows_parquet_shape *shape)
{
	static const struct nx_row_sink_ops ops = {begin, add, NULL, end, parquet_close};
	struct parquet *p = nx_heap_alloc(sizeof(*p));

	*p = (struct parquet){.sink = {&ops, out}, .shape = *shape};
	return &p->sink;
}
