/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "export/row_sink.h"

static void append_field(struct nx_bytes *to, struct nx_slice field)
{
	bool is_plain = field.len && field.data[0] != ' ' && field.data[field.len - 1] != ' ';

	for (size_t i = 0; i < field.len && is_plain; i++)
		is_plain = !strchr("\",\r\n", field.data[i]);
	if (is_plain) {
		nx_bytes_append(to, field.data, field.len);
		return;
	}
	nx_bytes_append(to, "\"", 1);
	while (field.len) {
		const uint8_t *quote = memchr(field.data, '"', field.len);
		size_t len = quote ? (size_t)(quote - field.data) + 1 : field.len;

		nx_bytes_append(to, field.data, len);
		if (quote)
			nx_bytes_append(to, "\"", 1);
		field = nx_slice_part(field, len, field.len);
	}
	nx_bytes_append(to, "\"", 1);
}

void nx_csv_append_header(struct nx_bytes *to, const struct nx_column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		nx_bytes_append(to, ",", i ? 1 : 0);
		append_field(to, nx_slice_text(columns[i].name));
	}
	nx_bytes_append(to, "\n", 1);
}

/* The text of lists and structs may need quotes; that of numbers never does. */
static void append_value(struct nx_bytes *to, const struct nx_value *value)
{
	struct nx_bytes text = {0};

	if (value->kind == NX_VALUE_NULL)
		return;
	if (value->kind == NX_VALUE_TEXT) {
		append_field(to, value->text);
		return;
	}
	if (nx_value_kind_is_number(value->kind)) {
		nx_value_append_text(value, to);
		return;
	}
	nx_value_append_text(value, &text);
	append_field(to, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
}

/* Spreadsheets run a cell that begins like a formula. */
static bool is_formula(const struct nx_value *value)
{
	return (value->kind == NX_VALUE_TEXT || value->kind == NX_VALUE_BYTES) && value->text.len &&
	       memchr("=+-@\t\r", value->text.data[0], 6);
}

void nx_csv_append_row_safe(struct nx_bytes *to, const struct nx_value *row, size_t count)
{
	struct nx_bytes text = {0};

	for (size_t i = 0; i < count; i++) {
		nx_bytes_append(to, ",", i ? 1 : 0);
		if (!is_formula(&row[i])) {
			append_value(to, &row[i]);
			continue;
		}
		nx_vec_clear(&text);
		nx_bytes_append(&text, "'", 1);
		nx_value_append_text(&row[i], &text);
		append_field(to, nx_slice_of(text.items, text.len));
	}
	nx_bytes_append(to, "\n", 1);
	nx_vec_release(&text);
}

void nx_csv_append_row(struct nx_bytes *to, const struct nx_value *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		nx_bytes_append(to, ",", i ? 1 : 0);
		append_value(to, &row[i]);
	}
	nx_bytes_append(to, "\n", 1);
}

struct csv {
	struct nx_row_sink sink;
	size_t column_count;
	struct nx_bytes line;
};

static enum nx_status write_line(struct csv *csv)
{
	nx_output_write(csv->sink.out, csv->line.items, csv->line.len);
	nx_vec_clear(&csv->line);
	return NX_OK;
}

static enum nx_status begin(struct nx_row_sink *sink, const struct nx_column *columns, size_t count,
			    struct nx_error *err)
{
	struct csv *csv = (struct csv *)sink;

	(void)err;
	csv->column_count = count;
	nx_csv_append_header(&csv->line, columns, count);
	return write_line(csv);
}

static enum nx_status add(struct nx_row_sink *sink, const struct nx_value *row,
			  struct nx_error *err)
{
	struct csv *csv = (struct csv *)sink;

	(void)err;
	nx_csv_append_row(&csv->line, row, csv->column_count);
	return write_line(csv);
}

static enum nx_status end(struct nx_row_sink *sink, uint64_t left_count, struct nx_error *err)
{
	(void)sink, (void)left_count, (void)err;
	return NX_OK;
}

static void csv_close(struct nx_row_sink *sink)
{
	struct csv *csv = (struct csv *)sink;

	nx_vec_release(&csv->line);
	nx_heap_free(csv);
}

struct nx_row_sink *nx_rows_csv_open(struct nx_output *out)
{
	static const struct nx_row_sink_ops ops = {begin, add, NULL, end, csv_close};
	struct csv *csv = nx_heap_alloc(sizeof(*csv));

	*csv = (struct csv){.sink = {&ops, out}};
	return &csv->sink;
}
