/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/rank_group.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/bare/bits.h"
#include "base/map.h"
#include "runtime/trace/tracer.h"

enum nx_status nx_rank_group_init(struct nx_rank_group *group, struct nx_rank_world *world,
				  uint32_t rank, const uint32_t *members, uint32_t count,
				  uint64_t key, struct nx_error *err)
{
	uint64_t hash = nx_hash_words((const uint64_t[]){key, count}, 2);
	uint32_t found = members ? count : rank;

	assert(count > 0);
	for (uint32_t i = 0; members && i < count; i++) {
		if (members[i] >= nx_rank_world_count(world))
			return nx_fail(
				err, NX_FORMAT,
				"a replica group names rank %u, but only %u ranks are loaded; "
				"load as many as the NEFF was compiled for",
				members[i], nx_rank_world_count(world));
		if (members[i] == rank)
			found = i;
		hash = nx_hash_words((const uint64_t[]){hash, members[i]}, 2);
	}
	if (found >= count)
		return nx_fail(err, NX_MISMATCH, "rank %u is not in any replica group", rank);
	*group = (struct nx_rank_group){.world = world,
					.members = members,
					.count = count,
					.index = found,
					.tag = nx_rank_world_tag(world, rank, hash)};
	return NX_OK;
}

enum nx_status nx_rank_group_send(const struct nx_rank_group *group, uint32_t to,
				  struct nx_slice bytes, struct nx_error *err)
{
	assert(to < group->count);
	return nx_rank_world_send(group->world, nx_rank_group_rank(group, group->index),
				  nx_rank_group_rank(group, to), group->tag, bytes, err);
}

enum nx_status nx_rank_group_take(const struct nx_rank_group *group, uint32_t from, size_t len,
				  struct nx_rank_message **out, struct nx_error *err)
{
	enum nx_status st =
		nx_rank_world_take(group->world, nx_rank_group_rank(group, group->index),
				   nx_rank_group_rank(group, from), group->tag, out, err);

	if (st || (*out)->len == len)
		return st;
	st = nx_fail(err, NX_MISMATCH,
		     "rank %u sent %zu bytes where rank %u expects %zu; all ranks have to run the "
		     "same operation with the same sizes",
		     nx_rank_group_rank(group, from), (*out)->len,
		     nx_rank_group_rank(group, group->index), len);
	nx_rank_message_free(*out);
	*out = NULL;
	return st;
}

enum nx_status nx_rank_group_receive(const struct nx_rank_group *group, uint32_t from, void *out,
				     size_t len, struct nx_error *err)
{
	struct nx_rank_message *message = NULL;
	enum nx_status st = nx_rank_group_take(group, from, len, &message, err);

	if (st || !message)
		return st;
	if (len)
		memcpy(out, message->bytes, len);
	nx_rank_message_free(message);
	return NX_OK;
}

struct meeting {
	const struct nx_rank_group *group;
	uint64_t execution_id;
	uint64_t *largest;
	struct nx_error *err;
};

/* Sends the largest number so far to a peer, or takes the peer's. */
static enum nx_status exchange(const struct meeting *m, uint32_t peer, bool is_send)
{
	const struct nx_rank_group *group = m->group;
	unsigned type = is_send ? NX_TRACE_ENC_BARRIER_SEND : NX_TRACE_ENC_BARRIER_RECV;
	uint64_t span = 0, received = 0;
	enum nx_status st;

	assert(peer < group->count);
	if (group->is_traced)
		span = nx_trace_start(group->core, type, nx_rank_group_rank(group, peer),
				      m->execution_id, nx_rank_group_rank(group, group->index), 0);
	if (is_send)
		st = nx_rank_group_send(group, peer, nx_slice_of(m->largest, 8), m->err);
	else
		st = nx_rank_group_receive(group, peer, &received, sizeof(received), m->err);
	if (received > *m->largest)
		*m->largest = received;
	nx_trace_stop(group->core, type, span, 0, 0, 0, 0);
	return st;
}

/* Numbers the barriers of a core, traced or not, so that the numbers of all ranks agree. */
static uint64_t next_barrier(uint32_t core)
{
	static _Atomic uint64_t counts[NX_TRACE_MAX_CORES];

	return atomic_fetch_add_explicit(&counts[core % NX_TRACE_MAX_CORES], 1,
					 memory_order_relaxed) +
	       1;
}

/* In round k each member tells the one 2^k places further what it knows from earlier rounds. */
enum nx_status nx_rank_group_meet(const struct nx_rank_group *group, uint64_t execution_id,
				  uint64_t *largest, struct nx_error *err)
{
	const struct meeting m = {group, execution_id, largest, err};
	uint64_t span = !group->is_traced
				? 0
				: nx_trace_start(group->core, NX_TRACE_ENC_BARRIER,
						 next_barrier(group->core), execution_id,
						 nx_rank_group_rank(group, group->index), 0);
	enum nx_status st = NX_OK;

	for (uint64_t step = 1; step < group->count && !st; step *= 2) {
		uint32_t n = group->count, far = (uint32_t)step;

		st = exchange(&m, (group->index + far) % n, true);
		if (!st)
			st = exchange(&m, (group->index + n - far) % n, false);
	}
	nx_trace_stop(group->core, NX_TRACE_ENC_BARRIER, span, 0, 0, 0, 0);
	return st;
}
