/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview: a whole profile on one screen. The time is cut into columns of equal
 * length; each lane tells, exactly, how long something was busy in each of them.
 */
#ifndef NX_SERVE_OVERVIEW_H
#define NX_SERVE_OVERVIEW_H

#include "base/arena.h"
#include "model/profile.h"

#define NX_OVERVIEW_COLUMNS 1200

/* The first lanes of a core are its engines, by enum nx_engine. */
enum nx_lane_id {
	NX_LANE_DMA = NX_ENGINE_COUNT,
	NX_LANE_BUSY_COUNT,
	NX_LANE_THROTTLE = NX_LANE_BUSY_COUNT, /* time that throttling withheld: (n-k)/n */
	NX_LANE_COUNT,
};

struct nx_lane {
	uint64_t busy_ps[NX_OVERVIEW_COLUMNS];
	uint64_t total_ps;
	uint64_t covered_ps; /* everything before is counted already: spans may overlap */
};

struct nx_overview_core {
	struct nx_lane lanes[NX_LANE_COUNT];
};

struct nx_overview {
	uint64_t span_ps;
	uint64_t column_ps; /* the last column may be shorter */
	unsigned column_count;
	uint32_t core_count;
	struct nx_overview_core *cores; /* in the arena, one per graph */
};

NX_MUST_CHECK enum nx_status nx_overview_build(struct nx_overview *overview,
					       const struct nx_profile *profile,
					       struct nx_arena *arena, struct nx_error *err);

uint64_t nx_overview_column_ps(const struct nx_overview *overview, unsigned column);
/* How much of a column was busy, in ten-thousandths. */
unsigned nx_overview_level(const struct nx_overview *overview, const struct nx_lane *lane,
			   unsigned column);

#endif
