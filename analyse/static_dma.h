/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_dma: which packets belong to which triggered block.
 *
 * A static block is a list of descriptors that the compiler wrote; an instruction rings its queue
 *and the block's packets run on up to sixteen DMA engines. The capture declares how many packets
 *each block has on each (engine, queue), and a queue serves its triggers in order, so counting
 *attributes every packet. Packets are assigned as they come, so memory follows what the capture
 *recorded.
 *
 *	1. nx_static_dma_add_trigger for every trigger, in order of time
 *	2. nx_static_dma_prepare
 *	3. nx_static_dma_add_packet for every packet, in the order of its ring
 *	4. nx_static_dma_finish: transfers that got packets
 *	5. nx_static_dma_find for any packet, any time
 */
#ifndef NX_ANALYSE_STATIC_DMA_H
#define NX_ANALYSE_STATIC_DMA_H

#include "base/map.h"
#include "base/vec.h"
#include "model/profile.h"

/* A packet of this size or less updates a semaphore; it is not payload. */
#define NX_SEMAPHORE_WRITE_BYTES 4

struct nx_packet_run {	/* packets of one (engine, queue) that one transfer takes */
	uint64_t first; /* ordinal among the packets shown on that (engine, queue) */
	uint64_t end;
	uint32_t trigger;
};

struct nx_static_queue { /* parallel to the graph's declared queues */
	struct nx_packet_runs NX_VEC_BODY(struct nx_packet_run) runs;
	uint64_t wanted;      /* ordinals handed out to runs */
	uint64_t seen;	      /* packets that came */
	uint32_t first_idx;   /* packet_idx of the first of them */
	uint32_t next;	      /* trigger that follows its latest run, NX_NONE at the end */
	struct nx_map blocks; /* block_id -> packets declared here; made at the first packet */
};

struct nx_trigger {
	struct nx_transfer transfer;
	uint32_t queue_name; /* into the program's queue names */
};

struct nx_static_dma {
	const struct nx_profile *profile;
	struct nx_static_queue *queues[NX_MAX_GRAPHS];
	struct nx_triggers NX_VEC_BODY(struct nx_trigger) triggers; /* in order of time */
	struct nx_transfer_map NX_VEC_BODY(uint32_t) kept; /* old index -> index after finish */
	uint32_t *next_of_queue;      /* trigger -> the next of the same graph and queue name */
	struct nx_map first_of_queue; /* graph << 32 | queue name -> its first trigger */
	struct nx_text_map names;     /* of triggered queues -> index in the program */
	struct nx_queue_lookup *lookup[NX_MAX_GRAPHS];
};

void nx_static_dma_init(struct nx_static_dma *s, const struct nx_profile *profile);
void nx_static_dma_release(struct nx_static_dma *s);
void nx_static_dma_add_trigger(struct nx_static_dma *s, const struct nx_instruction *row,
			       const struct nx_slot *slot);
void nx_static_dma_prepare(struct nx_static_dma *s);
void nx_static_dma_add_packet(struct nx_static_dma *s, const struct nx_packet *row);
void nx_static_dma_finish(struct nx_static_dma *s, struct nx_transfers *out);
/* Index into the finished transfers, NX_NONE when the packet belongs to none. */
uint32_t nx_static_dma_find(const struct nx_static_dma *s, const struct nx_packet *row);

#endif
