/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "export/row_sink.h"

struct csv {
	struct nx_row_sink sink;
	size_t column_count;
	struct nx_bytes text;
};

static void write_text(struct nx_output *out, const char *text)
{
	nx_output_write(out, text, strlen(text));
}

static bool needs_quotes(struct nx_slice field)
{
	for (size_t i = 0; i < field.len; i++)
		if (strchr("\",\r\n", field.data[i]))
			return true;
	return !field.len || field.data[0] == ' ' || field.data[field.len - 1] == ' ';
}

static void write_field(struct nx_output *out, struct nx_slice field)
{
	if (!needs_quotes(field)) {
		nx_output_write(out, field.data, field.len);
		return;
	}
	write_text(out, "\"");
	while (field.len) {
		const uint8_t *quote = memchr(field.data, '"', field.len);
		size_t len = quote ? (size_t)(quote - field.data) + 1 : field.len;

		nx_output_write(out, field.data, len);
		if (quote)
			write_text(out, "\"");
		field = nx_slice_part(field, len, field.len);
	}
	write_text(out, "\"");
}

static enum nx_status begin(struct nx_row_sink *sink, const struct nx_column *columns, size_t count,
			    struct nx_error *err)
{
	struct csv *csv = (struct csv *)sink;

	(void)err;
	csv->column_count = count;
	for (size_t i = 0; i < count; i++) {
		if (i)
			write_text(sink->out, ",");
		write_field(sink->out, nx_slice_text(columns[i].name));
	}
	write_text(sink->out, "\n");
	return NX_OK;
}

static enum nx_status add(struct nx_row_sink *sink, const struct nx_value *row,
			  struct nx_error *err)
{
	struct csv *csv = (struct csv *)sink;

	(void)err;
	for (size_t i = 0; i < csv->column_count; i++) {
		if (i)
			write_text(sink->out, ",");
		if (row[i].kind == NX_VALUE_NULL)
			continue;
		if (row[i].kind == NX_VALUE_TEXT) {
			write_field(sink->out, row[i].text);
			continue;
		}
		nx_vec_clear(&csv->text);
		nx_value_append_text(&row[i], &csv->text);
		write_field(sink->out, nx_slice_of(csv->text.items, csv->text.len));
	}
	write_text(sink->out, "\n");
	return NX_OK;
}

static enum nx_status end(struct nx_row_sink *sink, uint64_t left_count, struct nx_error *err)
{
	(void)sink, (void)left_count, (void)err;
	return NX_OK;
}

static void csv_close(struct nx_row_sink *sink)
{
	struct csv *csv = (struct csv *)sink;

	nx_vec_release(&csv->text);
	nx_heap_free(csv);
}

struct nx_row_sink *nx_rows_csv_open(struct nx_output *out)
{
	static const struct nx_row_sink_ops ops = {begin, add, NULL, end, csv_close};
	struct csv *csv = nx_heap_alloc(sizeof(*csv));

	*csv = (struct csv){.sink = {&ops, out}};
	return &csv->sink;
}
