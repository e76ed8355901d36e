/* SPDX-License-Identifier: Apache-2.0 */
/* active_time: the stretches in which an engine worked. Feed instructions in order of start. */
#ifndef NX_ANALYSE_ACTIVE_TIME_H
#define NX_ANALYSE_ACTIVE_TIME_H

#include "analyse/span_union.h"
#include "model/profile.h"

struct nx_active_analysis {
	nx_row_fn fn;
	void *context;
	struct nx_span_union busy[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
};

void nx_active_add(struct nx_active_analysis *a, const struct nx_instruction *row,
		   const struct nx_slot *slot);
void nx_active_finish(struct nx_active_analysis *a);

#endif
