/* SPDX-License-Identifier: Apache-2.0 */
/* ring_scan: the records of all rings of one kind of a graph, without keeping the file resident. */
#ifndef NX_DECODE_NTFF_RING_SCAN_H
#define NX_DECODE_NTFF_RING_SCAN_H

#include "base/file.h"
#include "decode/ntff/ntff_decoder.h"
#include "format/notification.h"

#define NX_SCAN_CHUNK_BYTES ((size_t)8 << 20)

struct nx_ring_scan {
	const struct nx_graph_rings *rings;
	uint32_t block_type, trace_type; /* trace_type matters for core rings only */
	struct nx_progress *progress;	 /* may be NULL */
	size_t next_ring;
	struct nx_slice records; /* of the current ring */
	size_t at, forgotten;
};

static inline struct nx_ring_scan nx_ring_scan_core(const struct nx_graph_rings *rings,
						    enum nx_trace_type trace_type,
						    struct nx_progress *progress)
{
	return (struct nx_ring_scan){.rings = rings,
				     .block_type = NX_BLOCK_CORE,
				     .trace_type = trace_type,
				     .progress = progress};
}

static inline struct nx_ring_scan nx_ring_scan_dma(const struct nx_graph_rings *rings,
						   struct nx_progress *progress)
{
	return (struct nx_ring_scan){
		.rings = rings, .block_type = NX_BLOCK_DMA, .progress = progress};
}

static inline void nx_ring_scan_forget(struct nx_ring_scan *scan)
{
	nx_file_forget(nx_slice_part(scan->records, scan->forgotten, scan->at - scan->forgotten));
	if (scan->progress)
		nx_progress_add(scan->progress, scan->at - scan->forgotten);
	scan->forgotten = scan->at;
}

static inline bool nx_ring_scan_turn(struct nx_ring_scan *scan)
{
	if (scan->forgotten < scan->at)
		nx_ring_scan_forget(scan);
	while (scan->next_ring < scan->rings->ring_count) {
		const struct nx_ring_span *ring = &scan->rings->rings[scan->next_ring++];

		if (ring->block_type != scan->block_type ||
		    (ring->block_type == NX_BLOCK_CORE && ring->trace_type != scan->trace_type))
			continue;
		scan->records = ring->records;
		scan->at = scan->forgotten = 0;
		return true;
	}
	return false;
}

static inline bool nx_ring_scan_next(struct nx_ring_scan *scan, struct nx_notification *record)
{
	while (scan->records.len - scan->at < NX_NOTIFICATION_BYTES)
		if (!nx_ring_scan_turn(scan))
			return false;
	*record = nx_notification_load(scan->records.data + scan->at);
	scan->at += NX_NOTIFICATION_BYTES;
	if (scan->at - scan->forgotten >= NX_SCAN_CHUNK_BYTES)
		nx_ring_scan_forget(scan);
	return true;
}

static inline int64_t nx_clock_ps(const struct nx_clock *clock, uint64_t ticks)
{
	__int128 ps = ticks;

	if (clock->actual)
		ps -= (__int128)clock->init;
	if (clock->actual && clock->actual != clock->expected) {
		/* |ps| < 2^64 and expected < 2^63, so the product fits 128 bits */
		__int128 scaled = ps * (__int128)(clock->expected & INT64_MAX);

		ps = scaled / (__int128)clock->actual;
		if (scaled < 0 && ps * (__int128)clock->actual != scaled)
			ps--; /* C truncates towards zero; the rule is floor */
	}
	return ps > INT64_MAX ? INT64_MAX : ps < INT64_MIN ? INT64_MIN : (int64_t)ps;
}

/* Whether a time lies in the capture's window. */
static inline bool nx_in_window(const struct nx_capture *capture, int64_t time_ps)
{
	return time_ps >= capture->window_start_ps &&
	       (!capture->has_window_end || time_ps <= capture->window_end_ps);
}

/* Whether what a core did at a time is the graph's: when several models are shown, the one that ran
 * then. Their code may have the same addresses, so a pc does not tell. */
static inline bool nx_is_of_graph(const struct nx_capture *capture, uint32_t graph, int64_t time_ps)
{
	const struct nx_execution_span *execution;

	if (!capture->executions)
		return true;
	execution = nx_capture_execution_at(capture, time_ps);
	return execution && execution->model_idx == capture->graphs[graph].model_idx;
}

static inline bool nx_in_window_of(const struct nx_capture *capture, uint32_t graph,
				   int64_t time_ps)
{
	return nx_in_window(capture, time_ps) && nx_is_of_graph(capture, graph, time_ps);
}

static inline uint64_t nx_since_start(const struct nx_capture *capture, int64_t time_ps)
{
	return (uint64_t)time_ps - (uint64_t)capture->window_start_ps;
}

/* Slot of a pc in an image; NX_NONE when it belongs to no code of this program. */
uint32_t nx_image_slot(const struct nx_engine_image *image, uint32_t pc);

#endif
