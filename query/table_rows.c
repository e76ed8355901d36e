/* SPDX-License-Identifier: Apache-2.0 */
#include "query/table_rows.h"

#include <assert.h>

struct list_items NX_VEC_BODY(struct nx_value);

struct table_rows {
	struct nx_row_stream stream;
	struct nx_arena arena;
	const struct nx_stored_table *table;
	struct nx_time_range range;
	struct nx_stored_times times; /* if there is a range */
	size_t *fields;		      /* those of the answer, then times not among them */
	size_t field_count;
	size_t start_idx, end_idx; /* of the times in fields */
	struct nx_value *row;
	struct list_items *items;		 /* of each column of the answer, if a list */
	const struct nx_parquet_values **values; /* of the group, of each of fields */
	struct nx_parquet_cursor *cursor;	 /* in the part before next_part; NULL: none */
	size_t next_part;
	uint64_t part_first_row;	   /* of next_part, in the table */
	uint64_t wanted_first, wanted_end; /* rows of the table */
	size_t group_row_count, next_row;
};

/* --- which row groups ------------------------------------------------------ */

/* Statistics do not count rows without an end, but such rows are instants. */
static bool has_all_values(const struct nx_parquet_reader *reader, size_t column)
{
	size_t count;

	if (!nx_parquet_reader_fields(reader, &count)[column].is_optional)
		return true;
	for (size_t i = 0; i < nx_parquet_reader_group_count(reader); i++) {
		const struct nx_parquet_stats *s = nx_parquet_reader_stats(reader, i, column);

		if (!s->has_null_count || s->null_count)
			return false;
	}
	return true;
}

static struct nx_parquet_range start_range(const struct table_rows *t,
					   const struct nx_stored_part *part)
{
	struct nx_parquet_range range = {part->columns[t->times.start], INT64_MIN, INT64_MAX};

	if (t->range.has_to && t->range.to_ns > INT64_MIN)
		range.max = t->range.to_ns - 1;
	if (t->range.has_from && t->times.end == t->times.start)
		range.min = t->range.from_ns;
	return range;
}

static enum nx_status narrow_to_ends(struct table_rows *t, const struct nx_stored_part *part,
				     struct nx_error *err)
{
	struct nx_parquet_range range = {part->columns[t->times.end], t->range.from_ns, INT64_MAX};

	if (!t->range.has_from || t->times.end == t->times.start ||
	    !has_all_values(part->reader, range.column))
		return NX_OK;
	return nx_parquet_cursor_narrow(t->cursor, &range, err);
}

static enum nx_status open_part(struct table_rows *t, const struct nx_stored_part *part,
				struct nx_error *err)
{
	bool is_ranged = nx_time_range_is_given(&t->range);
	uint64_t begin = t->part_first_row;
	uint64_t first = t->wanted_first > begin ? t->wanted_first - begin : 0;
	uint64_t end = t->wanted_end > begin ? t->wanted_end - begin : 0;
	struct nx_parquet_range range = {0};
	size_t *columns = nx_heap_alloc(t->field_count * sizeof(*columns));
	enum nx_status st;

	for (size_t i = 0; i < t->field_count; i++)
		columns[i] = part->columns[t->fields[i]];
	if (is_ranged)
		range = start_range(t, part);
	st = nx_parquet_cursor_open(&t->cursor, part->reader, columns, t->field_count,
				    is_ranged ? &range : NULL, err);
	nx_heap_free(columns);
	if (st)
		return st;
	t->part_first_row += nx_parquet_reader_row_count(part->reader);
	nx_parquet_cursor_choose_rows(t->cursor, first, end > first ? end - first : 0);
	return is_ranged ? narrow_to_ends(t, part, err) : NX_OK;
}

/* Leaves group_row_count 0 after the last group of the last part. */
static enum nx_status next_group(struct table_rows *t, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(t->next_part <= t->table->part_count);
	t->next_row = t->group_row_count = 0;
	while (!st && !t->group_row_count) {
		if (t->cursor)
			st = nx_parquet_cursor_next(t->cursor, &t->group_row_count, err);
		if (st || t->group_row_count)
			break;
		nx_parquet_cursor_close(t->cursor);
		t->cursor = NULL;
		if (t->next_part == t->table->part_count)
			return NX_OK;
		st = open_part(t, &t->table->parts[t->next_part++], err);
	}
	for (size_t i = 0; !st && i < t->field_count; i++)
		t->values[i] = nx_parquet_cursor_values(t->cursor, i);
	return st;
}

/* --- which rows ------------------------------------------------------------ */

static bool is_in_range(const struct table_rows *t, size_t row)
{
	const struct nx_parquet_values *starts, *ends;
	int64_t start_ns;

	if (!nx_time_range_is_given(&t->range))
		return true;
	starts = t->values[t->start_idx];
	ends = t->values[t->end_idx];
	if (starts->is_null && starts->is_null[row])
		return false;
	start_ns = starts->i64[row];
	return nx_time_range_holds(&t->range, start_ns,
				   ends->is_null && ends->is_null[row] ? start_ns : ends->i64[row]);
}

/* found is false after the last row. */
static enum nx_status find_row(struct table_rows *t, size_t *row, bool *found, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (*found = false;;) {
		while (t->next_row < t->group_row_count) {
			*row = t->next_row++;
			*found = is_in_range(t, *row);
			if (*found)
				return NX_OK;
		}
		st = next_group(t, err);
		if (st || !t->group_row_count)
			return st;
	}
}

/* --- values ---------------------------------------------------------------- */

static enum nx_value_kind kind_of(enum nx_parquet_type type)
{
	switch (type) {
	case NX_PARQUET_BOOL:
		return NX_VALUE_BOOL;
	case NX_PARQUET_I32:
	case NX_PARQUET_I64:
		return NX_VALUE_I64;
	case NX_PARQUET_F32:
		return NX_VALUE_F32;
	case NX_PARQUET_F64:
		return NX_VALUE_F64;
	case NX_PARQUET_TEXT:
		break;
	}
	return NX_VALUE_TEXT;
}

static struct nx_value value_at(const struct nx_parquet_values *v, size_t i)
{
	struct nx_value value = {.kind = kind_of(v->type)};

	switch (value.kind) {
	case NX_VALUE_BOOL:
		value.flag = v->flags[i];
		break;
	case NX_VALUE_I64:
		value.i64 = v->i64[i];
		break;
	case NX_VALUE_F32:
		value.f32 = (float)v->f64[i];
		break;
	case NX_VALUE_F64:
		value.f64 = v->f64[i];
		break;
	default:
		value.text = v->texts[i];
		break;
	}
	return value;
}

static struct nx_value list_at(const struct nx_parquet_values *v, size_t row,
			       struct list_items *items)
{
	nx_vec_clear(items);
	for (size_t i = v->starts[row]; i < v->starts[row + 1]; i++)
		nx_vec_push(items, value_at(v, i));
	return (struct nx_value){.kind = NX_VALUE_LIST, .list = {items->items, NULL, items->len}};
}

static void fill_row(struct table_rows *t, size_t row)
{
	for (size_t i = 0; i < t->stream.column_count; i++) {
		const struct nx_parquet_values *v = t->values[i];

		if (v->is_null && v->is_null[row])
			t->row[i] = (struct nx_value){.kind = NX_VALUE_NULL};
		else
			t->row[i] = v->starts ? list_at(v, row, &t->items[i]) : value_at(v, row);
	}
}

/* --- the stream ------------------------------------------------------------ */

static enum nx_status next(struct nx_row_stream *stream, const struct nx_value **row,
			   struct nx_error *err)
{
	struct table_rows *t = (struct table_rows *)stream;
	size_t found_row = 0;
	bool found;
	enum nx_status st = find_row(t, &found_row, &found, err);

	*row = NULL;
	if (st || !found)
		return st;
	fill_row(t, found_row);
	*row = t->row;
	return NX_OK;
}

static enum nx_status count_rest(struct nx_row_stream *stream, uint64_t *count,
				 struct nx_error *err)
{
	struct table_rows *t = (struct table_rows *)stream;
	size_t row;
	bool found = true;
	enum nx_status st = NX_OK;

	for (*count = 0; !st && found; *count += found)
		st = find_row(t, &row, &found, err);
	return st;
}

static void close_rows(struct nx_row_stream *stream)
{
	struct table_rows *t = (struct table_rows *)stream;

	nx_parquet_cursor_close(t->cursor);
	for (size_t i = 0; i < stream->column_count; i++)
		nx_vec_release(&t->items[i]);
	nx_arena_release(&t->arena);
	nx_heap_free(t);
}

/* --- what was chosen ------------------------------------------------------- */

/* The index of a field among those to read; appends it if it is missing. */
static size_t place_of(struct table_rows *t, size_t field)
{
	for (size_t i = 0; i < t->field_count; i++)
		if (t->fields[i] == field)
			return i;
	t->fields[t->field_count] = field;
	return t->field_count++;
}

static void choose(struct table_rows *t, const struct nx_table_choice *choice)
{
	size_t count = choice->field_count ? choice->field_count : t->table->field_count;
	struct nx_column *columns = NX_NEW_ARRAY(&t->arena, struct nx_column, count);

	t->fields = NX_NEW_ARRAY(&t->arena, size_t, count + 2);
	t->row = NX_NEW_ARRAY(&t->arena, struct nx_value, count);
	t->items = NX_NEW_ARRAY(&t->arena, struct list_items, count);
	t->values = NX_NEW_ARRAY(&t->arena, const struct nx_parquet_values *, count + 2);
	for (size_t i = 0; i < count; i++) {
		const struct nx_parquet_field *f;

		t->fields[i] = choice->field_count ? choice->fields[i] : i;
		assert(t->fields[i] < t->table->field_count);
		f = &t->table->fields[t->fields[i]];
		columns[i] =
			(struct nx_column){f->name, f->is_list ? NX_VALUE_LIST : kind_of(f->type)};
	}
	t->field_count = t->stream.column_count = count;
	t->stream.columns = columns;
	if (!nx_time_range_is_given(&t->range))
		return;
	t->start_idx = place_of(t, t->times.start);
	t->end_idx = place_of(t, t->times.end);
}

enum nx_status nx_table_rows_open(struct nx_row_stream **rows, const struct nx_stored_table *table,
				  const struct nx_table_choice *choice, struct nx_error *err)
{
	static const struct nx_row_stream_ops ops = {next, count_rest, close_rows};
	struct nx_stored_times times = {0};
	struct table_rows *t;

	*rows = NULL;
	if (nx_time_range_is_given(&choice->range) && !nx_stored_table_times(table, &times))
		return nx_fail(err, NX_USAGE,
			       "the table %s has no time (neither start_ts and end_ts nor "
			       "timestamp); omit --from and --to",
			       table->name);
	t = nx_heap_alloc(sizeof(*t));
	*t = (struct table_rows){.stream.ops = &ops,
				 .table = table,
				 .range = choice->range,
				 .times = times,
				 .wanted_first = choice->first_row,
				 .wanted_end = UINT64_MAX};
	if (choice->row_count && choice->row_count < UINT64_MAX - choice->first_row)
		t->wanted_end = choice->first_row + choice->row_count;
	choose(t, choice);
	*rows = &t->stream;
	return NX_OK;
}

enum nx_status nx_table_rows_find(struct nx_row_stream **rows, const struct nx_stored_table *table,
				  uint64_t row, const struct nx_value **values,
				  struct nx_error *err)
{
	const struct nx_table_choice choice = {.first_row = row, .row_count = 1};
	enum nx_status st = NX_OK;

	*rows = NULL;
	*values = NULL;
	if (row < table->row_count)
		st = nx_table_rows_open(rows, table, &choice, err);
	if (!st && *rows)
		st = nx_row_stream_next(*rows, values, err);
	if (!st && !*values)
		st = nx_fail(err, NX_NOT_FOUND, "the table %s has no row %llu", table->name,
			     (unsigned long long)row);
	return st;
}
