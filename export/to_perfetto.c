/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device profile as a Perfetto trace: a track for each core, below it engines,
 * queues and counters. Every table is scanned once and streamed; times are
 * nanoseconds since the start of the window.
 */
#include <stdio.h>

#include "export/perfetto_device.h"

static void begin_cores(struct nx_device_trace *trace)
{
	const struct nx_capture *c = &trace->profile->capture;
	char name[300];

	for (uint32_t g = 0; g < c->graph_count; g++) {
		snprintf(name, sizeof(name), "NeuronCore %u (%s)", c->graphs[g].nc_idx,
			 c->graphs[g].name);
		trace->cores[g] = nx_perfetto_track(trace->p, NX_PERFETTO_ROOT, name, g + 1);
	}
}

enum nx_status nx_export_perfetto(const struct nx_profile *profile,
				  const struct nx_export_options *options, struct nx_output *out,
				  struct nx_error *err)
{
	struct nx_device_trace trace = {
		.p = nx_perfetto_new(out, options->compress),
		.profile = profile,
		.options = options,
	};
	enum nx_status st;

	begin_cores(&trace);
	st = nx_perfetto_points(&trace, err);
	if (!st)
		st = nx_perfetto_instructions(&trace, err);
	if (!st)
		st = nx_perfetto_dma(&trace, err);
	if (!st)
		st = nx_perfetto_counters(&trace, err);
	nx_perfetto_finish(trace.p);
	return st;
}
