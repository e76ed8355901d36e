/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective_cost: which way a collective takes, and how long it is on it.
 *
 * The way is chosen by size, as AWS describes its own choice; ranks then move the
 * data by that very way (runtime/nrt/ranks/rank_collective.h), so steps and bytes here
 * are those that happen. Time is start + steps * hop + the larger of bytes over
 * links and bytes over memory. Every constant stands in one table with its
 * evidence (nx_evidence of hardware_table.h); docs/design/collectives.md has more.
 */
#ifndef NX_RUNTIME_COLLECTIVE_COST_H
#define NX_RUNTIME_COLLECTIVE_COST_H

#include "format/collective.h"
#include "runtime/device/device.h"
#include "runtime/device/device_program.h"

struct nx_collective_shape {
	int64_t kind;
	uint32_t rank_count, node_count; /* machines the ranks are spread over */
	uint64_t bytes;			 /* of a rank, on the side that has more of them */
};

struct nx_collective_place {	  /* of a program: who runs it besides */
	uint32_t rank_count;	  /* 0 counts as 1 */
	uint32_t node_count;	  /* the same; divides rank_count */
	enum nx_device_arch arch; /* whose links they are; ANY: that of the program */
};

struct nx_collective_plan {
	enum nx_collective_algorithm algorithm;
	uint32_t step_count;
	uint64_t wire_bytes; /* that a rank sends */
	double touch_count;  /* times that a byte on the wire is read or written in memory */
};

/*
 * Machines that these ranks are on: the place's ranks are dealt out to its machines
 * in order, as many to each. NULL or empty for all of them.
 */
uint32_t nx_collective_node_count(const struct nx_collective_place *place,
				  const struct nx_rank_list *ranks);

/*
 * Of a word that so many ranks carry out: the same on all of them, so that all go
 * the same way. counts are those of def.json that the word names, empty for none.
 * Any word has a shape: more bytes than a machine has count as so many.
 */
struct nx_collective_shape nx_collective_shape_of(const struct nx_collective_word *word,
						  const struct nx_rank_list *counts,
						  uint32_t rank_count, uint32_t node_count);

struct nx_collective_plan nx_collective_plan_make(const struct nx_collective_shape *shape);

/* From start to end. */
uint64_t nx_collective_cost_ps(enum nx_device_arch arch, const struct nx_collective_shape *shape,
			       const struct nx_collective_plan *plan);
/* From the triggering instruction to the start, and of a barrier of all ranks. */
uint64_t nx_collective_trigger_ps(void);
uint64_t nx_collective_barrier_ps(void);

#endif
