/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/flow_rows.h"

#include <stdlib.h>
#include <string.h>

#include "format/debug_info.h"
#include "tables/row_numbers.h"

static const char instructions[] = "Instruction";
static const char transfers[] = "DmaPacketAggregated";
static const char packets[] = "DmaPacket";

struct flow {
	const char *in_table, *out_table;
	uint64_t in_id, out_id;
	const char *type; /* NULL: not known */
	uint64_t in_end_ps, out_start_ps;
};

static void put_flow(struct nx_flow_rows *x, const struct flow *flow)
{
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_Flow_in_id, (int64_t)flow->in_id);
	nx_row_put_i64(row, NX_COL_Flow_out_id, (int64_t)flow->out_id);
	nx_row_put_text(row, NX_COL_Flow_in_table, flow->in_table);
	nx_row_put_text(row, NX_COL_Flow_out_table, flow->out_table);
	nx_row_put_text(row, NX_COL_Flow_dependency_type, flow->type);
	nx_row_put_i64(row, NX_COL_Flow_gap_time, nx_gap_ns(flow->in_end_ps, flow->out_start_ps));
	nx_table_sink_put(x->sink, row);
}

/* --- into instructions ----------------------------------------------------- */

static int compare_completions(const void *left, const void *right, void *context)
{
	const struct nx_transfer_link *links = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	if (links[l].completion_id != links[r].completion_id)
		return links[l].completion_id < links[r].completion_id ? -1 : 1;
	return (l > r) - (l < r);
}

static void sort_completions(struct nx_flow_rows *x)
{
	size_t count = x->profile->transfers.len;

	x->completed = nx_heap_alloc(sizeof(*x->completed) * (count + 1));
	for (uint32_t i = 0; i < count; i++)
		if (x->links->items[i].completion_id)
			x->completed[x->completed_count++] = i;
	if (x->completed_count)
		qsort_r(x->completed, x->completed_count, sizeof(*x->completed),
			compare_completions, x->links->items);
}

static void put_predecessors(struct nx_flow_rows *x, const struct nx_instruction *ran)
{
	struct nx_predecessor_walk walk = nx_predecessors_of(&x->executions, ran);

	while (nx_predecessor_walk_next(&walk))
		for (size_t i = 0; i < walk.count; i++) {
			const struct nx_execution *before = &walk.executions[i];

			/* later rounds of a loop precede nothing */
			if (before->id < x->id)
				put_flow(x, &(struct flow){
						    instructions, instructions, before->id, x->id,
						    walk.type ? nx_edge_name(walk.type) : NULL,
						    before->end_ps, ran->start_ps});
		}
}

static void put_completions(struct nx_flow_rows *x, const struct nx_instruction *ran)
{
	for (; x->next_completed < x->completed_count; x->next_completed++) {
		uint32_t at = x->completed[x->next_completed];
		const struct nx_transfer_link *link = &x->links->items[at];

		if (link->completion_id != x->id)
			return;
		put_flow(x, &(struct flow){transfers, instructions, link->id, x->id, NULL,
					   x->profile->transfers.items[at].end_ps, ran->start_ps});
	}
}

static void fill_instruction(void *context, const void *opaque)
{
	struct nx_flow_rows *x = context;
	const struct nx_instruction *ran = opaque;

	x->id++;
	put_predecessors(x, ran);
	put_completions(x, ran);
	nx_executions_pass(&x->executions, ran, x->id);
}

/* --- into transfers and packets -------------------------------------------- */

static void fill_triggers(struct nx_flow_rows *x)
{
	const struct nx_transfers *all = &x->profile->transfers;
	uint32_t *order = nx_transfers_by_start(all);

	for (size_t i = 0; i < all->len; i++) {
		const struct nx_transfer_link *link = &x->links->items[order[i]];

		if (link->trigger_id)
			put_flow(x,
				 &(struct flow){instructions, transfers, link->trigger_id, link->id,
						nx_edge_name(NX_EDGE_ORDERED), link->trigger_end_ps,
						all->items[order[i]].start_ps});
	}
	nx_heap_free(order);
}

void nx_flow_rows_add_packet(struct nx_flow_rows *flows, const struct nx_packet *packet,
			     uint32_t transfer, uint64_t id)
{
	const struct nx_transfer_link *link = &flows->links->items[transfer];

	if (link->trigger_id)
		put_flow(flows, &(struct flow){instructions, packets, link->trigger_id, id,
					       nx_edge_name(NX_EDGE_ORDERED), link->trigger_end_ps,
					       packet->start_ps});
}

/* --- the whole ------------------------------------------------------------- */

enum nx_status nx_flow_rows_begin(struct nx_flow_rows *flows, const struct nx_device_fill *fill,
				  const struct nx_transfer_links *links)
{
	enum nx_status st;

	memset(flows, 0, sizeof(*flows));
	flows->profile = fill->profile;
	flows->sink = fill->sink;
	flows->links = links;
	nx_row_init(&flows->row, NX_SCHEMA_Flow);
	nx_table_sink_begin(flows->sink, NX_SCHEMA_Flow);
	st = nx_executions_build(&flows->executions, flows->profile, fill->err);
	if (st)
		return st;
	sort_completions(flows);
	if (flows->executions.lists.len || flows->completed_count)
		st = nx_profile_scan(flows->profile, NX_TABLE_INSTRUCTION, fill_instruction, flows,
				     fill->err);
	if (!st && flows->profile->transfers.len)
		fill_triggers(flows);
	return st;
}

void nx_flow_rows_end(struct nx_flow_rows *flows)
{
	nx_table_sink_end(flows->sink, NX_SCHEMA_Flow);
	nx_executions_release(&flows->executions);
	nx_heap_free(flows->completed);
}
