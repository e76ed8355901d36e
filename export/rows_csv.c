/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "export/csv_text.h"
#include "export/row_sink.h"

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
