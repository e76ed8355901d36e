/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_sink: sits before a table sink and writes the timeline (store/timeline/timeline.h) of
 * the rows that pass. store/timeline/timeline_rules.h lists which tables become which tracks.
 *
 * nx_span.row is the number of the row in its table, counted from 0 in the order of putting. The
 * track's first key is the table (enum nx_schema_table_id). The second is 0 for tracks on which
 * every row of the table appears once, and 1 for those that repeat some rows or derive from them.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_SINK_H
#define NX_STORE_TIMELINE_TIMELINE_SINK_H

#include "model/table_sink.h"

#define NX_TIMELINE_FILE "timeline.nxl"

struct nx_timeline_sink;

/* Writes the file at path and passes rows on to target, which is borrowed. */
NX_MUST_CHECK enum nx_status nx_timeline_sink_open(struct nx_timeline_sink **sink, const char *path,
						   struct nx_table_sink *target,
						   struct nx_error *err);
struct nx_table_sink *nx_timeline_sink_borrow(struct nx_timeline_sink *sink);
/* Commits the file unless something failed, and frees; returns the first failure. */
NX_MUST_CHECK enum nx_status nx_timeline_sink_close(struct nx_timeline_sink *sink,
						    struct nx_error *err);

#endif
