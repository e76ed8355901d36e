/* SPDX-License-Identifier: Apache-2.0 */
/* span_place: where on the timeline a row of a table is drawn. */
#ifndef NX_SERVE_SPAN_PLACE_H
#define NX_SERVE_SPAN_PLACE_H

#include "base/json_writer.h"
#include "store/timeline/timeline.h"

struct nx_span_place {
	uint32_t track, depth;
	uint64_t idx;
};

/*
 * Finds the span of a row by when it starts, in time that grows with the tracks of its table
 * and the logarithm of their rows. False if it is not drawn.
 */
bool nx_span_place_find(const struct nx_timeline *timeline, const char *table, uint64_t row,
			uint64_t start_ns, struct nx_span_place *place);

/* Writes "track" and "depth"; place is NULL for a row that is not drawn. */
void nx_span_place_json(struct nx_json_writer *w, const struct nx_span_place *place);

#endif
