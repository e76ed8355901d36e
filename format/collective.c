/* SPDX-License-Identifier: Apache-2.0 */
#include "format/collective.h"

#include <assert.h>

#include "base/bare/bits.h"
#include "format/instruction_word.h"

#define TRACE_MAGIC 0x4343584eu /* "NXCC" */
#define TRACE_VERSION 1u
#define HEAD_BYTES 16u
#define RECORD_BYTES 32u
static_assert(sizeof(struct nx_collective_record) == RECORD_BYTES, "a record has no gaps");

/* --- names ----------------------------------------------------------------------------- */

const char *nx_collective_kind_name(int64_t kind)
{
	static const char *const names[] = {
		[NX_COLLECTIVE_ALL_REDUCE] = "AllReduce",
		[NX_COLLECTIVE_REDUCE_SCATTER] = "ReduceScatter",
		[NX_COLLECTIVE_ALL_GATHER] = "AllGather",
		[NX_COLLECTIVE_ALL_TO_ALL] = "AllToAll",
		[NX_COLLECTIVE_PERMUTE] = "Permute",
		[NX_COLLECTIVE_ALL_TO_ALL_V] = "AllToAllV",
		[NX_COLLECTIVE_ALL_GATHER_V] = "AllGatherV",
		[NX_COLLECTIVE_SEND_RECV] = "SendRecv",
		[NX_COLLECTIVE_BROADCAST] = "Broadcast",
	};

	return kind >= 0 && kind < (int64_t)(sizeof(names) / sizeof(names[0])) ? names[kind] : NULL;
}

const char *nx_collective_algorithm_name(int64_t algorithm)
{
	static const char *const names[] = {
		"ring",
		"hierarchical",
		"mesh",
		"kangaring",
		"single-cycle ring",
		"rdh",
		"single-step mesh",
		"inter-rdh",
		"two-step pod mesh",
		"latency-optimised mesh",
		"bandwidth-optimised mesh",
	};

	if (algorithm < 0 || algorithm >= (int64_t)(sizeof(names) / sizeof(names[0])))
		return NULL;
	return names[algorithm];
}

/* --- sizes ------------------------------------------------------------------------------ */

bool nx_collective_is_pairwise(int64_t kind)
{
	return kind == NX_COLLECTIVE_PERMUTE || kind == NX_COLLECTIVE_SEND_RECV;
}

uint64_t nx_collective_output_count(int64_t kind, uint64_t element_count, uint64_t rank_count)
{
	uint64_t count;

	switch (kind) {
	case NX_COLLECTIVE_ALL_GATHER:
		return __builtin_mul_overflow(element_count, rank_count, &count) ? 0 : count;
	case NX_COLLECTIVE_REDUCE_SCATTER:
		return rank_count ? element_count / rank_count : 0;
	default:
		return element_count;
	}
}

double nx_collective_bus_factor(int64_t kind, uint64_t rank_count)
{
	double share = rank_count ? ((double)rank_count - 1) / (double)rank_count : 0;

	switch (kind) {
	case NX_COLLECTIVE_ALL_REDUCE:
		return 2 * share;
	case NX_COLLECTIVE_PERMUTE:
	case NX_COLLECTIVE_SEND_RECV:
	case NX_COLLECTIVE_BROADCAST:
		return 1;
	default:
		return share;
	}
}

/* --- the word ------------------------------------------------------------------------------ */

void nx_collective_word_get(const uint8_t *slot, struct nx_collective_word *out)
{
	const struct nx_trigger_collective_word *w = &nx_word_of(slot)->collective;

	*out = (struct nx_collective_word){
		.op = w->op,
		.dtype = w->dtype,
		.group = w->group,
		.input_id = w->input,
		.output_id = w->output,
		.element_count = w->element_count,
		.kind = w->kind,
		.root = w->root,
		.counts = w->counts,
	};
}

/* --- records -------------------------------------------------------------------------------- */

static void put32(struct nx_bytes *out, uint32_t value)
{
	nx_bytes_append(out, &value, sizeof(value));
}

static void put64(struct nx_bytes *out, uint64_t value)
{
	nx_bytes_append(out, &value, sizeof(value));
}

void nx_collective_trace_put(const struct nx_collective_trace *trace, struct nx_bytes *out)
{
	assert(trace->group_count <= UINT32_MAX && trace->record_count <= UINT32_MAX);
	put32(out, TRACE_MAGIC);
	put32(out, TRACE_VERSION);
	put32(out, (uint32_t)trace->group_count);
	put32(out, (uint32_t)trace->record_count);
	for (size_t i = 0; i < trace->group_count; i++) {
		const struct nx_collective_ranks *group = &trace->groups[i];

		put32(out, group->id);
		put32(out, group->count);
		for (uint32_t r = 0; r < group->count; r++)
			put32(out, group->ranks[r]);
	}
	for (size_t i = 0; i < trace->record_count; i++) {
		const struct nx_collective_record *record = &trace->records[i];

		put32(out, record->op_idx);
		put32(out, record->engine);
		put64(out, record->trigger_ps);
		put64(out, record->start_ps);
		put64(out, record->end_ps);
	}
}

/* Moves at past the group; false if it is cut. */
static bool get_group(struct nx_slice bytes, size_t *at, struct nx_arena *arena,
		      struct nx_collective_ranks *out)
{
	uint32_t *ranks;

	if (bytes.len - *at < 8)
		return false;
	out->id = nx_load32(bytes.data + *at);
	out->count = nx_load32(bytes.data + *at + 4);
	*at += 8;
	if (out->count > (bytes.len - *at) / 4)
		return false;
	ranks = NX_NEW_ARRAY(arena, uint32_t, out->count);
	for (uint32_t r = 0; r < out->count; r++)
		ranks[r] = nx_load32(bytes.data + *at + 4 * (size_t)r);
	out->ranks = ranks;
	*at += 4 * (size_t)out->count;
	return true;
}

bool nx_collective_trace_get(struct nx_slice bytes, struct nx_arena *arena,
			     struct nx_collective_trace *out)
{
	struct nx_collective_trace trace = {0};
	size_t at = HEAD_BYTES;

	assert(arena);
	memset(out, 0, sizeof(*out));
	if (bytes.len < HEAD_BYTES || nx_load32(bytes.data) != TRACE_MAGIC ||
	    nx_load32(bytes.data + 4) != TRACE_VERSION)
		return false;
	trace.group_count = nx_load32(bytes.data + 8);
	trace.record_count = nx_load32(bytes.data + 12);
	if (trace.group_count > bytes.len / 8 || trace.record_count > bytes.len / RECORD_BYTES)
		return false;
	trace.groups = NX_NEW_ARRAY(arena, struct nx_collective_ranks, trace.group_count);
	for (size_t i = 0; i < trace.group_count; i++)
		if (!get_group(bytes, &at, arena, &trace.groups[i]))
			return false;
	if (trace.record_count > (bytes.len - at) / RECORD_BYTES)
		return false;
	trace.records = NX_NEW_ARRAY(arena, struct nx_collective_record, trace.record_count);
	for (size_t i = 0; i < trace.record_count; i++) {
		const uint8_t *from = bytes.data + at + i * RECORD_BYTES;

		trace.records[i] =
			(struct nx_collective_record){nx_load32(from), nx_load32(from + 4),
						      nx_load64(from + 8), nx_load64(from + 16),
						      nx_load64(from + 24)};
	}
	*out = trace;
	return true;
}
