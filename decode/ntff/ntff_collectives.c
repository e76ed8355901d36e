/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ntff/ntff_internal.h"

#include "format/collective.h"

static void load_ops(const struct nx_ntff_graph *from, struct nx_arena *arena,
		     struct nx_graph *graph)
{
	size_t count = from->has_cc_ops ? from->cc_ops.ops.count : 0;

	graph->collective_op_count = count;
	graph->collective_ops = NX_NEW_ARRAY(arena, struct nx_collective_op, count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_ntff_cc_op *op = &from->cc_ops.ops.items[i];

		graph->collective_ops[i] = (struct nx_collective_op){
			op->type,	   op->algorithm, nx_arena_copy(arena, op->algorithm_name),
			op->element_count, op->comm_id,	  op->data_type};
	}
}

static void load_streams(const struct nx_ntff_graph *from, struct nx_arena *arena,
			 struct nx_graph *graph)
{
	graph->collective_stream_count = from->streams.count;
	graph->collective_streams =
		NX_NEW_ARRAY(arena, struct nx_collective_stream, from->streams.count);
	for (size_t i = 0; i < from->streams.count; i++) {
		const struct nx_ntff_cc_stream *stream = &from->streams.items[i];
		size_t count = stream->cc_core_ids.count;

		graph->collective_streams[i] = (struct nx_collective_stream){
			stream->id, NX_COPY_ARRAY(arena, stream->cc_core_ids.items, count), count};
	}
}

/* Only our own records list the ranks; communicators have their number. */
static void load_groups(const struct nx_ntff_graph *from, const struct nx_collective_trace *trace,
			struct nx_arena *arena, struct nx_graph *graph)
{
	graph->collective_group_count = from->comms.count;
	graph->collective_groups =
		NX_NEW_ARRAY(arena, struct nx_collective_group, from->comms.count);
	for (size_t i = 0; i < from->comms.count; i++) {
		struct nx_collective_group *group = &graph->collective_groups[i];

		group->comm_id = from->comms.items[i].id;
		group->rank_count = from->comms.items[i].rank_count;
		for (size_t k = 0; k < trace->group_count; k++)
			if (trace->groups[k].id == group->comm_id &&
			    trace->groups[k].count == group->rank_count)
				group->ranks = trace->groups[k].ranks;
	}
}

static void load_runs(const struct nx_collective_trace *trace, struct nx_arena *arena,
		      struct nx_graph *graph)
{
	graph->collective_runs = NX_NEW_ARRAY(arena, struct nx_collective_run, trace->record_count);
	for (size_t i = 0; i < trace->record_count; i++) {
		const struct nx_collective_record *record = &trace->records[i];

		if (record->op_idx >= graph->collective_op_count ||
		    record->trigger_ps > record->start_ps || record->start_ps > record->end_ps ||
		    record->end_ps > INT64_MAX)
			continue;
		graph->collective_runs[graph->collective_run_count++] =
			(struct nx_collective_run){record->op_idx, record->engine,
						   record->trigger_ps, record->start_ps,
						   record->end_ps};
	}
}

/* The ranks of a communicator's members in the job; NULL if the capture does not list them. */
static const uint32_t *members_of(const struct nx_collective_trace *trace,
				  const struct nx_ntff_cc_comm *comm)
{
	for (size_t i = 0; i < trace->group_count; i++)
		if (trace->groups[i].id == comm->id && trace->groups[i].count == comm->rank_count)
			return trace->groups[i].ranks;
	return NULL;
}

/* The largest communicator is the nearest to the whole job. */
uint32_t nx_ntff_rank(const struct nx_ntff_info *info, struct nx_arena *arena)
{
	uint64_t rank = UINT32_MAX, most = 1;

	for (size_t n = 0; n < info->nodes.count; n++)
		for (size_t g = 0; g < info->nodes.items[n].device.graphs.count; g++) {
			const struct nx_ntff_graph *graph =
				&info->nodes.items[n].device.graphs.items[g];
			struct nx_collective_trace trace = {0};

			if (graph->has_cc_ops)
				(void)nx_collective_trace_get(graph->cc_ops.op_trace, arena,
							      &trace);
			for (size_t i = 0; i < graph->comms.count; i++) {
				const struct nx_ntff_cc_comm *comm = &graph->comms.items[i];
				const uint32_t *members = members_of(&trace, comm);

				if (comm->rank_count <= most || comm->rank >= comm->rank_count)
					continue;
				most = comm->rank_count;
				rank = members ? members[comm->rank] : comm->rank;
			}
		}
	return rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX;
}

void nx_ntff_load_collectives(const struct nx_ntff_graph *from, struct nx_arena *arena,
			      struct nx_graph *graph)
{
	struct nx_collective_trace trace = {0};

	load_ops(from, arena, graph);
	load_streams(from, arena, graph);
	if (from->has_cc_ops)
		(void)nx_collective_trace_get(from->cc_ops.op_trace, arena, &trace);
	load_groups(from, &trace, arena, graph);
	load_runs(&trace, arena, graph);
}
