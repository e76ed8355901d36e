/* SPDX-License-Identifier: Apache-2.0 */
/* DMA packets, transfers, and the flows into both. Texts of a queue or block are made once.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/transfer_links.h"
#include "format/debug_info.h"
#include "model/executions.h"
#include "model/measure.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"
#include "tables/transfer_texts.h"

/* --- flows ------------------------------------------------------------------ */

/*
 * The table Flow, dependencies between rows of other tables.
 *
 *	Instruction -> Instruction		as the compiler noted them
 *	DmaPacketAggregated -> Instruction	that waited for the end of the transfer
 *	Instruction -> DmaPacketAggregated	that it triggered
 *	Instruction -> DmaPacket		of the transfer that it triggered
 *
 * Flows into instructions come first, then those into transfers, then packets, each in order of the
 * later row's start. Packets are added as their own table is filled, so that they are read and
 *matched once for both.
 */
struct flow_rows {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	const struct nx_transfer_links *links;
	struct nx_executions executions;
	uint32_t *completed; /* transfers that an instruction waited for, in order of that row */
	size_t completed_count, next_completed;
	uint64_t id;
	struct nx_row row;
};

static const char instructions[] = "Instruction";
static const char transfers[] = "DmaPacketAggregated";
static const char packets[] = "DmaPacket";

struct flow {
	const char *in_table, *out_table;
	uint64_t in_id, out_id;
	const char *type; /* NULL: not known */
	uint64_t in_end_ps, out_start_ps;
};

static void put_flow(struct flow_rows *x, const struct flow *flow)
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

static int compare_completions(const void *left, const void *right, void *context)
{
	const struct nx_transfer_link *links = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	if (links[l].completion_id != links[r].completion_id)
		return links[l].completion_id < links[r].completion_id ? -1 : 1;
	return (l > r) - (l < r);
}

static void sort_completions(struct flow_rows *x)
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

static void put_predecessors(struct flow_rows *x, const struct nx_instruction *ran)
{
	struct nx_predecessor_walk walk = nx_predecessors_of(&x->executions, ran);

	while (nx_predecessor_walk_next(&walk))
		for (size_t i = 0; i < walk.count; i++) {
			const struct nx_execution *before = &walk.executions[i];

			/* a later round of a loop is no predecessor */
			if (before->id < x->id)
				put_flow(x, &(struct flow){
						    instructions, instructions, before->id, x->id,
						    walk.type ? nx_edge_name(walk.type) : NULL,
						    before->end_ps, ran->start_ps});
		}
}

static void put_completions(struct flow_rows *x, const struct nx_instruction *ran)
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
	struct flow_rows *x = context;
	const struct nx_instruction *ran = opaque;

	x->id++;
	put_predecessors(x, ran);
	put_completions(x, ran);
	nx_executions_pass(&x->executions, ran, x->id);
}

static void fill_triggers(struct flow_rows *x)
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

static void add_packet_flow(struct flow_rows *flows, const struct nx_packet *packet,
			    uint32_t transfer, uint64_t id)
{
	const struct nx_transfer_link *link = &flows->links->items[transfer];

	assert(transfer < flows->profile->transfers.len);
	if (link->trigger_id)
		put_flow(flows, &(struct flow){instructions, packets, link->trigger_id, id,
					       nx_edge_name(NX_EDGE_ORDERED), link->trigger_end_ps,
					       packet->start_ps});
}

static enum nx_status begin_flows(struct flow_rows *flows, const struct nx_device_fill *fill,
				  const struct nx_transfer_links *links)
{
	enum nx_status st;

	memset(flows, 0, sizeof(*flows));
	flows->profile = fill->profile;
	flows->sink = fill->sink;
	flows->links = links;
	nx_begin_table(flows->sink, &flows->row, NX_SCHEMA_Flow);
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

static void end_flows(struct flow_rows *flows)
{
	nx_table_sink_end(flows->sink, NX_SCHEMA_Flow);
	nx_executions_release(&flows->executions);
	nx_heap_free(flows->completed);
}

struct queue_facts {
	struct nx_slice name; /* no data: not declared */
	uint64_t id;	      /* of its packets that belong to no transfer */
};

struct dma_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_transfer_links links;
	struct flow_rows flows;
	struct nx_transfer_text_cache texts;
	struct nx_map queue_index; /* graph, engine, queue -> into queues */
	NX_VEC(struct queue_facts) queues;
	struct nx_row row;
};

static unsigned queue_type(unsigned queue_class)
{
	switch (queue_class) {
	case NX_QUEUE_DATA:
		return NX_VALUE_DmaQueueType_data;
	case NX_QUEUE_INSTRUCTION:
		return NX_VALUE_DmaQueueType_instruction;
	case NX_QUEUE_HARDWARE_DYNAMIC:
		return NX_VALUE_DmaQueueType_hardware_dynamic;
	case NX_QUEUE_SOFTWARE_DYNAMIC:
		return NX_VALUE_DmaQueueType_software_dynamic;
	default:
		return NX_VALUE_DmaQueueType_unknown;
	}
}

/* --- packets --------------------------------------------------------------- */

static const struct queue_facts *queue_of(struct dma_fill *x, const struct nx_packet *packet)
{
	uint64_t key = (uint64_t)packet->graph << 32 | (uint64_t)packet->dma_engine << 8 |
		       packet->dma_queue;
	const struct nx_queue *queue;
	struct queue_facts facts = {0};
	uint64_t at;

	assert(packet->graph < x->profile->capture.graph_count);
	if (nx_map_get(&x->queue_index, key, &at))
		return &x->queues.items[at];
	queue = nx_graph_queue(&x->profile->capture.graphs[packet->graph], packet->dma_engine,
			       packet->dma_queue);
	if (queue)
		facts.name = nx_slice_text(queue->display_name);
	facts.id = nx_transfer_links_queue_id(&x->links, packet->graph, packet->dma_queue);
	nx_map_put(&x->queue_index, key, x->queues.len);
	nx_vec_push(&x->queues, facts);
	return &x->queues.items[x->queues.len - 1];
}

static void put_packet_numbers(struct nx_row *row, const struct nx_packet *packet)
{
	uint64_t duration_ps = packet->end_ps - packet->start_ps;

	nx_row_put_i64(row, NX_COL_DmaPacket_start_ts, nx_ps_to_ns(packet->start_ps));
	nx_row_put_i64(row, NX_COL_DmaPacket_end_ts, nx_ps_to_ns(packet->end_ps));
	nx_row_put_i64(row, NX_COL_DmaPacket_duration_ns, nx_ps_to_ns(duration_ps));
	nx_row_put_i64(row, NX_COL_DmaPacket_pcore_idx, packet->graph);
	nx_row_put_i64(row, NX_COL_DmaPacket_packet_idx, nx_to_i32(packet->packet_idx));
	nx_row_put_i64(row, NX_COL_DmaPacket_engine_idx, packet->dma_engine);
	nx_row_put_i64(row, NX_COL_DmaPacket_queue_idx, packet->dma_queue);
	nx_row_put_i64(row, NX_COL_DmaPacket_read_bytes, packet->size_bytes);
	nx_row_put_i64(row, NX_COL_DmaPacket_write_bytes, packet->size_bytes);
	nx_row_put_i64(row, NX_COL_DmaPacket_transfer_bytes, packet->size_bytes);
	nx_row_put_f64(row, NX_COL_DmaPacket_throughput,
		       (double)nx_rate(packet->size_bytes, duration_ps));
	nx_row_put_enum(row, NX_COL_DmaPacket_queue_type, NX_SCHEMA_DmaQueueType,
			queue_type(packet->queue_class));
	nx_row_put_i64(row, NX_COL_DmaPacket_crc, packet->crc);
}

static void fill_packet(void *context, const void *opaque)
{
	struct dma_fill *x = context;
	const struct nx_packet *packet = opaque;
	const struct nx_profile *p = x->profile;
	uint32_t at = p->transfers.len ? nx_profile_find_transfer(p, packet) : NX_NONE;
	const struct nx_transfer *t = at == NX_NONE ? NULL : &p->transfers.items[at];
	const struct queue_facts *queue = queue_of(x, packet);
	uint64_t id = nx_packet_id(p, packet, t ? t->block_id : 0);
	struct nx_row *row = &x->row;

	put_packet_numbers(row, packet);
	nx_row_put_i64(row, NX_COL_DmaPacket_id, (int64_t)id);
	nx_row_put_i64(row, NX_COL_DmaPacket_packet_aggregation_id,
		       (int64_t)(t ? x->links.items[at].id : queue->id));
	if (t)
		nx_row_put_slice(row, NX_COL_DmaPacket_variable,
				 nx_transfer_texts_of(&x->texts, t)->variable);
	else
		nx_row_put_text(row, NX_COL_DmaPacket_variable, "unknown");
	if (queue->name.data)
		nx_row_put_slice(row, NX_COL_DmaPacket_queue_name, queue->name);
	nx_table_sink_put(x->sink, row);
	if (t)
		add_packet_flow(&x->flows, packet, at, id);
}

/* --- transfers ------------------------------------------------------------- */

static void put_transfer_texts(struct nx_row *row, const struct nx_transfer_texts *texts)
{
	const struct {
		unsigned column;
		struct nx_slice text;
	} put[] = {
		{NX_COL_DmaPacketAggregated_op, texts->op},
		{NX_COL_DmaPacketAggregated_variable, texts->variable},
		{NX_COL_DmaPacketAggregated_source, texts->source},
		{NX_COL_DmaPacketAggregated_dest, texts->dest},
		{NX_COL_DmaPacketAggregated_semaphore_id, texts->semaphore_id},
		{NX_COL_DmaPacketAggregated_read_sbuf_partitions, texts->read.partitions},
		{NX_COL_DmaPacketAggregated_read_shape, texts->read.shape},
		{NX_COL_DmaPacketAggregated_read_offset, texts->read.offset},
		{NX_COL_DmaPacketAggregated_read_steps, texts->read.steps},
		{NX_COL_DmaPacketAggregated_write_sbuf_partitions, texts->write.partitions},
		{NX_COL_DmaPacketAggregated_write_shape, texts->write.shape},
		{NX_COL_DmaPacketAggregated_write_offset, texts->write.offset},
		{NX_COL_DmaPacketAggregated_write_steps, texts->write.steps},
	};

	for (size_t i = 0; i < sizeof(put) / sizeof(put[0]); i++)
		nx_row_put_slice(row, put[i].column, put[i].text);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_read_num_sbuf_partitions,
		       texts->read.partition_count);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_write_num_sbuf_partitions,
		       texts->write.partition_count);
	if (texts->is_known)
		nx_row_put_bool(row, NX_COL_DmaPacketAggregated_is_transpose_mode,
				texts->is_transpose);
}

static void put_transfer_numbers(struct nx_row *row, const struct nx_transfer *t)
{
	uint64_t duration_ps = t->end_ps - t->start_ps;

	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_start_ts, nx_ps_to_ns(t->start_ps));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_end_ts, nx_ps_to_ns(t->end_ps));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_duration_ns, nx_ps_to_ns(duration_ps));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_pcore_idx, t->graph);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_block_id, nx_to_i32(t->block_id));
	nx_row_put_u64(row, NX_COL_DmaPacketAggregated_read_bytes, t->size_bytes);
	nx_row_put_u64(row, NX_COL_DmaPacketAggregated_write_bytes, t->size_bytes);
	nx_row_put_u64(row, NX_COL_DmaPacketAggregated_transfer_bytes, t->size_bytes);
	nx_row_put_f64(row, NX_COL_DmaPacketAggregated_throughput,
		       (double)nx_rate(t->size_bytes, duration_ps));
}

static void fill_transfer(struct dma_fill *x, uint32_t at)
{
	const struct nx_transfer *t = &x->profile->transfers.items[at];
	const struct nx_queue *queue = &x->profile->capture.graphs[t->graph].queues[t->queue];
	const struct nx_transfer_link *link = &x->links.items[at];
	struct nx_row *row = &x->row;

	put_transfer_numbers(row, t);
	put_transfer_texts(row, nx_transfer_texts_of(&x->texts, t));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_id, (int64_t)link->id);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_queue_idx, queue->queue_idx);
	nx_row_put_text(row, NX_COL_DmaPacketAggregated_queue_name, queue->display_name);
	nx_row_put_enum(row, NX_COL_DmaPacketAggregated_queue_type, NX_SCHEMA_DmaQueueType,
			queue_type(queue->queue_class));
	if (link->trigger_id)
		nx_row_put_i64(row, NX_COL_DmaPacketAggregated_trigger, (int64_t)link->trigger_id);
	if (link->completion_id)
		nx_row_put_i64(row, NX_COL_DmaPacketAggregated_completion,
			       (int64_t)link->completion_id);
	nx_table_sink_put(x->sink, row);
}

static void fill_transfers(struct dma_fill *x)
{
	const struct nx_transfers *all = &x->profile->transfers;
	uint32_t *order = nx_transfers_by_start(all);

	nx_row_init(&x->row, NX_SCHEMA_DmaPacketAggregated);
	for (size_t i = 0; i < all->len; i++)
		fill_transfer(x, order[i]);
	nx_heap_free(order);
}

/* --- the whole ------------------------------------------------------------- */

static enum nx_status fill_packets(struct nx_device_fill *fill, struct dma_fill *x)
{
	enum nx_status st;

	nx_begin_table(fill->sink, &x->row, NX_SCHEMA_DmaPacket);
	st = begin_flows(&x->flows, fill, &x->links);
	if (!st)
		st = nx_profile_scan(fill->profile, NX_TABLE_PACKET, fill_packet, x, fill->err);
	end_flows(&x->flows);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DmaPacket);
	return st;
}

enum nx_status nx_fill_dma(struct nx_device_fill *fill)
{
	struct dma_fill *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->profile = fill->profile;
	x->sink = fill->sink;
	x->texts.profile = fill->profile;
	st = nx_transfer_links_build(&x->links, fill->profile, fill->err);
	if (!st)
		st = fill_packets(fill, x);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_DmaPacketAggregated);
	if (!st)
		fill_transfers(x);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DmaPacketAggregated);
	nx_transfer_links_release(&x->links);
	nx_transfer_text_cache_release(&x->texts);
	nx_map_release(&x->queue_index);
	nx_vec_release(&x->queues);
	nx_heap_free(x);
	return st;
}
