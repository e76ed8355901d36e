/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_asked: one query for a timeline and the same for DuckDB on the rows
 * themselves: for each bucket of a window of one depth of one track, how many
 * spans are in it, how much of it they cover, and how long the longest is.
 *
 * Both results are exact, so they must be equal to the last bit. The timeline
 * also finds the name that covers most; the SQL does not.
 */
#ifndef NX_TESTS_BENCH_TIMELINE_ASKED_H
#define NX_TESTS_BENCH_TIMELINE_ASKED_H

#include "query/duckdb.h"
#include "store/timeline/timeline.h"

#define NX_ASKED_BUCKETS 1920

struct nx_asked_bucket {
	uint64_t count;
	uint64_t busy_ns;
	uint64_t longest_ns;
};

struct nx_asked {
	struct nx_timeline_window window; /* at least a nanosecond to a bucket */
	struct nx_asked_bucket buckets[NX_ASKED_BUCKETS];
	double seconds; /* that passed until all buckets were there */
};

NX_MUST_CHECK enum nx_status nx_asked_of_timeline(struct nx_asked *asked,
						  const struct nx_timeline *t,
						  struct nx_error *err);
/* The table is that of nx_rows_write_parquet. */
NX_MUST_CHECK enum nx_status nx_asked_of_duckdb(struct nx_asked *asked, struct nx_duckdb *db,
						struct nx_error *err);

/* FORMAT, with the first bucket in which they differ, when the answers are not equal. */
NX_MUST_CHECK enum nx_status nx_asked_compare(const struct nx_asked *ours,
					      const struct nx_asked *theirs, struct nx_error *err);

#endif
