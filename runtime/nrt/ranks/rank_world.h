/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_world: the ranks of a job, and messages between them.
 *
 * A rank is a core that takes part in collectives. Ranks of this process are its
 * threads. Other processes and machines are reached over TCP through the process
 * of rank 0, which listens at NEURON_RT_ROOT_COMM_ID ("host:port"). Without that
 * variable all ranks are in this process.
 *
 *	struct nx_rank_world *world;
 *	if (nx_rank_world_join(rank, count, &world, &err)) ...
 *	uint64_t tag = nx_rank_world_tag(world, rank, key);
 *	if (nx_rank_world_send(world, rank, peer, tag, bytes, &err)) ...
 *	if (nx_rank_world_take(world, rank, peer, tag, &message, &err)) ...
 *	nx_rank_message_free(message);
 *	nx_rank_world_leave(world, rank);
 *
 * Joining does not wait. Sending waits until the receiver has joined, taking until
 * the message has arrived. Messages with the same sender and tag keep their order.
 * Waiting ends after NEURON_RT_EXEC_TIMEOUT seconds (30 by default), or when the
 * process of the other rank ends. A world exists until nx_rank_worlds_end, so
 * messages can be taken after their sender has left.
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

/* USAGE for a rank that is not below count, or a wrong NEURON_RT_ROOT_COMM_ID; LIMIT. */
NX_MUST_CHECK enum nx_status nx_rank_world_join(uint32_t rank, uint32_t count,
						struct nx_rank_world **out, struct nx_error *err);
void nx_rank_world_leave(struct nx_rank_world *world, uint32_t rank); /* NULL is allowed */

uint32_t nx_rank_world_count(const struct nx_rank_world *world);

/* The n-th call of a rank with a key returns the same tag as the n-th call of any other rank. */
uint64_t nx_rank_world_tag(struct nx_rank_world *world, uint32_t rank, uint64_t key);

/* IO if the receiver's process has ended, CANCELLED if it did not join in time. */
NX_MUST_CHECK enum nx_status nx_rank_world_send(struct nx_rank_world *world, uint32_t from,
						uint32_t to, uint64_t tag, struct nx_slice bytes,
						struct nx_error *err);
/* The same for the sender; the caller frees the message. */
NX_MUST_CHECK enum nx_status nx_rank_world_take(struct nx_rank_world *world, uint32_t rank,
						uint32_t from, uint64_t tag,
						struct nx_rank_message **out, struct nx_error *err);
void nx_rank_message_free(struct nx_rank_message *message); /* NULL is allowed */

/*
 * Call it when no rank is inside a call. The process of rank 0 waits here, up to the timeout,
 * until the ranks of other processes have left, as their messages pass through it.
 */
void nx_rank_worlds_end(void);
/* In the child after a fork: forgets the worlds, which are the parent's. */
void nx_rank_worlds_abandon(void);

#endif
