/* SPDX-License-Identifier: Apache-2.0 */
/* Instants: semaphores, notifications, and facts about the profile. */
#include <stdio.h>

#include "export/perfetto_device.h"
#include "format/instruction.h"
#include "model/sorted_rows.h"

struct point_trace {
	const struct nx_device_trace *trace;
	const struct nx_profile *profile;
	uint32_t semaphores[NX_MAX_GRAPHS], notifications[NX_MAX_GRAPHS];
	struct nx_perfetto_args args;
};

static void put_instant(struct point_trace *x, uint32_t track, uint64_t time_ps, const char *name)
{
	nx_perfetto_instant(x->trace->p, track, time_ps / 1000, name, x->args.items, x->args.len);
	nx_vec_clear(&x->args);
}

static void put_event(void *context, const void *opaque)
{
	struct point_trace *x = context;
	const struct nx_event *row = opaque;
	char name[NX_SEMAPHORE_LABEL_MAX];

	nx_progress_add(x->trace->options->progress, 1);
	if (!row->is_semaphore)
		return;
	nx_perfetto_semaphore_label(x->profile, row->graph, row->id, name);
	nx_perfetto_arg_u64(&x->args, "value", row->value);
	put_instant(x, x->semaphores[row->graph], row->time_ps, name);
}

static void put_fault(void *context, const void *opaque)
{
	static const char *const types[] = {"Errors", "Warnings", "Custom Notification"};
	struct point_trace *x = context;
	const struct nx_fault *row = opaque;
	const struct nx_graph *graph = &x->profile->capture.graphs[row->graph];
	char hex[32], label[16];

	snprintf(hex, sizeof(hex), "0x%08x%08x", row->w1, row->w0);
	nx_perfetto_arg_text(&x->args, "type", types[row->kind]);
	nx_perfetto_arg_u64(&x->args, "error_type_id", row->id);
	nx_perfetto_arg_text(&x->args, "metadata_hex", hex);
	if (row->engine < NX_ENGINE_COUNT)
		nx_perfetto_arg_text(&x->args, "engine", nx_engines[row->engine].label);
	if (row->slot != NX_NONE) {
		const uint8_t *word =
			nx_instruction_word(graph->engines[row->engine].code, row->slot);

		nx_perfetto_arg_u64(&x->args, "pc", row->slot);
		nx_perfetto_arg_text(&x->args, "opcode",
				     nx_opcode_label(nx_word_opcode(word), label));
	}
	put_instant(x, x->notifications[row->graph], row->time_ps, nx_fault_name(row));
}

/* --- the profile ----------------------------------------------------------- */

static void put_metrics(struct point_trace *x)
{
	for (size_t i = 0; i < x->profile->metrics.len; i++) {
		const struct nx_metric *m = &x->profile->metrics.items[i];

		if (m->kind == NX_METRIC_COUNT)
			nx_perfetto_arg_u64(&x->args, m->name, m->count);
		else if (m->kind == NX_METRIC_NUMBER)
			nx_perfetto_arg_f64(&x->args, m->name, m->number);
		else
			nx_perfetto_arg_text(&x->args, m->name, m->text);
	}
}

static void put_collectives(struct point_trace *x, uint32_t track)
{
	for (uint32_t g = 0; g < x->profile->capture.graph_count; g++)
		for (size_t i = 0; i < x->profile->capture.graphs[g].collective_op_count; i++) {
			const struct nx_collective_op *op =
				&x->profile->capture.graphs[g].collective_ops[i];

			nx_perfetto_arg_text(&x->args, "subgraph",
					     x->profile->capture.graphs[g].name);
			nx_perfetto_arg_u64(&x->args, "op_id", i);
			nx_perfetto_arg_text(&x->args, "algorithm", op->algorithm_name);
			nx_perfetto_arg_u64(&x->args, "num_elements", op->element_count);
			nx_perfetto_arg_u64(&x->args, "comm_id", op->comm_id);
			nx_perfetto_arg_u64(&x->args, "dtype", op->dtype);
			put_instant(x, track, 0, "cc_op");
		}
}

/* Facts without a time are on one track, at the start of the window. */
static void put_facts(struct point_trace *x)
{
	const struct nx_profile *p = x->profile;
	uint32_t track = nx_perfetto_track(x->trace->p, NX_PERFETTO_ROOT, "Profile", 0);

	nx_perfetto_arg_text(&x->args, "profile_name", p->name);
	nx_perfetto_arg_text(&x->args, "profiler_version", NX_PRODUCT_VERSION);
	put_metrics(x);
	put_instant(x, track, 0, "summary");
	for (size_t i = 0; i < p->warnings.len; i++) {
		nx_perfetto_arg_text(&x->args, "category", p->warnings.items[i].category);
		nx_perfetto_arg_text(&x->args, "message", p->warnings.items[i].message);
		put_instant(x, track, 0, "warning");
	}
	put_collectives(x, track);
}

enum nx_status nx_perfetto_points(const struct nx_device_trace *trace, struct nx_error *err)
{
	struct point_trace x = {.trace = trace, .profile = trace->profile};
	enum nx_status st;

	for (uint32_t g = 0; g < x.profile->capture.graph_count; g++) {
		x.semaphores[g] = nx_perfetto_track(trace->p, trace->cores[g], "Semaphores",
						    NX_RANK_SEMAPHORES);
		x.notifications[g] = nx_perfetto_track(trace->p, trace->cores[g], "Notifications",
						       NX_RANK_NOTIFICATIONS);
	}
	put_facts(&x);
	st = nx_sorted_rows_scan(x.profile, NX_TABLE_EVENT, sizeof(struct nx_event), put_event, &x,
				 err);
	if (!st)
		st = nx_sorted_rows_scan(x.profile, NX_TABLE_FAULT, sizeof(struct nx_fault),
					 put_fault, &x, err);
	nx_vec_release(&x.args);
	return st;
}
