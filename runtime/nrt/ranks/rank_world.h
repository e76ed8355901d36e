/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_world: the ranks of a job, and bytes from one to another.
 *
 * A rank is a core that takes part in collectives. Those of this process are
 * threads of it; those of other processes and machines are reached over TCP, by
 * way of the process of rank 0, when NEURON_RT_ROOT_COMM_ID ("host:port") says
 * where that one listens. Without the variable all ranks are here.
 *
 *	struct nx_rank_world *world;
 *	if (nx_rank_world_join(rank, count, &world, &err)) ...
 *	uint64_t tag = nx_rank_world_tag(world, rank, key);
 *	if (nx_rank_world_send(world, rank, peer, tag, bytes, &err)) ...
 *	if (nx_rank_world_take(world, rank, peer, tag, &message, &err)) ...
 *	nx_rank_message_free(message);
 *	nx_rank_world_leave(world, rank);
 *
 * Joining does not wait; sending waits until the receiver has joined, taking
 * until the message is there. Messages of one sender and one tag keep their
 * order. Nobody waits for ever: NEURON_RT_EXEC_TIMEOUT seconds (30 unless set),
 * or until the process of the other rank is gone. A world is kept until
 * nx_rank_worlds_end, so that what was sent can still be taken.
 */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_WORLD_H
#define NX_RUNTIME_NRT_RANKS_RANK_WORLD_H

#include "base/bare/slice.h"
#include "base/error.h"

#define NX_RANK_MAX 4096u
#define NX_RANK_MESSAGE_MAX (UINT64_C(4) << 30)

struct nx_rank_world;

struct nx_rank_message {
	struct nx_rank_message *next;
	uint32_t from;
	uint64_t tag;
	size_t len;
	uint8_t bytes[];
};

/* USAGE for a rank outside of the count or a wrong NEURON_RT_ROOT_COMM_ID, LIMIT. */
NX_MUST_CHECK enum nx_status nx_rank_world_join(uint32_t rank, uint32_t count,
						struct nx_rank_world **out, struct nx_error *err);
void nx_rank_world_leave(struct nx_rank_world *world, uint32_t rank); /* NULL is allowed */

uint32_t nx_rank_world_count(const struct nx_rank_world *world);

/* The n-th asking of a rank with a key gives the same number as the n-th of any other. */
uint64_t nx_rank_world_tag(struct nx_rank_world *world, uint32_t rank, uint64_t key);

/* IO when the receiver is gone, CANCELLED when it did not come in time. */
NX_MUST_CHECK enum nx_status nx_rank_world_send(struct nx_rank_world *world, uint32_t from,
						uint32_t to, uint64_t tag, struct nx_slice bytes,
						struct nx_error *err);
/* The same; the message is the caller's. */
NX_MUST_CHECK enum nx_status nx_rank_world_take(struct nx_rank_world *world, uint32_t rank,
						uint32_t from, uint64_t tag,
						struct nx_rank_message **out, struct nx_error *err);
void nx_rank_message_free(struct nx_rank_message *message); /* NULL is allowed */

/*
 * No rank may be in a call any more. The process of rank 0 waits here until the ranks of the
 * others have left, as long as any wait lasts: their messages go through it.
 */
void nx_rank_worlds_end(void);
/* In the child of a fork: its parent's worlds are not its own. */
void nx_rank_worlds_abandon(void);

#endif
