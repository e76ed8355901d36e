/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes: distributes overlapping intervals over lanes so that on each lane they nest.
 *
 * Viewers pair an end with the innermost open begin. Intervals come in order of start; each goes to
 * the first lane where everything still open encloses it, found in logarithmic time.
 */
#ifndef NX_BASE_LANES_H
#define NX_BASE_LANES_H

#include "base/vec.h"

struct nx_lane {
	struct nx_lane_ends NX_VEC_BODY(uint64_t) open; /* ends of open intervals, innermost last */
	size_t live; /* of them, those that had not ended at the last start; the rest is not
			reported yet */
};

struct nx_lane_node {
	uint64_t soonest; /* the first end among the lanes below */
	uint64_t room;	  /* the latest end that one of them can take */
};

struct nx_lanes {
	struct nx_lane_list NX_VEC_BODY(struct nx_lane) lanes;
	/* a complete binary tree, root at 1; its second half are the lanes */
	struct nx_lane_tree NX_VEC_BODY(struct nx_lane_node) tree;
};

typedef void (*nx_lane_end_fn)(void *context, size_t lane, uint64_t end);

/* Puts an interval; fn receives every interval that ended at or before start on the chosen
 * lane, in order of time, before this returns the lane. */
size_t nx_lanes_put(struct nx_lanes *lanes, uint64_t start, uint64_t end, nx_lane_end_fn fn,
		    void *context);
/* Ends all that is open and releases. */
void nx_lanes_finish(struct nx_lanes *lanes, nx_lane_end_fn fn, void *context);

#endif
