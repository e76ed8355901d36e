/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_group: some ranks of a world, as one of them sees the others.
 *
 * Members are told by their place in the group, from 0. All members make the
 * group with the same list and key, and as often as each other: what they send
 * then meets, and never what belongs to another group. The caller's struct;
 * members are borrowed, and so is the world.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_GROUP_H
#define NX_RUNTIME_NRT_RANKS_RANK_GROUP_H

#include "runtime/nrt/ranks/rank_world.h"

struct nx_rank_group {
	struct nx_rank_world *world;
	const uint32_t *members; /* ranks; NULL: all of the world */
	uint32_t count;
	uint32_t index; /* of this rank among them */
	uint64_t tag;
	uint32_t core;	/* for events, */
	bool is_traced; /* if any */
};

/* MISMATCH when the rank is no member, FORMAT when a member is no rank of the world. */
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
/* As many bytes as were asked for; MISMATCH when the other sent more or fewer. */
NX_MUST_CHECK enum nx_status nx_rank_group_receive(const struct nx_rank_group *group, uint32_t from,
						   void *out, size_t len, struct nx_error *err);
/* The same, as the message itself. */
NX_MUST_CHECK enum nx_status nx_rank_group_take(const struct nx_rank_group *group, uint32_t from,
						size_t len, struct nx_rank_message **out,
						struct nx_error *err);

/*
 * Returns when all members have come, on each with the largest of their numbers.
 * May be traced as enc_barrier, with a send and a receive for each peer it talks to.
 */
NX_MUST_CHECK enum nx_status nx_rank_group_meet(const struct nx_rank_group *group,
						uint64_t execution_id, uint64_t *largest,
						struct nx_error *err);

#endif
