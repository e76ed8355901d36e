/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_sink: in front of a store's table sink, draws the timeline of the
 * tables that pass (store/timeline/timeline.h). Which tables become which tracks is the
 * list of store/timeline/timeline_rules.h.
 *
 * A span is the row of its table with the number nx_span.row, counted from 0 in
 * the order the rows were put; its table is the first of the track's keys (enum
 * nx_schema_table_id). The second is 0 for the tracks on which every row of the
 * table lies once, and 1 for those that show some of its rows again or are
 * derived from them.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_SINK_H
#define NX_STORE_TIMELINE_TIMELINE_SINK_H

#include "model/table_sink.h"

#define NX_TIMELINE_FILE "timeline.nxl"

struct nx_timeline_sink;

/* Writes the file at path; rows go on to target, which is borrowed. */
NX_MUST_CHECK enum nx_status nx_timeline_sink_open(struct nx_timeline_sink **sink, const char *path,
						   struct nx_table_sink *target,
						   struct nx_error *err);
struct nx_table_sink *nx_timeline_sink_borrow(struct nx_timeline_sink *sink);
/* Commits the file unless something failed, and frees; the first failure of all. */
NX_MUST_CHECK enum nx_status nx_timeline_sink_close(struct nx_timeline_sink *sink,
						    struct nx_error *err);

#endif
