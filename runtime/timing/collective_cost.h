/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective_cost: the algorithm of a collective, and how long it takes.
 *
 * The algorithm depends on the size, as AWS describes. Ranks use the same one
 * (runtime/nrt/ranks/rank_collective.h). Time is start + steps * hop + the larger of
 * bytes over links and bytes over memory; see docs/design/collectives.md.
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

struct nx_collective_place {	  /* the ranks that run a program */
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

/* The number of machines of these ranks; NULL or empty: all. Each machine has as many ranks. */
uint32_t nx_collective_node_count(const struct nx_collective_place *place,
				  const struct nx_rank_list *ranks);

/*
 * The shape is the same on all ranks, so that all choose the same algorithm. counts are those of
 * def.json that the word names, or empty. Sizes beyond any memory are cut.
 */
struct nx_collective_shape nx_collective_shape_of(const struct nx_collective_word *word,
						  const struct nx_rank_list *counts,
						  uint32_t rank_count, uint32_t node_count);

struct nx_collective_plan nx_collective_plan_make(const struct nx_collective_shape *shape);

/* From start to end. */
uint64_t nx_collective_cost_ps(enum nx_device_arch arch, const struct nx_collective_shape *shape,
			       const struct nx_collective_plan *plan);
/* From a published profile: from the trigger to the start, and a barrier of all ranks. */
#define NX_COLLECTIVE_TRIGGER_PS UINT64_C(1491000)
#define NX_COLLECTIVE_BARRIER_PS UINT64_C(369000)

#endif
