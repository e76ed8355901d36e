/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/rank_collective.h"

#include <assert.h>

#include "base/arena.h"
#include "format/instruction.h"
#include "runtime/device/alu.h"
#include "runtime/device/element.h"

#define BLOCK 512 /* elements reduced at a time */

struct running {
	const struct nx_rank_group *group;
	const struct nx_rank_collective *call;
	size_t size; /* of an element */
	struct nx_error *err;
	/* The array to scatter or gather, in as many chunks as the group has members: */
	uint8_t *bytes;
	uint64_t element_count;
};

/* --- reducing --------------------------------------------------------------------------------- */

static bool can_reduce(unsigned op, unsigned dtype)
{
	if (op != NX_ALU_OP_ADD && op != NX_ALU_OP_MULTIPLY && op != NX_ALU_OP_MAX &&
	    op != NX_ALU_OP_MIN)
		return false;
	return dtype >= NX_DTYPE_UINT64 && dtype <= NX_DTYPE_FP8E5;
}

/* Exact; wraps. */
static uint64_t combine(unsigned op, bool is_unsigned, uint64_t left, uint64_t right)
{
	bool is_less = is_unsigned ? left < right : (int64_t)left < (int64_t)right;

	switch (op) {
	case NX_ALU_OP_ADD:
		return left + right;
	case NX_ALU_OP_MULTIPLY:
		return left * right;
	case NX_ALU_OP_MAX:
		return is_less ? right : left;
	default:
		return is_less ? left : right;
	}
}

static void reduce_integers(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right,
			    size_t count)
{
	ptrdiff_t size = nx_dtype_bytes(dtype);
	int64_t a[BLOCK], b[BLOCK];

	for (size_t i = 0; i < count; i++)
		a[i] = b[i] = 0;
	nx_element_load_integer(dtype, left, size, count, a);
	nx_element_load_integer(dtype, right, size, count, b);
	for (size_t i = 0; i < count; i++)
		a[i] = (int64_t)combine(op, dtype == NX_DTYPE_UINT64, (uint64_t)a[i],
					(uint64_t)b[i]);
	nx_element_store_integer(dtype, a, count, left, size);
}

/* Floats narrower than 32 bits are computed in fp32 and rounded to nearest even after each step. */
static void reduce_floats(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right,
			  size_t count)
{
	ptrdiff_t size = nx_dtype_bytes(dtype);
	float a[BLOCK], b[BLOCK];

	nx_element_load(dtype, left, size, count, a);
	nx_element_load(dtype, right, size, count, b);
	(void)nx_alu_apply((uint8_t)op, a, b, count);
	nx_element_store(dtype, a, count, left, size);
}

/* left = left op right, element by element. */
static void reduce(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right, size_t count)
{
	size_t size = nx_dtype_bytes(dtype);

	assert(can_reduce(op, dtype));
	while (count) {
		size_t now = count < BLOCK ? count : BLOCK;

		if (nx_dtype_is_integer(dtype))
			reduce_integers(op, dtype, left, right, now);
		else
			reduce_floats(op, dtype, left, right, now);
		left += now * size;
		right += now * size;
		count -= now;
	}
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Scattering reduces chunk i into member i; gathering copies it from there to all. */

static size_t chunk_at(const struct running *c, uint64_t index)
{
	return (size_t)(c->element_count * index / c->group->count) * c->size;
}

/* The bytes of chunks first to end - 1. */
static struct nx_slice chunks(const struct running *c, uint64_t first, uint64_t end)
{
	size_t at = chunk_at(c, first);

	assert(first <= end && end <= c->group->count);
	return nx_slice_of(c->bytes + at, chunk_at(c, end) - at);
}

static enum nx_status send_chunks(const struct running *c, uint32_t to, uint32_t first,
				  uint32_t count)
{
	return nx_rank_group_send(c->group, to, chunks(c, first, first + count), c->err);
}

/* Replaces the chunks by those of another member, or reduces both into them. */
static enum nx_status take_chunks(const struct running *c, uint32_t from, uint32_t first,
				  uint32_t count, bool reduces)
{
	struct nx_slice range = chunks(c, first, first + count);
	uint8_t *into = c->bytes + chunk_at(c, first);
	struct nx_rank_message *message;
	enum nx_status st;

	if (!reduces)
		return nx_rank_group_receive(c->group, from, into, range.len, c->err);
	st = nx_rank_group_take(c->group, from, range.len, &message, c->err);
	if (st)
		return st;
	reduce(c->call->op, c->call->dtype, into, message->bytes, range.len / c->size);
	nx_rank_message_free(message);
	return NX_OK;
}

/* Members first, first + stride, ...: all of them, or every second one. */
struct ring {
	uint32_t first, stride, count, place;
};

static uint32_t ring_member(const struct ring *ring, uint32_t steps_back)
{
	uint32_t place = (ring->place + 2 * ring->count - steps_back) % ring->count;

	return ring->first + ring->stride * place;
}

/* Scattering starts one chunk further back, so that a member ends with its own chunk. */
static enum nx_status pass_ring(const struct running *c, struct ring ring, bool is_scatter)
{
	uint32_t next = ring_member(&ring, ring.count - 1), before = ring_member(&ring, 1);
	enum nx_status st = NX_OK;

	for (uint32_t step = is_scatter; step + 1 < ring.count + is_scatter && !st; step++) {
		st = send_chunks(c, next, ring_member(&ring, step), 1);
		if (!st)
			st = take_chunks(c, before, ring_member(&ring, step + 1), 1, is_scatter);
	}
	return st;
}

/* Neighbours exchange what they have of each other's half of the chunks. */
static enum nx_status swap_halves(const struct running *c, bool is_scatter)
{
	uint32_t self = c->group->index, n = c->group->count, partner = self ^ 1u;
	uint32_t out = (is_scatter ? partner : self) % 2;
	enum nx_status st = NX_OK;

	for (uint32_t i = out; i < n && !st; i += 2)
		st = send_chunks(c, partner, i, 1);
	for (uint32_t i = 1 - out; i < n && !st; i += 2)
		st = take_chunks(c, partner, i, 1, is_scatter);
	return st;
}

/* KangaRing: two rings of every second member, each half as long. Needs an even count. */
static enum nx_status pass_kangaring(const struct running *c, bool is_scatter)
{
	uint32_t self = c->group->index;
	const struct ring half = {self % 2, 2, c->group->count / 2, self / 2};
	enum nx_status st = is_scatter ? swap_halves(c, true) : NX_OK;

	assert(c->group->count % 2 == 0);
	if (!st)
		st = pass_ring(c, half, is_scatter);
	return st || is_scatter ? st : swap_halves(c, false);
}

static enum nx_status pass_mesh(const struct running *c, bool is_scatter)
{
	uint32_t n = c->group->count, self = c->group->index;
	enum nx_status st = NX_OK;

	for (uint32_t i = 1; i < n && !st; i++) {
		uint32_t to = (self + i) % n;

		st = send_chunks(c, to, is_scatter ? to : self, 1);
	}
	for (uint32_t from = 0; from < n && !st; from++)
		if (from != self)
			st = take_chunks(c, from, is_scatter ? self : from, 1, is_scatter);
	return st;
}

/* Recursive halving (scatter) or doubling (gather). Needs a power of two of members. */
static enum nx_status pass_recursive(const struct running *c, bool is_scatter)
{
	uint32_t self = c->group->index, n = c->group->count;
	enum nx_status st = NX_OK;

	assert(!(n & (n - 1)));
	for (uint32_t len = is_scatter ? n / 2 : 1; len && len < n && !st;
	     len = is_scatter ? len / 2 : len * 2) {
		uint32_t peer = self ^ len, mine = self / len * len, other = peer / len * len;

		st = send_chunks(c, peer, is_scatter ? other : mine, len);
		if (!st)
			st = take_chunks(c, peer, is_scatter ? mine : other, len, is_scatter);
	}
	return st;
}

static enum nx_status pass(const struct running *c, bool is_scatter)
{
	switch (c->call->algorithm) {
	case NX_ALGORITHM_MESH:
		return pass_mesh(c, is_scatter);
	case NX_ALGORITHM_RDH:
	case NX_ALGORITHM_RDH_NODES:
		return pass_recursive(c, is_scatter);
	case NX_ALGORITHM_KANGARING:
		return pass_kangaring(c, is_scatter);
	default:
		return pass_ring(c, (struct ring){0, 1, c->group->count, c->group->index},
				 is_scatter);
	}
}

/* --- collectives ------------------------------------------------------------------------- */

static enum nx_status all_reduce(struct running *c)
{
	enum nx_status st;

	if (c->call->input.len && c->call->output != c->call->input.data)
		memmove(c->call->output, c->call->input.data,
			(size_t)c->call->element_count * c->size);
	c->bytes = c->call->output;
	c->element_count = c->call->element_count;
	st = pass(c, true);
	return st ? st : pass(c, false);
}

static enum nx_status reduce_scatter(struct running *c)
{
	size_t len = (size_t)c->call->element_count * c->size;
	uint8_t *copy = nx_heap_try_alloc(len + 1);
	struct nx_slice mine;
	enum nx_status st;

	if (!copy)
		return nx_fail(c->err, NX_LIMIT, "out of memory for %zu bytes to reduce", len);
	if (len)
		memcpy(copy, c->call->input.data, len);
	c->bytes = copy;
	c->element_count = c->call->element_count;
	st = pass(c, true);
	mine = chunks(c, c->group->index, c->group->index + 1);
	if (!st && mine.len)
		memcpy(c->call->output, mine.data, mine.len);
	nx_heap_free(copy);
	return st;
}

static enum nx_status all_gather(struct running *c)
{
	size_t len = (size_t)c->call->element_count * c->size;

	c->bytes = c->call->output;
	c->element_count = c->call->element_count * c->group->count;
	if (len)
		memmove(c->bytes + len * c->group->index, c->call->input.data, len);
	return pass(c, false);
}

/* Elements that one member sends another when all exchange pieces of any length. */
static uint64_t piece_count(const struct running *c, uint32_t from, uint32_t to)
{
	switch (c->call->kind) {
	case NX_COLLECTIVE_ALL_GATHER_V:
		return c->call->counts[from];
	case NX_COLLECTIVE_ALL_TO_ALL_V:
		return c->call->counts[(size_t)from * c->group->count + to];
	default:
		return c->call->element_count / c->group->count;
	}
}

/* Offset of the piece for a peer (incoming: from a peer), in elements. */
static uint64_t piece_at(const struct running *c, uint32_t peer, bool is_incoming)
{
	uint64_t at = 0;

	if (!is_incoming && c->call->kind == NX_COLLECTIVE_ALL_GATHER_V)
		return 0;
	for (uint32_t i = 0; i < peer; i++)
		at += is_incoming ? piece_count(c, i, c->group->index)
				  : piece_count(c, c->group->index, i);
	return at;
}

static enum nx_status exchange(struct running *c)
{
	uint32_t n = c->group->count, self = c->group->index;
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < n && !st; i++) {
		uint32_t to = (self + i) % n;

		st = nx_rank_group_send(c->group, to,
					nx_slice_part(c->call->input,
						      piece_at(c, to, false) * c->size,
						      piece_count(c, self, to) * c->size),
					c->err);
	}
	for (uint32_t from = 0; from < n && !st; from++)
		st = nx_rank_group_receive(c->group, from,
					   c->call->output + piece_at(c, from, true) * c->size,
					   (size_t)(piece_count(c, from, self) * c->size), c->err);
	return st;
}

static enum nx_status permute(struct running *c)
{
	uint32_t n = c->group->count, self = c->group->index;
	const uint32_t next[1][2] = {{self, (self + 1) % n}},
		       before[1][2] = {{(self + n - 1) % n, self}};
	size_t count = c->call->pair_count ? c->call->pair_count : 1;
	size_t len = (size_t)c->call->element_count * c->size;
	bool is_target = false;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < count && !st; i++) {
		const uint32_t *pair = c->call->pair_count ? c->call->pairs[i] : next[0];

		if (pair[0] == self)
			st = nx_rank_group_send(c->group, pair[1],
						nx_slice_part(c->call->input, 0, len), c->err);
	}
	for (size_t i = 0; i < count && !st; i++) {
		const uint32_t *pair = c->call->pair_count ? c->call->pairs[i] : before[0];

		if (pair[1] != self)
			continue;
		is_target = true;
		st = nx_rank_group_receive(c->group, pair[0], c->call->output, len, c->err);
	}
	/* A rank that receives nothing gets zeros, as XLA defines. */
	if (!st && !is_target && len)
		memset(c->call->output, 0, len);
	return st;
}

/* A binary tree: in each round every member that has the data passes it on. */
static enum nx_status broadcast(struct running *c)
{
	uint32_t n = c->group->count;
	uint32_t place = (c->group->index + n - c->call->root) % n;
	size_t len = (size_t)c->call->element_count * c->size;
	enum nx_status st = NX_OK;

	if (place == 0 && len)
		memmove(c->call->output, c->call->input.data, len);
	for (uint32_t far = 1; far < n && !st; far *= 2)
		if (place < far && place + far < n)
			st = nx_rank_group_send(c->group, (c->group->index + far) % n,
						nx_slice_of(c->call->output, len), c->err);
		else if (place >= far && place < 2 * far)
			st = nx_rank_group_receive(c->group, (c->group->index + n - far) % n,
						   c->call->output, len, c->err);
	return st;
}

/* --- checks -------------------------------------------------------------------------------- */

static enum nx_status check_algorithm(const struct nx_rank_group *group,
				      const struct nx_rank_collective *call, struct nx_error *err)
{
	bool is_power = !(group->count & (group->count - 1));

	if (((call->algorithm == NX_ALGORITHM_RDH || call->algorithm == NX_ALGORITHM_RDH_NODES) &&
	     !is_power && call->kind != NX_COLLECTIVE_BROADCAST) ||
	    (call->algorithm == NX_ALGORITHM_KANGARING && group->count % 2))
		return nx_fail(err, NX_UNSUPPORTED, "%s does not work for %u ranks",
			       nx_collective_algorithm_name(call->algorithm), group->count);
	return NX_OK;
}

static enum nx_status check_counts(const struct nx_rank_group *group,
				   const struct nx_rank_collective *call, struct nx_error *err)
{
	bool is_gather = call->kind == NX_COLLECTIVE_ALL_GATHER_V;
	size_t wanted = is_gather ? group->count : (size_t)group->count * group->count;

	if (call->count_count != wanted)
		return nx_fail(err, NX_MISMATCH, "%s of %u ranks needs %zu counts, not %zu",
			       nx_collective_kind_name(call->kind), group->count, wanted,
			       call->count_count);
	for (size_t i = 0; i < wanted; i++)
		if (call->counts[i] > NX_RANK_MESSAGE_MAX)
			return nx_fail(err, NX_LIMIT, "%llu elements are too many for one rank",
				       (unsigned long long)call->counts[i]);
	return NX_OK;
}

/* Elements that the rank reads and writes. */
static void measure(const struct nx_rank_group *group, const struct nx_rank_collective *call,
		    uint64_t *in, uint64_t *out)
{
	uint32_t n = group->count;

	*in = call->element_count;
	*out = nx_collective_output_count(call->kind, call->element_count, n);
	if (call->kind == NX_COLLECTIVE_ALL_GATHER_V) {
		*in = call->counts[group->index];
		*out = 0;
		for (uint32_t i = 0; i < n; i++)
			*out += call->counts[i];
	} else if (call->kind == NX_COLLECTIVE_ALL_TO_ALL_V) {
		*in = *out = 0;
		for (uint32_t i = 0; i < n; i++) {
			*in += call->counts[(size_t)group->index * n + i];
			*out += call->counts[(size_t)i * n + group->index];
		}
	}
}

static enum nx_status check_sizes(const struct nx_rank_group *group,
				  const struct nx_rank_collective *call, struct nx_error *err)
{
	uint64_t in, out, size = nx_dtype_bytes(call->dtype);
	bool is_cut = call->kind == NX_COLLECTIVE_REDUCE_SCATTER ||
		      call->kind == NX_COLLECTIVE_ALL_TO_ALL;

	measure(group, call, &in, &out);
	if (is_cut && call->element_count % group->count)
		return nx_fail(err, NX_MISMATCH, "%llu elements cannot be divided among %u ranks",
			       (unsigned long long)call->element_count, group->count);
	if (in > call->input.len / size || out > call->output_len / size)
		return nx_fail(err, NX_MISMATCH,
			       "%s reads %llu elements of %llu bytes and writes %llu; its tensors "
			       "have %zu and %zu bytes",
			       nx_collective_kind_name(call->kind), (unsigned long long)in,
			       (unsigned long long)size, (unsigned long long)out, call->input.len,
			       call->output_len);
	return NX_OK;
}

static enum nx_status check_pairs(const struct nx_rank_group *group,
				  const struct nx_rank_collective *call, struct nx_error *err)
{
	for (size_t i = 0; i < call->pair_count; i++)
		if (call->pairs[i][0] >= group->count || call->pairs[i][1] >= group->count)
			return nx_fail(err, NX_FORMAT,
				       "a pair connects rank %u to rank %u, but there are %u",
				       call->pairs[i][0], call->pairs[i][1], group->count);
	if (call->root >= group->count)
		return nx_fail(err, NX_FORMAT, "rank %u cannot broadcast: the group has %u ranks",
			       call->root, group->count);
	return NX_OK;
}

enum nx_status nx_rank_collective_check(const struct nx_rank_group *group,
					const struct nx_rank_collective *call, struct nx_error *err)
{
	bool is_reduced = call->kind == NX_COLLECTIVE_ALL_REDUCE ||
			  call->kind == NX_COLLECTIVE_REDUCE_SCATTER;
	enum nx_status st = NX_OK;

	if (!nx_collective_kind_name(call->kind))
		return nx_fail(err, NX_UNSUPPORTED, "unknown collective kind %lld",
			       (long long)call->kind);
	if (!nx_dtype_bytes(call->dtype) || (is_reduced && !can_reduce(call->op, call->dtype)))
		return nx_fail(err, NX_UNSUPPORTED, "%s does not support operation %u on type %u",
			       nx_collective_kind_name(call->kind), call->op, call->dtype);
	if (call->kind == NX_COLLECTIVE_ALL_GATHER_V || call->kind == NX_COLLECTIVE_ALL_TO_ALL_V)
		st = check_counts(group, call, err);
	if (!st)
		st = check_pairs(group, call, err);
	if (!st)
		st = check_algorithm(group, call, err);
	return st ? st : check_sizes(group, call, err);
}

enum nx_status nx_rank_collective_run(const struct nx_rank_group *group,
				      const struct nx_rank_collective *call, struct nx_error *err)
{
	struct running c = {.group = group, .call = call, .err = err};
	enum nx_status st = nx_rank_collective_check(group, call, err);

	if (st)
		return st;
	assert(group->count > 0 && group->index < group->count);
	c.size = nx_dtype_bytes(call->dtype);
	switch (call->kind) {
	case NX_COLLECTIVE_ALL_REDUCE:
		return all_reduce(&c);
	case NX_COLLECTIVE_REDUCE_SCATTER:
		return reduce_scatter(&c);
	case NX_COLLECTIVE_ALL_GATHER:
		return all_gather(&c);
	case NX_COLLECTIVE_PERMUTE:
	case NX_COLLECTIVE_SEND_RECV:
		return permute(&c);
	case NX_COLLECTIVE_BROADCAST:
		return broadcast(&c);
	default:
		return exchange(&c);
	}
}
