/* SPDX-License-Identifier: Apache-2.0 */
/* DMA: a row for each (queue, engine) with its packets, one for each queue with its transfers. */
#include <stdio.h>

#include "base/map.h"
#include "export/perfetto_args.h"
#include "export/perfetto_device.h"
#include "export/perfetto_rows.h"
#include "model/measure.h"
#include "model/transfer.h"

#define ROW_NAME_MAX 300

struct dma_trace {
	const struct nx_device_trace *trace;
	const struct nx_profile *profile;
	struct nx_arena arena; /* names of rows */
	char label[NX_SEMAPHORE_LABEL_MAX];
	uint32_t packet_groups[NX_MAX_GRAPHS], transfer_groups[NX_MAX_GRAPHS];
	struct nx_map packet_rows;   /* (graph, queue, engine) -> index into rows */
	struct nx_map transfer_rows; /* (graph, queue name) -> index into rows */
	NX_VEC(struct nx_perfetto_row) rows;
	struct nx_perfetto_args args;
};

static struct nx_perfetto_row *add_row(struct dma_trace *x, uint32_t parent, const char *name,
				       uint32_t rank)
{
	nx_vec_push(&x->rows, ((struct nx_perfetto_row){.p = x->trace->p,
							.name = nx_arena_copy_text(&x->arena, name),
							.parent = parent,
							.rank = rank}));
	return &x->rows.items[x->rows.len - 1];
}

/* --- packets --------------------------------------------------------------- */

static const struct nx_queue *queue_of(const struct dma_trace *x, const struct nx_packet *row)
{
	const struct nx_graph *graph = &x->profile->capture.graphs[row->graph];

	return nx_graph_queue(graph, row->dma_engine, row->dma_queue);
}

static struct nx_perfetto_row *packet_row(struct dma_trace *x, const struct nx_packet *row)
{
	uint32_t rank = (uint32_t)row->dma_queue << 16 | row->dma_engine;
	uint64_t key = (uint64_t)row->graph << 32 | rank, index;
	const struct nx_queue *queue;
	char name[ROW_NAME_MAX];

	if (nx_map_get(&x->packet_rows, key, &index))
		return &x->rows.items[index];
	nx_map_put(&x->packet_rows, key, x->rows.len);
	queue = row->queue_class == NX_QUEUE_DATA ? queue_of(x, row) : NULL;
	if (queue)
		snprintf(name, sizeof(name), "%s-Q%u-E%u", queue->display_name, row->dma_queue,
			 row->dma_engine);
	else
		snprintf(name, sizeof(name), "Q%u-E%u", row->dma_queue, row->dma_engine);
	return add_row(x, x->packet_groups[row->graph], name, rank);
}

static void packet_args(struct dma_trace *x, const struct nx_packet *row,
			const struct nx_transfer *t)
{
	struct nx_perfetto_args *args = &x->args;

	nx_vec_clear(args);
	nx_perfetto_arg_u64(args, "transfer_size", row->size_bytes);
	nx_perfetto_arg_f64(args, "transfer_rate",
			    (double)nx_rate(row->size_bytes, row->end_ps - row->start_ps));
	nx_perfetto_arg_u64(args, "crc", row->crc);
	nx_perfetto_arg_u64(args, "packet_idx", row->packet_idx);
	nx_perfetto_arg_u64(args, "dma_engine", row->dma_engine);
	nx_perfetto_arg_u64(args, "dma_queue", row->dma_queue);
	nx_perfetto_arg_text(args, "queue_type", nx_queue_class_name(row->queue_class));
	if (t)
		nx_perfetto_attribution_args(args, x->profile, t, x->label);
}

static void write_packet(void *context, const void *opaque)
{
	struct dma_trace *x = context;
	const struct nx_packet *row = opaque;
	uint32_t at =
		x->profile->transfers.len ? nx_profile_find_transfer(x->profile, row) : NX_NONE;
	const struct nx_transfer *t = at == NX_NONE ? NULL : &x->profile->transfers.items[at];
	const char *variable = t ? nx_perfetto_transfer_variable(x->profile, t) : NULL;

	packet_args(x, row, t);
	nx_perfetto_row_put(packet_row(x, row),
			    &(struct nx_perfetto_slice){
				    .start_ns = row->start_ps / 1000,
				    .end_ns = nx_perfetto_end_ns(row->start_ps, row->end_ps),
				    .name = variable ? variable
						     : nx_queue_class_name(row->queue_class),
				    .args = x->args.items,
				    .arg_count = x->args.len,
			    });
	if (x->trace->options->progress)
		nx_progress_add(x->trace->options->progress, 1);
}

/* --- transfers ------------------------------------------------------------- */

static struct nx_perfetto_row *transfer_row(struct dma_trace *x, const struct nx_transfer *t)
{
	const struct nx_queue *queue = &x->profile->capture.graphs[t->graph].queues[t->queue];
	const char *name = queue->display_name;
	uint64_t key = nx_fnv1a(NX_FNV_SEED + t->graph, name, strlen(name)), index;

	if (nx_map_get(&x->transfer_rows, key, &index))
		return &x->rows.items[index];
	nx_map_put(&x->transfer_rows, key, x->rows.len);
	return add_row(x, x->transfer_groups[t->graph], name, queue->queue_idx);
}

static void write_transfer(struct dma_trace *x, const struct nx_transfer *t)
{
	const struct nx_queue *queue = &x->profile->capture.graphs[t->graph].queues[t->queue];
	const char *variable = nx_perfetto_transfer_variable(x->profile, t);
	struct nx_perfetto_args *args = &x->args;

	nx_vec_clear(args);
	nx_perfetto_arg_u64(args, "transfer_size", t->size_bytes);
	nx_perfetto_arg_f64(args, "transfer_rate",
			    (double)nx_rate(t->size_bytes, t->end_ps - t->start_ps));
	nx_perfetto_arg_u64(args, "crc", t->crc);
	nx_perfetto_arg_u64(args, "packet_count", t->packet_count);
	nx_perfetto_arg_u64(args, "dma_engine", queue->engine_idx);
	nx_perfetto_arg_u64(args, "dma_queue", queue->queue_idx);
	nx_perfetto_arg_text(args, "queue_type", nx_queue_class_name(queue->queue_class));
	nx_perfetto_arg_u64(args, "trigger", t->trigger_ps / 1000);
	nx_perfetto_attribution_args(args, x->profile, t, x->label);
	nx_perfetto_row_put(transfer_row(x, t),
			    &(struct nx_perfetto_slice){
				    .start_ns = t->start_ps / 1000,
				    .end_ns = nx_perfetto_end_ns(t->start_ps, t->end_ps),
				    .name = variable ? variable
						     : nx_queue_class_name(queue->queue_class),
				    .args = args->items,
				    .arg_count = args->len,
			    });
}

/* They are in the order of their triggers; a row needs the order of starts. */
static void write_transfers(struct dma_trace *x)
{
	const struct nx_transfers *t = &x->profile->transfers;
	uint32_t *order = nx_transfers_by_start(t);

	for (size_t i = 0; i < t->len; i++)
		write_transfer(x, &t->items[order[i]]);
	nx_heap_free(order);
}

enum nx_status nx_perfetto_dma(const struct nx_device_trace *trace, struct nx_error *err)
{
	struct dma_trace *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->trace = trace;
	x->profile = trace->profile;
	for (uint32_t g = 0; g < x->profile->capture.graph_count; g++) {
		x->packet_groups[g] = nx_perfetto_track(trace->p, trace->cores[g], "DMA packets",
							NX_RANK_PACKETS);
		x->transfer_groups[g] = nx_perfetto_track(trace->p, trace->cores[g],
							  "DMA transfers", NX_RANK_TRANSFERS);
	}
	st = nx_profile_scan(x->profile, NX_TABLE_PACKET, write_packet, x, err);
	if (!st)
		write_transfers(x);
	for (size_t i = 0; i < x->rows.len; i++)
		nx_perfetto_row_finish(&x->rows.items[i]);
	nx_vec_release(&x->rows);
	nx_vec_release(&x->args);
	nx_map_release(&x->packet_rows);
	nx_map_release(&x->transfer_rows);
	nx_arena_release(&x->arena);
	nx_heap_free(x);
	return st;
}
