/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet_transfers: which packets belong to which transfer.
 *
 * A transfer is a static block, whose descriptors the compiler wrote, or a dynamic DMA, whose
 * descriptors a DGE makes during the run. An instruction starts it, and its packets run on up to
 * sixteen DMA engines. The capture declares how many packets each block has on each (engine,
 *queue), and DGE notifications tell it of each dynamic DMA. A queue serves its transfers in order,
 *so counting attributes every packet. Packets are assigned as they come, so memory follows what the
 * capture recorded.
 *
 * If the notifications do not account for all packets of a dynamic queue, some of them are missing,
 * and counting would give packets to the wrong instruction: such a queue keeps none.
 *
 *	1. nx_packet_transfers_add_generated for every DGE notification
 *	   nx_packet_transfers_add_trigger for every instruction, in order of time
 *	2. nx_packet_transfers_prepare
 *	3. nx_packet_transfers_add_packet for every packet, in the order of its ring
 *	   if nx_packet_transfers_recut, all of them once more
 *	4. nx_packet_transfers_finish: transfers that got packets
 *	5. nx_packet_transfers_find for any packet, any time
 */
#ifndef NX_ANALYSE_PACKET_TRANSFERS_H
#define NX_ANALYSE_PACKET_TRANSFERS_H

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

struct nx_transfer_queue { /* parallel to the graph's declared queues */
	struct nx_packet_runs NX_VEC_BODY(struct nx_packet_run) runs;
	uint64_t wanted;      /* ordinals handed out to runs */
	uint64_t seen;	      /* packets that came */
	uint32_t first_idx;   /* packet_idx of the first of them */
	uint32_t next;	      /* trigger that follows its latest run, NX_NONE at the end */
	struct nx_map blocks; /* block_id -> packets declared here; made at the first packet */
	uint32_t dma_engine;  /* of the core's sixteen */
	bool is_dynamic;
	/* static blocks: packets that end one, and runs that ended without such a packet */
	uint64_t end_count, missed_count;
	bool is_cut_by_ends; /* the declared counts are wrong here */
	bool is_run_open;    /* of those: the latest run has not ended */
};

struct nx_trigger {
	struct nx_transfer transfer;
	uint32_t queue_name;		     /* into the program's queue names */
	uint32_t generated, generated_count; /* of a dynamic DMA: what the DGE made for it */
};

struct nx_packet_transfers {
	const struct nx_profile *profile;
	struct nx_transfer_queue *queues[NX_MAX_GRAPHS];
	struct nx_triggers NX_VEC_BODY(struct nx_trigger) triggers; /* in order of time */
	struct nx_generated_rows NX_VEC_BODY(struct nx_generated) generated;
	struct nx_transfer_map NX_VEC_BODY(uint32_t) kept; /* old index -> index after finish */
	uint32_t *next_of_queue;      /* trigger -> the next of the same graph and queue name */
	struct nx_map first_of_queue; /* graph << 32 | queue name -> its first trigger */
	struct nx_text_map names;     /* of triggered queues -> index in the program */
	struct nx_queue_lookup *lookup[NX_MAX_GRAPHS];
	/* set by finish, for the first dynamic queue that keeps no packets */
	const struct nx_queue *unaccounted_queue;    /* NULL: there is none */
	uint64_t unaccounted_seen, unaccounted_told; /* packets of that queue */
};

void nx_packet_transfers_init(struct nx_packet_transfers *s, const struct nx_profile *profile);
void nx_packet_transfers_release(struct nx_packet_transfers *s);
void nx_packet_transfers_add_generated(struct nx_packet_transfers *s,
				       const struct nx_generated *row);
/* Takes triggers of static blocks and, if there are notifications, dynamic DMAs. */
void nx_packet_transfers_add_trigger(struct nx_packet_transfers *s,
				     const struct nx_instruction *row, const struct nx_slot *slot);
void nx_packet_transfers_prepare(struct nx_packet_transfers *s);
void nx_packet_transfers_add_packet(struct nx_packet_transfers *s, const struct nx_packet *row);
/*
 * Whether declared counts contradict the packets of a queue: its blocks end elsewhere, with the
 * word that counts their semaphore. If so, forgets all packets; give them once more.
 */
NX_MUST_CHECK bool nx_packet_transfers_recut(struct nx_packet_transfers *s);
/* is_cut: the file ends before the packets do, so that the last ones may be missing. */
void nx_packet_transfers_finish(struct nx_packet_transfers *s, bool is_cut,
				struct nx_transfers *out);
/* Index into the finished transfers, NX_NONE when the packet belongs to none. */
uint32_t nx_packet_transfers_find(const struct nx_packet_transfers *s, const struct nx_packet *row);

#endif
