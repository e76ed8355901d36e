/* SPDX-License-Identifier: Apache-2.0 */
/*
 * track_columns: which columns of a published table say where on the timeline a row lies.
 *
 * Stores that many machines share sort, spread and tag rows by them. They are found by name, so a
 * new table of the schema is laid out well without a line here.
 */
#ifndef NX_STORE_TRACK_COLUMNS_H
#define NX_STORE_TRACK_COLUMNS_H

#include "model/schema.h"

#define NX_TRACK_COLUMNS_MAX 8

struct nx_track_columns {
	int time; /* start_ts or timestamp; -1: rows have no time */
	unsigned count;
	uint8_t columns[NX_TRACK_COLUMNS_MAX]; /* from the whole to its parts: machine to engine */
};

struct nx_track_columns nx_track_columns_of(enum nx_schema_table_id table);

/* Answers over HTTP are never stored. */
static inline bool nx_schema_is_stored(enum nx_schema_table_id table)
{
	return nx_schema_tables[table].scope != NX_SCOPE_ANSWER;
}

#endif
