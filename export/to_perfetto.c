/* SPDX-License-Identifier: Apache-2.0 */
/* A device profile as a Perfetto trace: a track for each core, below it engines, queues and
 * counters. Times are nanoseconds since the start of the window. */
#include <assert.h>
#include <stdio.h>

#include "export/perfetto_device.h"
#include "model/transfer.h"

void nx_perfetto_arg_u64(struct nx_perfetto_args *args, const char *name, uint64_t value)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){
				  .name = name, .kind = NX_PERFETTO_U64, .u64 = value}));
}

void nx_perfetto_arg_f64(struct nx_perfetto_args *args, const char *name, double value)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){
				  .name = name, .kind = NX_PERFETTO_F64, .f64 = value}));
}

void nx_perfetto_arg_bool(struct nx_perfetto_args *args, const char *name, bool value)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){
				  .name = name, .kind = NX_PERFETTO_BOOL, .u64 = value}));
}

void nx_perfetto_arg_text(struct nx_perfetto_args *args, const char *name, const char *text)
{
	assert(name && text);
	nx_vec_push(args, ((struct nx_perfetto_arg){.name = name,
						    .kind = NX_PERFETTO_TEXT,
						    .text = nx_slice_text(text)}));
}

void nx_perfetto_semaphore_label(const struct nx_profile *profile, uint32_t graph,
				 uint32_t semaphore, char label[NX_SEMAPHORE_LABEL_MAX])
{
	const char *const *names = profile->program.semaphore_names[graph];

	if (names && semaphore < NX_SEMAPHORE_COUNT && names[semaphore])
		snprintf(label, NX_SEMAPHORE_LABEL_MAX, "S[%u] (%s)", semaphore, names[semaphore]);
	else
		snprintf(label, NX_SEMAPHORE_LABEL_MAX, "S[%u]", semaphore);
}

/* --- rows -------------------------------------------------------------------- */

static void end_slice(void *context, size_t lane, uint64_t end_ns)
{
	struct nx_perfetto_row *row = context;

	nx_perfetto_end(row->p, row->tracks.items[lane], end_ns);
}

void nx_perfetto_row_put(struct nx_perfetto_row *row, const struct nx_perfetto_slice *slice)
{
	size_t lane = nx_lanes_put(&row->lanes, slice->start_ns, slice->end_ns, end_slice, row);

	assert(lane <= row->tracks.len && slice->name);
	if (lane == row->tracks.len)
		nx_vec_push(&row->tracks,
			    nx_perfetto_track(row->p, row->parent, row->name, row->rank));
	nx_perfetto_begin(row->p, row->tracks.items[lane], slice->start_ns, slice->name,
			  slice->args, slice->arg_count, slice->flows);
}

void nx_perfetto_row_finish(struct nx_perfetto_row *row)
{
	nx_lanes_finish(&row->lanes, end_slice, row);
	nx_vec_release(&row->tracks);
}

/* --- the trace --------------------------------------------------------------- */

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
	if (!st)
		st = nx_perfetto_memory(&trace, err);
	nx_perfetto_finish(trace.p);
	return st;
}
