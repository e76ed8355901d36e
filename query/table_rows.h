/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_rows: the rows of one stored table, all of them or those of a time
 * range, straight from its Parquet files and in their order.
 *
 *	struct nx_table_choice choice = {.range = {.has_to = true, .to_ns = 1000}};
 *	st = nx_table_rows_open(&rows, &stored, &choice, err);
 *	st = nx_row_sink_pour(sink, rows, err);
 *	nx_row_stream_close(rows);
 *
 * Row groups whose statistics lie outside the range are not read; of the others
 * one at a time is in memory. A row without a start is in no range; one without
 * an end is an instant.
 */
#ifndef NX_QUERY_TABLE_ROWS_H
#define NX_QUERY_TABLE_ROWS_H

#include "query/row_stream.h"
#include "query/stored_table.h"
#include "query/time_range.h"

/* A zeroed one is the whole table. */
struct nx_table_choice {
	const size_t *fields; /* in the order of the answer; borrowed while opening */
	size_t field_count;   /* 0: all */
	struct nx_time_range range;
	uint64_t first_row; /* of the table; earlier ones are skipped without reading them */
	uint64_t row_count; /* 0: all that follow */
};

/* The table outlives the stream. USAGE for a range over a table without time. */
NX_MUST_CHECK enum nx_status nx_table_rows_open(struct nx_row_stream **rows,
						const struct nx_stored_table *table,
						const struct nx_table_choice *choice,
						struct nx_error *err);
/* One row; NOT_FOUND if there is none. The caller closes *rows, also after a failure. */
NX_MUST_CHECK enum nx_status nx_table_rows_find(struct nx_row_stream **rows,
						const struct nx_stored_table *table, uint64_t row,
						const struct nx_value **values,
						struct nx_error *err);

#endif
