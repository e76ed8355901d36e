/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_reader: reads what format/parquet/parquet.h writes, and other Parquet files
 * that keep to the same features; the rest is refused with a sentence.
 *
 *	st = nx_parquet_reader_open(&r, path, err);
 *	st = nx_parquet_cursor_open(&c, r, columns, 2, NULL, err);
 *	while (!(st = nx_parquet_cursor_next(c, &rows, err)) && rows)
 *		for (size_t i = 0; i < rows; i++)
 *			use(nx_parquet_cursor_values(c, 0)->i64[i]);
 *	nx_parquet_cursor_close(c);
 *	nx_parquet_reader_close(r);
 *
 * The file is mapped; a cursor decodes one row group of the chosen columns at a
 * time, and only those groups that can hold what a range asks for. Nothing in a
 * file is believed: lengths are checked, and a group that would take more than a
 * bound is refused.
 *
 * What a reader returns lives until it is closed; values live until the cursor
 * moves on. Several cursors may read at once, one thread each.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_READER_H
#define NX_FORMAT_PARQUET_PARQUET_READER_H

#include "format/parquet/parquet.h"

struct nx_parquet_reader;
struct nx_parquet_cursor;

NX_MUST_CHECK enum nx_status nx_parquet_reader_open(struct nx_parquet_reader **reader,
						    const char *path, struct nx_error *err);
/* The same for bytes in memory, which are borrowed; name is for messages. */
NX_MUST_CHECK enum nx_status nx_parquet_reader_open_bytes(struct nx_parquet_reader **reader,
							  struct nx_slice bytes, const char *name,
							  struct nx_error *err);
void nx_parquet_reader_close(struct nx_parquet_reader *reader); /* NULL is allowed */

const struct nx_parquet_field *nx_parquet_reader_fields(const struct nx_parquet_reader *reader,
							size_t *count);
/* The column of that name; false when there is none. */
bool nx_parquet_reader_find(const struct nx_parquet_reader *reader, const char *name,
			    size_t *column);
uint64_t nx_parquet_reader_row_count(const struct nx_parquet_reader *reader);

size_t nx_parquet_reader_group_count(const struct nx_parquet_reader *reader);
uint64_t nx_parquet_reader_group_rows(const struct nx_parquet_reader *reader, size_t group);
const struct nx_parquet_stats *nx_parquet_reader_stats(const struct nx_parquet_reader *reader,
						       size_t group, size_t column);

/* Pairs of the footer in their order; false behind the last one. */
bool nx_parquet_reader_metadata(const struct nx_parquet_reader *reader, size_t idx,
				struct nx_slice *key, struct nx_slice *value);

/* --- rows ------------------------------------------------------------------------- */

/* Leaves out row groups whose statistics say that no value of an integer column lies in it. */
struct nx_parquet_range {
	size_t column;
	int64_t min, max; /* both inclusive */
};

/*
 * One chosen column of the group. Of the arrays of values the one of its type is set;
 * the narrow types come widened, which is exact: I32 as i64, F32 as f64.
 */
struct nx_parquet_values {
	enum nx_parquet_type type;
	size_t row_count;
	const uint8_t *is_null; /* per row; NULL when no row is */
	/* Of a list: row i has the values [starts[i], starts[i + 1]); NULL unless a list.
	 * Without it row i has value i, which is zero where the row is null. */
	const uint32_t *starts;
	const uint8_t *flags;
	const int64_t *i64;
	const double *f64;
	const struct nx_slice *texts; /* not checked to be UTF-8 */
};

/* range may be NULL; columns are copied. */
NX_MUST_CHECK enum nx_status nx_parquet_cursor_open(struct nx_parquet_cursor **cursor,
						    const struct nx_parquet_reader *reader,
						    const size_t *columns, size_t column_count,
						    const struct nx_parquet_range *range,
						    struct nx_error *err);
void nx_parquet_cursor_close(struct nx_parquet_cursor *cursor); /* NULL is allowed */

/* Before the first group: a second range, of another column, that a group has to match too. */
NX_MUST_CHECK enum nx_status nx_parquet_cursor_narrow(struct nx_parquet_cursor *cursor,
						      const struct nx_parquet_range *range,
						      struct nx_error *err);

/*
 * Before the first group: only rows [first, first + count) of the file. A group tells of those of
 * its rows that are among them, and only the pages that hold them are unpacked.
 */
void nx_parquet_cursor_choose_rows(struct nx_parquet_cursor *cursor, uint64_t first,
				   uint64_t count);

/* The most that the values of one group may take; 1 GB unless told. */
void nx_parquet_cursor_limit(struct nx_parquet_cursor *cursor, size_t group_bytes);

/* Decodes the next group; row_count is 0 behind the last one. */
NX_MUST_CHECK enum nx_status nx_parquet_cursor_next(struct nx_parquet_cursor *cursor,
						    size_t *row_count, struct nx_error *err);
/* Which group that was, and the number in the file of the first row that is told. */
size_t nx_parquet_cursor_group(const struct nx_parquet_cursor *cursor, uint64_t *first_row);
/* chosen counts the columns as they were given to open. */
const struct nx_parquet_values *nx_parquet_cursor_values(const struct nx_parquet_cursor *cursor,
							 size_t chosen);

#endif
