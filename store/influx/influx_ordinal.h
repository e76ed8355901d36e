/* SPDX-License-Identifier: Apache-2.0 */
/*
 * influx_ordinal: a number that keeps two rows apart which InfluxDB would take for one.
 *
 * InfluxDB knows a point by measurement, tags and time: of two rows that are equal in these the
 * later overwrites the earlier. Rows of one series therefore get an ordinal, 0 nearly always, such
 * that no two of them have the same time and ordinal. It depends on the order of rows alone, so
 * that pushing a profile again overwrites each point by itself.
 *
 * Rows that come in order of time use as many ordinals as there are rows in one nanosecond. Where
 * time steps back the numbers go on above all that were used, so any order is right but only a
 * sorted one is cheap: every ordinal is a series of its own in InfluxDB.
 */
#ifndef NX_STORE_INFLUX_INFLUX_ORDINAL_H
#define NX_STORE_INFLUX_INFLUX_ORDINAL_H

#include "base/map.h"
#include "base/vec.h"

struct nx_influx_series {
	int64_t last_ns, latest_ns; /* time of the last row, and the greatest of all */
	uint64_t base;		    /* ordinals of this pass start here */
	uint64_t next;		    /* for a row of the same time as the last */
	uint64_t highest;	    /* of all ordinals given */
};

/* Zeroed is empty. Memory grows with the number of series, not of rows. */
struct nx_influx_ordinals {
	struct nx_map idx_of_hash;
	NX_VEC(struct nx_influx_series) series;
};

/* For the next row of the series (a hash of measurement and tags) at that time. */
uint64_t nx_influx_ordinals_next(struct nx_influx_ordinals *ordinals, uint64_t series_hash,
				 int64_t time_ns);
void nx_influx_ordinals_release(struct nx_influx_ordinals *ordinals);

#endif
