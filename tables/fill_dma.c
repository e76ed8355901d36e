/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DMA packets, the transfers that static packets add up to, and the flows that end in both. What
 * depends on the queue or on
 * the block alone is prepared once.
 */
#include <string.h>

#include "analyse/transfer_links.h"
#include "model/measure.h"
#include "tables/fillers.h"
#include "tables/flow_rows.h"
#include "tables/row_numbers.h"
#include "tables/transfer_texts.h"

struct queue_facts {
	struct nx_slice name; /* without data: declared nowhere */
	uint64_t id;	      /* of its packets that belong to no transfer */
};

struct dma_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_transfer_links links;
	struct nx_flow_rows flows;
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
		nx_flow_rows_add_packet(&x->flows, packet, at, id);
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
	int64_t size = nx_to_i64(t->size_bytes);

	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_start_ts, nx_ps_to_ns(t->start_ps));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_end_ts, nx_ps_to_ns(t->end_ps));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_duration_ns, nx_ps_to_ns(duration_ps));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_pcore_idx, t->graph);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_block_id, nx_to_i32(t->block_id));
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_read_bytes, size);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_write_bytes, size);
	nx_row_put_i64(row, NX_COL_DmaPacketAggregated_transfer_bytes, size);
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
	const struct nx_transfers *transfers = &x->profile->transfers;
	uint32_t *order = nx_transfers_by_start(transfers);

	nx_row_init(&x->row, NX_SCHEMA_DmaPacketAggregated);
	for (size_t i = 0; i < transfers->len; i++)
		fill_transfer(x, order[i]);
	nx_heap_free(order);
}

/* --- the whole ------------------------------------------------------------- */

static enum nx_status fill_packets(struct nx_device_fill *fill, struct dma_fill *x)
{
	enum nx_status st;

	nx_row_init(&x->row, NX_SCHEMA_DmaPacket);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_DmaPacket);
	st = nx_flow_rows_begin(&x->flows, fill, &x->links);
	if (!st)
		st = nx_profile_scan(fill->profile, NX_TABLE_PACKET, fill_packet, x, fill->err);
	nx_flow_rows_end(&x->flows);
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
	nx_transfer_text_cache_init(&x->texts, fill->profile);
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
