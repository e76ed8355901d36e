/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a Parquet file as JSON lines, read by our own reader: dump_table FILE */
#include <stdio.h>

#include "format/parquet/parquet_reader.h"
#include "tests/parquet/cases.h"

#define MAX_COLUMNS 1000 /* Summary has 101 */

static void dump_value(struct nx_json_writer *json, const struct nx_parquet_values *v, size_t i)
{
	if (v->type == NX_PARQUET_BOOL)
		nx_json_bool(json, v->flags[i]);
	else if (v->type == NX_PARQUET_I32 || v->type == NX_PARQUET_I64)
		nx_case_json_i64(json, v->i64[i]);
	else if (v->type == NX_PARQUET_F32 || v->type == NX_PARQUET_F64)
		nx_case_json_f64(json, v->f64[i]);
	else
		nx_json_slice(json, v->texts[i]);
}

static void dump_field(struct nx_json_writer *json, const struct nx_parquet_values *v, size_t row)
{
	if (v->is_null && v->is_null[row]) {
		nx_json_null(json);
		return;
	}
	if (!v->starts) {
		dump_value(json, v, row);
		return;
	}
	nx_json_begin_array(json);
	for (size_t i = v->starts[row]; i < v->starts[row + 1]; i++)
		dump_value(json, v, i);
	nx_json_end_array(json);
}

static enum nx_status dump_rows(const struct nx_parquet_reader *reader,
				struct nx_parquet_cursor *cursor, struct nx_output *out,
				struct nx_error *err)
{
	size_t column_count, row_count;
	const struct nx_parquet_field *fields = nx_parquet_reader_fields(reader, &column_count);
	enum nx_status st;

	while (!(st = nx_parquet_cursor_next(cursor, &row_count, err)) && row_count)
		for (size_t row = 0; row < row_count; row++) {
			struct nx_json_writer json;

			nx_json_init_output(&json, out, false);
			nx_json_begin_object(&json);
			for (size_t i = 0; i < column_count; i++) {
				nx_json_key(&json, fields[i].name);
				dump_field(&json, nx_parquet_cursor_values(cursor, i), row);
			}
			nx_json_end_object(&json);
			nx_output_write(out, "\n", 1);
		}
	return st;
}

static enum nx_status dump(const struct nx_parquet_reader *reader, struct nx_error *err)
{
	struct nx_parquet_cursor *cursor;
	struct nx_output out;
	size_t columns[MAX_COLUMNS], count;
	enum nx_status st;

	(void)nx_parquet_reader_fields(reader, &count);
	if (count > MAX_COLUMNS)
		return nx_fail(err, NX_LIMIT, "the table has more than %d columns", MAX_COLUMNS);
	for (size_t i = 0; i < count; i++)
		columns[i] = i;
	st = nx_parquet_cursor_open(&cursor, reader, columns, count, NULL, err);
	if (st)
		return st;
	st = nx_output_open(&out, "-", err);
	if (!st)
		st = dump_rows(reader, cursor, &out, err);
	if (!st)
		st = nx_output_commit(&out, err);
	nx_output_abort(&out);
	nx_parquet_cursor_close(cursor);
	return st;
}

int main(int argc, char **argv)
{
	struct nx_parquet_reader *reader;
	struct nx_error err = {0};
	enum nx_status st;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 2;
	}
	st = nx_parquet_reader_open(&reader, argv[1], &err);
	if (!st)
		st = dump(reader, &err);
	nx_parquet_reader_close(reader);
	if (st)
		fprintf(stderr, "%s\n", err.message);
	return nx_status_exit_code(st);
}
