/* SPDX-License-Identifier: Apache-2.0 */
/* The whole profile as one JSON document, with the sections of AWS's export of the same capture. */
#include <assert.h>
#include <string.h>

#include "base/json_writer.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "export/memory_report.h"

struct nx_json_fragment nx_json_render(struct nx_arena *arena, nx_json_members_fn members,
				       const void *what)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;
	struct nx_json_fragment fragment;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	members(&w, what);
	nx_json_end_object(&w);
	assert(bytes.len >= 2);
	fragment.len = bytes.len - 2; /* without the braces */
	fragment.text = nx_arena_copy(arena, nx_slice_of(bytes.items + 1, fragment.len));
	nx_vec_release(&bytes);
	return fragment;
}

/* Sections with one row each, and those the capture and the NEFF state. */
static uint64_t write_stated(struct nx_json_writer *w, const struct nx_profile *p)
{
	uint64_t points = 0;

	nx_json_key(w, "summary");
	nx_json_begin_array(w);
	nx_json_summary(w, p);
	nx_json_end_array(w);
	nx_json_key(w, "model_info");
	nx_json_model_info(w, p);
	nx_json_key(w, "layer_summary");
	points += nx_json_layer_summary(w, p);
	nx_json_key(w, "nc_mem_usage");
	points += nx_json_memory_usage(w, p);
	nx_json_key(w, "dma_queues_info");
	points += nx_json_queues(w, p);
	if (p->has_binary) {
		nx_json_key(w, "neff_header");
		nx_json_neff_header(w, p);
		nx_json_key(w, "neff_node");
		points += nx_json_neff_nodes(w, p);
	}
	if (p->binary.stack.frame_count) {
		nx_json_key(w, "stack_frame");
		nx_json_stack_frames(w, p);
	}
	nx_json_key(w, "profile_info");
	nx_json_profile_info(w, p);
	nx_json_key(w, "warnings");
	nx_json_warnings(w, &p->warnings);
	for (size_t i = 0; i < p->warnings.len; i++)
		points += !strcmp(p->warnings.items[i].category, "Missing Data");
	nx_json_key(w, "summary_groups");
	nx_json_summary_groups(w, p);
	nx_json_key(w, "summary_group_order");
	nx_json_summary_group_order(w, p);
	nx_json_key(w, "terminology");
	nx_json_terminology(w, p);
	return points;
}

static enum nx_status write_streams(struct nx_json_writer *w, const struct nx_profile *p,
				    struct nx_progress *progress, uint64_t *points,
				    struct nx_error *err)
{
	static const struct {
		enum nx_table table;
		const char *section;
	} tables[] = {
		{NX_TABLE_EVENT, "semaphore_update"},
		{NX_TABLE_PENDING, "pending_dma"},
		{NX_TABLE_THROUGHPUT, "dma_throughput"},
		{NX_TABLE_THROTTLE, "ham"},
		{NX_TABLE_ACTIVE, "active_time"},
		{NX_TABLE_BUFFER_USAGE, "instruction_usage"},
	};
	uint64_t rows;
	enum nx_status st;

	nx_json_key(w, "instruction");
	st = nx_json_instructions(w, p, progress, &rows, err);
	if (st)
		return st;
	nx_json_key(w, "dma");
	st = nx_json_dma(w, p, progress, &rows, err);
	*points += rows;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !st; i++) {
		nx_json_key(w, tables[i].section);
		st = nx_json_table(w, p, tables[i].table, &rows, err);
		*points += rows;
	}
	return st;
}

static void count_row(void *context, const void *row)
{
	(void)row;
	++*(uint64_t *)context;
}

/* Sections for captures with errors or collectives, and those that were asked for. */
static enum nx_status write_optional(struct nx_json_writer *w, const struct nx_profile *p,
				     struct nx_error *err)
{
	uint64_t faults = 0, ops = 0, rows;
	enum nx_status st = nx_profile_scan(p, NX_TABLE_FAULT, count_row, &faults, err);

	if (!st && faults) {
		nx_json_key(w, "error");
		st = nx_json_table(w, p, NX_TABLE_FAULT, &faults, err);
	}
	for (uint32_t g = 0; g < p->capture.graph_count; g++)
		ops += p->capture.graphs[g].collective_op_count;
	if (!st && ops) {
		nx_json_key(w, "cc_op");
		nx_json_collectives(w, p);
	}
	if (st || !p->memory)
		return st;
	nx_json_key(w, "memory_peak");
	nx_memory_report_json(w, p);
	nx_json_key(w, "memory_tracker");
	return nx_json_table(w, p, NX_TABLE_MEMORY_USE, &rows, err);
}

enum nx_status nx_export_json(const struct nx_profile *profile,
			      const struct nx_export_options *options, struct nx_output *out,
			      struct nx_error *err)
{
	struct nx_json_writer w;
	uint64_t points;
	enum nx_status st;

	nx_json_init_output(&w, out, options->pretty);
	nx_json_begin_object(&w);
	points = write_stated(&w, profile) + profile->with_layer_count +
		 profile->early_semaphore_count;
	for (uint32_t g = 0; g < profile->capture.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			points += profile->graphs[g].instruction_count[e];
	st = write_streams(&w, profile, options->progress, &points, err);
	if (!st)
		st = write_optional(&w, profile, err);
	/* last, because the number of points is known only now */
	nx_json_key(&w, "metadata");
	nx_json_metadata(&w, profile, points);
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
	return st;
}
