/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_reader: reads what format/parquet/parquet.h writes, and other Parquet files that use the
 * same features; others are refused with a message.
 *
 *	st = nx_parquet_reader_open(&r, path, err);
 *	st = nx_parquet_cursor_open(&c, r, columns, 2, NULL, err);
 *	while (!(st = nx_parquet_cursor_next(c, &rows, err)) && rows)
 *		for (size_t i = 0; i < rows; i++)
 *			use(nx_parquet_cursor_values(c, 0)->i64[i]);
 *	nx_parquet_cursor_close(c);
 *	nx_parquet_reader_close(r);
 *
 * The file is mapped. A cursor decodes one row group of the chosen columns at a time, and skips
 * groups that cannot match a range. The file is not trusted: lengths are checked, and a group that
 * would exceed the memory limit is refused.
 *
 * What a reader returns lives until it is closed; values live until the cursor moves. Several
 * cursors may read at once, one thread each.
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
/* Whether a part of the file could not be read since (base/file.h). */
bool nx_parquet_reader_is_damaged(const struct nx_parquet_reader *reader);
void nx_parquet_reader_close(struct nx_parquet_reader *reader); /* NULL is allowed */

const struct nx_parquet_field *nx_parquet_reader_fields(const struct nx_parquet_reader *reader,
							size_t *count);
/* The column of that name; false if there is none. */
bool nx_parquet_reader_find(const struct nx_parquet_reader *reader, const char *name,
			    size_t *column);
uint64_t nx_parquet_reader_row_count(const struct nx_parquet_reader *reader);

size_t nx_parquet_reader_group_count(const struct nx_parquet_reader *reader);
uint64_t nx_parquet_reader_group_rows(const struct nx_parquet_reader *reader, size_t group);
const struct nx_parquet_stats *nx_parquet_reader_stats(const struct nx_parquet_reader *reader,
						       size_t group, size_t column);

/* Pairs of the footer in order; false after the last. */
bool nx_parquet_reader_metadata(const struct nx_parquet_reader *reader, size_t idx,
				struct nx_slice *key, struct nx_slice *value);

/* --- rows ------------------------------------------------------------------------- */

/* Skips row groups whose statistics exclude the range for an integer column. */
struct nx_parquet_range {
	size_t column;
	int64_t min, max; /* both inclusive */
};

/*
 * One chosen column of the group. The array of its type is set; narrow types are widened without
 * loss, I32 to i64 and F32 to f64.
 */
struct nx_parquet_values {
	enum nx_parquet_type type;
	size_t row_count;
	const uint8_t *is_null; /* per row; NULL if no row is null */
	/* For a list: row i has the values [starts[i], starts[i + 1]). NULL for others: row i has
	 * value i, which is zero if the row is null. */
	const uint32_t *starts;
	const uint8_t *flags;
	const int64_t *i64;
	const double *f64;
	const struct nx_slice *texts; /* not checked for UTF-8 */
};

/* range may be NULL; columns are copied. */
NX_MUST_CHECK enum nx_status nx_parquet_cursor_open(struct nx_parquet_cursor **cursor,
						    const struct nx_parquet_reader *reader,
						    const size_t *columns, size_t column_count,
						    const struct nx_parquet_range *range,
						    struct nx_error *err);
void nx_parquet_cursor_close(struct nx_parquet_cursor *cursor); /* NULL is allowed */

/* Before the first group: adds a range on another column that groups must match as well. */
NX_MUST_CHECK enum nx_status nx_parquet_cursor_narrow(struct nx_parquet_cursor *cursor,
						      const struct nx_parquet_range *range,
						      struct nx_error *err);

/*
 * Before the first group: restricts the cursor to rows [first, first + count) of the file. Only the
 * pages that hold them are unpacked.
 */
void nx_parquet_cursor_choose_rows(struct nx_parquet_cursor *cursor, uint64_t first,
				   uint64_t count);

/* Memory limit for the values of one group; 1 GB by default. */
void nx_parquet_cursor_limit(struct nx_parquet_cursor *cursor, size_t group_bytes);

/* Decodes the next group; row_count is 0 after the last one. */
NX_MUST_CHECK enum nx_status nx_parquet_cursor_next(struct nx_parquet_cursor *cursor,
						    size_t *row_count, struct nx_error *err);
/* The index of that group, and the number in the file of its first returned row. */
size_t nx_parquet_cursor_group(const struct nx_parquet_cursor *cursor, uint64_t *first_row);
/* chosen is an index into the columns given to open. */
const struct nx_parquet_values *nx_parquet_cursor_values(const struct nx_parquet_cursor *cursor,
							 size_t chosen);

#endif
