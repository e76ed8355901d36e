/* SPDX-License-Identifier: Apache-2.0 */
/* DMA: a row for each (queue, engine) with its packets, one for each queue with its transfers. */
#include <stdio.h>

#include "base/map.h"
#include "export/perfetto_device.h"
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

static const struct nx_dma_descriptor *descriptor_of(const struct nx_profile *p,
						     const struct nx_transfer *t,
						     const struct nx_dma_block **block)
{
	*block = nx_transfer_block(p, t);
	return *block && (*block)->descriptor_count ? &(*block)->descriptors[0] : NULL;
}

static const struct nx_variable *variable_at(const struct nx_profile *p,
					     const struct nx_transfer *t, uint32_t index)
{
	const struct nx_binary_graph *graph = p->program.binary_graphs[t->graph];

	return index < graph->variable_count ? &graph->variables[index] : NULL;
}

/* The variable a person would name, NULL if the NEFF does not tell. */
static const char *variable_of(const struct nx_profile *profile, const struct nx_transfer *t)
{
	const struct nx_dma_block *block;
	const struct nx_dma_descriptor *d = descriptor_of(profile, t, &block);
	const struct nx_variable *v;

	if (!d)
		return NULL;
	v = variable_at(profile, t, d->from_count ? d->from[0] : NX_NONE);
	if (!v || !strcmp(v->type, "state-buffer"))
		v = variable_at(profile, t, d->to);
	return v ? v->name : NULL;
}

/* What the NEFF's block says of a transfer or of a packet of it. */
static void put_attribution(struct dma_trace *x, const struct nx_transfer *t)
{
	const struct nx_dma_block *block;
	const struct nx_dma_descriptor *d = descriptor_of(x->profile, t, &block);
	const char *variable = variable_of(x->profile, t);

	nx_perfetto_arg_u64(&x->args, "block_id", t->block_id);
	if (!d)
		return;
	nx_perfetto_arg_text(&x->args, "op", d->op);
	nx_perfetto_semaphore_label(x->profile, t->graph, block->semaphore, x->label);
	nx_perfetto_arg_text(&x->args, "semaphore_id", x->label);
	nx_perfetto_arg_text(&x->args, "variable", variable ? variable : "unknown");
	if (d->from_offset != NX_OFFSET_UNKNOWN)
		nx_perfetto_arg_u64(&x->args, "source_offset", d->from_offset);
	if (d->to_offset != NX_OFFSET_UNKNOWN)
		nx_perfetto_arg_u64(&x->args, "dest_offset", d->to_offset);
	nx_perfetto_arg_u64(&x->args, "descriptor_count", block->descriptor_count);
}

static void begin_args(struct dma_trace *x, uint64_t start_ps, uint64_t end_ps, uint64_t size_bytes,
		       uint32_t crc)
{
	nx_vec_clear(&x->args);
	nx_perfetto_arg_u64(&x->args, "transfer_size", size_bytes);
	nx_perfetto_arg_f64(&x->args, "transfer_rate",
			    (double)nx_rate(size_bytes, end_ps - start_ps));
	nx_perfetto_arg_u64(&x->args, "crc", crc);
}

/* t is NULL for a packet of no transfer. */
static void put_slice(struct dma_trace *x, struct nx_perfetto_row *row, const struct nx_transfer *t,
		      uint64_t start_ps, uint64_t end_ps, unsigned queue_class)
{
	const char *variable = t ? variable_of(x->profile, t) : NULL;

	nx_perfetto_row_put(row,
			    &(struct nx_perfetto_slice){
				    .start_ns = start_ps / 1000,
				    .end_ns = nx_perfetto_end_ns(start_ps, end_ps),
				    .name = variable ? variable : nx_queue_class_name(queue_class),
				    .args = x->args.items,
				    .arg_count = x->args.len,
			    });
}

/* --- packets --------------------------------------------------------------- */

static struct nx_perfetto_row *packet_row(struct dma_trace *x, const struct nx_packet *row)
{
	uint32_t rank = (uint32_t)row->dma_queue << 16 | row->dma_engine;
	uint64_t key = (uint64_t)row->graph << 32 | rank, index;
	const struct nx_queue *queue = NULL;
	char name[ROW_NAME_MAX];

	if (nx_map_get(&x->packet_rows, key, &index))
		return &x->rows.items[index];
	nx_map_put(&x->packet_rows, key, x->rows.len);
	if (row->queue_class == NX_QUEUE_DATA)
		queue = nx_graph_queue(&x->profile->capture.graphs[row->graph], row->dma_engine,
				       row->dma_queue);
	if (queue)
		snprintf(name, sizeof(name), "%s-Q%u-E%u", queue->display_name, row->dma_queue,
			 row->dma_engine);
	else
		snprintf(name, sizeof(name), "Q%u-E%u", row->dma_queue, row->dma_engine);
	return add_row(x, x->packet_groups[row->graph], name, rank);
}

static void write_packet(void *context, const void *opaque)
{
	struct dma_trace *x = context;
	const struct nx_packet *row = opaque;
	uint32_t at =
		x->profile->transfers.len ? nx_profile_find_transfer(x->profile, row) : NX_NONE;
	const struct nx_transfer *t = at == NX_NONE ? NULL : &x->profile->transfers.items[at];
	struct nx_perfetto_args *args = &x->args;

	begin_args(x, row->start_ps, row->end_ps, row->size_bytes, row->crc);
	nx_perfetto_arg_u64(args, "packet_idx", row->packet_idx);
	nx_perfetto_arg_u64(args, "dma_engine", row->dma_engine);
	nx_perfetto_arg_u64(args, "dma_queue", row->dma_queue);
	nx_perfetto_arg_text(args, "queue_type", nx_queue_class_name(row->queue_class));
	if (t)
		put_attribution(x, t);
	put_slice(x, packet_row(x, row), t, row->start_ps, row->end_ps, row->queue_class);
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
	struct nx_perfetto_args *args = &x->args;

	begin_args(x, t->start_ps, t->end_ps, t->size_bytes, t->crc);
	nx_perfetto_arg_u64(args, "packet_count", t->packet_count);
	nx_perfetto_arg_u64(args, "dma_engine", queue->engine_idx);
	nx_perfetto_arg_u64(args, "dma_queue", queue->queue_idx);
	nx_perfetto_arg_text(args, "queue_type", nx_queue_class_name(queue->queue_class));
	nx_perfetto_arg_u64(args, "trigger", t->trigger_ps / 1000);
	put_attribution(x, t);
	put_slice(x, transfer_row(x, t), t, t->start_ps, t->end_ps, queue->queue_class);
}

enum nx_status nx_perfetto_dma(const struct nx_device_trace *trace, struct nx_error *err)
{
	struct dma_trace *x = nx_heap_alloc(sizeof(*x));
	uint32_t *order;
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
	order = nx_transfers_by_start(&x->profile->transfers);
	for (size_t i = 0; !st && i < x->profile->transfers.len; i++)
		write_transfer(x, &x->profile->transfers.items[order[i]]);
	nx_heap_free(order);
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
