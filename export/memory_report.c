/* SPDX-License-Identifier: Apache-2.0 */
#include "export/memory_report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "export/json_sections.h"

#define TOP_HOLDERS 10

/* Calls fn for each memory of each core that was used, with its holders in order. */
typedef void (*memory_fn)(void *context, uint32_t graph, enum nx_memory memory,
			  const struct nx_memory_order *order);

static void each_memory(const struct nx_profile *p, memory_fn fn, void *context)
{
	struct nx_memory_order order = {0};

	assert(p->memory);
	for (uint32_t g = 0; g < p->capture.graph_count; g++)
		for (unsigned m = 0; m < NX_MEMORY_COUNT; m++) {
			if (!p->memory->peaks[g][m].row_count)
				continue;
			nx_memory_order_find(&order, p->memory, g, (enum nx_memory)m);
			fn(context, g, (enum nx_memory)m, &order);
		}
	nx_vec_release(&order);
}

/* --- for people ------------------------------------------------------------- */

struct text {
	struct nx_output *out;
	const struct nx_profile *profile;
	bool has_rows;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_peak(void *context, uint32_t graph, enum nx_memory memory,
		       const struct nx_memory_order *order)
{
	struct text *x = context;
	const struct nx_memory_peak *peak = &x->profile->memory->peaks[graph][memory];
	char used[16] = "-", capacity[24] = "-";

	if (!x->has_rows)
		nx_output_line(x->out, "%-8s %-10s %14s %14s %6s %12s %9s", "core", "memory",
			       "peak_bytes", "capacity_bytes", "used", "peak_ns", "holders");
	x->has_rows = true;
	if (peak->capacity_bytes) {
		snprintf(capacity, sizeof(capacity), "%" PRIu64, peak->capacity_bytes);
		snprintf(used, sizeof(used), "%.1f%%",
			 percent(peak->peak_bytes, peak->capacity_bytes));
	}
	nx_output_line(x->out, "%-8s %-10s %14" PRIu64 " %14s %6s %12" PRIu64 " %9zu",
		       x->profile->capture.graphs[graph].name, nx_memory_name(memory),
		       peak->peak_bytes, capacity, used, peak->time_ps / 1000, order->len);
}

static void write_holders(void *context, uint32_t graph, enum nx_memory memory,
			  const struct nx_memory_order *order)
{
	struct text *x = context;
	const struct nx_memory_report *report = x->profile->memory;
	uint64_t peak_bytes = report->peaks[graph][memory].peak_bytes;
	size_t i = 0;

	nx_output_line(x->out, "\n%s %s at its peak\n%14s %6s %12s %12s  %-11s %s",
		       x->profile->capture.graphs[graph].name, nx_memory_name(memory), "bytes",
		       "share", "first_ns", "last_ns", "kind", "tensor");
	for (; i < order->len && i < TOP_HOLDERS; i++) {
		const struct nx_memory_holder *h = &report->holders[order->items[i]];
		const struct nx_memory_share *share = &h->shares[memory];

		if (!share->bytes_at_peak)
			break;
		nx_output_line(x->out,
			       "%14" PRIu64 " %5.1f%% %12" PRIu64 " %12" PRIu64 "  %-11s %s",
			       share->bytes_at_peak, percent(share->bytes_at_peak, peak_bytes),
			       share->first_ps / 1000, share->last_ps / 1000, h->kind, h->name);
	}
	if (i < order->len)
		nx_output_line(x->out, "%14s %zu more with fewer bytes", "and", order->len - i);
}

void nx_memory_report_text(struct nx_output *out, const struct nx_profile *profile)
{
	struct text x = {out, profile, false};

	nx_output_line(out, "\nmemory tracker (sbuf and psum: bytes of one partition)");
	each_memory(profile, write_peak, &x);
	if (x.has_rows)
		each_memory(profile, write_holders, &x);
	else
		nx_output_line(out, "no memory was used in the part of the capture that is shown");
}

/* --- as JSON ---------------------------------------------------------------- */

struct json {
	struct nx_json_writer *w;
	const struct nx_profile *profile;
};

static void put_memory(void *context, uint32_t graph, enum nx_memory memory,
		       const struct nx_memory_order *order)
{
	const struct json *x = context;
	const struct nx_memory_report *report = x->profile->memory;
	const struct nx_memory_peak *peak = &report->peaks[graph][memory];
	struct nx_json_writer *w = x->w;

	nx_json_begin_object(w);
	nx_json_subgraph(w, x->profile, graph);
	nx_json_key_text(w, "memory", nx_memory_name(memory));
	nx_json_key_u64(w, "peak_bytes", peak->peak_bytes);
	if (peak->capacity_bytes)
		nx_json_key_u64(w, "capacity_bytes", peak->capacity_bytes);
	nx_json_key_u64(w, "peak_timestamp", peak->time_ps / 1000);
	nx_json_key(w, "tensors");
	nx_json_begin_array(w);
	for (size_t i = 0; i < order->len; i++) {
		const struct nx_memory_holder *h = &report->holders[order->items[i]];
		const struct nx_memory_share *share = &h->shares[memory];

		nx_json_begin_object(w);
		nx_json_key_text(w, "tensor", h->name);
		nx_json_key_text(w, "kind", h->kind);
		nx_json_key_u64(w, "bytes_at_peak", share->bytes_at_peak);
		nx_json_key_u64(w, "max_bytes", share->max_bytes);
		nx_json_key_u64(w, "first_timestamp", share->first_ps / 1000);
		nx_json_key_u64(w, "last_timestamp", share->last_ps / 1000);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_json_end_object(w);
}

void nx_memory_report_json(struct nx_json_writer *w, const struct nx_profile *profile)
{
	struct json x = {w, profile};

	nx_json_begin_array(w);
	each_memory(profile, put_memory, &x);
	nx_json_end_array(w);
}
