/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/rank_collective.h"

#include "base/arena.h"
#include "format/instruction.h"
#include "runtime/nrt/ranks/rank_chunks.h"
#include "runtime/nrt/ranks/reduce.h"

static enum nx_status all_reduce(struct nx_rank_chunks *c)
{
	enum nx_status st;

	if (c->call->input.len && c->call->output != c->call->input.data)
		memmove(c->call->output, c->call->input.data,
			(size_t)c->call->element_count * c->size);
	c->bytes = c->call->output;
	c->element_count = c->call->element_count;
	st = nx_rank_chunks_scatter(c);
	return st ? st : nx_rank_chunks_gather(c);
}

static enum nx_status reduce_scatter(struct nx_rank_chunks *c)
{
	size_t len = (size_t)c->call->element_count * c->size;
	uint8_t *copy = nx_heap_try_alloc(len + 1);
	struct nx_slice mine;
	enum nx_status st;

	if (!copy)
		return nx_fail(c->err, NX_LIMIT, "no memory for %zu bytes to reduce", len);
	if (len)
		memcpy(copy, c->call->input.data, len);
	c->bytes = copy;
	c->element_count = c->call->element_count;
	st = nx_rank_chunks_scatter(c);
	mine = nx_rank_chunks_range(c, c->group->index, c->group->index + 1);
	if (!st && mine.len)
		memcpy(c->call->output, mine.data, mine.len);
	nx_heap_free(copy);
	return st;
}

static enum nx_status all_gather(struct nx_rank_chunks *c)
{
	size_t len = (size_t)c->call->element_count * c->size;

	c->bytes = c->call->output;
	c->element_count = c->call->element_count * c->group->count;
	if (len)
		memmove(c->bytes + len * c->group->index, c->call->input.data, len);
	return nx_rank_chunks_gather(c);
}

/* --- everybody to everybody, in pieces of any length --------------------------------- */

static uint64_t piece_count(const struct nx_rank_chunks *c, uint32_t from, uint32_t to)
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

/* Where what goes to (or, incoming, comes from) a peer begins, in elements. */
static uint64_t piece_at(const struct nx_rank_chunks *c, uint32_t peer, bool is_incoming)
{
	uint64_t at = 0;

	if (!is_incoming && c->call->kind == NX_COLLECTIVE_ALL_GATHER_V)
		return 0;
	for (uint32_t i = 0; i < peer; i++)
		at += is_incoming ? piece_count(c, i, c->group->index)
				  : piece_count(c, c->group->index, i);
	return at;
}

static enum nx_status exchange(struct nx_rank_chunks *c)
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

static enum nx_status permute(struct nx_rank_chunks *c)
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
	/* Who gets nothing gets zeros, as XLA defines it. */
	if (!st && !is_target && len)
		memset(c->call->output, 0, len);
	return st;
}

/* A tree: who has it gives it to who is as far away again. */
static enum nx_status broadcast(struct nx_rank_chunks *c)
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
		return nx_fail(err, NX_UNSUPPORTED, "%u ranks cannot go by %s", group->count,
			       nx_collective_algorithm_name(call->algorithm));
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
		return nx_fail(err, NX_MISMATCH, "%llu elements cannot be cut for %u ranks",
			       (unsigned long long)call->element_count, group->count);
	if (in > call->input.len / size || out > call->output_len / size)
		return nx_fail(err, NX_MISMATCH,
			       "%s reads %llu elements of %llu bytes and writes %llu, its tensors "
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
			return nx_fail(err, NX_FORMAT, "a pair goes from rank %u to %u, of %u",
				       call->pairs[i][0], call->pairs[i][1], group->count);
	if (call->root >= group->count)
		return nx_fail(err, NX_FORMAT, "rank %u cannot broadcast in a group of %u",
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
		return nx_fail(err, NX_UNSUPPORTED, "a collective of kind %lld is not known",
			       (long long)call->kind);
	if (!nx_dtype_bytes(call->dtype) || (is_reduced && !nx_reduce_can(call->op, call->dtype)))
		return nx_fail(err, NX_UNSUPPORTED, "%s cannot use operation %u on type %u",
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
	struct nx_rank_chunks c = {.group = group, .call = call, .err = err};
	enum nx_status st = nx_rank_collective_check(group, call, err);

	if (st)
		return st;
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
