/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_column: the values of a column while its row group is open. */
#include "base/arena.h"
#include "format/parquet/parquet_internal.h"

#define FIRST_ROOM ((size_t)256)

enum nx_status nx_parquet_keep(struct nx_parquet_writer *w, enum nx_status status)
{
	if (status && !w->status)
		w->status = status;
	return status;
}

/* --- values ----------------------------------------------------------------------- */

size_t nx_parquet_value_bytes(const struct nx_parquet_column *c)
{
	switch (c->type) {
	case NX_PARQUET_BOOL:
		return sizeof(*c->values.flags);
	case NX_PARQUET_TEXT:
		return sizeof(*c->values.ids);
	default:
		return sizeof(int64_t);
	}
}

static void make_room(struct nx_parquet_column *c, size_t count)
{
	size_t room = c->value_room ? c->value_room * 2 : FIRST_ROOM;

	if (count <= c->value_room - c->value_count)
		return;
	if (room < c->value_count + count)
		room = c->value_count + count;
	c->values.flags = nx_heap_realloc(c->values.flags, room * nx_parquet_value_bytes(c));
	c->value_room = room;
}

enum nx_status nx_parquet_fill_gap(struct nx_parquet_writer *w, struct nx_parquet_column *c)
{
	uint32_t count = w->group_row_count - c->row_count;
	uint64_t row = w->group_first_row + c->row_count;

	if (!count)
		return NX_OK;
	if (!c->is_optional)
		return nx_parquet_keep(
			w, nx_fail(&w->error, NX_USAGE,
				   "column %s must have a value in every row, row %llu has none",
				   c->name, (unsigned long long)row));
	if (c->is_list)
		for (uint32_t i = 0; i < count; i++)
			nx_vec_push(&c->lengths, NX_PARQUET_NULL_LIST);
	else
		nx_vec_push(&c->gaps, ((struct nx_parquet_gap){c->row_count, count}));
	c->row_count = w->group_row_count;
	return NX_OK;
}

/* Brings a column to the current row; it has no value there yet. */
static enum nx_status reach_row(struct nx_parquet_writer *w, struct nx_parquet_column *c)
{
	uint64_t row = w->group_first_row + w->group_row_count;

	if (w->status)
		return w->status;
	if (c->row_count > w->group_row_count)
		return nx_parquet_keep(w, nx_fail(&w->error, NX_USAGE,
						  "column %s got two values in row %llu", c->name,
						  (unsigned long long)row));
	return nx_parquet_fill_gap(w, c);
}

struct nx_parquet_column *nx_parquet_claim_slowly(struct nx_parquet_writer *w,
						  struct nx_parquet_column *c)
{
	if (reach_row(w, c))
		return NULL;
	make_room(c, 1);
	c->row_count++;
	return c;
}

void nx_parquet_refuse_text(struct nx_parquet_writer *w, struct nx_parquet_column *c, size_t len)
{
	if (!w->status)
		(void)nx_parquet_keep(
			w, nx_fail(&w->error, NX_LIMIT,
				   "a value of column %s has %zu bytes; at most %zu are allowed",
				   c->name, len, NX_PARQUET_VALUE_MAX_BYTES));
}

/* --- texts that are looked up late ------------------------------------------------ */

void nx_parquet_settle(struct nx_parquet_writer *w, struct nx_parquet_column *c)
{
	size_t old_bytes = c->texts.plain.len;

	if (!c->texts.is_waiting)
		return;
	c->values.ids[c->value_count - 1] = nx_parquet_texts_settle(&c->texts);
	w->text_bytes -= old_bytes - c->texts.plain.len;
}

void nx_parquet_put_late(struct nx_parquet_writer *w, struct nx_parquet_column *c,
			 struct nx_slice text)
{
	size_t old_bytes;
	uint32_t id = 0;

	nx_parquet_settle(w, c);
	old_bytes = c->texts.plain.len;
	if (text.data == c->texts.reused)
		nx_parquet_texts_defer(&c->texts, text);
	else
		id = nx_parquet_texts_id(&c->texts, text);
	c->values.ids[c->value_count++] = id;
	w->text_bytes += c->texts.plain.len - old_bytes;
}

/* --- lists ------------------------------------------------------------------------ */

/* Begins a list of that many elements and bytes; NULL if it is refused. */
static struct nx_parquet_column *begin_list(struct nx_parquet_writer *w, size_t column,
					    enum nx_parquet_type type, size_t count, size_t bytes)
{
	struct nx_parquet_column *c = &w->columns[column];

	assert(column < w->column_count && c->type == type && c->is_list);
	if (reach_row(w, c))
		return NULL;
	if (bytes > NX_PARQUET_VALUE_MAX_BYTES) {
		nx_parquet_refuse_text(w, c, bytes);
		return NULL;
	}
	make_room(c, count);
	nx_vec_push(&c->lengths, (uint32_t)count);
	c->row_count++;
	w->list_bytes += count * nx_parquet_value_bytes(c) + sizeof(uint32_t);
	return c;
}

/* Numbers of 64 bits. */
static void put_list(struct nx_parquet_writer *w, size_t column, enum nx_parquet_type type,
		     const void *values, size_t count)
{
	size_t size = sizeof(int64_t), bytes = count <= SIZE_MAX / size ? count * size : SIZE_MAX;
	struct nx_parquet_column *c = begin_list(w, column, type, count, bytes);

	if (!c || !count)
		return;
	memcpy(c->values.i64 + c->value_count, values, bytes);
	c->value_count += count;
}

void nx_parquet_put_list_i64(struct nx_parquet_writer *w, size_t column, const int64_t *values,
			     size_t count)
{
	put_list(w, column, NX_PARQUET_I64, values, count);
}

void nx_parquet_put_list_f64(struct nx_parquet_writer *w, size_t column, const double *values,
			     size_t count)
{
	put_list(w, column, NX_PARQUET_F64, values, count);
}

void nx_parquet_put_list_text(struct nx_parquet_writer *w, size_t column,
			      const struct nx_slice *texts, size_t count)
{
	struct nx_parquet_column *c;
	size_t bytes = 0, old_bytes;

	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(bytes, texts[i].len + sizeof(uint32_t), &bytes))
			bytes = SIZE_MAX;
	c = begin_list(w, column, NX_PARQUET_TEXT, count, bytes);
	if (!c)
		return;
	old_bytes = c->texts.plain.len;
	for (size_t i = 0; i < count; i++)
		c->values.ids[c->value_count++] = nx_parquet_texts_id(&c->texts, texts[i]);
	w->text_bytes += c->texts.plain.len - old_bytes;
}
