/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_ranks: a loaded model as one of the ranks that run it.
 *
 * nrt_load makes it rank 0 of 1. The device passes each collective to the door, which
 * moves the data with the algorithm of runtime/timing/collective_cost.h. Times come from
 * the simulator, or from that file. All ranks begin an execution at time 0 of a shared
 * clock; a collective starts when the last rank of its group has triggered it.
 */
#ifndef NX_RUNTIME_NRT_RANKS_MODEL_RANKS_H
#define NX_RUNTIME_NRT_RANKS_MODEL_RANKS_H

#include "format/ntff.h"
#include "runtime/nrt/device_port.h"
#include "runtime/timing/collective_cost.h"

struct nx_model_ranks;

/* Where rank_count ranks run: the number of machines and the chip, which decide link speeds. */
struct nx_collective_place nx_model_ranks_place(uint32_t rank_count);

/* key identifies the model and is the same on all ranks. Fails as nx_rank_world_join, or LIMIT. */
NX_MUST_CHECK enum nx_status nx_model_ranks_open(uint32_t core, uint32_t rank, uint32_t count,
						 uint64_t key, struct nx_model_ranks **out,
						 struct nx_error *err);
/*
 * The same for a model whose data is not computed: ranks do not wait for each other, and
 * collectives happen at their simulated times. LIMIT.
 */
NX_MUST_CHECK enum nx_status nx_model_ranks_open_apart(uint32_t core, uint32_t rank, uint32_t count,
						       struct nx_model_ranks **out,
						       struct nx_error *err);
void nx_model_ranks_close(struct nx_model_ranks *ranks); /* NULL is allowed */

const struct nx_device_ranks *nx_model_ranks_door(struct nx_model_ranks *ranks);

/*
 * Waits until all ranks begin. *is_watched becomes true on all ranks if it was on any. IO or
 * CANCELLED if a rank does not arrive, MISMATCH after an earlier failure.
 */
NX_MUST_CHECK enum nx_status nx_model_ranks_begin(struct nx_model_ranks *ranks,
						  uint64_t execution_id, bool *is_watched,
						  struct nx_error *err);
/* *time_ns becomes the maximum over all ranks; all have to call it. Fails as above. */
NX_MUST_CHECK enum nx_status nx_model_ranks_latest(struct nx_model_ranks *ranks, uint64_t *time_ns,
						   struct nx_error *err);
/* Adds the collectives to run, which may end later for it; valid until the next begin. */
void nx_model_ranks_end(struct nx_model_ranks *ranks, bool has_failed, struct nx_port_run *run);

/* Operations, communicators and the latest records of a physical core, for its NTFF. */
void nx_model_ranks_fill(const struct nx_model_ranks *ranks, uint32_t graph_idx,
			 struct nx_arena *arena, struct nx_ntff_graph *graph);

#endif
