/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/rank_chunks.h"

#include "runtime/nrt/ranks/reduce.h"

static size_t chunk_at(const struct nx_rank_chunks *c, uint64_t index)
{
	return (size_t)(c->element_count * index / c->group->count) * c->size;
}

struct nx_slice nx_rank_chunks_range(const struct nx_rank_chunks *c, uint64_t first, uint64_t end)
{
	size_t at = chunk_at(c, first);

	return nx_slice_of(c->bytes + at, chunk_at(c, end) - at);
}

static enum nx_status send_range(const struct nx_rank_chunks *c, uint32_t to, uint32_t first,
				 uint32_t end)
{
	return nx_rank_group_send(c->group, to, nx_rank_chunks_range(c, first, end), c->err);
}

static enum nx_status receive_range(const struct nx_rank_chunks *c, uint32_t from, uint32_t first,
				    uint32_t end)
{
	struct nx_slice range = nx_rank_chunks_range(c, first, end);

	return nx_rank_group_receive(c->group, from, c->bytes + chunk_at(c, first), range.len,
				     c->err);
}

static enum nx_status reduce_range(const struct nx_rank_chunks *c, uint32_t from, uint32_t first,
				   uint32_t end)
{
	struct nx_slice range = nx_rank_chunks_range(c, first, end);
	struct nx_rank_message *message;
	enum nx_status st = nx_rank_group_take(c->group, from, range.len, &message, c->err);

	if (st)
		return st;
	nx_reduce(c->call->op, c->call->dtype, c->bytes + chunk_at(c, first), message->bytes,
		  range.len / c->size);
	nx_rank_message_free(message);
	return NX_OK;
}

/* --- rings ------------------------------------------------------------------------------- */

/* Members first, first + stride, ...: all of them, or every second one. */
struct ring {
	uint32_t first, stride, count, place;
};

static uint32_t ring_member(const struct ring *ring, uint32_t steps_back)
{
	uint32_t place = (ring->place + 2 * ring->count - steps_back) % ring->count;

	return ring->first + ring->stride * place;
}

static enum nx_status ring_scatter(const struct nx_rank_chunks *c, const struct ring *ring)
{
	uint32_t next = ring_member(ring, ring->count - 1), before = ring_member(ring, 1);
	enum nx_status st = NX_OK;

	for (uint32_t step = 1; step < ring->count && !st; step++) {
		uint32_t out = ring_member(ring, step), in = ring_member(ring, step + 1);

		st = send_range(c, next, out, out + 1);
		if (!st)
			st = reduce_range(c, before, in, in + 1);
	}
	return st;
}

static enum nx_status ring_gather(const struct nx_rank_chunks *c, const struct ring *ring)
{
	uint32_t next = ring_member(ring, ring->count - 1), before = ring_member(ring, 1);
	enum nx_status st = NX_OK;

	for (uint32_t step = 0; step + 1 < ring->count && !st; step++) {
		uint32_t out = ring_member(ring, step), in = ring_member(ring, step + 1);

		st = send_range(c, next, out, out + 1);
		if (!st)
			st = receive_range(c, before, in, in + 1);
	}
	return st;
}

static struct ring whole_ring(const struct nx_rank_chunks *c)
{
	return (struct ring){0, 1, c->group->count, c->group->index};
}

/* Every second member, among which this one is. */
static struct ring half_ring(const struct nx_rank_chunks *c)
{
	return (struct ring){c->group->index % 2, 2, c->group->count / 2, c->group->index / 2};
}

/* Neighbours first share what they have of each other's half, then the two rings go half as far. */
static enum nx_status kangaroo_scatter(const struct nx_rank_chunks *c)
{
	const struct ring ring = half_ring(c);
	uint32_t partner = c->group->index ^ 1u, n = c->group->count;
	enum nx_status st = NX_OK;

	for (uint32_t i = partner % 2; i < n && !st; i += 2)
		st = send_range(c, partner, i, i + 1);
	for (uint32_t i = ring.first; i < n && !st; i += 2)
		st = reduce_range(c, partner, i, i + 1);
	return st ? st : ring_scatter(c, &ring);
}

static enum nx_status kangaroo_gather(const struct nx_rank_chunks *c)
{
	const struct ring ring = half_ring(c);
	uint32_t partner = c->group->index ^ 1u, n = c->group->count;
	enum nx_status st = ring_gather(c, &ring);

	for (uint32_t i = ring.first; i < n && !st; i += 2)
		st = send_range(c, partner, i, i + 1);
	for (uint32_t i = partner % 2; i < n && !st; i += 2)
		st = receive_range(c, partner, i, i + 1);
	return st;
}

/* --- meshes ------------------------------------------------------------------------------- */

static enum nx_status mesh_scatter(const struct nx_rank_chunks *c)
{
	uint32_t n = c->group->count, self = c->group->index;
	enum nx_status st = NX_OK;

	for (uint32_t i = 1; i < n && !st; i++)
		st = send_range(c, (self + i) % n, (self + i) % n, (self + i) % n + 1);
	for (uint32_t from = 0; from < n && !st; from++)
		if (from != self)
			st = reduce_range(c, from, self, self + 1);
	return st;
}

static enum nx_status mesh_gather(const struct nx_rank_chunks *c)
{
	uint32_t n = c->group->count, self = c->group->index;
	enum nx_status st = NX_OK;

	for (uint32_t i = 1; i < n && !st; i++)
		st = send_range(c, (self + i) % n, self, self + 1);
	for (uint32_t from = 0; from < n && !st; from++)
		if (from != self)
			st = receive_range(c, from, from, from + 1);
	return st;
}

/* --- halving and doubling ------------------------------------------------------------------ */

static enum nx_status halve_scatter(const struct nx_rank_chunks *c)
{
	uint32_t self = c->group->index, first = 0, half = c->group->count / 2;
	enum nx_status st = NX_OK;

	for (; half && !st; half /= 2) {
		uint32_t middle = first + half, end = middle + half, peer = self ^ half;
		bool is_low = !(self & half);

		st = send_range(c, peer, is_low ? middle : first, is_low ? end : middle);
		if (!st)
			st = reduce_range(c, peer, is_low ? first : middle, is_low ? middle : end);
		first = is_low ? first : middle;
	}
	return st;
}

static enum nx_status double_gather(const struct nx_rank_chunks *c)
{
	uint32_t self = c->group->index, n = c->group->count;
	enum nx_status st = NX_OK;

	for (uint32_t len = 1; len < n && !st; len *= 2) {
		uint32_t peer = self ^ len, mine = self / len * len, other = peer / len * len;

		st = send_range(c, peer, mine, mine + len);
		if (!st)
			st = receive_range(c, peer, other, other + len);
	}
	return st;
}

/* --- by algorithm --------------------------------------------------------------------------- */

enum nx_status nx_rank_chunks_scatter(const struct nx_rank_chunks *c)
{
	struct ring ring = whole_ring(c);

	switch (c->call->algorithm) {
	case NX_ALGORITHM_MESH:
		return mesh_scatter(c);
	case NX_ALGORITHM_RDH:
	case NX_ALGORITHM_RDH_NODES:
		return halve_scatter(c);
	case NX_ALGORITHM_KANGARING:
		return kangaroo_scatter(c);
	default:
		return ring_scatter(c, &ring);
	}
}

enum nx_status nx_rank_chunks_gather(const struct nx_rank_chunks *c)
{
	struct ring ring = whole_ring(c);

	switch (c->call->algorithm) {
	case NX_ALGORITHM_MESH:
		return mesh_gather(c);
	case NX_ALGORITHM_RDH:
	case NX_ALGORITHM_RDH_NODES:
		return double_gather(c);
	case NX_ALGORITHM_KANGARING:
		return kangaroo_gather(c);
	default:
		return ring_gather(c, &ring);
	}
}
