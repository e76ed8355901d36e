/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_hang: the collective at which the ranks of a job part, and who is missing.
 *
 * Before a collective all ranks meet in a barrier. A rank that hangs elsewhere never enters it, and
 * the others wait in it until the profile ends. Barriers are numbered in each rank, so the first
 * one that is never left, and the ranks that did not enter it, are found without a common clock.
 */
#ifndef NX_ANALYSE_RANK_HANG_H
#define NX_ANALYSE_RANK_HANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct nx_rank_barrier { /* one rank in one barrier */
	uint64_t rank;
	uint64_t number;    /* of the barrier in its rank, from 1 */
	uint64_t execution; /* that it belongs to; 0: a call of nrt_barrier */
	uint64_t start_ns, end_ns;
	bool is_open; /* the rank had not left it when its profile ended */
};

struct nx_rank_place { /* how far a rank came */
	uint64_t rank;
	struct nx_rank_barrier last;
	bool is_known; /* false: only others mention it */
};

/* A zeroed struct is valid. */
struct nx_rank_hang {
	NX_VEC(struct nx_rank_place) ranks;
	struct nx_map index; /* by rank */
	uint64_t longest_ns; /* of the barriers that ended */
	bool is_reported;    /* by the ranks themselves, so that any long wait counts */
	uint64_t last_ns;    /* end of the latest barrier, open or not */
};

void nx_rank_hang_add(struct nx_rank_hang *hang, const struct nx_rank_barrier *barrier);
/* A rank sends to this one or receives from it: it exists, though it may have left no profile. */
void nx_rank_hang_mention(struct nx_rank_hang *hang, uint64_t rank);

/*
 * Writes sentences: where the ranks part, who waits, who is missing. False if no rank waits much
 * longer than barriers usually take; then there is no text.
 */
bool nx_rank_hang_describe(const struct nx_rank_hang *hang, char *text, size_t cap);
void nx_rank_hang_release(struct nx_rank_hang *hang);

#endif
