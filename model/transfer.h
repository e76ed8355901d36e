/* SPDX-License-Identifier: Apache-2.0 */
/* transfer: what a NEFF says of a transfer, and the ids that join packets and transfers. */
#ifndef NX_MODEL_TRANSFER_H
#define NX_MODEL_TRANSFER_H

#include "model/profile.h"

/* The block of descriptors it ran; NULL without a NEFF, or when the NEFF has no such block. */
const struct nx_dma_block *nx_transfer_block(const struct nx_profile *profile,
					     const struct nx_transfer *transfer);

/* "SB", "WEIGHT", "INPUT", …; "unknown" for a variable the graph does not have. */
const char *nx_variable_kind(const struct nx_binary_graph *graph, uint32_t variable);
/* The variable a person would name: the one that is not the state buffer, or "unknown". */
const char *nx_descriptor_variable(const struct nx_binary_graph *graph,
				   const struct nx_dma_descriptor *descriptor);

/*
 * Ids of 63 bits, hashed as AWS's profiler does. block is that of the packet's transfer, or 0. A
 * transfer's id repeats when its block is triggered again, unless turn differs (AWS uses 0).
 */
uint64_t nx_packet_id(const struct nx_profile *profile, const struct nx_packet *packet,
		      uint32_t block);
uint64_t nx_aggregation_id(const struct nx_profile *profile, uint32_t graph, uint32_t queue_idx,
			   uint32_t block, uint32_t turn);

/* Indices of the profile's transfers in order of their start; nx_heap_free it. */
uint32_t *nx_transfers_by_start(const struct nx_transfers *transfers);

/* Which transfer an instruction triggered. Ask in the order of the instruction table. */
struct nx_trigger_walk {
	const struct nx_transfers *transfers;
	size_t next;
};

/* NX_NONE when it triggered none that the capture shows. */
uint32_t nx_trigger_walk_find(struct nx_trigger_walk *walk, const struct nx_instruction *row);

#endif
