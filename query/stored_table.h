/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_table: one table of a profile, its Parquet files opened and checked
 * against each other. Needs no engine: for rows as they are, see
 * query/table_rows.h; for questions, query/duckdb.h.
 *
 *	table = nx_profile_folder_find(&folder, "Instruction");
 *	st = nx_stored_table_open(&stored, table, err);
 *	use(stored.fields[0].name, stored.row_count);
 *	nx_stored_table_close(&stored);
 *
 * Parts of a table are written at different times, so their columns may come in
 * any order; a column that one part lacks or has of another type is a failure.
 */
#ifndef NX_QUERY_STORED_TABLE_H
#define NX_QUERY_STORED_TABLE_H

#include "format/parquet/parquet_reader.h"
#include "query/profile_folder.h"

struct nx_stored_part {
	struct nx_parquet_reader *reader;
	const size_t *columns; /* of each field of the table, which column of this file it is */
};

struct nx_stored_table {
	struct nx_arena arena;
	const char *name; /* borrowed from the folder */
	const struct nx_parquet_field *fields;
	size_t field_count;
	struct nx_stored_part *parts;
	size_t part_count;
	uint64_t row_count;
};

/* Where a row lies in time: fields of integers. Of a moment, end is start. */
struct nx_stored_times {
	size_t start, end;
};

/* The folder's table outlives it. FORMAT for one that cannot be used. Close also then. */
NX_MUST_CHECK enum nx_status nx_stored_table_open(struct nx_stored_table *stored,
						  const struct nx_folder_table *table,
						  struct nx_error *err);
void nx_stored_table_close(struct nx_stored_table *stored);

/* The field of that name, as SQL sees names: without regard to case. */
bool nx_stored_table_find(const struct nx_stored_table *stored, const char *name, size_t *field);

/* start_ts and end_ts, else timestamp; false when rows have no time. */
bool nx_stored_table_times(const struct nx_stored_table *stored, struct nx_stored_times *times);

#endif
