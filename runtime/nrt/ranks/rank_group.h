/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_group: a subset of a world's ranks, as seen by one of them.
 *
 * Members are identified by their index in the group. All of them must create the group
 * with the same list and key, and equally often, so that their messages match. It
 * borrows members and world.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_GROUP_H
#define NX_RUNTIME_NRT_RANKS_RANK_GROUP_H

#include "runtime/nrt/ranks/rank_world.h"

struct nx_rank_group {
	struct nx_rank_world *world;
	const uint32_t *members; /* ranks; NULL: all ranks of the world */
	uint32_t count;
	uint32_t index; /* of this rank in the group */
	uint64_t tag;
	uint32_t core;	/* for trace events */
	bool is_traced; /* whether nx_rank_group_meet is traced */
};

/* MISMATCH if the rank is not a member, FORMAT if a member is not a rank of the world. */
NX_MUST_CHECK enum nx_status nx_rank_group_init(struct nx_rank_group *group,
						struct nx_rank_world *world, uint32_t rank,
						const uint32_t *members, uint32_t count,
						uint64_t key, struct nx_error *err);

static inline uint32_t nx_rank_group_rank(const struct nx_rank_group *group, uint32_t index)
{
	return group->members ? group->members[index] : index;
}

NX_MUST_CHECK enum nx_status nx_rank_group_send(const struct nx_rank_group *group, uint32_t to,
						struct nx_slice bytes, struct nx_error *err);
/* Receives exactly len bytes; MISMATCH if the other rank sent more or fewer. */
NX_MUST_CHECK enum nx_status nx_rank_group_receive(const struct nx_rank_group *group, uint32_t from,
						   void *out, size_t len, struct nx_error *err);
/* The same without a copy: the caller frees the message. */
NX_MUST_CHECK enum nx_status nx_rank_group_take(const struct nx_rank_group *group, uint32_t from,
						size_t len, struct nx_rank_message **out,
						struct nx_error *err);

/*
 * A barrier: returns when all members have called it. *largest becomes the maximum over all
 * members. Traced as enc_barrier, with a send and a receive per peer.
 */
NX_MUST_CHECK enum nx_status nx_rank_group_meet(const struct nx_rank_group *group,
						uint64_t execution_id, uint64_t *largest,
						struct nx_error *err);

#endif
