/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_table: one table of a profile, its Parquet files opened and checked
 * against each other. Needs no engine: to read rows, see
 * query/table_rows.h; to query them, query/duckdb.h.
 *
 *	table = nx_profile_folder_find(&folder, "Instruction");
 *	st = nx_stored_table_open(&stored, table, err);
 *	use(stored.fields[0].name, stored.row_count);
 *	nx_stored_table_close(&stored);
 *
 * Parts of a table are written at different times, so their columns may come in
 * any order; a column that a part lacks, or has with another type, is an error.
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

/* The fields, both integers, that hold the start and end of a row. The same for an instant. */
struct nx_stored_times {
	size_t start, end;
};

/* The folder's table outlives it. FORMAT if it cannot be used. Close it after a failure too. */
NX_MUST_CHECK enum nx_status nx_stored_table_open(struct nx_stored_table *stored,
						  const struct nx_folder_table *table,
						  struct nx_error *err);
/* Whether a part of a file could not be read since (base/file.h). */
bool nx_stored_table_is_damaged(const struct nx_stored_table *stored);
void nx_stored_table_close(struct nx_stored_table *stored);

/* The field of that name; as in SQL, case does not matter. */
bool nx_stored_table_find(const struct nx_stored_table *stored, const char *name, size_t *field);

/* start_ts and end_ts, else timestamp; false if rows have no time. */
bool nx_stored_table_times(const struct nx_stored_table *stored, struct nx_stored_times *times);

#endif
