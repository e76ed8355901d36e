/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_rows: a timeline row whose slices may overlap. Each lane is a track
 * of its own; lanes share name, parent and rank, so that viewers show them as
 * one row. Slices must come in order of start.
 */
#ifndef NX_EXPORT_PERFETTO_ROWS_H
#define NX_EXPORT_PERFETTO_ROWS_H

#include "base/lanes.h"
#include "format/perfetto/perfetto.h"

struct nx_perfetto_row {
	struct nx_perfetto *p;
	const char *name; /* borrowed */
	uint32_t parent, rank;
	struct nx_lanes lanes;
	struct nx_lane_tracks NX_VEC_BODY(uint32_t) tracks; /* parallel to the lanes */
};

struct nx_perfetto_slice {
	uint64_t start_ns, end_ns;
	const char *name;
	const struct nx_perfetto_arg *args;
	size_t arg_count;
	const struct nx_perfetto_flows *flows; /* may be NULL */
};

void nx_perfetto_row_put(struct nx_perfetto_row *row, const struct nx_perfetto_slice *slice);
/* Ends what is open and releases. */
void nx_perfetto_row_finish(struct nx_perfetto_row *row);

#endif
