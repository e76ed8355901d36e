/* SPDX-License-Identifier: Apache-2.0 */
/* DMA packets and transfers. What depends on the (engine, queue) alone is rendered once. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "export/json_sections.h"
#include "model/measure.h"
#include "model/naming.h"
#include "model/transfer.h"

struct dma_export {
	struct nx_json_writer *w;
	const struct nx_profile *profile;
	struct nx_progress *progress;
	struct nx_arena arena;
	struct nx_map fragments; /* queue_key -> index into texts */
	NX_VEC(struct nx_json_fragment) texts;
	struct nx_map declared; /* queue_key -> index into the graph's queues, NX_NONE */
	uint64_t rows;
};

struct queue_ref {
	const struct nx_profile *profile;
	const struct nx_packet *packet;
	const struct nx_queue *queue; /* NULL when it is not declared */
};

/* Members that packets and transfers begin with. */
static void put_span(struct nx_json_writer *w, uint64_t start_ps, uint64_t end_ps,
		     uint64_t size_bytes, uint32_t crc)
{
	nx_json_key_u64(w, "timestamp", start_ps / 1000);
	nx_json_key_u64(w, "duration", (end_ps - start_ps) / 1000);
	nx_json_key_u64(w, "transfer_size", size_bytes);
	nx_json_key_u64(w, "read_size", size_bytes);
	nx_json_key_u64(w, "write_size", size_bytes);
	nx_json_key_f32(w, "transfer_rate", nx_rate(size_bytes, end_ps - start_ps));
	nx_json_key_u64(w, "crc", crc);
}

static void put_queue(struct nx_json_writer *w, uint32_t engine, uint32_t queue,
		      unsigned queue_class)
{
	nx_json_key_digits(w, "dma_engine", engine);
	nx_json_key_digits(w, "dma_queue", queue);
	nx_json_key_text(w, "queue_type", nx_queue_class_name(queue_class));
}

/* --- what a NEFF's block says ---------------------------------------------- */

/* A sum has several sources, so source is a list of lists. Without a descriptor both are unknown.
 */
static void put_ends(struct nx_json_writer *w, const struct nx_binary_graph *graph,
		     const struct nx_dma_descriptor *d)
{
	nx_json_key(w, "source");
	nx_json_begin_array(w);
	nx_json_begin_array(w);
	for (size_t i = 0; i < (d ? d->from_count : 1); i++)
		nx_json_text(w, d ? nx_variable_kind(graph, d->from[i]) : "unknown");
	nx_json_end_array(w);
	nx_json_end_array(w);
	nx_json_key(w, "dest");
	nx_json_begin_array(w);
	nx_json_text(w, d ? nx_variable_kind(graph, d->to) : "unknown");
	nx_json_end_array(w);
}

static void put_unattributed(struct nx_json_writer *w, const char *op)
{
	nx_json_key_text(w, "op", op);
	nx_json_key_text(w, "semaphore_id", "-1");
	nx_json_key_text(w, "variable", "unknown");
	put_ends(w, NULL, NULL);
}

static void put_attribution(struct nx_json_writer *w, const struct nx_profile *p,
			    const struct nx_transfer *t)
{
	const struct nx_dma_block *block = nx_transfer_block(p, t);
	const struct nx_binary_graph *graph = p->program.binary_graphs[t->graph];
	const struct nx_dma_descriptor *d;
	char semaphore[NX_SEMAPHORE_TEXT_MAX];

	nx_json_key_u64(w, "block_id", t->block_id);
	if (!block || !block->descriptor_count) {
		put_unattributed(w, "copy"); /* the default of a descriptor */
		return;
	}
	d = &block->descriptors[0];
	nx_json_key_text(w, "op", d->op);
	nx_json_key_text(w, "semaphore_id",
			 nx_semaphore_text(p, t->graph, block->semaphore, semaphore));
	nx_json_key_text(w, "variable", nx_descriptor_variable(graph, d));
	put_ends(w, graph, d);
}

/* --- packets --------------------------------------------------------------- */

static uint64_t queue_key(const struct nx_packet *row)
{
	return (uint64_t)row->graph << 32 | (uint64_t)row->dma_engine << 8 | row->dma_queue;
}

static struct queue_ref find_queue(struct dma_export *x, const struct nx_packet *row)
{
	const struct nx_graph *graph = &x->profile->capture.graphs[row->graph];
	uint64_t index;

	assert(row->graph < x->profile->capture.graph_count);
	if (!nx_map_get(&x->declared, queue_key(row), &index)) {
		const struct nx_queue *queue =
			nx_graph_queue(graph, row->dma_engine, row->dma_queue);

		index = queue ? (uint64_t)(queue - graph->queues) : NX_NONE;
		nx_map_put(&x->declared, queue_key(row), index);
	}
	return (struct queue_ref){x->profile, row, index == NX_NONE ? NULL : &graph->queues[index]};
}

static void queue_members(struct nx_json_writer *w, const void *what)
{
	const struct queue_ref *r = what;
	const struct nx_packet *row = r->packet;
	char text[300];

	put_queue(w, row->dma_engine, row->dma_queue, row->queue_class);
	if (row->queue_class == NX_QUEUE_DATA && r->queue)
		snprintf(text, sizeof(text), "%s-Q%u-E%u", r->queue->display_name, row->dma_queue,
			 row->dma_engine);
	else
		snprintf(text, sizeof(text), "Q%u-E%u", row->dma_queue, row->dma_engine);
	nx_json_key_text(w, "subgroup", text);
	nx_json_subgraph(w, r->profile, row->graph);
	nx_json_key_text(w, "aggregated", "no");
	nx_json_key_text(w, "duplicate", "no");
	nx_json_key_text(w, "is_cc_dma", "no");
}

static void plain_members(struct nx_json_writer *w, const void *what)
{
	const struct queue_ref *r = what;

	queue_members(w, what);
	nx_json_key_u64(w, "packet_aggregation_id",
			nx_aggregation_id(r->profile, r->packet->graph, r->packet->dma_queue, 0,
					  0));
	put_unattributed(w, "");
}

static void put_plain(struct dma_export *x, const struct nx_packet *row)
{
	struct queue_ref r = find_queue(x, row);
	uint64_t key = queue_key(row), index;

	if (x->w->pretty) {
		plain_members(x->w, &r);
		return;
	}
	if (!nx_map_get(&x->fragments, key, &index)) {
		index = x->texts.len;
		nx_vec_push(&x->texts, nx_json_render(&x->arena, plain_members, &r));
		nx_map_put(&x->fragments, key, index);
	}
	nx_json_raw_members(x->w,
			    nx_slice_of(x->texts.items[index].text, x->texts.items[index].len));
}

static void write_packet(void *context, const void *opaque)
{
	struct dma_export *x = context;
	const struct nx_packet *row = opaque;
	const struct nx_profile *p = x->profile;
	uint32_t transfer = p->transfers.len ? nx_profile_find_transfer(p, row) : NX_NONE;
	const struct nx_transfer *t = transfer == NX_NONE ? NULL : &p->transfers.items[transfer];
	struct nx_json_writer *w = x->w;

	nx_json_begin_object(w);
	put_span(w, row->start_ps, row->end_ps, row->size_bytes, row->crc);
	nx_json_key_u64(w, "packet_idx", row->packet_idx);
	nx_json_key_u64(w, "id", nx_packet_id(p, row, t ? t->block_id : 0));
	if (t) {
		struct queue_ref r = find_queue(x, row);

		queue_members(w, &r);
		nx_json_key_u64(w, "packet_aggregation_id",
				nx_aggregation_id(p, row->graph, row->dma_queue, t->block_id,
						  t->turn));
		put_attribution(w, p, t);
	} else {
		put_plain(x, row);
	}
	nx_json_end_object(w);
	x->rows++;
	nx_progress_add(x->progress, 1);
}

/* --- transfers ------------------------------------------------------------- */

static void put_sizes(struct nx_json_writer *w, const char *key, const uint64_t *sizes,
		      size_t count)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		nx_json_u64(w, sizes[i]);
	nx_json_end_array(w);
}

static void put_steps(struct nx_json_writer *w, const char *key, const int64_t *steps, size_t count)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		nx_json_i64(w, steps[i]);
	nx_json_end_array(w);
}

static void put_shapes(struct nx_json_writer *w, const struct nx_profile *p,
		       const struct nx_transfer *t)
{
	const struct nx_dma_block *block = nx_transfer_block(p, t);
	const struct nx_dma_descriptor *d;

	if (!block || !block->descriptor_count)
		return;
	d = &block->descriptors[0];
	put_sizes(w, "read_shape", d->from_sizes, d->from_dims);
	put_sizes(w, "write_shape", d->to_sizes, d->to_dims);
	if (d->from_offset != NX_OFFSET_UNKNOWN)
		nx_json_key_u64(w, "source_offset", d->from_offset);
	if (d->to_offset != NX_OFFSET_UNKNOWN)
		nx_json_key_u64(w, "dest_offset", d->to_offset);
	put_steps(w, "source_steps", d->from_steps, d->from_dims);
	put_steps(w, "dest_steps", d->to_steps, d->to_dims);
	nx_json_key_u64(w, "descriptor_count", block->descriptor_count);
}

static void write_transfer(struct dma_export *x, const struct nx_transfer *t)
{
	const struct nx_profile *p = x->profile;
	const struct nx_queue *queue = &p->capture.graphs[t->graph].queues[t->queue];
	struct nx_json_writer *w = x->w;

	nx_json_begin_object(w);
	put_span(w, t->start_ps, t->end_ps, t->size_bytes, t->crc);
	nx_json_key_u64(w, "id",
			nx_aggregation_id(p, t->graph, queue->queue_idx, t->block_id, t->turn));
	put_queue(w, queue->engine_idx, queue->queue_idx, queue->queue_class);
	nx_json_key_text(w, "subgroup", queue->display_name);
	nx_json_subgraph(w, p, t->graph);
	nx_json_key_text(w, "aggregated", "yes");
	nx_json_key_text(w, "duplicate", "no");
	nx_json_key_text(w, "is_cc_dma", "no");
	nx_json_key_u64(w, "trigger", t->trigger_ps / 1000);
	put_attribution(w, p, t);
	put_shapes(w, p, t);
	nx_json_end_object(w);
	x->rows++;
}

enum nx_status nx_json_dma(struct nx_json_writer *w, const struct nx_profile *profile,
			   struct nx_progress *progress, uint64_t *rows, struct nx_error *err)
{
	struct dma_export x = {.w = w, .profile = profile, .progress = progress};
	enum nx_status st;

	nx_json_begin_array(w);
	st = nx_profile_scan(profile, NX_TABLE_PACKET, write_packet, &x, err);
	for (size_t i = 0; i < profile->transfers.len; i++)
		write_transfer(&x, &profile->transfers.items[i]);
	nx_json_end_array(w);
	*rows = x.rows;
	nx_map_release(&x.fragments);
	nx_map_release(&x.declared);
	nx_vec_release(&x.texts);
	nx_arena_release(&x.arena);
	return st;
}
