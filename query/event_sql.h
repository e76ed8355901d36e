/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_sql: rows of any table as events, in SQL for DuckDB: a number, a time and a name.
 *
 *	nx_event_columns_find(&columns, table);
 *	nx_sql_append(&sql, "SELECT ");
 *	nx_event_sql_append_columns(&sql, &columns, 0);
 *	nx_sql_append(&sql, " FROM ");
 *	nx_event_sql_append_source(&sql, table, files);
 *
 * Tables use different names for the same thing. The columns for name, engine and counter are
 * found by lists of names, so a new table of the schema needs no change here. Views of the
 * engine have no row numbers, so the source reads the table's files itself.
 */
#ifndef NX_QUERY_EVENT_SQL_H
#define NX_QUERY_EVENT_SQL_H

#include "query/row_stream.h"
#include "query/sql_text.h"
#include "query/stored_table.h"
#include "query/time_range.h"

/* Fields of a table; NULL where it has none. */
struct nx_event_columns {
	const char *start, *end, *duration; /* of a moment the last two are NULL */
	const char *name, *engine, *pc, *id;
	bool is_end_given; /* in every row */
};

/* False when rows have no time. */
bool nx_event_columns_find(struct nx_event_columns *columns, const struct nx_stored_table *table);

/* The column of a source that numbers the rows of the whole table from 0. */
#define NX_EVENT_ROW "nx_row"

/* (...) with all columns of the table and NX_EVENT_ROW; files are those it was opened from. */
void nx_event_sql_append_source(struct nx_bytes *sql, const struct nx_stored_table *table,
				const struct nx_folder_table *files);

/* Columns of an event, in this order; number is the caller's number of the table. */
enum nx_event_column {
	NX_EVENT_TABLE,	 /* t */
	NX_EVENT_NUMBER, /* r */
	NX_EVENT_START,	 /* s */
	NX_EVENT_END,	 /* e, never before s */
	NX_EVENT_NAME,	 /* n, text or null, as the next */
	NX_EVENT_ENGINE, /* g */
	NX_EVENT_PC,	 /* p, integer or null */
	NX_EVENT_COLUMN_COUNT,
};
void nx_event_sql_append_columns(struct nx_bytes *sql, const struct nx_event_columns *columns,
				 size_t number);

/* A condition that selects the rows that overlap the range; "true" for all of time. */
void nx_event_sql_append_range(struct nx_bytes *sql, const struct nx_event_columns *columns,
			       const struct nx_time_range *range);

/* A row of these columns. Texts live as long as the row. */
struct nx_event_row {
	size_t table;
	uint64_t row;
	uint64_t start_ns, end_ns; /* negative times are 0, as on the timeline */
	struct nx_slice name, engine;
	bool has_pc;
	int64_t pc;
};
void nx_event_read(struct nx_event_row *event, const struct nx_value *row);

/*
 * The bandwidth between hosts and devices over time, from the events of a system profile: rows by
 * series and time. The bytes of a copy are spread evenly over its duration; times without a copy
 * have 0. Copies without a duration or a known size are left out.
 */
enum nx_bandwidth_column {
	NX_BANDWIDTH_INSTANCE,	/* text */
	NX_BANDWIDTH_WORKER,	/* integer or null; null for whole machines */
	NX_BANDWIDTH_CORE,	/* integer or null */
	NX_BANDWIDTH_DIRECTION, /* text */
	NX_BANDWIDTH_TIME,	/* integer, ns */
	NX_BANDWIDTH_VALUE,	/* bytes per second */
	NX_BANDWIDTH_COLUMN_COUNT,
};
const char *nx_bandwidth_sql(bool is_by_core);

#endif
