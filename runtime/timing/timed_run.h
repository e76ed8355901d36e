/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timed_run: the times of an execution, in picoseconds from its start.
 *
 * simulate.h makes the rows, in any order; notifications.h turns them into records. A
 * run depends only on the program, the hardware, the seed and the number of ranks, so
 * all executions of a loaded model share it.
 */
#ifndef NX_RUNTIME_TIMED_RUN_H
#define NX_RUNTIME_TIMED_RUN_H

#include "base/arena.h"
#include "base/vec.h"
#include "machine/hardware.h"

struct nx_timed_instruction {
	uint64_t start_ps, end_ps;
	uint64_t wait_ps; /* for semaphores, before start */
	uint32_t slot;	  /* in the loaded stream */
	uint8_t core, engine;
};

enum nx_timed_source { NX_TIMED_BY_ENGINE, NX_TIMED_BY_DMA /* or a collective */ };

struct nx_timed_semaphore {
	uint64_t time_ps;
	uint32_t value; /* after the change */
	uint8_t core, semaphore;
	uint8_t source; /* enum nx_timed_source */
	uint8_t engine; /* when by an engine */
	uint8_t mode;	/* 3 inc, 4 dec, 5 add, 7 subtract, 9 write: as records have it */
};

struct nx_timed_packet {
	uint64_t start_ps, end_ps, completion_ps;
	uint32_t bytes;
	uint16_t dma_engine; /* of the device, 0 to 127 */
	uint8_t core, queue_index;
};

struct nx_timed_throttle { /* from now on the array runs at k / n of its clock */
	uint64_t time_ps;
	uint8_t core, k, n, type;
	uint16_t activity;
};

/* A dynamic transfer's descriptors were made: which DMA engines got how many packets. */
struct nx_timed_descriptors {
	uint64_t time_ps;
	uint32_t slot;
	uint16_t dma_engine_mask;
	uint16_t packets_per_engine;
	uint8_t core, engine;
};

/* A collective, as one rank of the group sees it. */
struct nx_timed_collective {
	uint64_t trigger_ps; /* start of the triggering instruction */
	uint64_t start_ps, end_ps;
	uint32_t slot; /* that triggered it, in the loaded stream */
	uint32_t group_id;
	uint8_t core, engine;
	uint8_t stream; /* on which one follows the other; each core has stream 0 */
};

struct nx_timed_run {
	uint64_t end_ps; /* duration; no row is later */
	NX_VEC(struct nx_timed_instruction) instructions;
	NX_VEC(struct nx_timed_semaphore) semaphores;
	NX_VEC(struct nx_timed_packet) packets;
	NX_VEC(struct nx_timed_throttle) throttles;
	NX_VEC(struct nx_timed_descriptors) descriptors;
	NX_VEC(struct nx_timed_collective) collectives; /* by core in the order of their times */
	uint64_t assumed_count;				/* instructions without a measured cost */
};

void nx_timed_run_release(struct nx_timed_run *run);

#endif
