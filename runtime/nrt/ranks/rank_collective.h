/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_collective: runs a collective operation over the ranks of a group.
 *
 * Every member calls it with the same kind, sizes and algorithm. Reductions give
 * identical bits on all ranks: one rank reduces each chunk, the others copy it.
 * Input and output may be the same memory if they have the same size.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_COLLECTIVE_H
#define NX_RUNTIME_NRT_RANKS_RANK_COLLECTIVE_H

#include "format/collective.h"
#include "runtime/nrt/ranks/rank_group.h"

struct nx_rank_collective {
	int64_t kind; /* enum nx_collective_kind */
	unsigned op, dtype;
	uint64_t element_count; /* of this rank's input */
	struct nx_slice input;
	uint8_t *output;
	size_t output_len;
	uint32_t root; /* of a broadcast: index in the group */
	/* ALL_GATHER_V: elements of each member; ALL_TO_ALL_V: of member i for member j at
	 * i * count + j. */
	const uint64_t *counts;
	size_t count_count;
	/* PERMUTE, SEND_RECV: (source, target) indices; none: each to the next member. */
	const uint32_t (*pairs)[2];
	size_t pair_count;
	int64_t algorithm; /* enum nx_collective_algorithm */
};

/*
 * Checks the arguments of this rank: UNSUPPORTED for an unknown kind, type or
 * operation, MISMATCH if sizes do not fit.
 */
NX_MUST_CHECK enum nx_status nx_rank_collective_check(const struct nx_rank_group *group,
						      const struct nx_rank_collective *call,
						      struct nx_error *err);
/* Also fails as nx_rank_world_send and nx_rank_world_take do. */
NX_MUST_CHECK enum nx_status nx_rank_collective_run(const struct nx_rank_group *group,
						    const struct nx_rank_collective *call,
						    struct nx_error *err);

#endif
