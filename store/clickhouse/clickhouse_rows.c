/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_rows.h"

#include <inttypes.h>

#include "store/clickhouse/clickhouse_cell.h"

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
	return nx_arena_copy(&rows->arena, nx_clickhouse_unescape(&rows->texts, raw));
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
		if (!nx_clickhouse_type_kind(nx_slice_text(column->type), &column->kind))
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

/* Cells point into these, so they may not move while a line is read. An item of a list takes at
 * least two bytes of the line. */
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

static bool read_numbers(struct nx_clickhouse_rows *rows, struct nx_slice list, union nx_cell *cell)
{
	size_t start = rows->numbers.len;
	int64_t number;

	while (list.len) {
		if (!nx_clickhouse_next_number(&list, &number))
			return false;
		nx_vec_push(&rows->numbers, number);
	}
	cell->list_i64.items = rows->numbers.items + start;
	cell->list_i64.count = rows->numbers.len - start;
	return true;
}

static bool read_items(struct nx_clickhouse_rows *rows, struct nx_slice list, union nx_cell *cell)
{
	size_t start = rows->items.len;
	struct nx_slice item;

	while (list.len) {
		if (!nx_clickhouse_next_item(&list, &rows->texts, &item))
			return false;
		nx_vec_push(&rows->items, item);
	}
	cell->list_text.items = rows->items.items + start;
	cell->list_text.count = rows->items.len - start;
	return true;
}

static bool read_value(struct nx_clickhouse_rows *rows, enum nx_cell_kind kind, struct nx_slice raw,
		       union nx_cell *cell)
{
	struct nx_slice list;

	switch (kind) {
	case NX_CELL_I64:
		return nx_clickhouse_read_i64(raw, &cell->i64);
	case NX_CELL_F64:
		return nx_clickhouse_read_f64(raw, &cell->f64);
	case NX_CELL_BOOL:
		cell->boolean = nx_slice_is(raw, "true") || nx_slice_is(raw, "1");
		return cell->boolean || nx_slice_is(raw, "false") || nx_slice_is(raw, "0");
	case NX_CELL_TEXT:
		cell->text = nx_clickhouse_unescape(&rows->texts, raw);
		return true;
	case NX_CELL_LIST_I64:
		return nx_clickhouse_open_list(raw, &list) && read_numbers(rows, list, cell);
	case NX_CELL_LIST_TEXT:
		return nx_clickhouse_open_list(raw, &list) && read_items(rows, list, cell);
	default:
		return false;
	}
}

static bool read_cell(struct nx_clickhouse_rows *rows, size_t at, struct nx_slice raw)
{
	enum nx_cell_kind kind = rows->columns[at].kind;

	rows->kinds[at] = NX_CELL_NULL;
	if (nx_slice_is(raw, "\\N"))
		return true;
	rows->kinds[at] = (uint8_t)kind;
	return read_value(rows, kind, raw, &rows->cells[at]);
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

/* A line that lies whole in the piece is read where it is. */
static enum nx_status end_line(struct nx_clickhouse_rows *rows, struct nx_slice end,
			       struct nx_error *err)
{
	enum nx_status st;

	if (!rows->partial.len)
		return read_line(rows, end, err);
	nx_bytes_append(&rows->partial, end.data, end.len);
	st = read_line(rows, nx_slice_of(rows->partial.items, rows->partial.len), err);
	nx_vec_clear(&rows->partial);
	return st;
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
		st = end_line(rows, nx_slice_of(piece.data, len), err);
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
