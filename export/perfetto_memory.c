/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory tracks: below each core a track "Memory", below it one for each memory with a counter of
 * its total and one for each of the holders that have most bytes at its peak.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "export/perfetto_device.h"

#define HOLDERS_SHOWN 32 /* of each memory: more tracks than a person reads */
#define NO_TRACK UINT32_MAX
#define NAME_MAX_BYTES 300

struct memory_trace {
	const struct nx_device_trace *trace;
	uint32_t totals[NX_MAX_GRAPHS][NX_MEMORY_COUNT];
	uint32_t (*tracks)[NX_MEMORY_COUNT]; /* by holder */
};

static void begin_memory(struct memory_trace *x, uint32_t parent, uint32_t graph,
			 enum nx_memory memory)
{
	const struct nx_memory_report *report = x->trace->profile->memory;
	struct nx_perfetto *p = x->trace->p;
	uint32_t track = nx_perfetto_track(p, parent, nx_memory_name(memory), memory);
	struct nx_memory_order order = {0};

	x->totals[graph][memory] = nx_perfetto_counter(p, track, "total", NX_UNIT_BYTES, NULL, 0);
	nx_memory_order_find(&order, report, graph, memory);
	for (uint32_t i = 0; i < order.len && i < HOLDERS_SHOWN; i++) {
		const struct nx_memory_holder *h = &report->holders[order.items[i]];
		char name[NAME_MAX_BYTES];

		snprintf(name, sizeof(name), "%s (%s)", h->name, h->kind);
		x->tracks[order.items[i]][memory] =
			nx_perfetto_counter(p, track, name, NX_UNIT_BYTES, NULL, i + 1);
	}
	nx_vec_release(&order);
}

static void begin_core(struct memory_trace *x, uint32_t graph)
{
	uint32_t parent = NO_TRACK;

	for (unsigned m = 0; m < NX_MEMORY_COUNT; m++) {
		if (!x->trace->profile->memory->peaks[graph][m].row_count)
			continue;
		if (parent == NO_TRACK)
			parent = nx_perfetto_track(x->trace->p, x->trace->cores[graph], "Memory",
						   NX_RANK_MEMORY);
		begin_memory(x, parent, graph, (enum nx_memory)m);
	}
}

static void put_use(void *context, const void *opaque)
{
	struct memory_trace *x = context;
	const struct nx_memory_use *row = opaque;
	uint32_t track = x->tracks[row->holder][row->memory];

	nx_perfetto_count(x->trace->p, x->totals[row->graph][row->memory], row->time_ps / 1000,
			  (double)row->total_bytes);
	if (track != NO_TRACK)
		nx_perfetto_count(x->trace->p, track, row->time_ps / 1000, (double)row->live_bytes);
}

enum nx_status nx_perfetto_memory(const struct nx_device_trace *trace, struct nx_error *err)
{
	struct memory_trace x = {.trace = trace};
	const struct nx_memory_report *report = trace->profile->memory;
	enum nx_status st;
	size_t size;

	if (!report)
		return NX_OK;
	size = (report->holder_count + 1) * sizeof(*x.tracks);
	x.tracks = nx_heap_alloc(size);
	memset(x.tracks, 0xff, size);
	static_assert(NO_TRACK == UINT32_MAX, "what memset leaves");
	for (uint32_t g = 0; g < trace->profile->capture.graph_count; g++)
		begin_core(&x, g);
	st = nx_profile_scan(trace->profile, NX_TABLE_MEMORY_USE, put_use, &x, err);
	nx_heap_free(x.tracks);
	return st;
}
