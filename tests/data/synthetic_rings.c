/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_rings: streams the trace rings, run after run, in constant memory. */
#include "base/bare/bits.h"
#include "tests/data/synthetic_inside.h"

#define WRITE_RECORDS 65536

static bool flush(struct nx_synthetic_writer *w)
{
	bool is_taken = w->sink(w->context, w->buffer.items, w->buffer.len);

	nx_vec_clear(&w->buffer);
	return is_taken;
}

static bool write_records(struct nx_synthetic_writer *w, const struct nx_synthetic_records *records,
			  uint64_t run)
{
	uint64_t shift_ps = run * w->machine->run_ps;
	bool is_plain = w->machine->options.arch != 1;
	/* checksums differ from run to run */
	uint32_t salt = (uint32_t)(run * 0x9e37) << 16;

	for (size_t first = 0; first < records->len; first += WRITE_RECORDS) {
		size_t count = records->len - first;

		if (count > WRITE_RECORDS)
			count = WRITE_RECORDS;
		nx_vec_reserve(&w->buffer, w->buffer.len + count * NX_NOTIFICATION_BYTES);
		for (size_t i = 0; i < count; i++) {
			const struct nx_synthetic_record *r = &records->items[first + i];
			uint64_t ps = r->time_ps + shift_ps;
			struct nx_notification n = {r->w0, r->w1, ps};

			if (!is_plain)
				n.timestamp = nx_ntff_clock_ticks(&w->clocks[r->clock], ps);
			if (r->clock == NX_SYNTHETIC_CLOCK_DMA && (r->w1 & 15) == NX_DMA_END)
				n.w1 ^= salt;
			nx_notification_store(w->buffer.items + w->buffer.len, n);
			w->buffer.len += NX_NOTIFICATION_BYTES;
		}
		if (w->buffer.len >= (size_t)WRITE_RECORDS * NX_NOTIFICATION_BYTES && !flush(w))
			return false;
	}
	return true;
}

bool nx_synthetic_write_rings(struct nx_synthetic_writer *w)
{
	for (unsigned g = 0; g < w->machine->options.graph_count; g++)
		for (size_t r = 0; r < nx_synthetic_ring_count(w); r++) {
			const struct nx_synthetic_ring *ring = &w->machine->graphs[g].rings[r];

			if (!write_records(w, &ring->once, 0))
				return false;
			for (uint64_t run = 0; run < w->run_count && ring->loop.len; run++)
				if (!write_records(w, &ring->loop, run))
					return false;
		}
	return flush(w);
}

/* --- counts --------------------------------------------------------------------- */

static void sum_graph(const struct nx_synthetic_writer *w, const struct nx_synthetic_graph *graph,
		      struct nx_synthetic_graph_counts *out)
{
	const struct nx_synthetic_graph_counts *loop = &graph->loop;
	uint64_t n = w->run_count;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		out->instruction_count[e] = n * loop->instruction_count[e];
	out->packet_count = n * loop->packet_count;
	out->packet_bytes = n * loop->packet_bytes;
	out->transfer_count = n * loop->transfer_count;
	out->event_count = graph->once.event_count + n * loop->event_count;
	out->early_event_count = graph->once.event_count;
	out->throttle_count = n * loop->throttle_count;
	out->matmul_count = n * loop->matmul_count;
	out->dynamic_dma_count = n * loop->dynamic_dma_count;
}

void nx_synthetic_sum_counts(const struct nx_synthetic_writer *w, struct nx_synthetic_counts *out)
{
	const struct nx_synthetic_machine *m = w->machine;

	*out = m->once;
	for (unsigned g = 0; g < m->options.graph_count; g++) {
		sum_graph(w, &m->graphs[g], &out->graphs[g]);
		for (size_t r = 0; r < nx_synthetic_ring_count(w); r++)
			out->record_count += nx_synthetic_ring_records(w, &m->graphs[g].rings[r]);
	}
	out->total_time_ps = w->run_count * m->run_ps;
	out->fault_count = w->run_count * m->loop.fault_count;
	out->dge_record_count = w->run_count * m->loop.dge_record_count;
	out->unknown_record_count = w->run_count * m->loop.unknown_record_count;
}
