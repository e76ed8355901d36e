/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_rows: exports the spans of a timeline for other programs, to run
 * the same queries there: CSV and Parquet in the order in which the rows
 * were added (row numbers start at 0), and a Perfetto trace with a track for each
 * depth of a track, named "track.depth".
 *
 * Files appear whole or not at all. A timeline whose rows are not numbered so
 * is a failure.
 */
#ifndef NX_TESTS_BENCH_TIMELINE_ROWS_H
#define NX_TESTS_BENCH_TIMELINE_ROWS_H

#include "store/timeline/timeline.h"

#define NX_ROWS_TABLE "Span" /* what the Parquet file has to be called to be found by SQL below */

NX_MUST_CHECK enum nx_status nx_rows_write_csv(const struct nx_timeline *t, const char *path,
					       struct nx_error *err);
/* Columns track, depth, start_ns, end_ns, name, all integers. */
NX_MUST_CHECK enum nx_status nx_rows_write_parquet(const struct nx_timeline *t, const char *path,
						   struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_rows_write_perfetto(const struct nx_timeline *t, const char *path,
						    struct nx_error *err);

#endif
