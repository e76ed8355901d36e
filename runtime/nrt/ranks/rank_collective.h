/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_collective: a collective as the ranks of a group carry it out.
 *
 * Every member calls with the same kind, sizes and algorithm. Reductions give
 * the same bits on all ranks: each chunk is summed up by one of them and then
 * copied. Input and output may be the same memory where both have one size.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_COLLECTIVE_H
#define NX_RUNTIME_NRT_RANKS_RANK_COLLECTIVE_H

#include "format/collective.h"
#include "runtime/nrt/ranks/rank_group.h"

struct nx_rank_collective {
	int64_t kind; /* enum nx_collective_kind */
	unsigned op, dtype;
	uint64_t element_count; /* that this rank puts in */
	struct nx_slice input;
	uint8_t *output;
	size_t output_len;
	uint32_t root; /* of a broadcast, in the group */
	/* ALL_GATHER_V: elements of each member; ALL_TO_ALL_V: of member i for member j at
	 * i * count + j. */
	const uint64_t *counts;
	size_t count_count;
	/* PERMUTE, SEND_RECV: (source, target), members; none: each to the next one. */
	const uint32_t (*pairs)[2];
	size_t pair_count;
	int64_t algorithm; /* enum nx_collective_algorithm */
};

/*
 * What this rank has to bring; UNSUPPORTED for a kind, type or operation that is
 * not known, MISMATCH when sizes do not fit.
 */
NX_MUST_CHECK enum nx_status nx_rank_collective_check(const struct nx_rank_group *group,
						      const struct nx_rank_collective *call,
						      struct nx_error *err);
/* The same, and all that sending and taking may fail with. */
NX_MUST_CHECK enum nx_status nx_rank_collective_run(const struct nx_rank_group *group,
						    const struct nx_rank_collective *call,
						    struct nx_error *err);

#endif
