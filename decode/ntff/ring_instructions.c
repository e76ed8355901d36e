/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction ring: all five engines of a core, mixed. Start and end pair by engine and pc,
 * first in first out: in a loop the same pc may be in flight more than once. */
#include <assert.h>

#include "base/vec.h"
#include "decode/ntff/ring_scan.h"
#include "model/binary.h"

struct pending { /* a start without an end so far */
	int64_t start_ps;
	uint32_t next; /* index + 1 of the next pending start of the same slot; 0 = none */
	uint16_t wait_cycles;
};

struct slot_queue {
	uint32_t head, tail; /* index + 1 into the pool */
};

struct pairing {
	struct nx_ntff_decoder *decoder;
	uint32_t graph;
	struct slot_queue *queues[NX_ENGINE_COUNT];
	NX_VEC(struct pending) pool;
	uint32_t free; /* index + 1 of the first unused pool entry */
	uint64_t in_flight;
	uint32_t order;
};

static void push_start(struct pairing *p, struct slot_queue *queue, struct pending start)
{
	uint32_t index = p->free;

	if (index) {
		p->free = p->pool.items[index - 1].next;
		p->pool.items[index - 1] = start;
	} else {
		if (p->pool.len >= UINT32_MAX - 1)
			return; /* 64 GiB of unpaired starts: not a real capture */
		nx_vec_push(&p->pool, start);
		index = (uint32_t)p->pool.len;
	}
	if (queue->tail)
		p->pool.items[queue->tail - 1].next = index;
	else
		queue->head = index;
	queue->tail = index;
	p->in_flight++;
}

static bool pop_start(struct pairing *p, struct slot_queue *queue, struct pending *start)
{
	uint32_t index = queue->head;

	if (!index || !p->pool.items)
		return false;
	*start = p->pool.items[index - 1];
	queue->head = start->next;
	if (!queue->head)
		queue->tail = 0;
	p->pool.items[index - 1].next = p->free;
	p->free = index;
	p->in_flight--;
	return true;
}

/* Starts of earlier executions that never ended must not shift the pairs of this one. */
static bool pop_own_start(struct pairing *p, struct slot_queue *queue, int64_t end_ps,
			  struct pending *start)
{
	const struct nx_execution_span *execution =
		nx_capture_execution_at(p->decoder->capture, end_ps);

	while (pop_start(p, queue, start)) {
		if (!execution || start->start_ps >= execution->start_ps)
			return true;
		p->decoder->loss.unpaired_start_count++;
	}
	return false;
}

static struct slot_queue *queue_of(struct pairing *p, unsigned engine, uint32_t slot)
{
	const struct nx_engine_image *image =
		&p->decoder->capture->graphs[p->graph].engines[engine];

	if (!p->queues[engine]) {
		size_t size = sizeof(struct slot_queue) * ((size_t)image->slot_count + 1);

		p->queues[engine] = nx_heap_alloc(size);
		memset(p->queues[engine], 0, size);
	}
	return &p->queues[engine][slot];
}

static bool make_row(const struct pairing *p, const struct pending *start,
		     struct nx_notification end, int64_t end_ps, struct nx_instruction *row)
{
	const struct nx_capture *c = p->decoder->capture;

	if (start->start_ps < c->window_start_ps ||
	    (c->has_window_end && end_ps > c->window_end_ps))
		return false;
	if (end_ps < start->start_ps) {
		p->decoder->loss.backwards_count++;
		return false;
	}
	row->start_ps = nx_since_start(c, start->start_ps);
	row->end_ps = nx_since_start(c, end_ps);
	row->crc_in = (uint16_t)nx_bits32(end.w1, 15, 0);
	row->crc_out = (uint16_t)nx_bits32(end.w1, 31, 16);
	row->wait_cycles = start->wait_cycles;
	row->graph = (uint8_t)p->graph;
	return true;
}

static void decode_record(struct pairing *p, struct nx_notification n, nx_decoded_fn fn,
			  void *context)
{
	struct nx_ntff_decoder *d = p->decoder;
	unsigned type = nx_notification_type(n), engine = nx_notification_engine(type);
	enum nx_notification_kind kind = nx_notification_kind(type);
	const struct nx_clock *clock = &d->graphs[p->graph].engine_clocks[engine];
	uint32_t slot = nx_image_slot(&d->capture->graphs[p->graph].engines[engine],
				      nx_bits32(n.w0, 19, 0));
	int64_t at_ps = nx_clock_ps(clock, n.timestamp);
	struct nx_instruction row = {0};
	struct pending start = {0};

	if (kind > NX_NOTIFY_END)
		return; /* explicit records and events are other streams */
	if (!nx_is_of_graph(d->capture, p->graph, at_ps))
		return;
	if (slot == NX_NONE) {
		/* the runtime's own code lies outside the images, but also outside the window */
		if (nx_in_window(d->capture, at_ps))
			d->loss.outside_code_count++;
		return;
	}
	if (kind == NX_NOTIFY_START) {
		start.start_ps = at_ps;
		start.wait_cycles = (uint16_t)nx_bits32(n.w1, 31, 16);
		push_start(p, queue_of(p, engine, slot), start);
		return;
	}
	if (!pop_own_start(p, queue_of(p, engine, slot), at_ps, &start)) {
		if (nx_in_window(d->capture, at_ps))
			d->loss.unpaired_end_count++;
		return;
	}
	row.slot = slot;
	row.engine = (uint8_t)engine;
	if (!make_row(p, &start, n, at_ps, &row))
		return;
	row.order = p->order++;
	fn(context, &row);
}

static void count_unpaired(struct pairing *p)
{
	const struct nx_capture *c = p->decoder->capture;

	for (unsigned e = 0; e < NX_ENGINE_COUNT && p->in_flight; e++)
		for (uint32_t s = 0; p->queues[e] && s < c->graphs[p->graph].engines[e].slot_count;
		     s++)
			for (uint32_t i = p->queues[e][s].head; i; i = p->pool.items[i - 1].next)
				if (nx_in_window(c, p->pool.items[i - 1].start_ps))
					p->decoder->loss.unpaired_start_count++;
}

static void decode_graph(struct nx_ntff_decoder *d, uint32_t graph, nx_decoded_fn fn, void *context)
{
	struct nx_ring_scan scan =
		nx_ring_scan_core(&d->graphs[graph], NX_TRACE_INSTRUCTION, d->progress);
	struct pairing p = {.decoder = d, .graph = graph};
	struct nx_notification n;

	while (nx_ring_scan_next(&scan, &n)) {
		unsigned type = nx_notification_type(n);

		if (nx_notification_is_engine(type)) {
			decode_record(&p, n, fn, context);
		} else if (type != NX_TYPE_ERROR && type != NX_TYPE_INTERRUPT &&
			   type != NX_TYPE_AXI_EVENT && type != NX_TYPE_THROTTLE) {
			if (!d->loss.unknown_record_count++)
				d->loss.first_unknown_record = type;
		}
	}
	count_unpaired(&p);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		nx_heap_free(p.queues[e]);
	nx_vec_release(&p.pool);
}

void nx_ntff_decode_instructions(struct nx_ntff_decoder *d, nx_decoded_fn fn, void *context)
{
	assert(d->capture && fn);
	/* a second scan must not count the same losses again */
	d->loss.unknown_record_count = 0;
	d->loss.outside_code_count = 0;
	d->loss.unpaired_end_count = 0;
	d->loss.unpaired_start_count = 0;
	d->loss.backwards_count = 0; /* packets, decoded after this, add theirs */
	for (uint32_t g = 0; g < d->capture->graph_count; g++)
		decode_graph(d, g, fn, context);
}
