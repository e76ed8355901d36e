/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_chunks: an array in as many chunks as a group has members, and the ways it goes round.
 *
 * Scattering reduces: chunk i ends whole at member i. Gathering spreads: chunk i,
 * whole at member i, ends at all. The way is the call's algorithm; halving and
 * doubling want a power of two of members, KangaRing an even number.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_CHUNKS_H
#define NX_RUNTIME_NRT_RANKS_RANK_CHUNKS_H

#include "runtime/nrt/ranks/rank_collective.h"

struct nx_rank_chunks {
	const struct nx_rank_group *group;
	const struct nx_rank_collective *call;
	uint8_t *bytes;
	uint64_t element_count;
	size_t size; /* of an element */
	struct nx_error *err;
};

/* The bytes of chunks first to end - 1. */
struct nx_slice nx_rank_chunks_range(const struct nx_rank_chunks *c, uint64_t first, uint64_t end);
NX_MUST_CHECK enum nx_status nx_rank_chunks_scatter(const struct nx_rank_chunks *c);
NX_MUST_CHECK enum nx_status nx_rank_chunks_gather(const struct nx_rank_chunks *c);

#endif
