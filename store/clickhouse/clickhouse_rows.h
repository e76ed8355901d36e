/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_rows: parses a response of ClickHouse into typed rows, one by one, as the bytes
 * arrive.
 *
 * The bytes are in the format TabSeparatedWithNamesAndTypes, which every server since
 * 18.16 writes: a line of names, a line of types, then a line for each row. Values never contain
 * a raw tab or line feed, so memory is bounded by the longest line.
 *
 * Integers of up to 64 bits become I64, floats and decimals F64, Bool BOOL, arrays of such integers
 * LIST_I64, arrays of anything else LIST_TEXT, everything else TEXT as ClickHouse prints it. Null
 * is NULL whatever the type. An integer beyond int64 fails: cast it in the query.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_ROWS_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_ROWS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "model/table_sink.h"

struct nx_clickhouse_column {
	const char *name;
	const char *type;	/* as the server names it: "Nullable(Int64)" */
	enum nx_cell_kind kind; /* of values that are not null */
};

/* All borrowed until the row function returns. */
struct nx_clickhouse_row {
	size_t column_count;
	const struct nx_clickhouse_column *columns;
	const uint8_t *kinds; /* enum nx_cell_kind */
	const union nx_cell *cells;
};

/* FORMAT unless the row has exactly these cells, none null: a letter each, i integer, t text. */
NX_MUST_CHECK enum nx_status nx_clickhouse_row_expect(const struct nx_clickhouse_row *row,
						      const char *letters, struct nx_error *err);

/* A failure ends the reading and is returned. */
typedef enum nx_status (*nx_clickhouse_row_fn)(void *context, const struct nx_clickhouse_row *row,
					       struct nx_error *err);

#define NX_CLICKHOUSE_LINE_BYTES_MAX ((size_t)64 << 20)
#define NX_CLICKHOUSE_COLUMNS_MAX 4096

struct nx_clickhouse_rows {
	nx_clickhouse_row_fn row;
	void *context;
	struct nx_arena arena; /* of the columns */
	struct nx_clickhouse_column *columns;
	size_t column_count;
	uint8_t *kinds;
	union nx_cell *cells;
	bool has_lists;
	uint64_t line_count;
	struct nx_bytes partial; /* the start of an incomplete line */
	struct nx_bytes texts;	 /* of the current row, unescaped */
	NX_VEC(int64_t) numbers; /* of its lists */
	NX_VEC(struct nx_slice) items;
};

void nx_clickhouse_rows_init(struct nx_clickhouse_rows *rows, nx_clickhouse_row_fn row,
			     void *context);
/* Parses the next bytes, which may end anywhere. */
NX_MUST_CHECK enum nx_status nx_clickhouse_rows_take(struct nx_clickhouse_rows *rows,
						     struct nx_slice piece, struct nx_error *err);
/* Call at the end of the response: fails if a line or the header is cut. An empty one has no rows.
 */
NX_MUST_CHECK enum nx_status nx_clickhouse_rows_finish(struct nx_clickhouse_rows *rows,
						       struct nx_error *err);
void nx_clickhouse_rows_release(struct nx_clickhouse_rows *rows);

#endif
