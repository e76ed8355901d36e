/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window: the question a timeline asks, as a struct instead of a text: what
 * happened in this part of time, on these tracks, at this resolution?
 *
 *	struct nx_window w = {
 *		.table = "Instruction", .start_column = "start_ts", .end_column = "end_ts",
 *		.from = 0, .to = 1000000, .bucket_count = 2000,
 *		.groups = (const char *[]){"engine"}, .group_count = 1,
 *		.aggregates = (struct nx_window_aggregate[]){{NX_WINDOW_COUNT}}, ...
 *	};
 *	st = nx_window_ask(&w, &engine, &rows, err);
 *
 * It becomes SQL in the dialect of the engine, with names and values quoted,
 * and asks only for what every engine can do (ClickHouse 18.16 included: no
 * window functions, no positions in GROUP BY). Both dialects name and type the
 * columns of the answer alike.
 *
 * A row is in the window when any part of it is, or when it is a mere moment,
 * when that is; it counts in the bucket in which it begins, and in bucket 0 if
 * it began before the window. Buckets are equally wide whole numbers of the
 * time column's unit, so the last one may reach beyond the window.
 */
#ifndef NX_QUERY_WINDOW_H
#define NX_QUERY_WINDOW_H

#include "query/query_engine.h"

enum nx_window_op {
	NX_WINDOW_EQUAL,
	NX_WINDOW_NOT_EQUAL,
	NX_WINDOW_LESS,
	NX_WINDOW_AT_MOST,
	NX_WINDOW_MORE,
	NX_WINDOW_AT_LEAST,
	NX_WINDOW_ONE_OF,   /* of any number of values; of none: no row */
	NX_WINDOW_CONTAINS, /* a text in a text */
};

struct nx_window_filter { /* all of them have to hold; NULL never does */
	const char *column;
	enum nx_window_op op;
	const struct nx_value *values; /* BOOL, I64, U64, F32, F64 or TEXT */
	size_t value_count;	       /* 1 but for ONE_OF */
};

enum nx_window_measure {
	NX_WINDOW_COUNT,    /* row_count: rows */
	NX_WINDOW_SUM,	    /* sum_<column> */
	NX_WINDOW_MAX,	    /* max_<column> */
	NX_WINDOW_LONGEST,  /* longest_<column>: its value in the longest row */
	NX_WINDOW_DOMINANT, /* dominant_<column>: the value with the most time in all its rows */
};

struct nx_window_aggregate {
	enum nx_window_measure measure;
	const char *column; /* NULL for COUNT */
	bool is_real;	    /* SUM and MAX: the answer is F64 instead of I64 */
};

/* Which of several equals is longest or dominant is the engine's choice. */
struct nx_window {
	const char *profile; /* in a cluster, whose tables hold many; NULL: the only one */
	const char *table;
	const char *start_column, *end_column; /* integers; end NULL: rows are moments */
	int64_t from, to;		       /* in the columns' unit, to is outside */
	uint32_t bucket_count;		       /* 0: all of the window as one */
	const char *const *groups;	       /* columns that make a track */
	size_t group_count;
	const struct nx_window_filter *filters;
	size_t filter_count;
	const struct nx_window_aggregate *aggregates;
	size_t aggregate_count;
	const char *const *columns; /* without aggregates: the rows themselves, these columns */
	size_t column_count;
	uint64_t limit_count; /* of rows in the answer; 0: none */
};

/* The column by which a cluster's tables tell profiles apart. */
#define NX_WINDOW_PROFILE_COLUMN "profile"

/* The answer's columns: the groups, bucket_idx if there are buckets, then the aggregates. */
#define NX_WINDOW_BUCKET_COLUMN "bucket_idx"

/* How wide a bucket is, in the columns' unit; 1 at least. */
int64_t nx_window_bucket_width(const struct nx_window *window);

/* The SQL, ended by a zero byte. USAGE for a window that cannot be asked. */
NX_MUST_CHECK enum nx_status nx_window_render(const struct nx_window *window,
					      enum nx_sql_dialect dialect, struct nx_bytes *sql,
					      struct nx_error *err);

NX_MUST_CHECK enum nx_status nx_window_ask(const struct nx_window *window,
					   const struct nx_query_engine *engine,
					   struct nx_row_stream **out, struct nx_error *err);

#endif
