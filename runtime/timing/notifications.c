/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing/notifications.h"

#include <assert.h>
#include <stdlib.h>

#include "format/instruction.h"
#include "format/notification.h"

#define MARKER_PS 10000u /* duration of a NOTIFY */
#define TICK_PS 714u	 /* of v2's engines */
#define DMA_ENGINE_NUMBERS 32u

enum ring_kind { INSTRUCTIONS, EVENTS, ERRORS, DMA, THROTTLE, RING_COUNT };

static const struct {
	uint8_t trace_type, block_type;
} ring_kinds[RING_COUNT] = {
	[INSTRUCTIONS] = {NX_TRACE_INSTRUCTION, NX_BLOCK_CORE},
	[EVENTS] = {NX_TRACE_EVENT, NX_BLOCK_CORE},
	[ERRORS] = {NX_TRACE_ERROR, NX_BLOCK_CORE},
	[DMA] = {NX_TRACE_DMA, NX_BLOCK_DMA},
	[THROTTLE] = {NX_TRACE_THROTTLE, NX_BLOCK_CORE},
};

struct record {
	uint64_t time_ps; /* on the device's clock; the words' timestamp is set at the end */
	uint64_t order;	  /* of insertion; decides between equal times */
	const struct nx_ntff_clock *clock;
	struct nx_notification words;
};

struct records NX_VEC_BODY(struct record);

struct notifying {
	const struct nx_loaded_code *code;
	const struct nx_timed_run *run;
	const struct nx_notify_options *options;
	const struct nx_ntff_clocks *clocks;
	bool counts_ticks;
	struct records *rings; /* RING_COUNT per core */
};

bool nx_notify_counts_ticks(enum nx_device_arch arch)
{
	return nx_device_generation(arch) == NX_ARCH_V2;
}

/* --- clocks ---------------------------------------------------------------------------- */

/* v2 as in captures of inf2: a tick is a number of 1024ths of a ps. */
void nx_notify_set_clocks(struct nx_ntff_clocks *clocks, bool counts_ticks, struct nx_arena *arena)
{
	const struct nx_ntff_clock straight = {0, 1, 1};
	struct nx_ntff_clock usual = straight, vector = straight, throttle = straight,
			     dma = straight;

	if (counts_ticks) {
		usual = (struct nx_ntff_clock){0, 731428, 731408};
		vector = (struct nx_ntff_clock){0, 914286, 914260};
		throttle = (struct nx_ntff_clock){0, 1024, 731408};
		dma = (struct nx_ntff_clock){0, 1024, 1204672};
	}
	clocks->tensor = clocks->scalar = clocks->gpsimd = clocks->sync = clocks->events = usual;
	clocks->vector = vector;
	clocks->throttle = throttle;
	clocks->has_tensor = clocks->has_scalar = clocks->has_vector = clocks->has_gpsimd = true;
	clocks->has_sync = clocks->has_events = clocks->has_throttle = true;
	clocks->dma.count = NX_DMA_ENGINE_COUNT;
	clocks->dma.items = NX_NEW_ARRAY(arena, struct nx_ntff_clock, NX_DMA_ENGINE_COUNT);
	for (size_t i = 0; i < clocks->dma.count; i++)
		clocks->dma.items[i] = dma;
}

static const struct nx_ntff_clock *engine_clock(const struct nx_ntff_clocks *clocks,
						unsigned engine)
{
	switch (engine) {
	case NX_ENGINE_TENSOR:
		return &clocks->tensor;
	case NX_ENGINE_SCALAR:
		return &clocks->scalar;
	case NX_ENGINE_GPSIMD:
		return &clocks->gpsimd;
	case NX_ENGINE_VECTOR:
		return &clocks->vector;
	default:
		return &clocks->sync;
	}
}

/* --- records ---------------------------------------------------------------------------- */

/* time_ps counts from the start of the execution. */
static void put(struct notifying *n, unsigned core, enum ring_kind ring,
		const struct nx_ntff_clock *clock, int64_t time_ps, struct nx_notification words)
{
	struct records *to = &n->rings[core * RING_COUNT + ring];
	struct record record = {n->options->start_ps + (uint64_t)time_ps, to->len, clock, words};

	assert(core < n->code->core_count);
	nx_vec_push(to, record);
}

static uint32_t pc_of(const struct nx_loaded_stream *stream, uint32_t slot)
{
	return ((uint32_t)(stream->start_address / NX_SLOT_BYTES) + slot) & (NX_PC_COUNT - 1);
}

/* NULL if the code has no such slot. */
static const struct nx_loaded_stream *stream_of(const struct notifying *n, unsigned core,
						unsigned engine, uint32_t slot)
{
	const struct nx_loaded_stream *stream;

	if (core >= n->code->core_count || engine >= NX_ENGINE_COUNT)
		return NULL;
	stream = &n->code->cores[core].streams[engine];
	return slot < stream->slot_count ? stream : NULL;
}

static void put_instructions(struct notifying *n)
{
	/* Records give waits in cycles of the common clock: 1.4 GHz on v2, 1.2 GHz later. */
	uint64_t cycles_per_10ns = n->counts_ticks ? 14 : 12;

	for (size_t i = 0; i < n->run->instructions.len; i++) {
		const struct nx_timed_instruction *row = &n->run->instructions.items[i];
		const struct nx_loaded_stream *stream =
			stream_of(n, row->core, row->engine, row->slot);
		const struct nx_ntff_clock *clock = engine_clock(n->clocks, row->engine);
		uint64_t wait_cycles = row->wait_ps / 10000 * cycles_per_10ns +
				       row->wait_ps % 10000 * cycles_per_10ns / 10000;
		uint32_t pc;

		if (!stream)
			continue;
		pc = pc_of(stream, row->slot);
		put(n, row->core, INSTRUCTIONS, clock, (int64_t)row->start_ps,
		    nx_notification_start(row->engine, pc, wait_cycles, 0));
		put(n, row->core, INSTRUCTIONS, clock, (int64_t)row->end_ps,
		    nx_notification_end(row->engine, pc, 0));
	}
}

static void put_descriptors(struct notifying *n)
{
	for (size_t i = 0; n->options->has_descriptors && i < n->run->descriptors.len; i++) {
		const struct nx_timed_descriptors *row = &n->run->descriptors.items[i];
		const struct nx_loaded_stream *stream =
			stream_of(n, row->core, row->engine, row->slot);

		if (stream)
			put(n, row->core, INSTRUCTIONS, engine_clock(n->clocks, row->engine),
			    (int64_t)row->time_ps,
			    nx_notification_dge(row->engine, pc_of(stream, row->slot),
						row->dma_engine_mask, row->packets_per_engine, 0));
	}
}

static void put_semaphores(struct notifying *n)
{
	for (size_t i = 0; i < n->run->semaphores.len; i++) {
		const struct nx_timed_semaphore *row = &n->run->semaphores.items[i];
		bool is_by_dma = row->source == NX_TIMED_BY_DMA;
		unsigned type = is_by_dma ? NX_TYPE_AXI_EVENT
					  : nx_notification_type_of(row->engine, NX_NOTIFY_EVENT);

		if (row->core < n->code->core_count && (is_by_dma || row->engine < NX_ENGINE_COUNT))
			put(n, row->core, EVENTS, &n->clocks->events, (int64_t)row->time_ps,
			    nx_notification_semaphore(type, row->semaphore, row->mode, row->value,
						      0));
	}
}

static void put_packets(struct notifying *n)
{
	unsigned first = n->options->first_core * NX_DMA_ENGINE_COUNT;

	for (size_t i = 0; i < n->run->packets.len; i++) {
		const struct nx_timed_packet *row = &n->run->packets.items[i];
		unsigned number = (first + row->dma_engine) % DMA_ENGINE_NUMBERS;
		const struct nx_ntff_clock *clock =
			&n->clocks->dma.items[number % NX_DMA_ENGINE_COUNT];

		if (row->core >= n->code->core_count)
			continue;
		put(n, row->core, DMA, clock, (int64_t)row->start_ps,
		    nx_notification_dma(NX_DMA_START, number, row->queue_index, 0, 0));
		put(n, row->core, DMA, clock, (int64_t)row->end_ps,
		    nx_notification_dma(NX_DMA_END, number, row->queue_index, row->bytes, 0));
		put(n, row->core, DMA, clock, (int64_t)row->completion_ps,
		    nx_notification_dma(NX_DMA_COMPLETION, number, row->queue_index, 0, 0));
	}
}

static void put_throttles(struct notifying *n)
{
	for (size_t i = 0; i < n->run->throttles.len; i++) {
		const struct nx_timed_throttle *row = &n->run->throttles.items[i];

		if (row->core < n->code->core_count)
			put(n, row->core, THROTTLE, &n->clocks->throttle, (int64_t)row->time_ps,
			    nx_notification_throttle(row->k, row->n, row->type, row->activity, 0));
	}
}

/* --- the marker of the start ---------------------------------------------------------------- */

static bool is_marker(const struct nx_loaded_slot *slot, unsigned hint)
{
	const struct nx_notify_word *w = &slot->word.notify;

	return w->header.opcode == NX_OP_NOTIFY && w->hint == hint;
}

/* NULL if the slot did not run. */
static const struct nx_timed_instruction *row_of(const struct nx_timed_run *run, unsigned core,
						 unsigned engine, uint32_t slot)
{
	for (size_t i = 0; i < run->instructions.len; i++) {
		const struct nx_timed_instruction *row = &run->instructions.items[i];

		if (row->core == core && row->engine == engine && row->slot == slot)
			return row;
	}
	return NULL;
}

/* Readers of v2 captures take the end of this NOTIFY as the start of the execution. */
static void put_markers(struct notifying *n, unsigned core, unsigned engine)
{
	const struct nx_loaded_stream *stream = &n->code->cores[core].streams[engine];
	const struct nx_ntff_clock *clock = engine_clock(n->clocks, engine);

	for (uint32_t slot = 0; slot < stream->slot_count; slot++) {
		uint32_t pc = pc_of(stream, slot);

		if (!is_marker(&stream->slots[slot], NX_NOTIFY_HINT_START))
			continue;
		if (row_of(n->run, core, engine, slot) || n->options->start_ps < MARKER_PS)
			return;
		put(n, core, INSTRUCTIONS, clock, -(int64_t)MARKER_PS,
		    nx_notification_start(engine, pc, 0, 0));
		put(n, core, INSTRUCTIONS, clock, 0, nx_notification_end(engine, pc, 0));
		return;
	}
}

/*
 * One tick more than between the marks, as in all captures of inf2, unless the run says more. If
 * PE's NOTIFY did not run, it is the marker that ends at time 0.
 */
static uint64_t marked_ps(const struct notifying *n)
{
	uint64_t start_ps = 0, end_ps = 0, total_ps;

	for (size_t i = 0; i < n->run->instructions.len; i++) {
		const struct nx_timed_instruction *row = &n->run->instructions.items[i];
		const struct nx_loaded_stream *stream =
			stream_of(n, row->core, row->engine, row->slot);

		if (!stream)
			continue;
		if (is_marker(&stream->slots[row->slot], NX_NOTIFY_HINT_START) &&
		    row->engine == NX_ENGINE_TENSOR && row->core == 0)
			start_ps = row->end_ps;
		if (is_marker(&stream->slots[row->slot], NX_NOTIFY_HINT_END) &&
		    row->end_ps > end_ps)
			end_ps = row->end_ps;
	}
	if (end_ps <= start_ps)
		return 0;
	total_ps = end_ps + TICK_PS;
	if (start_ps == 0 && n->run->end_ps > total_ps)
		total_ps = n->run->end_ps;
	return total_ps - start_ps;
}

/* --- faults -------------------------------------------------------------------------------- */

static enum nx_notified_error error_of(enum nx_device_fault_kind kind)
{
	switch (kind) {
	case NX_FAULT_NUMERICAL:
		return NX_ERROR_NAN;
	case NX_FAULT_SEMAPHORE:
		return NX_ERROR_SEMAPHORE;
	case NX_FAULT_OPERAND:
	case NX_FAULT_UNKNOWN:
		return NX_ERROR_SEQUENCER;
	default:
		return NX_ERROR_MEMORY;
	}
}

/* Reports have slots of the compiler's stream. */
static uint32_t device_slot(const struct nx_loaded_stream *stream, uint32_t compiler_pc)
{
	for (uint32_t slot = 0; slot < stream->slot_count; slot++)
		if (stream->slots[slot].compiler_pc == compiler_pc)
			return slot;
	return NX_NO_INDEX;
}

static void put_faults(struct notifying *n, const struct nx_device_report *report)
{
	for (unsigned i = 0; report && i < report->fault_count && i < NX_FAULT_KEPT; i++) {
		const struct nx_device_fault *fault = &report->faults[i];
		const struct nx_loaded_stream *stream = stream_of(n, fault->core, fault->engine, 0);
		uint32_t slot = stream ? device_slot(stream, fault->pc) : NX_NO_INDEX;
		const struct nx_timed_instruction *row;

		if (slot == NX_NO_INDEX)
			continue;
		row = row_of(n->run, fault->core, fault->engine, slot);
		put(n, fault->core, ERRORS, &n->clocks->throttle,
		    (int64_t)(row ? row->end_ps : n->run->end_ps),
		    nx_notification_error(error_of(fault->kind), fault->engine, pc_of(stream, slot),
					  0));
	}
}

/* --- the order of a ring --------------------------------------------------------------------- */

static int by_time(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	if (a->time_ps != b->time_ps)
		return a->time_ps < b->time_ps ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* A ring that is full overwrites its oldest records. */
static void drain(struct records *records, uint64_t capacity_bytes, struct nx_notified_ring *out)
{
	uint64_t capacity = capacity_bytes / NX_NOTIFICATION_BYTES;

	if (!records->len)
		return;
	qsort(records->items, records->len, sizeof(*records->items), by_time);
	out->lost_count = capacity && records->len > capacity ? records->len - capacity : 0;
	nx_vec_reserve(&out->records, (records->len - out->lost_count) * NX_NOTIFICATION_BYTES);
	for (size_t i = out->lost_count; i < records->len; i++) {
		struct record *r = &records->items[i];
		uint8_t bytes[NX_NOTIFICATION_BYTES];

		r->words.timestamp = nx_ntff_clock_ticks(r->clock, r->time_ps);
		nx_notification_store(bytes, r->words);
		nx_bytes_append(&out->records, bytes, sizeof(bytes));
	}
	nx_vec_release(records);
}

void nx_notifications_make(const struct nx_loaded_code *code, const struct nx_timed_run *run,
			   const struct nx_device_report *report,
			   const struct nx_notify_options *options, struct nx_notified *out)
{
	size_t ring_count = code->core_count * RING_COUNT;
	struct notifying n = {code, run, options, &out->clocks, false, NULL};

	assert(code->program && !out->rings.len && options);
	n.counts_ticks = nx_notify_counts_ticks(code->program->arch);
	n.rings = NX_NEW_ARRAY(&out->arena, struct records, ring_count);
	nx_notify_set_clocks(&out->clocks, n.counts_ticks, &out->arena);
	for (unsigned c = 0; n.counts_ticks && c < code->core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			put_markers(&n, c, e);
	out->marked_ps = marked_ps(&n);
	put_instructions(&n);
	put_descriptors(&n);
	put_semaphores(&n);
	put_packets(&n);
	put_throttles(&n);
	put_faults(&n, report);
	for (size_t i = 0; i < ring_count; i++) {
		struct nx_notified_ring ring = {.core = (uint32_t)(i / RING_COUNT)};

		ring.trace_type = ring_kinds[i % RING_COUNT].trace_type;
		ring.block_type = ring_kinds[i % RING_COUNT].block_type;
		drain(&n.rings[i], options->ring_bytes[ring.trace_type], &ring);
		nx_vec_push(&out->rings, ring);
	}
}

void nx_notified_release(struct nx_notified *notified)
{
	for (size_t i = 0; i < notified->rings.len; i++)
		nx_vec_release(&notified->rings.items[i].records);
	nx_vec_release(&notified->rings);
	nx_arena_release(&notified->arena);
}
