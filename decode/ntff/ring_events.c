/* SPDX-License-Identifier: Apache-2.0 */
/* The small streams: semaphore events, throttle changes, generated descriptors and faults. */
#include <assert.h>

#include "decode/ntff/ring_scan.h"
#include "model/binary.h"

typedef void (*record_fn)(struct nx_ntff_decoder *d, uint32_t graph, struct nx_notification n,
			  void *state);

struct emit {
	nx_decoded_fn fn;
	void *context;
};

static void each_record(struct nx_ntff_decoder *d, uint32_t graph, enum nx_trace_type type,
			record_fn each, void *state)
{
	struct nx_ring_scan scan = nx_ring_scan_core(&d->graphs[graph], type, d->progress);
	struct nx_notification n;

	while (nx_ring_scan_next(&scan, &n))
		each(d, graph, n, state);
}

static void event_record(struct nx_ntff_decoder *d, uint32_t graph, struct nx_notification n,
			 void *state)
{
	const struct emit *emit = state;
	unsigned type = nx_notification_type(n);
	int64_t at_ps = nx_clock_ps(&d->graphs[graph].event_clock, n.timestamp);
	struct nx_event row = {0};

	if (!nx_in_window_of(d->capture, graph, at_ps)) {
		d->early_semaphore_count += nx_bits32(n.w0, 8, 8);
		return;
	}
	row.time_ps = nx_since_start(d->capture, at_ps);
	row.value = n.w1;
	row.id = (uint8_t)nx_bits32(n.w0, 7, 0);
	row.graph = (uint8_t)graph;
	row.is_semaphore = nx_bits32(n.w0, 8, 8);
	row.mode = (uint8_t)nx_bits32(n.w0, 19, 16);
	row.source = (uint8_t)(nx_notification_is_engine(type) ? nx_notification_engine(type)
							       : NX_ENGINE_COUNT);
	emit->fn(emit->context, &row);
}

void nx_ntff_decode_events(struct nx_ntff_decoder *d, nx_decoded_fn fn, void *context)
{
	struct emit emit = {fn, context};

	assert(d->capture && fn);
	d->early_semaphore_count = 0;
	for (uint32_t g = 0; g < d->capture->graph_count; g++)
		each_record(d, g, NX_TRACE_EVENT, event_record, &emit);
}

uint64_t nx_ntff_event_record_count(const struct nx_ntff_decoder *d, uint32_t graph)
{
	const struct nx_graph_rings *rings = &d->graphs[graph];
	uint64_t count = 0;

	assert(graph < d->capture->graph_count);
	for (size_t r = 0; r < rings->ring_count; r++)
		if (rings->rings[r].trace_type == NX_TRACE_EVENT &&
		    rings->rings[r].block_type == NX_BLOCK_CORE)
			count += rings->rings[r].records.len / NX_NOTIFICATION_BYTES;
	return count;
}

/* --- throttle -------------------------------------------------------------- */

struct throttle_state {
	struct emit emit;
	struct nx_throttle last;
	bool has_last;
};

static void throttle_record(struct nx_ntff_decoder *d, uint32_t graph, struct nx_notification n,
			    void *opaque)
{
	struct throttle_state *state = opaque;
	int64_t at_ps = nx_clock_ps(&d->graphs[graph].throttle_clock, n.timestamp);
	struct nx_throttle row = {0};

	if (!nx_in_window_of(d->capture, graph, at_ps))
		return;
	row.start_ps = nx_since_start(d->capture, at_ps);
	row.graph = (uint8_t)graph;
	row.n = (uint16_t)nx_bits32(n.w0, 23, 16);
	row.k = (uint16_t)nx_bits32(n.w1, 6, 0);
	row.type = (uint8_t)nx_bits32(n.w1, 15, 8);
	if (!row.n) { /* older hardware reports no limit: full speed, of unknown kind */
		row.k = row.n = 1;
		row.type = NX_THROTTLE_UNKNOWN;
	}
	if (state->has_last) {
		state->last.end_ps = row.start_ps;
		state->emit.fn(state->emit.context, &state->last);
	}
	state->last = row;
	state->has_last = true;
}

void nx_ntff_decode_throttles(struct nx_ntff_decoder *d, nx_decoded_fn fn, void *context)
{
	assert(d->capture && fn);
	for (uint32_t g = 0; g < d->capture->graph_count; g++) {
		struct throttle_state state = {.emit = {fn, context}};

		each_record(d, g, NX_TRACE_THROTTLE, throttle_record, &state);
		if (state.has_last)
			fn(context, &state.last);
	}
}

/* --- generated descriptors ------------------------------------------------- */

static void generated_record(struct nx_ntff_decoder *d, uint32_t graph, struct nx_notification n,
			     const struct emit *emit)
{
	unsigned type = nx_notification_type(n);
	struct nx_generated row = {.graph = (uint8_t)graph, .slot = NX_NONE};
	int64_t at_ps;

	if (!nx_notification_is_engine(type) || nx_notification_kind(type) != NX_NOTIFY_EXPLICIT ||
	    nx_bits32(n.w0, 23, 20) != NX_NOTIFY_HINT_DGE)
		return;
	d->loss.dge_record_count++;
	row.engine = (uint8_t)nx_notification_engine(type);
	at_ps = nx_clock_ps(&d->graphs[graph].engine_clocks[row.engine], n.timestamp);
	if (!nx_in_window_of(d->capture, graph, at_ps))
		return;
	row.time_ps = nx_since_start(d->capture, at_ps);
	if (!(n.w1 & NX_NOTIFY_DGE_NO_PC))
		row.slot = nx_image_slot(&d->capture->graphs[graph].engines[row.engine],
					 nx_bits32(n.w0, 19, 0));
	row.dma_engine_mask = (uint16_t)nx_bits32(n.w1, 15, 0);
	row.packet_count = nx_bits32(n.w1, 27, 16);
	if (!row.packet_count)
		row.packet_count = NX_NOTIFY_DGE_PACKETS_MAX;
	emit->fn(emit->context, &row);
}

void nx_ntff_decode_generated(struct nx_ntff_decoder *d, nx_decoded_fn fn, void *context)
{
	struct emit emit = {fn, context};

	assert(d->capture && fn);
	d->loss.dge_record_count = 0;
	for (uint32_t g = 0; g < d->capture->graph_count; g++) {
		/* no progress: faults are counted from the same rings */
		struct nx_ring_scan scan =
			nx_ring_scan_core(&d->graphs[g], NX_TRACE_INSTRUCTION, NULL);
		struct nx_notification n;

		while (nx_ring_scan_next(&scan, &n))
			generated_record(d, g, n, &emit);
	}
}

/* --- faults ---------------------------------------------------------------- */

static bool fault_of_engine(struct nx_ntff_decoder *d, uint32_t graph, struct nx_notification n,
			    struct nx_fault *row)
{
	unsigned type = nx_notification_type(n);

	if (nx_notification_kind(type) != NX_NOTIFY_EXPLICIT)
		return false;
	if (nx_bits32(n.w0, 23, 20) == NX_NOTIFY_HINT_DGE)
		return false;
	row->engine = (uint8_t)nx_notification_engine(type);
	row->kind = NX_FAULT_CUSTOM;
	row->id = (uint16_t)nx_bits32(n.w1, 31, 16);
	row->slot = nx_image_slot(&d->capture->graphs[graph].engines[row->engine],
				  nx_bits32(n.w0, 19, 0));
	return true;
}

/* Only simulated devices document where they record the instruction. */
static void error_place(const struct nx_ntff_decoder *d, uint32_t graph, struct nx_fault *row)
{
	unsigned engine = nx_bits32(row->w1, 22, 20);

	if (!d->capture->is_simulation || !(row->w1 & NX_ERROR_HAS_PLACE) ||
	    engine >= NX_ENGINE_COUNT)
		return;
	row->engine = (uint8_t)engine;
	row->slot = nx_image_slot(&d->capture->graphs[graph].engines[engine],
				  nx_bits32(row->w1, 19, 0));
}

static void fault_record(struct nx_ntff_decoder *d, uint32_t graph, struct nx_notification n,
			 void *state)
{
	const struct emit *emit = state;
	unsigned type = nx_notification_type(n);
	struct nx_fault row = {.w0 = n.w0,
			       .w1 = n.w1,
			       .graph = (uint8_t)graph,
			       .engine = NX_ENGINE_COUNT,
			       .slot = NX_NONE};
	const struct nx_clock *clock = &d->graphs[graph].throttle_clock;
	int64_t at_ps;

	if (nx_notification_is_engine(type)) {
		if (!fault_of_engine(d, graph, n, &row))
			return;
		clock = &d->graphs[graph].engine_clocks[row.engine];
	} else if (type == NX_TYPE_ERROR) {
		row.kind = NX_FAULT_ERROR;
		row.id = (uint16_t)nx_bits32(n.w0, 7, 0);
		error_place(d, graph, &row);
	} else if (type == NX_TYPE_INTERRUPT) {
		row.kind = nx_bits32(n.w0, 3, 3) ? NX_FAULT_WARNING : NX_FAULT_ERROR;
		row.id = (uint16_t)nx_bits32(n.w0, 2, 0);
	} else {
		return;
	}
	at_ps = nx_clock_ps(clock, n.timestamp);
	if (!nx_in_window_of(d->capture, graph, at_ps))
		return;
	row.time_ps = nx_since_start(d->capture, at_ps);
	emit->fn(emit->context, &row);
}

void nx_ntff_decode_faults(struct nx_ntff_decoder *d, nx_decoded_fn fn, void *context)
{
	struct emit emit = {fn, context};

	assert(d->capture && fn);
	for (uint32_t g = 0; g < d->capture->graph_count; g++) {
		each_record(d, g, NX_TRACE_INSTRUCTION, fault_record, &emit);
		each_record(d, g, NX_TRACE_ERROR, fault_record, &emit);
	}
}
