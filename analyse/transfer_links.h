/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer_links: which executions started a transfer and waited for it.
 *
 * Each transfer gets an id, the execution that triggered it, and the first execution that was
 * waiting for the semaphore of the transfer's block when its last packet ended. An instruction that
 * came later did not wait, and several transfers may count into one semaphore, so no other link is
 * guessed.
 *
 * The id of an execution is its place in the instruction table, counted from one. Memory is
 * proportional to the transfers.
 */
#ifndef NX_ANALYSE_TRANSFER_LINKS_H
#define NX_ANALYSE_TRANSFER_LINKS_H

#include "base/map.h"
#include "model/transfer.h"

struct nx_transfer_link {
	uint64_t id;	     /* 63 bits, unique among the transfers of the profile */
	uint64_t trigger_id; /* 0: not found */
	uint64_t trigger_end_ps;
	uint64_t completion_id; /* 0: not found */
	uint64_t completion_start_ps;
};

struct nx_transfer_end; /* a transfer whose block counts into a semaphore */

struct nx_transfer_links {
	const struct nx_profile *profile;
	struct nx_transfer_link *items; /* parallel to the profile's transfers */
	struct nx_map taken;		/* ids of transfers */
	struct nx_trigger_walk triggers;
	struct nx_transfer_end *ends; /* by semaphore, then by time */
	size_t end_count;
	struct nx_map first_end; /* semaphore -> its first entry of ends */
	uint64_t row_id;
};

/* Reads the instruction table once if there are transfers. */
NX_MUST_CHECK enum nx_status nx_transfer_links_build(struct nx_transfer_links *links,
						     const struct nx_profile *profile,
						     struct nx_error *err);
void nx_transfer_links_release(struct nx_transfer_links *links);

/* An id for packets of a queue that belong to no transfer; different from those of all transfers.
 */
uint64_t nx_transfer_links_queue_id(const struct nx_transfer_links *links, uint32_t graph,
				    uint32_t queue_idx);

#endif
