/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_sink: where the rows of a query go. begin once, add for each row, end once; then close, even
 * after a failure. A sink keeps no rows. Failures of the output stick in it and surface at its
 *commit.
 *
 *	sink = nx_row_format_find("csv")->open(&out);
 *	st = nx_row_sink_pour(sink, rows, err);
 *	nx_row_sink_close(sink);
 */
#ifndef NX_EXPORT_ROW_SINK_H
#define NX_EXPORT_ROW_SINK_H

#include "base/file.h"
#include "base/json_writer.h"
#include "format/parquet/parquet_reader.h"
#include "query/row_stream.h"

struct nx_row_sink;

struct nx_row_sink_ops {
	/* columns live until end */
	enum nx_status (*begin)(struct nx_row_sink *sink, const struct nx_column *columns,
				size_t count, struct nx_error *err);
	enum nx_status (*add)(struct nx_row_sink *sink, const struct nx_value *row,
			      struct nx_error *err);
	/* NULL for sinks that want every row */
	bool (*is_full)(const struct nx_row_sink *sink);
	/* left_count: rows that were not added because it was full */
	enum nx_status (*end)(struct nx_row_sink *sink, uint64_t left_count, struct nx_error *err);
	void (*close)(struct nx_row_sink *sink);
};

struct nx_row_sink {
	const struct nx_row_sink_ops *ops;
	struct nx_output *out; /* borrowed */
};

struct nx_row_format {
	const char *name;
	struct nx_row_sink *(*open)(struct nx_output *out);
};

/* csv, json, jsonl; NULL if there is no such format. */
const struct nx_row_format *nx_row_format_find(const char *name);

/* Writes all rows of a stream; closes neither. */
NX_MUST_CHECK enum nx_status nx_row_sink_pour(struct nx_row_sink *sink, struct nx_row_stream *rows,
					      struct nx_error *err);
void nx_row_sink_close(struct nx_row_sink *sink);

/*
 * CSV is RFC 4180 with plain line ends: NULL is an empty field, an empty text is "".
 * JSON is an array of objects, a row on each line; JSONL the objects alone. Integers are exact in
 * both, beyond 2^53 too; NaN and infinities are null. Columns of the same name become a, a_1, a_2.
 */
struct nx_row_sink *nx_rows_csv_open(struct nx_output *out);
struct nx_row_sink *nx_rows_json_open(struct nx_output *out);
struct nx_row_sink *nx_rows_jsonl_open(struct nx_output *out);

/* Doubles represent all integers up to this one. */
#define NX_JSON_SAFE_INTEGER ((INT64_C(1) << 53) - 1)

enum nx_json_reader_kind {
	NX_JSON_FOR_PROGRAMS, /* all numbers are numbers */
	NX_JSON_FOR_SCRIPTS,  /* integers that JavaScript cannot represent are texts */
};

void nx_value_json(struct nx_json_writer *w, const struct nx_value *value,
		   enum nx_json_reader_kind reader);

/* One line of CSV each, with its end. */
void nx_csv_append_header(struct nx_bytes *to, const struct nx_column *columns, size_t count);
void nx_csv_append_row(struct nx_bytes *to, const struct nx_value *row, size_t count);
/* The same for people who open the file in a spreadsheet: a text that would be a formula there
 * begins with '. */
void nx_csv_append_row_safe(struct nx_bytes *to, const struct nx_value *row, size_t count);

/*
 * Parquet: the kinds of a row stream do not tell the width of a number or what is in a list, so the
 * caller says which types the columns have. The file is written front to back, so the output may be
 * a pipe. Memory is bounded by one row group.
 */
struct nx_rows_parquet_shape {
	const struct nx_parquet_field *fields; /* of the stream's columns, in order */
	size_t field_count;
	/* The file the rows come from. Only what its footer says of the profile is copied: the rest
	 * may be about columns that are left out. NULL: none. */
	const struct nx_parquet_reader *origin;
};

/* What shape points at must live until the sink is closed. */
struct nx_row_sink *nx_rows_parquet_open(struct nx_output *out,
					 const struct nx_rows_parquet_shape *shape);

#endif
