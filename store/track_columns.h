/* SPDX-License-Identifier: Apache-2.0 */
/*
 * track_columns: the columns of a published table that place a row on the timeline.
 *
 * Databases shared by many machines sort, shard and tag rows by them. They are found by name, so a
 * new table of the schema needs no line here.
 */
#ifndef NX_STORE_TRACK_COLUMNS_H
#define NX_STORE_TRACK_COLUMNS_H

#include "model/schema.h"

#define NX_TRACK_COLUMNS_MAX 8

struct nx_track_columns {
	int time; /* start_ts or timestamp; -1: some rows have no time */
	unsigned count;
	uint8_t columns[NX_TRACK_COLUMNS_MAX]; /* from the largest unit to the smallest: machine to
						  engine */
};

struct nx_track_columns nx_track_columns_of(enum nx_schema_table_id table);

/* Answers over HTTP are never stored. */
static inline bool nx_schema_is_stored(enum nx_schema_table_id table)
{
	return nx_schema_tables[table].scope != NX_SCOPE_ANSWER;
}

#endif
