/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_stream: the typed result of a query, row by row.
 *
 *	st = nx_duckdb_query(db, sql, &rows, err);
 *	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row)
 *		use(row[0].i64, row[1].text);
 *	nx_row_stream_close(rows);
 *
 * Every engine returns one of these, so that code that prints, serves or draws
 * rows does not depend on their source. Rows are not collected: a row and all it
 * points at live until the next call.
 *
 * A column has one kind and its values have that kind or are NULL. Integers
 * are exact: what does not fit 64 bits comes as DIGITS.
 */
#ifndef NX_QUERY_ROW_STREAM_H
#define NX_QUERY_ROW_STREAM_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

enum nx_value_kind {
	NX_VALUE_NULL,
	NX_VALUE_BOOL,
	NX_VALUE_I64,
	NX_VALUE_U64,
	NX_VALUE_F32,
	NX_VALUE_F64,
	NX_VALUE_DIGITS, /* a decimal number of any length, as text */
	NX_VALUE_TEXT,	 /* also dates, times and other things that have a text */
	NX_VALUE_BYTES,
	NX_VALUE_LIST,	 /* items of one kind */
	NX_VALUE_STRUCT, /* items with names; also maps, named by their keys */
};

struct nx_value {
	enum nx_value_kind kind;
	union {
		bool flag;
		int64_t i64;
		uint64_t u64;
		float f32;
		double f64;
		struct nx_slice text; /* of DIGITS, TEXT and BYTES */
		struct {
			const struct nx_value *items;
			const struct nx_slice *names; /* of a STRUCT, as many as items */
			size_t count;
		} list;
	};
};

/* How deep lists and structs may be nested; engines refuse deeper values. */
#define NX_VALUE_MAX_DEPTH 32

struct nx_column {
	const char *name;
	enum nx_value_kind kind;
};

struct nx_row_stream;

struct nx_row_stream_ops {
	/* *row is NULL after the last one; after a failure only close is allowed */
	enum nx_status (*next)(struct nx_row_stream *rows, const struct nx_value **row,
			       struct nx_error *err);
	/* reads to the end and counts, without decoding values */
	enum nx_status (*count_rest)(struct nx_row_stream *rows, uint64_t *count,
				     struct nx_error *err);
	void (*close)(struct nx_row_stream *rows);
};

struct nx_row_stream {
	const struct nx_row_stream_ops *ops;
	const struct nx_column *columns;
	size_t column_count;
};

NX_MUST_CHECK static inline enum nx_status nx_row_stream_next(struct nx_row_stream *rows,
							      const struct nx_value **row,
							      struct nx_error *err)
{
	return rows->ops->next(rows, row, err);
}

NX_MUST_CHECK static inline enum nx_status nx_row_stream_count_rest(struct nx_row_stream *rows,
								    uint64_t *count,
								    struct nx_error *err)
{
	return rows->ops->count_rest(rows, count, err);
}

static inline void nx_row_stream_close(struct nx_row_stream *rows)
{
	if (rows)
		rows->ops->close(rows);
}

/* Numbers are right-aligned in a column. */
bool nx_value_kind_is_number(enum nx_value_kind kind);

/*
 * A value as people read it: 1.5, text as it is, [1, NULL], {'a': 1}; bytes
 * that are not printable ASCII as \x00. NULL is "NULL".
 */
void nx_value_append_text(const struct nx_value *value, struct nx_bytes *to);

#endif
