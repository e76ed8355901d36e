/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* Longer than any number that a server prints, with leading zeros. */
#define NUMBER_MAX 400

void nx_clickhouse_rows_init(struct nx_clickhouse_rows *rows, nx_clickhouse_row_fn row,
			     void *context)
{
	memset(rows, 0, sizeof(*rows));
	rows->row = row;
	rows->context = context;
}

void nx_clickhouse_rows_release(struct nx_clickhouse_rows *rows)
{
	nx_arena_release(&rows->arena);
	nx_vec_release(&rows->partial);
	nx_vec_release(&rows->texts);
	nx_vec_release(&rows->numbers);
	nx_vec_release(&rows->items);
	memset(rows, 0, sizeof(*rows));
}

enum nx_status nx_clickhouse_row_expect(const struct nx_clickhouse_row *row, const char *letters,
					struct nx_error *err)
{
	bool fits = row->column_count == strlen(letters);

	for (size_t i = 0; fits && i < row->column_count; i++)
		fits = row->kinds[i] == (letters[i] == 'i' ? NX_CELL_I64 : NX_CELL_TEXT);
	return fits ? NX_OK
		    : nx_fail(err, NX_FORMAT, "the server returned other columns than requested");
}

/* --- values ------------------------------------------------------------------ */

/* Replaces "name(inside)" by its inside; false if the type is something else. */
static bool unwrap(struct nx_slice *type, const char *name)
{
	size_t len = strlen(name);

	if (!nx_slice_starts(*type, name) || type->len < len + 2 || type->data[len] != '(' ||
	    type->data[type->len - 1] != ')')
		return false;
	*type = nx_slice_of(type->data + len + 1, type->len - len - 2);
	return true;
}

static bool is_integer(struct nx_slice type)
{
	static const char *const names[] = {"Int8",  "Int16",  "Int32",	 "Int64",
					    "UInt8", "UInt16", "UInt32", "UInt64"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (nx_slice_is(type, names[i]))
			return true;
	return false;
}

static enum nx_cell_kind scalar_kind(struct nx_slice type)
{
	while (unwrap(&type, "Nullable") || unwrap(&type, "LowCardinality"))
		;
	if (is_integer(type))
		return NX_CELL_I64;
	if (nx_slice_starts(type, "Float") || nx_slice_starts(type, "BFloat") ||
	    nx_slice_starts(type, "Decimal"))
		return NX_CELL_F64;
	return nx_slice_is(type, "Bool") ? NX_CELL_BOOL : NX_CELL_TEXT;
}

/* False for types that no cell holds (lists of lists). */
static bool kind_of(struct nx_slice type, enum nx_cell_kind *kind)
{
	if (!unwrap(&type, "Array")) {
		*kind = scalar_kind(type);
		return true;
	}
	*kind = scalar_kind(type) == NX_CELL_I64 ? NX_CELL_LIST_I64 : NX_CELL_LIST_TEXT;
	return !nx_slice_starts(type, "Array(") && !nx_slice_starts(type, "Tuple(") &&
	       !nx_slice_starts(type, "Map(") && !nx_slice_starts(type, "Nested(");
}

static bool read_i64(struct nx_slice raw, int64_t *value)
{
	bool is_negative = raw.len && raw.data[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + is_negative;
	uint64_t size;

	if (!nx_slice_to_u64(nx_slice_part(raw, is_negative, SIZE_MAX), &size) || size > limit)
		return false;
	*value = is_negative ? (int64_t)(0 - size) : (int64_t)size;
	return true;
}

static bool read_f64(struct nx_slice raw, double *value)
{
	char text[NUMBER_MAX];
	char *end;

	if (!raw.len || raw.len >= sizeof(text))
		return false;
	memcpy(text, raw.data, raw.len);
	text[raw.len] = '\0';
	*value = strtod(text, &end);
	return end == text + raw.len;
}

static uint8_t meaning_of(uint8_t escaped)
{
	/* The NUL that ends the meanings is that of 0. */
	static const char letters[] = "bfnrt0", meanings[] = "\b\f\n\r\t";
	const char *at = escaped ? strchr(letters, escaped) : NULL;

	return at ? (uint8_t)meanings[at - letters] : escaped;
}

/* Returns raw itself if it has no escapes, otherwise a copy at the end of texts that is never
 * longer. */
static struct nx_slice unescape(struct nx_bytes *texts, struct nx_slice raw)
{
	size_t start = texts->len;

	if (!raw.len || !memchr(raw.data, '\\', raw.len))
		return raw;
	for (size_t i = 0; i < raw.len; i++) {
		bool is_escape = raw.data[i] == '\\' && i + 1 < raw.len;

		i += is_escape;
		nx_vec_push(texts, is_escape ? meaning_of(raw.data[i]) : raw.data[i]);
	}
	return nx_slice_of(texts->items + start, texts->len - start);
}

/* Moves the list past an item of len bytes; a comma must follow it unless it is the last. */
static bool step_over(struct nx_slice *list, size_t len)
{
	if (len == list->len) {
		list->len = 0;
		return true;
	}
	if (list->data[len] != ',' || len + 1 == list->len)
		return false;
	*list = nx_slice_of(list->data + len + 1, list->len - len - 1);
	return true;
}

static bool next_item(struct nx_slice *list, struct nx_bytes *texts, struct nx_slice *item)
{
	size_t end = 1;

	if (list->data[0] != '\'') {
		const uint8_t *comma = memchr(list->data, ',', list->len);

		*item = nx_slice_of(list->data, comma ? (size_t)(comma - list->data) : list->len);
		return item->len && step_over(list, item->len);
	}
	while (end < list->len && list->data[end] != '\'')
		end += list->data[end] == '\\' ? 2 : 1;
	if (end >= list->len)
		return false;
	*item = unescape(texts, nx_slice_of(list->data + 1, end - 1));
	return step_over(list, end + 1);
}

static bool read_list(struct nx_clickhouse_rows *rows, enum nx_cell_kind kind, struct nx_slice raw,
		      union nx_cell *cell)
{
	size_t number_count = rows->numbers.len, item_count = rows->items.len;
	struct nx_slice list, item;
	int64_t number;

	if (raw.len < 2 || raw.data[0] != '[' || raw.data[raw.len - 1] != ']')
		return false;
	list = nx_slice_of(raw.data + 1, raw.len - 2);
	while (list.len) {
		bool is_quoted = list.data[0] == '\'';

		if (!next_item(&list, &rows->texts, &item))
			return false;
		if (kind == NX_CELL_LIST_TEXT)
			nx_vec_push(&rows->items, item);
		else if (!is_quoted && read_i64(item, &number))
			nx_vec_push(&rows->numbers, number);
		else
			return false;
	}
	if (kind == NX_CELL_LIST_TEXT) {
		cell->list_text.items = rows->items.items + item_count;
		cell->list_text.count = rows->items.len - item_count;
	} else {
		cell->list_i64.items = rows->numbers.items + number_count;
		cell->list_i64.count = rows->numbers.len - number_count;
	}
	return true;
}

/* --- lines ------------------------------------------------------------------- */

/* The next cell of a line, up to a tab; false when the line has none left. */
static bool next_cell(struct nx_slice *line, struct nx_slice *cell)
{
	const uint8_t *tab;

	if (!line->data)
		return false;
	tab = line->len ? memchr(line->data, '\t', line->len) : NULL;
	*cell = *line;
	if (!tab) {
		line->data = NULL;
		return true;
	}
	cell->len = (size_t)(tab - line->data);
	*line = nx_slice_of(tab + 1, line->len - cell->len - 1);
	return true;
}

static const char *copy_text(struct nx_clickhouse_rows *rows, struct nx_slice raw)
{
	nx_vec_clear(&rows->texts);
	return nx_arena_copy(&rows->arena, unescape(&rows->texts, raw));
}

static enum nx_status read_names(struct nx_clickhouse_rows *rows, struct nx_slice line,
				 struct nx_error *err)
{
	struct nx_slice rest = line, cell;
	size_t count = 0;

	while (next_cell(&rest, &cell))
		count++;
	if (count > NX_CLICKHOUSE_COLUMNS_MAX)
		return nx_fail(err, NX_LIMIT, "the answer has %zu columns, more than %d", count,
			       NX_CLICKHOUSE_COLUMNS_MAX);
	rows->columns = NX_NEW_ARRAY(&rows->arena, struct nx_clickhouse_column, count);
	rows->kinds = NX_NEW_ARRAY(&rows->arena, uint8_t, count);
	rows->cells = NX_NEW_ARRAY(&rows->arena, union nx_cell, count);
	rows->column_count = count;
	for (size_t i = 0; i < count && next_cell(&line, &cell); i++)
		rows->columns[i].name = copy_text(rows, cell);
	return NX_OK;
}

static enum nx_status read_types(struct nx_clickhouse_rows *rows, struct nx_slice line,
				 struct nx_error *err)
{
	struct nx_slice cell;
	size_t count = 0;

	while (next_cell(&line, &cell)) {
		struct nx_clickhouse_column *column = &rows->columns[count];

		if (count++ == rows->column_count)
			break;
		column->type = copy_text(rows, cell);
		if (!kind_of(nx_slice_text(column->type), &column->kind))
			return nx_fail(err, NX_UNSUPPORTED,
				       "column '%.60s' has the type %.60s, which is not read: cast "
				       "it with toString() in the query",
				       column->name, column->type);
		rows->has_lists |= column->kind >= NX_CELL_LIST_I64;
	}
	if (count != rows->column_count)
		return nx_fail(err, NX_FORMAT, "the answer names %zu columns but other types",
			       rows->column_count);
	return NX_OK;
}

/* Cells point into these vectors, so they must not move while a line is read. An item of a list
 * takes at least two bytes of the line. */
static void make_room(struct nx_clickhouse_rows *rows, size_t line_len)
{
	nx_vec_clear(&rows->texts);
	nx_vec_reserve(&rows->texts, line_len + 1);
	if (!rows->has_lists)
		return;
	nx_vec_clear(&rows->numbers);
	nx_vec_clear(&rows->items);
	nx_vec_reserve(&rows->numbers, line_len / 2 + 1);
	nx_vec_reserve(&rows->items, line_len / 2 + 1);
}

static bool read_cell(struct nx_clickhouse_rows *rows, size_t at, struct nx_slice raw)
{
	enum nx_cell_kind kind = rows->columns[at].kind;
	union nx_cell *cell = &rows->cells[at];

	assert(at < rows->column_count);
	rows->kinds[at] = NX_CELL_NULL;
	if (nx_slice_is(raw, "\\N"))
		return true;
	rows->kinds[at] = (uint8_t)kind;
	switch (kind) {
	case NX_CELL_I64:
		return read_i64(raw, &cell->i64);
	case NX_CELL_F64:
		return read_f64(raw, &cell->f64);
	case NX_CELL_BOOL:
		cell->boolean = nx_slice_is(raw, "true") || nx_slice_is(raw, "1");
		return cell->boolean || nx_slice_is(raw, "false") || nx_slice_is(raw, "0");
	case NX_CELL_TEXT:
		cell->text = unescape(&rows->texts, raw);
		return true;
	case NX_CELL_LIST_I64:
	case NX_CELL_LIST_TEXT:
		return read_list(rows, kind, raw, cell);
	default:
		return false;
	}
}

static enum nx_status read_row(struct nx_clickhouse_rows *rows, struct nx_slice line,
			       struct nx_error *err)
{
	struct nx_clickhouse_row row = {rows->column_count, rows->columns, rows->kinds,
					rows->cells};
	struct nx_slice raw;
	size_t count = 0;

	make_room(rows, line.len);
	while (count < rows->column_count && next_cell(&line, &raw)) {
		const struct nx_clickhouse_column *column = &rows->columns[count];

		if (!read_cell(rows, count++, raw))
			return nx_fail(err, NX_FORMAT,
				       "row %" PRIu64
				       " has '%.*s' in column '%.60s', which is not a "
				       "%.60s that fits 64 bits",
				       rows->line_count - 2, (int)nx_slice_part(raw, 0, 60).len,
				       (const char *)raw.data, column->name, column->type);
	}
	if (count < rows->column_count || line.data)
		return nx_fail(err, NX_FORMAT, "row %" PRIu64 " does not have %zu cells",
			       rows->line_count - 2, rows->column_count);
	return rows->row(rows->context, &row, err);
}

static enum nx_status read_line(struct nx_clickhouse_rows *rows, struct nx_slice line,
				struct nx_error *err)
{
	rows->line_count++;
	if (rows->line_count == 1)
		return read_names(rows, line, err);
	if (rows->line_count == 2)
		return read_types(rows, line, err);
	return read_row(rows, line, err);
}

enum nx_status nx_clickhouse_rows_take(struct nx_clickhouse_rows *rows, struct nx_slice piece,
				       struct nx_error *err)
{
	enum nx_status st = NX_OK;

	while (!st && piece.len) {
		const uint8_t *feed = memchr(piece.data, '\n', piece.len);
		size_t len = feed ? (size_t)(feed - piece.data) : piece.len;

		if (len > NX_CLICKHOUSE_LINE_BYTES_MAX - rows->partial.len)
			return nx_fail(err, NX_LIMIT, "a row is longer than %zu MB",
				       NX_CLICKHOUSE_LINE_BYTES_MAX >> 20);
		if (!feed) {
			nx_bytes_append(&rows->partial, piece.data, len);
			return NX_OK;
		}
		if (!rows->partial.len) { /* the whole line is in this piece: read it in place */
			st = read_line(rows, nx_slice_of(piece.data, len), err);
		} else {
			nx_bytes_append(&rows->partial, piece.data, len);
			st = read_line(rows, nx_slice_of(rows->partial.items, rows->partial.len),
				       err);
			nx_vec_clear(&rows->partial);
		}
		piece = nx_slice_of(feed + 1, piece.len - len - 1);
	}
	return st;
}

enum nx_status nx_clickhouse_rows_finish(struct nx_clickhouse_rows *rows, struct nx_error *err)
{
	if (rows->partial.len || rows->line_count == 1)
		return nx_fail(err, NX_FORMAT, "the answer ends in the middle of a line");
	return NX_OK;
}
