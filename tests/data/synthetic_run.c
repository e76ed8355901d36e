/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic_run: runs a compiled program once and notes what the hardware would
 * have written into its trace rings.
 *
 * Each engine goes in order; an instruction starts when the one before has
 * ended and the semaphore it waits for has its value. DMA packets of a queue
 * start and end in order.
 */
#include <stdlib.h>

#include "tests/data/synthetic_inside.h"
#include "tests/data/synthetic_words.h"

#define EPILOGUE_DRAIN_PS 12000
#define NOTIFY_PS 10000
#define DMA_LATENCY_PS 1300000
#define DMA_STARTUP_PS 900000
#define SEMAPHORE_WRITE_BYTES 4
#define BATCH_RECORDS 24
#define CUSTOM_HINT 5

enum event_mode { EVENT_INCREMENT = 3 };

struct times NX_VEC_BODY(uint64_t);

struct dma_queue {
	uint64_t free_ps;     /* when the next packet may start */
	uint64_t last_end_ps; /* ends come in order */
};

struct run {
	struct nx_synthetic_machine *machine;
	struct nx_synthetic_graph *graph;
	unsigned graph_index;
	uint64_t random;
	uint64_t start_ps; /* of the window */
	uint64_t engine_free_ps[NX_ENGINE_COUNT];
	uint32_t next_slot[NX_ENGINE_COUNT];
	struct times reached[NX_SEMAPHORE_COUNT]; /* when value i + 1 was reached */
	struct dma_queue queues[NX_SYNTHETIC_DMA_ENGINES][16];
	bool is_throttled;
	uint64_t last_ps;
};

/* A few percent more or less than planned. */
static uint64_t jitter(struct run *r, uint64_t ps)
{
	return ps - ps / 32 + nx_synthetic_random(&r->random) % (ps / 16 + 1);
}

static void put(struct run *r, enum nx_synthetic_ring_kind ring, bool once,
		struct nx_synthetic_record record)
{
	struct nx_synthetic_ring *to = &r->graph->rings[ring];
	struct nx_synthetic_records *records = once ? &to->once : &to->loop;

	record.order = (uint32_t)records->len;
	nx_vec_push(records, record);
	if (record.time_ps > r->last_ps)
		r->last_ps = record.time_ps;
}

static void set_words(struct nx_synthetic_record *record, struct nx_notification n)
{
	record->w0 = n.w0;
	record->w1 = n.w1;
}

/* --- engines ----------------------------------------------------------------- */

static void put_instruction(struct run *r, bool once, unsigned engine, uint32_t slot,
			    uint64_t start_ps, uint64_t end_ps, uint32_t wait_cycles)
{
	struct nx_synthetic_record record = {
		.source = (uint8_t)engine, .clock = (uint8_t)engine, .time_ps = start_ps};
	uint32_t pc = nx_synthetic_pc(engine, slot);

	set_words(&record, nx_notification_start(engine, pc, wait_cycles, 0));
	put(r, NX_SYNTHETIC_RING_INSTRUCTION, once, record);
	set_words(&record, nx_notification_end(engine, pc, 0));
	record.time_ps = end_ps;
	put(r, NX_SYNTHETIC_RING_INSTRUCTION, once, record);
	if (!once)
		r->graph->loop.instruction_count[engine]++;
}

static void put_event(struct run *r, bool once, unsigned type, uint8_t semaphore, uint32_t value,
		      uint64_t at_ps)
{
	struct nx_synthetic_record record = {.clock = NX_SYNTHETIC_CLOCK_EVENTS, .time_ps = at_ps};

	record.source = (uint8_t)type;
	set_words(&record, nx_notification_semaphore(type, semaphore, EVENT_INCREMENT, value, 0));
	put(r, NX_SYNTHETIC_RING_EVENT, once, record);
	if (once)
		r->graph->once.event_count++;
	else
		r->graph->loop.event_count++;
}

/* Keeps the list sorted: increments of one semaphore may come from many DMA engines. */
static void reach(struct run *r, uint8_t semaphore, uint64_t at_ps)
{
	struct times *t = &r->reached[semaphore];
	size_t i = t->len;

	nx_vec_push(t, at_ps);
	for (; i > 0 && t->items[i - 1] > at_ps; i--)
		t->items[i] = t->items[i - 1];
	t->items[i] = at_ps;
}

static uint64_t when_reached(const struct run *r, uint8_t semaphore, uint32_t value)
{
	const struct times *t = &r->reached[semaphore];

	return value && value <= t->len ? t->items[value - 1] : 0;
}

static void put_throttle(struct run *r, uint64_t at_ps, unsigned k, unsigned type)
{
	bool is_old = r->machine->options.arch == 1;
	struct nx_synthetic_record record = {.clock = NX_SYNTHETIC_CLOCK_THROTTLE,
					     .time_ps = at_ps};

	set_words(&record, nx_notification_throttle((uint8_t)k, is_old ? 0 : 8, (uint8_t)type,
						    nx_synthetic_random(&r->random) & 0xfff, 0));
	put(r, NX_SYNTHETIC_RING_THROTTLE, false, record);
	r->graph->loop.throttle_count++;
}

/* --- DMA --------------------------------------------------------------------- */

static void put_packet(struct run *r, bool once, unsigned dma_engine, unsigned queue,
		       uint32_t bytes, uint64_t start_ps, uint64_t end_ps)
{
	unsigned number = dma_engine + r->graph_index * NX_SYNTHETIC_DMA_ENGINES;
	struct nx_synthetic_record record = {.source = (uint8_t)dma_engine,
					     .clock = NX_SYNTHETIC_CLOCK_DMA};

	set_words(&record, nx_notification_dma(NX_DMA_START, number, queue, 0, 0));
	record.time_ps = start_ps;
	put(r, NX_SYNTHETIC_RING_DMA, once, record);
	set_words(&record, nx_notification_dma(NX_DMA_END, number, queue, bytes, 0));
	record.w1 ^= (uint32_t)(~nx_synthetic_random(&r->random) & 0xffff) << 16;
	record.time_ps = end_ps;
	put(r, NX_SYNTHETIC_RING_DMA, once, record);
	set_words(&record, nx_notification_dma(NX_DMA_COMPLETION, number, queue, 0, 0));
	record.time_ps = end_ps + 4000;
	put(r, NX_SYNTHETIC_RING_DMA, once, record);
	if (!once) {
		r->graph->loop.packet_count++;
		r->graph->loop.packet_bytes += bytes;
	}
}

static uint64_t transfer(struct run *r, unsigned dma_engine, enum nx_synthetic_queue queue,
			 uint32_t bytes, uint64_t ready_ps)
{
	unsigned index = nx_synthetic_queues[queue].index;
	struct dma_queue *q = &r->queues[dma_engine][index];
	uint64_t start_ps = ready_ps > q->free_ps ? ready_ps : q->free_ps;
	uint64_t end_ps = start_ps + jitter(r, DMA_LATENCY_PS) + (uint64_t)bytes * 40;

	if (end_ps <= q->last_end_ps)
		end_ps = q->last_end_ps + 1000;
	q->free_ps = start_ps + jitter(r, 12000 + (uint64_t)bytes * 38);
	q->last_end_ps = end_ps;
	put_packet(r, false, dma_engine, index, bytes, start_ps, end_ps);
	return end_ps;
}

static void start_dma(struct run *r, const struct nx_synthetic_op *op, uint64_t at_ps)
{
	uint8_t semaphore = nx_synthetic_queues[op->queue].semaphore;

	for (unsigned e = 0; e < r->machine->options.dma_engine_count; e++) {
		uint64_t ready_ps = at_ps + jitter(r, DMA_STARTUP_PS), end_ps;

		for (uint32_t i = 0; i < op->dma_packets; i++)
			transfer(r, e, op->queue, NX_SYNTHETIC_PACKET_BYTES, ready_ps);
		end_ps = transfer(r, e, op->queue, SEMAPHORE_WRITE_BYTES, ready_ps);
		reach(r, semaphore, end_ps + 5000);
		put_event(r, false, NX_TYPE_AXI_EVENT, semaphore,
			  (uint32_t)r->reached[semaphore].len, end_ps + 5000);
	}
	if (nx_synthetic_queues[op->queue].is_static)
		r->graph->loop.transfer_count++;
	else
		r->graph->loop.dynamic_dma_count++;
}

/* --- the program -------------------------------------------------------------- */

static void put_dge_record(struct run *r, const struct nx_synthetic_op *op, uint64_t at_ps)
{
	struct nx_synthetic_record record = {
		.source = op->engine, .clock = op->engine, .time_ps = at_ps};
	unsigned engines = r->machine->options.dma_engine_count;

	set_words(&record,
		  nx_notification_dge(op->engine,
				      nx_synthetic_pc(op->engine, r->next_slot[op->engine]),
				      (uint16_t)((1u << engines) - 1), op->dma_packets + 1, 0));
	put(r, NX_SYNTHETIC_RING_INSTRUCTION, false, record);
	r->machine->loop.dge_record_count++;
}

static void execute(struct run *r, const struct nx_synthetic_op *op)
{
	uint64_t ready_ps = r->engine_free_ps[op->engine];
	uint64_t start_ps = when_reached(r, op->wait_semaphore, op->wait_value);
	uint64_t wait_cycles = 2, end_ps;

	if (start_ps > ready_ps)
		wait_cycles += (start_ps - ready_ps) * 12 / 10000;
	else
		start_ps = ready_ps;
	if (op->is_throttled != r->is_throttled && op->engine == NX_ENGINE_TENSOR) {
		r->is_throttled = op->is_throttled;
		put_throttle(r, start_ps, r->is_throttled ? 4 : 8, r->is_throttled);
	}
	end_ps = start_ps + jitter(r, op->duration_ps);
	if (op->engine == NX_ENGINE_TENSOR && r->is_throttled)
		end_ps += end_ps - start_ps;
	put_instruction(r, false, op->engine, r->next_slot[op->engine], start_ps, end_ps,
			(uint32_t)(wait_cycles < 0xffff ? wait_cycles : 0xffff));
	r->graph->loop.matmul_count += op->word[0] == NX_OP_MATMUL;
	if (op->update_semaphore) {
		reach(r, op->update_semaphore, end_ps);
		put_event(r, false, nx_notification_type_of(op->engine, NX_NOTIFY_EVENT),
			  op->update_semaphore, (uint32_t)r->reached[op->update_semaphore].len,
			  end_ps);
	}
	if (op->dma_packets)
		start_dma(r, op, end_ps);
	if (op->word[0] == NX_OP_PSEUDO_DMA_DIRECT2D && r->machine->options.with_faults)
		put_dge_record(r, op, end_ps);
	r->next_slot[op->engine]++;
	r->engine_free_ps[op->engine] = end_ps + 2000 + nx_synthetic_random(&r->random) % 9000;
}

/* The runtime's own slots before the program; Tensor passes its marker last. */
static void prologue(struct run *r)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		uint64_t lead_ps = e == NX_ENGINE_TENSOR ? 0 : 20000 * e;
		uint64_t end_ps = r->start_ps - lead_ps;

		put_instruction(r, true, e, 0, end_ps - 90000, end_ps - 40000, 9);
		put_instruction(r, true, e, 1, end_ps - NOTIFY_PS, end_ps, 1);
		r->engine_free_ps[e] = r->start_ps + jitter(r, 60000);
		r->next_slot[e] = NX_SYNTHETIC_PROLOGUE;
	}
	if (r->machine->options.version < 6) {
		/* the fetch of the program, still in the ring */
		for (unsigned i = 0; i < 4; i++)
			put_packet(r, true, 0, 15, 64, r->start_ps - 4000000 + i * 50000,
				   r->start_ps - 2500000 + i * 50000);
		put_event(r, true, NX_TYPE_AXI_EVENT, 1, 1, r->start_ps - 1000000);
	}
	put_throttle(r, r->start_ps + 30000, 8, 0);
}

static void epilogue(struct run *r)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		uint64_t start_ps = r->last_ps + 30000 + 5000 * e;
		uint64_t wait = (start_ps - r->engine_free_ps[e]) * 12 / 10000;

		put_instruction(r, false, e, r->next_slot[e], start_ps,
				start_ps + EPILOGUE_DRAIN_PS,
				(uint32_t)(wait < 0xffff ? wait : 0xffff));
		put_instruction(r, false, e, r->next_slot[e] + 1, start_ps + 20000,
				start_ps + 20000 + NOTIFY_PS, 1);
	}
}

/* Loads of the engines' function tables: one queue of its own, never triggered by an instruction.
 */
static void load_tables(struct run *r)
{
	for (unsigned i = 0; i < 4; i++)
		put_packet(r, false, r->machine->options.dma_engine_count > 9 ? 9 : 0, 14, 1024,
			   r->start_ps + 200000 + i * 90000, r->start_ps + 1500000 + i * 95000);
}

static void add_faults(struct run *r)
{
	struct nx_synthetic_record record = {.clock = NX_SYNTHETIC_CLOCK_THROTTLE,
					     .time_ps = r->start_ps + 500000};

	record.w0 = (uint32_t)NX_TYPE_ERROR << 24 | 17;
	record.w1 = 0xdead;
	put(r, NX_SYNTHETIC_RING_ERROR, false, record);
	record.w0 = (uint32_t)NX_TYPE_INTERRUPT << 24 | 8 | 2; /* a warning of group 2 */
	put(r, NX_SYNTHETIC_RING_ERROR, false, record);
	record.clock = NX_ENGINE_VECTOR;
	record.source = NX_ENGINE_VECTOR;
	record.w0 = nx_notification_type_of(NX_ENGINE_VECTOR, NX_NOTIFY_EXPLICIT) << 24 |
		    CUSTOM_HINT << 20 | nx_synthetic_pc(NX_ENGINE_VECTOR, NX_SYNTHETIC_PROLOGUE);
	record.w1 = 77u << 16;
	put(r, NX_SYNTHETIC_RING_INSTRUCTION, false, record);
	record.source = NX_ENGINE_COUNT;
	for (uint32_t i = 0; i < 3; i++) {
		record.w0 = 0x19u << 24 | i;
		put(r, NX_SYNTHETIC_RING_INSTRUCTION, false, record);
	}
	for (uint32_t i = 0; i < 2; i++)
		put(r, NX_SYNTHETIC_RING_UNKNOWN, false, record);
	r->machine->loop.fault_count += 3;
	r->machine->loop.unknown_record_count += 3;
	r->machine->once.unknown_ring_count++;
	r->machine->once.unknown_field_count++;
}

void nx_synthetic_run(struct nx_synthetic_machine *machine, unsigned graph)
{
	struct run r = {.machine = machine, .graph = &machine->graphs[graph], .graph_index = graph};
	const struct nx_synthetic_program *program = &r.graph->program;

	r.random = machine->options.seed * 2654435761u + graph + 1;
	r.start_ps = NX_SYNTHETIC_START_PS;
	prologue(&r);
	load_tables(&r);
	for (size_t i = 0; i < program->ops.len; i++)
		execute(&r, &program->ops.items[i]);
	if (machine->options.with_faults && graph == 0)
		add_faults(&r);
	epilogue(&r);
	for (unsigned i = 0; i < NX_SYNTHETIC_RING_COUNT; i++) {
		nx_synthetic_drain(&r.graph->rings[i].once, &r.random);
		nx_synthetic_drain(&r.graph->rings[i].loop, &r.random);
	}
	if (r.last_ps - NX_SYNTHETIC_START_PS + 1000000 > machine->run_ps)
		machine->run_ps = r.last_ps - NX_SYNTHETIC_START_PS + 1000000;
	for (unsigned i = 0; i < NX_SEMAPHORE_COUNT; i++)
		nx_vec_release(&r.reached[i]);
}

/* --- the order of a ring ------------------------------------------------------- */

static int by_source_and_time(const void *left, const void *right)
{
	const struct nx_synthetic_record *a = left, *b = right;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->time_ps != b->time_ps)
		return a->time_ps < b->time_ps ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

struct batch {
	uint64_t time_ps; /* of its last record */
	size_t first, count;
};

static int by_time(const void *left, const void *right)
{
	const struct batch *a = left, *b = right;

	if (a->time_ps != b->time_ps)
		return a->time_ps < b->time_ps ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

void nx_synthetic_drain(struct nx_synthetic_records *records, uint64_t *random)
{
	struct nx_synthetic_records drained = {0};
	NX_VEC(struct batch) batches = {0};
	size_t at = 0;

	if (!records->len)
		return;
	qsort(records->items, records->len, sizeof(*records->items), by_source_and_time);
	while (at < records->len) {
		size_t count = 0, limit = 1 + nx_synthetic_random(random) % BATCH_RECORDS;

		while (at + count < records->len && count < limit &&
		       records->items[at + count].source == records->items[at].source)
			count++;
		nx_vec_push(&batches,
			    ((struct batch){records->items[at + count - 1].time_ps, at, count}));
		at += count;
	}
	qsort(batches.items, batches.len, sizeof(*batches.items), by_time);
	for (size_t i = 0; i < batches.len; i++)
		for (size_t k = 0; k < batches.items[i].count; k++)
			nx_vec_push(&drained, records->items[batches.items[i].first + k]);
	nx_vec_release(records);
	nx_vec_release(&batches);
	*records = drained;
}
