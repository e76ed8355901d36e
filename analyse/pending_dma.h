/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending_dma: DMA work started and not yet finished, over time.
 *
 * A dynamic DMA counts from its instruction on; without DGE notifications
 * nobody tells when it ends, so it is never taken off again. A static transfer
 * counts from its trigger to the end of its last packet.
 */
#ifndef NX_ANALYSE_PENDING_DMA_H
#define NX_ANALYSE_PENDING_DMA_H

#include "base/vec.h"
#include "model/profile.h"

struct nx_pending_step {
	uint64_t time_ps;
	uint8_t graph;
	int8_t change;
};

struct nx_pending_analysis {
	nx_row_fn fn;
	void *context;
	struct nx_pending_steps NX_VEC_BODY(struct nx_pending_step) transfers; /* by time */
	size_t next;
	int64_t value[NX_MAX_GRAPHS];
};

void nx_pending_begin(struct nx_pending_analysis *a, const struct nx_transfers *transfers);
/* Instructions in order of their start. */
void nx_pending_add(struct nx_pending_analysis *a, const struct nx_instruction *row,
		    const struct nx_slot *slot);
void nx_pending_finish(struct nx_pending_analysis *a);

#endif
