/* SPDX-License-Identifier: Apache-2.0 */
/*
 * influx_line: a row of a published table as a line of InfluxDB's line protocol.
 *
 *	Instruction,profile=p,pcore_idx=0,engine=vector start_ts=1200i,...,row=17i 1700...1200
 *
 * The measurement is the table. Tags are the profile, the columns that name the track
 * (store/track_columns.h) and the ordinal unless it is 0; null and empty tags are left out. Fields
 * are all other columns that are not null: integers with their i, texts in quotes, lists as the
 * text of a JSON list, and the row's number in its table. Numbers that are not finite are left
 * out: the protocol cannot express them.
 *
 * InfluxDB identifies a point by measurement, tags and time: of two rows that agree in these, the
 * later overwrites the earlier. Rows of one series therefore get an ordinal, nearly always 0, such
 * that no two of them share time and ordinal. It depends on the order of rows alone, so pushing a
 * profile again overwrites each point with itself.
 *
 * Rows in order of time use as many ordinals as there are rows in one nanosecond. Where time steps
 * back, numbering continues above all ordinals used so far: any order is correct, but only a sorted
 * one is cheap, because every ordinal is a series of its own in InfluxDB.
 */
#ifndef NX_STORE_INFLUX_INFLUX_LINE_H
#define NX_STORE_INFLUX_INFLUX_LINE_H

#include "base/map.h"
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

/* Equal for rows whose lines share measurement and tags, apart from profile and ordinal. */
uint64_t nx_influx_series_hash(const struct nx_row *row, const struct nx_track_columns *track);

struct nx_influx_series {
	int64_t last_ns, latest_ns; /* time of the last row, and the greatest of all */
	uint64_t base;		    /* ordinals of this pass start here */
	uint64_t next;		    /* for a row of the same time as the last */
	uint64_t highest;	    /* of all ordinals given */
};

/* A zeroed struct is empty. Memory grows with the number of series, not of rows. */
struct nx_influx_ordinals {
	struct nx_map idx_of_hash;
	NX_VEC(struct nx_influx_series) series;
};

/* The ordinal of the next row of a series (nx_influx_series_hash) at that time. */
uint64_t nx_influx_ordinals_next(struct nx_influx_ordinals *ordinals, uint64_t series_hash,
				 int64_t time_ns);
void nx_influx_ordinals_release(struct nx_influx_ordinals *ordinals);

#endif
