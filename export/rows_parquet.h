/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_parquet: a row sink that writes a Parquet file. The kinds of a row stream
 * do not tell the width of a number or what is in a list, so whoever opens it
 * says which types the columns have.
 *
 * The file is written front to back, so the output may be a pipe. Memory is
 * bounded by one row group.
 */
#ifndef NX_EXPORT_ROWS_PARQUET_H
#define NX_EXPORT_ROWS_PARQUET_H

#include "export/row_sink.h"
#include "format/parquet/parquet_reader.h"

struct nx_rows_parquet_shape {
	const struct nx_parquet_field *fields; /* of the stream's columns, in order */
	size_t field_count;
	/* The file the rows come from: what its footer says of the profile is carried over,
	 * and nothing else, as that may speak of columns left out. NULL: none. */
	const struct nx_parquet_reader *origin;
};

/* All that shape points at lives until the sink is closed. */
struct nx_row_sink *nx_rows_parquet_open(struct nx_output *out,
					 const struct nx_rows_parquet_shape *shape);

#endif
