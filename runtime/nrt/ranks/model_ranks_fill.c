/* SPDX-License-Identifier: Apache-2.0 */
/* model_ranks_fill: the collectives of a model as its NTFF has them. */
#include "runtime/nrt/ranks/model_ranks_internal.h"

static void fill_ops(const struct nx_model_ranks *ranks, struct nx_arena *arena,
		     struct nx_ntff_cc_ops *out)
{
	out->ops.count = ranks->ops.len;
	out->ops.items = NX_NEW_ARRAY(arena, struct nx_ntff_cc_op, ranks->ops.len);
	for (size_t i = 0; i < ranks->ops.len; i++) {
		const struct nx_model_collective *op = &ranks->ops.items[i];

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
