/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ntff/ntff_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "decode/ntff/ring_scan.h"
#include "format/instruction.h"
#include "model/binary.h"

/* Before version 6 the file has no timeline: the window opens when the Tensor engine's "start"
 * NOTIFY ends or, if it has none, the latest of the other engines'. */
static bool find_start_marker(const struct nx_ntff_decoder *d, int64_t *start_ps)
{
	const struct nx_graph *graph = &d->capture->graphs[0];
	const struct nx_graph_rings *rings = &d->graphs[0];
	struct nx_ring_scan scan = nx_ring_scan_core(rings, NX_TRACE_INSTRUCTION, NULL);
	bool found = false, has[NX_ENGINE_COUNT] = {false};
	struct nx_notification n;

	while (nx_ring_scan_next(&scan, &n)) {
		unsigned type = nx_notification_type(n), engine;
		const struct nx_engine_image *image;
		const struct nx_notify_word *w;
		uint32_t slot;
		int64_t at;

		if (!nx_notification_is_engine(type) || nx_notification_kind(type) != NX_NOTIFY_END)
			continue;
		engine = nx_notification_engine(type);
		image = &graph->engines[engine];
		slot = nx_image_slot(image, nx_bits32(n.w0, 19, 0));
		if (slot == NX_NONE || has[engine])
			continue;
		w = &nx_word_of(image->code.data + (size_t)slot * NX_SLOT_BYTES)->notify;
		if (w->header.opcode != NX_OP_NOTIFY || w->hint != NX_NOTIFY_HINT_START)
			continue;
		has[engine] = true;
		at = nx_clock_ps(&rings->engine_clocks[engine], n.timestamp);
		if (engine == NX_ENGINE_TENSOR) {
			*start_ps = at;
			return true;
		}
		if (!found || at > *start_ps)
			*start_ps = at;
		found = true;
	}
	return found;
}

static int64_t earliest_record(const struct nx_ntff_decoder *d)
{
	int64_t earliest = INT64_MAX;

	for (uint32_t g = 0; g < d->capture->graph_count; g++) {
		const struct nx_clock *clocks = d->graphs[g].engine_clocks;
		struct nx_ring_scan scan =
			nx_ring_scan_core(&d->graphs[g], NX_TRACE_INSTRUCTION, NULL);
		struct nx_notification n;

		while (nx_ring_scan_next(&scan, &n)) {
			unsigned type = nx_notification_type(n);
			int64_t at;

			if (!nx_notification_is_engine(type))
				continue;
			at = nx_clock_ps(&clocks[nx_notification_engine(type)], n.timestamp);
			if (at < earliest)
				earliest = at;
		}
	}
	return earliest == INT64_MAX ? 0 : earliest;
}

/* --- models ---------------------------------------------------------------- */

uint32_t nx_ntff_find_model(const struct nx_ntff_decoder *d, struct nx_slice uid)
{
	for (uint32_t i = 0; i < d->model_count; i++)
		if (nx_slice_equal(d->model_uids[i], uid))
			return i;
	return NX_NONE;
}

void nx_ntff_list_models(struct nx_ntff_decoder *d)
{
	const struct nx_ntff_info *info = &d->ntff.info;

	for (size_t i = 0; i < info->nodes.count && d->model_count < NX_MAX_GRAPHS; i++)
		if (info->nodes.items[i].device.graphs.count &&
		    nx_ntff_find_model(d, info->nodes.items[i].uid) == NX_NONE)
			d->model_uids[d->model_count++] = info->nodes.items[i].uid;
}

/* --- the window ------------------------------------------------------------ */

static bool is_valid(const struct nx_ntff_execution *e)
{
	return e->start_ps <= INT64_MAX && e->end_ps <= INT64_MAX && e->end_ps >= e->start_ps;
}

static enum nx_status fail_backwards(const struct nx_capture *c, uint32_t execution,
				     struct nx_error *err)
{
	return nx_fail(err, NX_FORMAT, "%s: execution %u ends before it starts", c->path,
		       execution);
}

static int compare_executions(const void *left, const void *right)
{
	const struct nx_execution_span *a = left, *b = right;

	return (a->start_ps > b->start_ps) - (a->start_ps < b->start_ps);
}

/* Several models: from the first start to the last end. */
static enum nx_status window_of_all(struct nx_ntff_decoder *d, struct nx_arena *arena,
				    struct nx_error *err)
{
	const struct nx_ntff_info *info = &d->ntff.info;
	struct nx_capture *c = d->capture;

	c->shown_execution_count = info->executions.count;
	c->executions = NX_NEW_ARRAY(arena, struct nx_execution_span, info->executions.count);
	c->window_start_ps = INT64_MAX;
	for (size_t i = 0; i < info->executions.count; i++) {
		const struct nx_ntff_execution *e = &info->executions.items[i];
		struct nx_execution_span *to = &c->executions[i];

		if (!is_valid(e))
			return fail_backwards(c, (uint32_t)i, err);
		*to = (struct nx_execution_span){(int64_t)e->start_ps, (int64_t)e->end_ps,
						 nx_ntff_find_model(d, e->uid), (uint32_t)i};
		d->loss.unknown_model_count += to->model_idx == NX_NONE;
		if (to->start_ps < c->window_start_ps)
			c->window_start_ps = to->start_ps;
		if (to->end_ps > c->window_end_ps)
			c->window_end_ps = to->end_ps;
	}
	qsort(c->executions, c->shown_execution_count, sizeof(*c->executions), compare_executions);
	c->window_source = NX_WINDOW_TIMELINE;
	c->has_window_end = true;
	c->total_time_ps = (uint64_t)(c->window_end_ps - c->window_start_ps);
	return NX_OK;
}

static enum nx_status window_from_timeline(struct nx_ntff_decoder *d, uint32_t execution,
					   struct nx_error *err)
{
	struct nx_capture *c = d->capture;
	const struct nx_ntff_execution *e;

	if (execution >= d->ntff.info.executions.count)
		return nx_fail(err, NX_NOT_FOUND,
			       "%s has %zu executions, numbered from 0; there is no execution %u",
			       c->path, d->ntff.info.executions.count, execution);
	e = &d->ntff.info.executions.items[execution];
	if (!is_valid(e))
		return fail_backwards(c, execution, err);
	c->execution = execution;
	c->window_source = NX_WINDOW_TIMELINE;
	c->window_start_ps = (int64_t)e->start_ps;
	c->window_end_ps = (int64_t)e->end_ps;
	c->has_window_end = true;
	c->total_time_ps = e->end_ps - e->start_ps;
	return NX_OK;
}

enum nx_status nx_ntff_find_window(struct nx_ntff_decoder *d, const struct nx_ntff_options *options,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct nx_capture *c = d->capture;

	assert(c->graph_count);
	c->execution_count = (uint32_t)d->ntff.info.executions.count;
	if (c->execution_count && c->model_count > 1)
		return window_of_all(d, arena, err);
	if (c->execution_count)
		return window_from_timeline(d, options->execution, err);
	if (options->execution)
		return nx_fail(err, NX_NOT_FOUND,
			       "%s does not separate its executions; there is no execution %u, "
			       "use 0",
			       c->path, options->execution);
	/* the durations of several models are not the time they took together */
	c->total_time_ps = c->model_count > 1 ? 0 : c->graphs[0].exec_duration_ps;
	c->window_source = NX_WINDOW_NOTIFY;
	if (find_start_marker(d, &c->window_start_ps))
		return NX_OK;
	c->window_source = NX_WINDOW_FIRST_RECORD;
	c->window_start_ps = earliest_record(d);
	return NX_OK;
}
