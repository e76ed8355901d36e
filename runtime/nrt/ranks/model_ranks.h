/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_ranks: a loaded model as one of the ranks that run it.
 *
 * nrt_load makes it rank 0 of 1, nrt_load_collectives what the caller says. The
 * device hands each collective of the program to the door; the data goes the way
 * that runtime/timing/collective_cost.h chooses. When it ran is what the simulator
 * said, where there is one, and else what that file says, one behind the other. All
 * ranks begin an execution together, at time 0 of a clock they share: a collective
 * starts when the last of its group has triggered it.
 */
#ifndef NX_RUNTIME_NRT_RANKS_MODEL_RANKS_H
#define NX_RUNTIME_NRT_RANKS_MODEL_RANKS_H

#include "format/ntff.h"
#include "runtime/nrt/device_port.h"
#include "runtime/timing/collective_cost.h"

struct nx_model_ranks;

/* Of so many ranks: over how many machines they are taken as spread, and whose links they have. */
struct nx_collective_place nx_model_ranks_place(uint32_t rank_count);

/* key tells models apart, and is the same on all ranks. What joining fails with, LIMIT. */
NX_MUST_CHECK enum nx_status nx_model_ranks_open(uint32_t core, uint32_t rank, uint32_t count,
						 uint64_t key, struct nx_model_ranks **out,
						 struct nx_error *err);
/*
 * The same for a model that moves no data: the rank meets nobody, and the door takes
 * collectives at the moments they come with. LIMIT.
 */
NX_MUST_CHECK enum nx_status nx_model_ranks_open_apart(uint32_t core, uint32_t rank, uint32_t count,
						       struct nx_model_ranks **out,
						       struct nx_error *err);
void nx_model_ranks_close(struct nx_model_ranks *ranks); /* NULL is allowed */

const struct nx_device_ranks *nx_model_ranks_door(struct nx_model_ranks *ranks);

/*
 * Waits until all ranks begin. Whether any of them is watched is then known to all. IO or
 * CANCELLED when they do not come, MISMATCH after a failure.
 */
NX_MUST_CHECK enum nx_status nx_model_ranks_begin(struct nx_model_ranks *ranks,
						  uint64_t execution_id, bool *is_watched,
						  struct nx_error *err);
/* The latest of what the ranks say, on each; all of them have to ask. Fails as above. */
NX_MUST_CHECK enum nx_status nx_model_ranks_latest(struct nx_model_ranks *ranks, uint64_t *time_ns,
						   struct nx_error *err);
/* What ran, into the run, which it may make longer; valid until the next beginning. */
void nx_model_ranks_end(struct nx_model_ranks *ranks, bool has_failed, struct nx_port_run *run);

/* Operations, communicators and the latest records of a physical core, for its NTFF. */
void nx_model_ranks_fill(const struct nx_model_ranks *ranks, uint32_t graph_idx,
			 struct nx_arena *arena, struct nx_ntff_graph *graph);

#endif
