/* SPDX-License-Identifier: Apache-2.0 */
/*
 * influx_line: a row of a published table as a line of InfluxDB's line protocol.
 *
 *	Instruction,profile=step-100,pcore_idx=0,engine=vector start_ts=1200i,...,row=17i
 *1700000000000001200
 *
 * The measurement is the table. Tags are the profile, the columns that name the track
 * (store/track_columns.h) and, unless it is 0, the ordinal; a null or empty one is left out. Fields
 * are all other columns that are not null, integers with their i, texts in quotes, lists as the
 * text of a JSON list, and the number of the row in its table. Numbers that are not finite are left
 * out: the protocol has none.
 */
#ifndef NX_STORE_INFLUX_INFLUX_LINE_H
#define NX_STORE_INFLUX_INFLUX_LINE_H

#include "base/vec.h"
#include "model/table_sink.h"
#include "store/track_columns.h"

struct nx_influx_point {
	struct nx_slice profile;
	int64_t time_ns; /* since 1970 */
	uint64_t ordinal;
	uint64_t row_number;
};

void nx_influx_line_append(struct nx_bytes *out, const struct nx_row *row,
			   const struct nx_track_columns *track,
			   const struct nx_influx_point *point);

/* Equal for rows whose lines have the same measurement and tags but for profile and ordinal. */
uint64_t nx_influx_series_hash(const struct nx_row *row, const struct nx_track_columns *track);

#endif
