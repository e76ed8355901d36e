/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer_links: how static transfers hang together with packets and instructions.
 *
 * Each transfer gets an id of its own, the execution that triggered it, and the execution that
 * waited for its end: the first one that stood waiting for the semaphore of the transfer's block
 * at the moment the last packet ended. An instruction that came later and found the semaphore
 * already there did not wait, and several transfers may count into one semaphore, so it is not
 * guessed at.
 *
 *	nx_transfer_links_build(&links, profile, err);
 *	... links.items[transfer].trigger_id ...
 *	nx_transfer_links_release(&links);
 *
 * An execution's id is its place in the instruction table, counted from one. Memory is
 * proportional to the transfers, which the profile holds as well.
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

/* Reads the instruction table once, or not at all when there are no transfers. */
NX_MUST_CHECK enum nx_status nx_transfer_links_build(struct nx_transfer_links *links,
						     const struct nx_profile *profile,
						     struct nx_error *err);
void nx_transfer_links_release(struct nx_transfer_links *links);

/* By which packets of no transfer are tied together: an id of their queue, no transfer's. */
uint64_t nx_transfer_links_queue_id(const struct nx_transfer_links *links, uint32_t graph,
				    uint32_t queue_idx);

#endif
