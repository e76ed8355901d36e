/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DMA ring: all DMA engines of a core, mixed. On one (engine, queue) packets finish in the
 * order they start, so the k-th start pairs with the k-th end.
 *
 * With a known window (version 6) records outside it are left out first. A packet across the
 * window's edge then leaves the starts and ends of its queue unequal, and every later pair would be
 * shifted: like AWS's tool we drop such a queue, and count it. If the file is cut, pairs are kept.
 * When several models are shown, every execution is such a window of its own.
 */
#include <assert.h>

#include "base/vec.h"
#include "decode/ntff/ring_scan.h"

struct start_queue { /* starts waiting for their ends; a ring that grows */
	int64_t *items;
	size_t cap, head, len;
};

struct dma_queue {
	uint64_t start_count, end_count;
	struct start_queue starts;
	uint32_t next_idx;
	uint8_t queue_class;
	bool is_dropped; /* in the execution being read */
	/* Several models: the execution being read, and the numbers of those to be dropped. */
	const struct nx_execution_span *execution;
	NX_VEC(uint32_t) dropped;
	size_t dropped_at; /* the next one */
};

struct dma_core {
	struct nx_ntff_decoder *decoder;
	uint32_t graph;
	struct dma_queue queues[NX_DMA_ENGINES][NX_DMA_QUEUES];
};

static_assert(NX_DMA_QUEUES == 16 && NX_DMA_ENGINES == 32, "all that a record can name");

static void push_start(struct start_queue *q, int64_t start_ps)
{
	if (q->len == q->cap) {
		size_t cap = q->cap ? q->cap * 2 : 16;
		int64_t *items = nx_heap_alloc(cap * sizeof(*items));

		for (size_t i = 0; i < q->len; i++)
			items[i] = q->items[(q->head + i) & (q->cap - 1)];
		nx_heap_free(q->items);
		q->items = items;
		q->cap = cap;
		q->head = 0;
	}
	q->items[(q->head + q->len++) & (q->cap - 1)] = start_ps;
}

static int64_t pop_start(struct start_queue *q)
{
	int64_t start_ps;

	assert(q->len > 0);
	start_ps = q->items[q->head];
	q->head = (q->head + 1) & (q->cap - 1);
	q->len--;
	return start_ps;
}

static void drop_if_unequal(struct dma_core *core, struct dma_queue *q)
{
	if (q->execution && q->start_count != q->end_count) {
		core->decoder->loss.dropped_queue_count++;
		core->decoder->loss.dropped_packet_count += q->end_count;
		nx_vec_push(&q->dropped, q->execution->number);
	}
}

/* The first record of a queue in another execution than the one before. */
static void turn_execution(struct dma_core *core, struct dma_queue *q,
			   const struct nx_execution_span *execution, bool is_counting)
{
	if (is_counting) {
		drop_if_unequal(core, q);
		q->start_count = q->end_count = 0;
	} else {
		q->starts.len = 0;
		q->is_dropped = q->dropped_at < q->dropped.len &&
				q->dropped.items[q->dropped_at] == execution->number;
		q->dropped_at += q->is_dropped;
	}
	q->execution = execution;
}

static void pair_record(struct dma_core *core, struct nx_notification n, int64_t at_ps,
			nx_decoded_fn fn, void *context)
{
	const struct nx_capture *c = core->decoder->capture;
	uint32_t engine = nx_notification_type(n), queue = nx_bits32(n.w1, 7, 4);
	struct dma_queue *q = &core->queues[engine][queue];
	struct nx_packet row = {0};
	int64_t start_ps;

	if (q->is_dropped)
		return;
	if (nx_bits32(n.w1, 3, 0) == NX_DMA_START) {
		push_start(&q->starts, at_ps);
		return;
	}
	if (!q->starts.len) {
		core->decoder->loss.unpaired_packet_count++;
		return;
	}
	start_ps = pop_start(&q->starts);
	row.packet_idx = q->next_idx++;
	if (start_ps < c->window_start_ps)
		return;
	if (at_ps < start_ps) {
		core->decoder->loss.backwards_count++;
		return;
	}
	row.start_ps = nx_since_start(c, start_ps);
	row.end_ps = nx_since_start(c, at_ps);
	row.size_bytes = nx_bits32(n.w0, 23, 0);
	row.crc = (uint16_t)nx_bits32(n.w1, 31, 16);
	row.dma_engine = (uint16_t)(core->decoder->graphs[core->graph].dma_engine_base + engine);
	row.dma_queue = (uint8_t)queue;
	row.graph = (uint8_t)core->graph;
	row.queue_class = q->queue_class;
	fn(context, &row);
}

/* Without fn only counts the records of each queue. */
static void each_record(struct dma_core *core, nx_decoded_fn fn, void *context)
{
	struct nx_ntff_decoder *d = core->decoder;
	const struct nx_graph_rings *rings = &d->graphs[core->graph];
	struct nx_ring_scan scan = nx_ring_scan_dma(rings, fn ? d->progress : NULL);
	struct nx_notification n;

	while (nx_ring_scan_next(&scan, &n)) {
		uint32_t step = nx_bits32(n.w1, 3, 0), engine = nx_notification_type(n);
		const struct nx_clock *clock =
			&rings->dma_clocks[(rings->dma_engine_base + engine) % NX_DMA_CLOCKS];
		struct dma_queue *q = &core->queues[engine][nx_bits32(n.w1, 7, 4)];
		const struct nx_execution_span *execution;
		int64_t at_ps;

		if (step != NX_DMA_START && step != NX_DMA_END)
			continue;
		at_ps = nx_clock_ps(clock, n.timestamp);
		if (d->capture->has_window_end && !nx_in_window_of(d->capture, core->graph, at_ps))
			continue;
		execution = nx_capture_execution_at(d->capture, at_ps);
		if (execution != q->execution)
			turn_execution(core, q, execution, !fn);
		if (fn)
			pair_record(core, n, at_ps, fn, context);
		else if (step == NX_DMA_START)
			q->start_count++;
		else
			q->end_count++;
	}
}

static void settle_queues(struct dma_core *core)
{
	struct nx_ntff_decoder *d = core->decoder;
	const struct nx_graph_rings *rings = &d->graphs[core->graph];
	uint32_t base = rings->dma_engine_base;
	bool is_cut = false;

	for (size_t r = 0; r < rings->ring_count; r++)
		is_cut |= rings->rings[r].block_type == NX_BLOCK_DMA && rings->rings[r].is_cut;
	for (uint32_t e = 0; e < NX_DMA_ENGINES; e++)
		for (uint32_t q = 0; q < NX_DMA_QUEUES; q++) {
			struct dma_queue *queue = &core->queues[e][q];
			const struct nx_queue *declared;

			if (!queue->start_count && !queue->end_count && !queue->execution)
				continue;
			declared = nx_graph_queue(&d->capture->graphs[core->graph], base + e, q);
			queue->queue_class =
				(uint8_t)(declared ? declared->queue_class : NX_QUEUE_INSTRUCTION);
			if (d->capture->executions) {
				drop_if_unequal(core, queue);
				queue->execution = NULL;
				continue;
			}
			if (queue->start_count == queue->end_count || is_cut ||
			    !d->capture->has_window_end)
				continue;
			queue->is_dropped = true;
			d->loss.dropped_queue_count++;
			d->loss.dropped_packet_count += queue->end_count;
		}
}

static void decode_graph(struct nx_ntff_decoder *d, uint32_t graph, nx_decoded_fn fn, void *context)
{
	struct dma_core *core = nx_heap_alloc(sizeof(*core));

	memset(core, 0, sizeof(*core));
	core->decoder = d;
	core->graph = graph;
	each_record(core, NULL, NULL);
	settle_queues(core);
	each_record(core, fn, context);
	for (uint32_t e = 0; e < NX_DMA_ENGINES; e++)
		for (uint32_t q = 0; q < NX_DMA_QUEUES; q++) {
			d->loss.unpaired_packet_count += core->queues[e][q].starts.len;
			nx_heap_free(core->queues[e][q].starts.items);
			nx_vec_release(&core->queues[e][q].dropped);
		}
	nx_heap_free(core);
}

void nx_ntff_decode_packets(struct nx_ntff_decoder *d, nx_decoded_fn fn, void *context)
{
	assert(d->capture && fn);
	d->loss.unpaired_packet_count = 0;
	d->loss.dropped_queue_count = 0;
	d->loss.dropped_packet_count = 0;
	for (uint32_t g = 0; g < d->capture->graph_count; g++)
		decode_graph(d, g, fn, context);
}
