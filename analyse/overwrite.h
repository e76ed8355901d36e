/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overwrite: one instruction per timeline row and nanosecond.
 *
 * AWS's exports come out of a time-series store that keeps one point per (row,
 * timestamp): when two cores start an instruction on the same engine within one
 * nanosecond, the one written later replaces the other. The same rule here
 * makes exports comparable. Counts and activity are taken before it. Nothing of a
 * simulation is replaced: its cores run in step, and half of it would be lost.
 *
 * Feed instructions in order of their start; survivors go to fn.
 */
#ifndef NX_ANALYSE_OVERWRITE_H
#define NX_ANALYSE_OVERWRITE_H

#include "model/profile.h"

#define NX_TIMELINE_ROWS (NX_ENGINE_COUNT + 1) /* the engines, and TensorMatrix for matmuls */

struct nx_overwrite {
	nx_row_fn fn;
	void *context;
	const struct nx_profile *profile;
	uint64_t timestamp_ns;
	bool has[NX_TIMELINE_ROWS];
	struct nx_instruction rows[NX_TIMELINE_ROWS];
	uint64_t replaced_count;
};

void nx_overwrite_add(struct nx_overwrite *o, const struct nx_instruction *row);
void nx_overwrite_finish(struct nx_overwrite *o);

#endif
