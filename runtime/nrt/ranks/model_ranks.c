/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/model_ranks.h"

#include <assert.h>

#include "base/map.h"
#include "format/instruction.h"
#include "runtime/device/device_ranks.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/nrt/ranks/rank_collective.h"
#include "runtime/timing/collective_cost.h"

#define MAX_RECORDS 1000000 /* of an execution */
#define WHOLE_WORLD UINT32_MAX

struct group { /* a replica group of the program, or all ranks */
	uint32_t id;
	struct nx_rank_group group;
	uint32_t node_count; /* machines its ranks are on */
};

struct op { /* a collective instruction of the program */
	uint32_t core, engine, pc;
	struct nx_rank_collective call;
	uint32_t group; /* index in groups */
	uint32_t group_id;
	uint64_t cost_ps;
};

struct nx_model_ranks {
	struct nx_device_ranks door;
	struct nx_rank_world *world; /* NULL: ranks run independently */
	struct nx_rank_group all;
	struct nx_collective_place place;
	uint32_t core, rank;
	uint64_t key;
	bool is_broken; /* messages of a failed execution may still be queued */
	struct nx_arena arena;
	NX_VEC(struct group) groups;
	NX_VEC(struct op) ops;
	/* Of this execution, counted from its start: */
	uint64_t now_ps;  /* end of the latest collective, if times are not simulated */
	uint64_t late_ps; /* delay so far from waiting for other ranks, if they are */
	NX_VEC(struct nx_port_collective) records;
};

/* --- groups ------------------------------------------------------------------------------- */

static enum nx_status init_group(const struct nx_model_ranks *ranks,
				 const struct nx_rank_list *list, uint32_t id,
				 struct nx_rank_group *group, struct nx_error *err)
{
	const uint32_t *members = list ? list->items : NULL;
	uint32_t count = list ? list->count : ranks->place.rank_count;

	if (ranks->world)
		return nx_rank_group_init(group, ranks->world, ranks->rank, members, count,
					  nx_hash_words((const uint64_t[]){ranks->key, id}, 2),
					  err);
	*group = (struct nx_rank_group){.members = members, .count = count, .index = ranks->rank};
	for (uint32_t i = 0; i < count && members; i++)
		if (members[i] == ranks->rank)
			group->index = i;
	return NX_OK;
}

static enum nx_status find_group(struct nx_model_ranks *ranks,
				 const struct nx_device_collective *call, uint32_t *index,
				 struct nx_error *err)
{
	bool is_whole = nx_collective_is_pairwise(call->word.kind) || !call->groups.count;
	uint32_t id = is_whole ? WHOLE_WORLD : call->word.group;
	const struct nx_rank_list *list = NULL;
	struct group made = {.id = id};
	enum nx_status st;

	for (*index = 0; *index < ranks->groups.len; ++*index)
		if (ranks->groups.items[*index].id == id)
			return NX_OK;
	for (size_t i = 0; !is_whole && !list && i < call->groups.count; i++)
		for (uint32_t k = 0; k < call->groups.items[i].count; k++)
			if (call->groups.items[i].items[k] == ranks->rank)
				list = &call->groups.items[i];
	if (!is_whole && !list)
		return nx_fail(err, NX_MISMATCH, "rank %u is not in any replica group",
			       ranks->rank);
	made.node_count = nx_collective_node_count(&ranks->place, list);
	st = init_group(ranks, list, id, &made.group, err);
	if (!st)
		nx_vec_push(&ranks->groups, made);
	return st;
}

/* --- words ----------------------------------------------------------------------------------- */

static enum nx_status copy_pairs(struct nx_model_ranks *ranks, const struct nx_rank_lists *pairs,
				 struct op *op, struct nx_error *err)
{
	uint32_t(*copy)[2] = nx_arena_zalloc(&ranks->arena, pairs->count, sizeof(*copy));

	for (size_t i = 0; i < pairs->count; i++) {
		if (pairs->items[i].count != 2)
			return nx_fail(
				err, NX_FORMAT,
				"source-target pair %zu of the NEFF has %u ranks instead of 2", i,
				pairs->items[i].count);
		memcpy(copy[i], pairs->items[i].items, sizeof(copy[i]));
	}
	op->call.pairs = (const uint32_t(*)[2])copy;
	op->call.pair_count = pairs->count;
	return NX_OK;
}

static void copy_counts(struct nx_model_ranks *ranks, const struct nx_rank_list *counts,
			struct op *op)
{
	uint64_t *copy = NX_NEW_ARRAY(&ranks->arena, uint64_t, counts->count);

	for (uint32_t i = 0; i < counts->count; i++)
		copy[i] = counts->items[i];
	op->call.counts = copy;
	op->call.count_count = counts->count;
}

static void plan(const struct nx_model_ranks *ranks, const struct nx_device_collective *call,
		 struct op *op)
{
	const struct group *group = &ranks->groups.items[op->group];
	struct nx_collective_shape shape = nx_collective_shape_of(
		&call->word, &call->counts, group->group.count, group->node_count);
	struct nx_collective_plan way = nx_collective_plan_make(&shape);

	op->call.algorithm = way.algorithm;
	op->cost_ps = nx_collective_cost_ps(ranks->place.arch, &shape, &way);
}

static enum nx_status make_op(struct nx_model_ranks *ranks, const struct nx_device_collective *call,
			      struct op *op, struct nx_error *err)
{
	enum nx_status st = find_group(ranks, call, &op->group, err);

	if (st)
		return st;
	op->core = call->core;
	op->engine = call->engine;
	op->pc = call->pc;
	op->group_id = call->word.group;
	op->call = (struct nx_rank_collective){
		.kind = call->word.kind,
		.op = call->word.op,
		.dtype = call->word.dtype,
		.element_count = call->word.element_count,
		.root = call->word.root,
	};
	copy_counts(ranks, &call->counts, op);
	st = nx_collective_is_pairwise(call->word.kind) ? copy_pairs(ranks, &call->pairs, op, err)
							: NX_OK;
	if (!st)
		plan(ranks, call, op);
	return st;
}

static enum nx_status find_op(struct nx_model_ranks *ranks, const struct nx_device_collective *call,
			      uint32_t *index, struct nx_error *err)
{
	struct op made = {0};
	enum nx_status st;

	for (*index = 0; *index < ranks->ops.len; ++*index) {
		const struct op *op = &ranks->ops.items[*index];

		if (op->pc == call->pc && op->engine == call->engine && op->core == call->core)
			return NX_OK;
	}
	st = make_op(ranks, call, &made, err);
	if (!st)
		nx_vec_push(&ranks->ops, made);
	return st;
}

/* --- running ------------------------------------------------------------------------- */

/* The times of the collective if no other rank is later than this one. */
static void expect(const struct nx_model_ranks *ranks, const struct nx_device_collective *call,
		   const struct op *op, struct nx_port_collective *record)
{
	const struct nx_device_moment *when = &call->when;

	if (when->is_known) {
		record->trigger_ps = when->trigger_ps + ranks->late_ps;
		record->start_ps = when->start_ps + ranks->late_ps;
		record->end_ps = when->end_ps + ranks->late_ps;
	} else {
		record->trigger_ps = ranks->now_ps;
		record->start_ps = ranks->now_ps + NX_COLLECTIVE_TRIGGER_PS;
		record->end_ps = record->start_ps + op->cost_ps;
	}
}

static void move_to(struct nx_model_ranks *ranks, uint64_t trigger_ps,
		    struct nx_port_collective *record)
{
	uint64_t late_ps = trigger_ps - record->trigger_ps;

	assert(trigger_ps >= record->trigger_ps);
	record->start_ps += late_ps;
	record->end_ps += late_ps;
	ranks->late_ps += late_ps;
	ranks->now_ps = record->end_ps;
}

/* *last_ps: in, when this rank triggers the collective; out, when the last rank does. */
static enum nx_status move_data(const struct nx_rank_group *group, const struct op *op,
				const struct nx_device_collective *call, uint64_t *last_ps,
				struct nx_error *err)
{
	struct nx_rank_collective now = op->call;
	enum nx_status st;

	now.input = call->input;
	now.output = call->output;
	now.output_len = call->output_len;
	st = nx_rank_collective_check(group, &now, err);
	if (!st)
		st = nx_rank_group_meet(group, 0, last_ps, err);
	return st ? st : nx_rank_collective_run(group, &now, err);
}

static enum nx_status run_collective(void *context, const struct nx_device_collective *call,
				     struct nx_error *err)
{
	struct nx_model_ranks *ranks = context;
	struct nx_port_collective record = {.graph_idx = call->core, .engine = call->engine};
	const struct op *op;
	enum nx_status st = find_op(ranks, call, &record.op_idx, err);
	uint64_t last_ps;

	if (st)
		return st;
	op = &ranks->ops.items[record.op_idx];
	record.group_id = op->group_id;
	expect(ranks, call, op, &record);
	last_ps = record.trigger_ps;
	if (ranks->world)
		st = move_data(&ranks->groups.items[op->group].group, op, call, &last_ps, err);
	move_to(ranks, last_ps, &record);
	if (!st && ranks->records.len < MAX_RECORDS)
		nx_vec_push(&ranks->records, record);
	return st;
}

enum nx_status nx_model_ranks_begin(struct nx_model_ranks *ranks, uint64_t execution_id,
				    bool *is_watched, struct nx_error *err)
{
	uint64_t any = *is_watched;
	enum nx_status st = NX_OK;

	ranks->now_ps = NX_COLLECTIVE_BARRIER_PS;
	ranks->late_ps = 0;
	nx_vec_clear(&ranks->records);
	if (ranks->is_broken)
		return nx_fail(err, NX_MISMATCH,
			       "a collective of this model has failed; load the model again on "
			       "all ranks");
	if (ranks->world && ranks->place.rank_count > 1)
		st = nx_rank_group_meet(&ranks->all, execution_id, &any, err);
	*is_watched = any != 0;
	return st;
}

enum nx_status nx_model_ranks_latest(struct nx_model_ranks *ranks, uint64_t *time_ns,
				     struct nx_error *err)
{
	struct nx_rank_group quiet = ranks->all;

	if (!ranks->world)
		return NX_OK;
	quiet.is_traced = false;
	return nx_rank_group_meet(&quiet, 0, time_ns, err);
}

void nx_model_ranks_end(struct nx_model_ranks *ranks, bool has_failed, struct nx_port_run *run)
{
	assert(run->end_ps >= run->start_ps);
	ranks->is_broken |= has_failed && ranks->world;
	for (size_t i = 0; i < ranks->records.len; i++) {
		struct nx_port_collective *record = &ranks->records.items[i];

		record->trigger_ps += run->start_ps;
		record->start_ps += run->start_ps;
		record->end_ps += run->start_ps;
		if (record->end_ps > run->end_ps)
			run->end_ps = record->end_ps;
	}
	run->barrier_end_ps = run->start_ps + NX_COLLECTIVE_BARRIER_PS;
	run->collectives = ranks->records.items;
	run->collective_count = ranks->records.len;
}

/* --- the NTFF ---------------------------------------------------------------------------- */

static void fill_ops(const struct nx_model_ranks *ranks, struct nx_arena *arena,
		     struct nx_ntff_cc_ops *out)
{
	out->ops.count = ranks->ops.len;
	out->ops.items = NX_NEW_ARRAY(arena, struct nx_ntff_cc_op, ranks->ops.len);
	for (size_t i = 0; i < ranks->ops.len; i++) {
		const struct op *op = &ranks->ops.items[i];

		out->ops.items[i] = (struct nx_ntff_cc_op){
			.type = op->call.kind,
			.algorithm = op->call.algorithm,
			.element_count = op->call.element_count,
			.comm_id = op->group,
			.data_type = op->call.dtype,
			.algorithm_name =
				nx_slice_text(nx_collective_algorithm_name(op->call.algorithm)),
		};
	}
}

static void fill_comms(const struct nx_model_ranks *ranks, struct nx_arena *arena,
		       struct nx_ntff_graph *graph)
{
	graph->comms.count = ranks->groups.len;
	graph->comms.items = NX_NEW_ARRAY(arena, struct nx_ntff_cc_comm, ranks->groups.len);
	for (size_t i = 0; i < ranks->groups.len; i++) {
		const struct nx_rank_group *group = &ranks->groups.items[i].group;
		uint32_t node_count = ranks->groups.items[i].node_count;

		graph->comms.items[i] = (struct nx_ntff_cc_comm){
			.id = i,
			.rank = group->index,
			.rank_count = group->count,
			.node_count = node_count,
			.local_rank_count = group->count / node_count,
		};
	}
	graph->streams.count = 1;
	graph->streams.items = NX_NEW(arena, struct nx_ntff_cc_stream);
}

static void fill_groups(const struct nx_model_ranks *ranks, struct nx_arena *arena,
			struct nx_collective_trace *trace)
{
	trace->group_count = ranks->groups.len;
	trace->groups = NX_NEW_ARRAY(arena, struct nx_collective_ranks, ranks->groups.len);
	for (size_t i = 0; i < ranks->groups.len; i++) {
		const struct nx_rank_group *group = &ranks->groups.items[i].group;
		uint32_t *members = NX_NEW_ARRAY(arena, uint32_t, group->count);

		for (uint32_t k = 0; k < group->count; k++)
			members[k] = nx_rank_group_rank(group, k);
		trace->groups[i] = (struct nx_collective_ranks){(uint32_t)i, members, group->count};
	}
}

void nx_model_ranks_fill(const struct nx_model_ranks *ranks, uint32_t graph_idx,
			 struct nx_arena *arena, struct nx_ntff_graph *graph)
{
	struct nx_collective_trace trace = {0};
	struct nx_bytes bytes = {0};

	if (!ranks || !ranks->records.len)
		return;
	fill_ops(ranks, arena, &graph->cc_ops);
	fill_comms(ranks, arena, graph);
	fill_groups(ranks, arena, &trace);
	trace.records = NX_NEW_ARRAY(arena, struct nx_collective_record, ranks->records.len);
	for (size_t i = 0; i < ranks->records.len; i++) {
		const struct nx_port_collective *from = &ranks->records.items[i];

		if (from->graph_idx == graph_idx)
			trace.records[trace.record_count++] =
				(struct nx_collective_record){from->op_idx, from->engine,
							      from->trigger_ps, from->start_ps,
							      from->end_ps};
	}
	nx_collective_trace_put(&trace, &bytes);
	graph->cc_ops.op_trace =
		nx_slice_of(nx_arena_copy(arena, nx_slice_of(bytes.items, bytes.len)), bytes.len);
	graph->has_cc_ops = true;
	nx_vec_release(&bytes);
}

/* --- life -------------------------------------------------------------------------------- */

struct nx_collective_place nx_model_ranks_place(uint32_t rank_count)
{
	const struct nx_instance_kind *kind = nx_state_instance()->kind;
	uint64_t nodes = nx_environment_number("NEURON_EXPLORER_NODE_COUNT", 1, UINT32_MAX, 1);

	return (struct nx_collective_place){rank_count, rank_count % nodes ? 1 : (uint32_t)nodes,
					    kind ? kind->arch : NX_DEVICE_ANY};
}

enum nx_status nx_model_ranks_open_apart(uint32_t core, uint32_t rank, uint32_t count,
					 struct nx_model_ranks **out, struct nx_error *err)
{
	struct nx_model_ranks *ranks = nx_heap_try_alloc(sizeof(*ranks));

	*out = ranks;
	if (!ranks)
		return nx_fail(err, NX_LIMIT, "out of memory for the ranks of a model");
	ranks->door = (struct nx_device_ranks){ranks, run_collective};
	ranks->core = core;
	ranks->rank = rank;
	ranks->place = nx_model_ranks_place(count);
	return NX_OK;
}

enum nx_status nx_model_ranks_open(uint32_t core, uint32_t rank, uint32_t count, uint64_t key,
				   struct nx_model_ranks **out, struct nx_error *err)
{
	struct nx_model_ranks *ranks = NULL;
	enum nx_status st = nx_model_ranks_open_apart(core, rank, count, &ranks, err);

	*out = NULL;
	if (st)
		return st;
	ranks->key = key;
	st = nx_rank_world_join(rank, count, &ranks->world, err);
	if (!st)
		st = nx_rank_group_init(&ranks->all, ranks->world, rank, NULL, count, key, err);
	ranks->all.core = core;
	ranks->all.is_traced = true;
	if (st)
		nx_model_ranks_close(ranks);
	else
		*out = ranks;
	return st;
}

void nx_model_ranks_close(struct nx_model_ranks *ranks)
{
	if (!ranks)
		return;
	nx_rank_world_leave(ranks->world, ranks->rank);
	nx_vec_release(&ranks->groups);
	nx_vec_release(&ranks->ops);
	nx_vec_release(&ranks->records);
	nx_arena_release(&ranks->arena);
	nx_heap_free(ranks);
}

const struct nx_device_ranks *nx_model_ranks_door(struct nx_model_ranks *ranks)
{
	return &ranks->door;
}
