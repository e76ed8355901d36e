/* SPDX-License-Identifier: Apache-2.0 */
#include "store/track_columns.h"

#include <assert.h>

static const char *const track_names[] = {
	"instance_id", "process_id", "device_idx",  "hbm_idx",	  "nc_idx", "core_idx",
	"pcore_idx",   "engine",     "engine_name", "queue_name", "cpu_id",
};

static const char *const time_names[] = {"start_ts", "timestamp"};

static int find(enum nx_schema_table_id table, const char *name)
{
	const struct nx_schema_table *t = &nx_schema_tables[table];
	const struct nx_schema_column *column = nx_schema_find_column(t, nx_slice_text(name));

	return column ? (int)(column - t->columns) : -1;
}

struct nx_track_columns nx_track_columns_of(enum nx_schema_table_id table)
{
	struct nx_track_columns track = {.time = -1};

	assert(table < NX_SCHEMA_TABLE_COUNT);
	for (unsigned i = 0; i < sizeof(time_names) / sizeof(time_names[0]) && track.time < 0;
	     i++) {
		int at = find(table, time_names[i]);

		if (at >= 0 && nx_schema_tables[table].columns[at].is_required)
			track.time = at;
	}
	for (unsigned i = 0; i < sizeof(track_names) / sizeof(track_names[0]); i++) {
		int at = find(table, track_names[i]);

		if (at >= 0 && track.count < NX_TRACK_COLUMNS_MAX)
			track.columns[track.count++] = (uint8_t)at;
	}
	return track;
}
